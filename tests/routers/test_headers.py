"""Headers of answers: pages, versions, request ids."""

import base64
import hashlib
import re
from dataclasses import replace

import httpx2
import pytest

from ledgerkit.app import create_app
from support.api import CLIENT, invoice_body
from support.scenes import scene


async def numbered(ana, count: int) -> None:
    for day in range(count):
        await ana.invoice(issueDate=f"2026-11-{day + 1:02d}", notes=str(day))


def relations(link: str) -> dict[str, str]:
    return {rel: url for url, rel in re.findall(r'<([^>]+)>; rel="(\w+)"', link)}


async def test_pages_follow_their_links(ana):
    await numbered(ana, 5)

    first = await ana.request("GET", "/api/invoices?limit=2&search=norte")
    second = await ana.client.get(relations(first.headers["link"])["next"], headers=ana.headers)
    third = await ana.client.get(relations(second.headers["link"])["next"], headers=ana.headers)

    assert [[one["notes"] for one in page.json()] for page in (first, second, third)] == [["4", "3"], ["2", "1"], ["0"]]
    assert relations(first.headers["link"]).keys() == {"first", "last", "next"}
    assert relations(second.headers["link"]).keys() == {"first", "last", "next", "prev"}
    assert relations(third.headers["link"]).keys() == {"first", "last", "prev"}
    assert relations(third.headers["link"])["prev"].endswith("/api/invoices?search=norte&page=2&limit=2")
    assert {(page.headers["x-total-count"], page.headers["x-page-size"]) for page in (first, second, third)} == {
        ("5", "2")
    }
    assert [page.headers["x-page"] for page in (first, second, third)] == ["1", "2", "3"]


async def test_a_page_holds_fifty_invoices(ana):
    original = await ana.invoice()
    for _ in range(50):
        await ana.post(f"/api/invoices/{original['id']}/duplicate")

    answer = await ana.request("GET", "/api/invoices")

    assert (len(answer.json()), answer.headers["x-total-count"], answer.headers["x-page-size"]) == (50, "51", "50")


async def test_clients_are_not_paged_unless_asked(ana):
    for number in range(52):
        await ana.post("/api/clients", {"name": f"Cliente {number:02d}"})

    whole = await ana.request("GET", "/api/clients")
    part = await ana.request("GET", "/api/clients?page=2")

    assert (len(whole.json()), whole.headers["x-page-size"]) == (52, "1000")
    assert (len(part.json()), part.headers["x-page-size"], part.headers["x-total-count"]) == (2, "50", "52")


async def test_the_prev_of_a_page_past_the_end_is_the_last(ana):
    await numbered(ana, 3)

    answer = await ana.request("GET", "/api/invoices?page=9&limit=2")

    assert answer.json() == []
    assert relations(answer.headers["link"])["prev"].endswith("page=2&limit=2")


CHANGES = [
    ("/api/invoices", invoice_body(), {"notes": "x"}),
    ("/api/clients", CLIENT, {"city": "Bilbao"}),
    ("/api/tasks", {"title": "Llamar"}, {"priority": "low"}),
    ("/api/vendors", {"name": "Sol"}, {"city": "Bilbao"}),
    ("/api/expenses", {"description": "Tóner", "amount": 121, "date": "2026-11-02"}, {"notes": "x"}),
]


@pytest.mark.parametrize(("path", "sent", "change"), CHANGES)
async def test_versions_guard_changes(ana, path, sent, change):
    made = await ana.request("POST", path, sent)
    one = f"{path}/{made.json()['id']}"
    read = await ana.request("GET", one)

    changed = await ana.request("PUT", one, change, **{"If-Match": read.headers["etag"]})
    stale = await ana.refused(412, "PUT", one, change, **{"If-Match": read.headers["etag"]})
    await ana.refused(412, "PUT", one, change, **{"If-Match": f"W/{changed.headers['etag']}"})
    unasked = await ana.request("PUT", one, change)
    any_version = await ana.request("PUT", one, change, **{"If-Match": "*"})

    assert made.headers["etag"] == read.headers["etag"] == '"1"'
    assert [answer.headers["etag"] for answer in (changed, unasked, any_version)] == ['"2"', '"3"', '"4"']
    assert (stale["code"], bool(stale["remedy"])) == ("VERSION_MISMATCH", True)


