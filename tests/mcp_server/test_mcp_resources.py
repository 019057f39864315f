"""Resources, prompts and completions, through the SDK's own client in both eras."""

import base64
import json

import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, PromptReference

from support.eras import MODERN

ERAS = pytest.mark.parametrize("era", ["legacy", MODERN])


async def emitted(agent, ana):
    invoice = await ana.invoice()
    await agent.ok("emit_einvoice", invoiceId=invoice["id"])
    return invoice["id"]


@ERAS
async def test_the_context_is_read_as_markdown(site, era):
    ana = await site.person()
    await site.agent(ana).ok("update_context_summary", summary="Taller de bicicletas en Gijón")

    async with site.agent(ana).connected(era) as client:
        listed = (await client.list_resources()).resources
        (content,) = (await client.read_resource("ledgerkit://context")).contents

    assert [one.uri for one in listed if not one.uri.startswith("ui:")] == ["ledgerkit://context"]
    assert content.mime_type == "text/markdown"
    assert "Taller de bicicletas en Gijón" in content.text


@ERAS
async def test_an_invoice_is_read_as_json_pdf_and_xml(site, era):
    ana = await site.person()
    agent = site.agent(ana)
    invoice = await emitted(agent, ana)
    uri = f"ledgerkit://invoices/{invoice}"

    async with agent.connected(era) as client:
        templates = (await client.list_resource_templates()).resource_templates
        record, pdf, xml = [(await client.read_resource(uri + form)).contents[0] for form in ("", "/pdf", "/xml")]

    assert [one.uri_template for one in templates] == [
        "ledgerkit://invoices/{id}",
        "ledgerkit://invoices/{id}/pdf",
        "ledgerkit://invoices/{id}/xml",
    ]
    assert json.loads(record.text) == await agent.ok("get_invoice", id=invoice)
    assert base64.b64decode(pdf.blob).startswith(b"%PDF-")
    assert xml.text.lstrip("\ufeff").startswith("<")


@ERAS
async def test_an_invoice_as_a_resource_has_neither_its_public_link_nor_addresses_of_rest(site, era):
    ana = await site.person()
    agent = site.agent(ana)
    invoice = await emitted(agent, ana)
    link = (await agent.ok("share_invoice", id=invoice))["shareUrl"]

    async with agent.connected(era) as client:
        (record,) = (await client.read_resource(f"ledgerkit://invoices/{invoice}")).contents

    assert "/api/" not in record.text
    assert link.rpartition("/")[2] not in record.text
    assert "null" not in record.text
    assert len(record.text) < 2_000


@ERAS
@pytest.mark.parametrize(
    "uri",
    [
        "ledgerkit://invoices/0192f0c0-0000-7000-8000-000000000000",
        "ledgerkit://invoices/nothing/pdf",
        "ledgerkit://nothing",
        "file:///etc/passwd",
    ],
)
async def test_a_resource_that_does_not_exist_is_the_callers_mistake(site, era, uri):
    async with site.agent(await site.person()).connected(era) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)

    assert caught.value.error.code == INVALID_PARAMS
    assert caught.value.error.data == {"code": "NOT_FOUND", "remedy": caught.value.error.data["remedy"], "uri": uri}
    assert caught.value.error.message


@pytest.mark.parametrize("form", ["", "/pdf", "/xml"])
async def test_resources_of_another_account_do_not_exist(site, form):
    ana, berta = await site.person(), await site.person("Berta Gil")
    invoice = await emitted(site.agent(ana), ana)

    async with site.agent(berta).connected() as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(f"ledgerkit://invoices/{invoice}{form}")

    assert caught.value.error.data["code"] == "NOT_FOUND"


@ERAS
@pytest.mark.parametrize(("language", "word"), [("en", "what is overdue"), ("es", "lo vencido")])
async def test_prompts_speak_the_callers_language(site, era, language, word):
    ana = await site.person()

    async with site.agent(ana, **{"accept-language": language}).connected(era) as client:
        prompts = (await client.list_prompts()).prompts
        without = [await client.get_prompt(one.name) for one in prompts]
        client_only = await client.get_prompt("chase_overdue_invoices", {"client": "Talleres Norte"})

    assert [one.name for one in prompts] == [
        "chase_overdue_invoices",
        "first_setup",
        "month_end_close",
        "quarterly_vat_review",
    ]
    assert not any(argument.required for one in prompts for argument in one.arguments or ())
    assert all(len(one.messages[0].content.text) > 200 for one in without)
    assert word in without[0].messages[0].content.text
    assert "Talleres Norte" in client_only.messages[0].content.text


@ERAS
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("make_coffee", {}),
        ("quarterly_vat_review", {"quarter": "5"}),
        ("quarterly_vat_review", {"year": "last"}),
        ("first_setup", {"year": "2026"}),
        ("chase_overdue_invoices", {"client": "x\ny"}),
    ],
)
async def test_a_prompt_that_does_not_exist_or_makes_no_sense_is_refused(site, era, name, arguments):
    async with site.agent(await site.person()).connected(era) as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt(name, arguments)

    assert caught.value.error.code == INVALID_PARAMS


@ERAS
@pytest.mark.parametrize(
    ("argument", "beginning", "values"),
    [
        ("quarter", "", ["1", "2", "3", "4"]),
        ("quarter", "3", ["3"]),
        ("month", "1", ["1", "10", "11", "12"]),
        ("client", "", []),
    ],
)
async def test_quarters_and_months_are_completed(site, era, argument, beginning, values):
    prompt = PromptReference(type="ref/prompt", name="quarterly_vat_review")

    async with site.agent(await site.person()).connected(era) as client:
        answer = await client.complete(prompt, {"name": argument, "value": beginning})

    assert answer.completion.values == values


async def test_years_are_completed_from_the_present_one(site):
    ana = await site.person()
    prompt = PromptReference(type="ref/prompt", name="quarterly_vat_review")

    async with site.agent(ana).connected() as client:
        answer = await client.complete(prompt, {"name": "year", "value": "20"})

    years = [int(value) for value in answer.completion.values]
    assert years == list(range(years[0], years[0] - 5, -1))
    assert (await ana.invoice())["issueDate"].startswith(str(years[0]))


@ERAS
async def test_prompts_are_listed_with_a_description(site, era):
    async with site.agent(await site.person()).connected(era) as client:
        prompts = (await client.list_prompts()).prompts

    assert prompts
    assert [prompt.name for prompt in prompts if not prompt.description] == []
