"""Views: pages beside the answers of tools, for hosts that declare MCP Apps; all others notice nothing."""

import re
from html.parser import HTMLParser

import pytest
from mcp.client.extension import advertise
from mcp.shared.exceptions import MCPError
from mcp_tools_list import compact

from ledgerkit.mcp_server.tool import Confirmed
from ledgerkit.mcp_server.tools import TOOLS
from ledgerkit.mcp_server.views.messages import ViewMsg
from ledgerkit.mcp_server.views.pages import ASSETS, SCRIPTS, View, page
from support.eras import MODERN

ERAS = pytest.mark.parametrize("era", ["legacy", MODERN])
EXTENSION = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
NOTHING_ALLOWED = {"connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": []}
OF_INVOICES = {"create_invoice", "duplicate_invoice", "get_invoice", "mark_invoice_paid", "update_invoice"}
OF_TAX_FORMS = {"generate_tax_declaration", "get_tax_declaration", "update_tax_declaration"}
HARMLESS = {"aria-live", "charset", "content", "http-equiv", "lang", "name"}
"""Attributes that name no address."""


def address_of(tool):
    return ((tool.meta or {}).get("ui") or {}).get("resourceUri")


class Elements(HTMLParser):
    """Elements of a page with their attributes."""

    def __init__(self, html):
        super().__init__()
        self.elements = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))


async def test_the_extension_is_declared(site):
    """Revisions with a handshake have no field for it: hosts find the views by the tools."""
    async with site.agent(await site.person()).connected("auto") as client:
        assert client.server_capabilities.extensions == {EXTENSION: {}}


@ERAS
async def test_the_views_are_listed_and_read(site, era):
    async with site.agent(await site.person()).connected(era) as client:
        listed = [one for one in (await client.list_resources()).resources if one.uri.startswith("ui://")]
        pages = [(await client.read_resource(one.uri)).contents for one in listed]

    assert [one.uri for one in listed] == [*View]
    for resource, (content,) in zip(listed, pages, strict=True):
        assert (resource.mime_type, content.mime_type, content.uri) == (MIME_TYPE, MIME_TYPE, resource.uri)
        assert resource.meta == content.meta == {"ui": {"csp": NOTHING_ALLOWED, "prefersBorder": True}}
        assert content.text.startswith("<!doctype html>")


@ERAS
async def test_a_view_that_does_not_exist_is_refused(site, era):
    async with site.agent(await site.person()).connected(era) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource("ui://ledgerkit/anything")

    assert caught.value.error.data["code"] == "NOT_FOUND"


@ERAS
async def test_the_tools_name_the_view_of_their_answers(site, era):
    async with site.agent(await site.person()).connected(era) as client:
        views = {tool.name: address_of(tool) for tool in (await client.list_tools()).tools}

    asking = {name for name, tool in TOOLS.items() if tool.confirmed is Confirmed.ALWAYS}
    assert {name for name, view in views.items() if view == View.INVOICE} == OF_INVOICES
    assert {name for name, view in views.items() if view == View.TAX_FORM} == OF_TAX_FORMS
    assert {name for name, view in views.items() if view == View.APPROVAL} == asking
    assert {view for name, view in views.items() if name not in OF_INVOICES | OF_TAX_FORMS | asking} == {None}


def test_naming_a_view_costs_at_most_seventy_bytes():
    for tool in TOOLS.values():
        without = tool.published.model_copy(update={"meta": None})
        size = len(without.model_dump_json(by_alias=True, exclude_none=True))
        assert len(tool.published.model_dump_json(by_alias=True, exclude_none=True)) - size <= 70, tool.name
    assert len(compact(TOOLS.values())) <= 55_000


@ERAS
async def test_a_host_with_views_is_answered_as_one_without(site, era):
    """The listing and the answers are the same text; the view takes what it shows from the answer."""
    ana = await site.person()
    agent = site.agent(ana)
    invoice = await ana.invoice()
    answers = []
    for extensions in ((), (advertise(EXTENSION, {"mimeTypes": [MIME_TYPE]}),)):
        async with agent.connected(era, extensions) as client:
            listed = (await client.list_tools()).tools
            answers.append((listed, await client.call_tool("get_invoice", {"id": invoice["id"]})))

    assert answers[0] == answers[1]
    assert answers[0][1].content[0].text


@pytest.mark.parametrize("view", list(View), ids=lambda view: view.name.lower())
def test_a_page_loads_nothing_and_reads_no_markup(view):
    html = page(view)
    elements = Elements(html).elements
    policy = next(attributes["content"] for tag, attributes in elements if "http-equiv" in attributes)

    assert {name for _, attributes in elements for name in attributes} == HARMLESS
    assert not re.search(r"https?://|innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|fetch\(|url\(", html)
    assert re.sub(r"'sha256-[^' ]{44}'", "HASH", policy) == (
        "default-src 'none'; script-src HASH; style-src HASH; base-uri 'none'; form-action 'none'"
    )
    assert html.count("<script>") == html.count("</script>") == 1
    assert len(html.encode()) < 30_000


def test_a_page_calls_no_tool_and_knows_no_token():
    script = "".join((ASSETS / name).read_text() for name in SCRIPTS)

    assert set(re.findall(r'"(?:ui|tools|resources)/[a-z/-]+"', script)) == {
        '"ui/initialize"',
        '"ui/open-link"',
        '"ui/notifications/initialized"',
        '"ui/notifications/size-changed"',
        '"ui/notifications/tool-result"',
        '"ui/notifications/tool-cancelled"',
        '"ui/notifications/host-context-changed"',
        '"ui/resource-teardown"',
    }
    assert "confirmationToken" not in script
    assert "confirmation_token" not in script


STATES = {
    *("accepted", "accepted_with_errors", "annulled", "kept", "pending", "rejected", "unknown"),
    *("draft", "overdue", "paid", "sent", "submitted"),
    *("credit_note", "invoice", "simplified"),
    *("compensate", "pay", "refund"),
}
"""Values of fields that a view puts into words."""


def test_every_word_of_the_views_is_shown():
    script = "".join((ASSETS / name).read_text() for name in SCRIPTS)
    names = {each.removeprefix("view.") for each in ViewMsg}

    assert set(re.findall(r"\bwords\.(\w+)", script)) | STATES == names