async def test_versions_guard_the_team(ana):
    read = await ana.request("GET", "/api/teams/current")

    changed = await ana.request("PUT", "/api/teams/current", {"city": "Bilbao"}, **{"If-Match": read.headers["etag"]})
    await ana.refused(412, "PUT", "/api/teams/current", {"city": "Madrid"}, **{"If-Match": read.headers["etag"]})

    assert changed.json()["team"]["city"] == "Bilbao"
    assert changed.headers["etag"] == (await ana.request("GET", "/api/teams/current")).headers["etag"]


@pytest.mark.parametrize(("method", "tail"), [("PATCH", "/pay"), ("DELETE", ""), ("POST", "/share")])
async def test_versions_guard_every_write_of_an_invoice(ana, method, tail):
    made = await ana.invoice()
    await ana.put(f"/api/invoices/{made['id']}", {"notes": "x"})

    await ana.refused(412, method, f"/api/invoices/{made['id']}{tail}", None, **{"If-Match": '"1"'})

    assert (await ana.get(f"/api/invoices/{made['id']}"))["status"] == "draft"


@pytest.mark.parametrize("path", ["/health", "/api/invoices", "/api/nothing", "/api/invoices/x"])
async def test_a_request_id_comes_back(ana, path):
    given = await ana.request("GET", path, **{"X-Request-Id": "req-1:2.3_4"})
    made = await ana.request("GET", path)

    assert given.headers["x-request-id"] == "req-1:2.3_4"
    assert re.fullmatch("[0-9a-f]{32}", made.headers["x-request-id"])
    if not given.is_success:
        assert given.json()["requestId"] == "req-1:2.3_4"


async def test_no_answer_is_guessed_at(ana):
    answer = await ana.request("GET", "/api/invoices")

    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("url", "seconds", "wanted"),
    [
        ("https://ledgerkit.example", None, "max-age=31536000"),
        ("https://ledgerkit.example", "0", "max-age=0"),
        ("http://localhost:8000", None, None),
    ],
)
@pytest.mark.parametrize("path", ["/health", "/api/nothing", "/docs", "/"])
async def test_browsers_are_told_to_use_https_where_the_public_address_does(kernel, url, seconds, wanted, path):
    settings = kernel.settings.model_copy(
        update={"base_url": url} | ({} if seconds is None else {"hsts_seconds": int(seconds)})
    )
    app = create_app(settings, replace(kernel, settings=settings))
    transport = httpx2.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx2.AsyncClient(transport=transport, base_url="http://t") as client:
        answer = await client.get(path)

    assert answer.headers.get("strict-transport-security") == wanted


async def test_the_documentation_runs_its_own_scripts_only_and_in_no_frame(client):
    answer = await client.get("/docs")

    policy = dict(one.strip().split(" ", 1) for one in answer.headers["content-security-policy"].split(";"))
    (script,) = re.findall(r"<script>(.*?)</script>", answer.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy["script-src"] == f"'self' 'sha256-{digest}'"
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-frame-options"] == "DENY"


async def test_the_deprecated_alias_says_so(ana):
    answer = await ana.request("POST", "/api/einvoice", {})
    told = await ana.request("POST", "/api/einvoice", {"invoiceId": "x"})

    assert answer.status_code == 400
    assert told.headers["deprecation"] == "true"
    assert "/api/einvoice/emit" in told.headers["link"]


@pytest.mark.parametrize("path", ["/api/teams/my-teams", "/api/catalog/categories"])
async def test_short_lists_without_pages_say_how_long_they_are(ana, path):
    await scene(ana, "GET /api/catalog")

    answer = await ana.request("GET", path)

    size = str(len(answer.json()))
    assert size != "0"
    assert [answer.headers[name] for name in ("X-Total-Count", "X-Page", "X-Page-Size")] == [size, "1", size]
