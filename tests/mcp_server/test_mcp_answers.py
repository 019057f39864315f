"""Results stay small, pages cover everything once, and documents come as links that expire."""

from datetime import timedelta
from itertools import cycle
from random import Random
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from pydantic_core import to_json

from ledgerkit import clock
from ledgerkit.core.operation.downloads import operations
from ledgerkit.core.operation.downloads.api import LinkedDocument
from ledgerkit.core.operation.downloads.operations import LinkTarget
from ledgerkit.mcp_server.answers import MOST_BYTES, bounded
from ledgerkit.mcp_server.shapes import Nothing, PageQuery
from support.api import invoice_body, item

LONG = "Descripción larguísima de un trabajo. " * 25


def page_of(records, query):
    """Answer the page of a list of these records as `paged` does."""
    first = query.place.number
    items = records[first : first + query.limit]
    return {"items": items, "total": len(records), "nextCursor": query.following(items, first, len(records))}


def read_whole(records, limits):
    """Ids in the order in which a reader gets them who knows no more than nextCursor; `limits` are taken in turn."""
    collected, cursor, limits = [], None, cycle(limits)
    for limit in limits:
        query = PageQuery(cursor=cursor, limit=limit)
        answer = bounded(page_of(records, query), query, "en")
        assert len(to_json(answer)) <= MOST_BYTES
        collected += [record["id"] for record in answer["items"]]
        if (cursor := answer["nextCursor"]) is None:
            return collected
    return collected


@pytest.mark.parametrize(
    ("total", "limit", "length"),
    [(57, 20, 1500), (100, 100, 300), (41, 7, 9000), (30, 30, 19_000), (5, 5, 40_000), (9, 100, 10)],
)
def test_a_page_that_is_cut_goes_on_without_a_gap(total, limit, length):
    records = [{"id": n, "notes": "x" * length} for n in range(total)]

    assert read_whole(records, [limit]) == list(range(total))


@pytest.mark.parametrize("limits", [[1], [7], [20], [100], [100, 7, 1, 20]], ids=str)
def test_a_reader_loses_none_of_5000_records_of_different_sizes(limits):
    sizes = Random(23)
    records = [{"id": n, "notes": "x" * sizes.choice((10, 90, 400, 1_500, 9_000))} for n in range(5_000)]

    assert read_whole(records, limits) == list(range(5_000))


@pytest.mark.parametrize(("limit", "total"), [(1, 40), (7, 150), (20, 300), (100, 300)])
async def test_a_long_list_is_read_whole(site, limit, total):
    ana = await site.person()
    rows = [{"name": f"Producto {n}", "unitPrice": 5, "description": "x" * (n * 37 % 990)} for n in range(total)]
    assert (await ana.post("/api/catalog/import", {"rows": rows}))["imported"] == total
    agent = site.agent(ana)

    names, cursor, cut = [], None, 0
    while len(names) <= total:
        answer = await agent.ok("list_catalog_items", limit=limit, detail="full", cursor=cursor)
        names += [record["name"] for record in answer["items"]]
        cut += "hint" in answer
        if (cursor := answer["nextCursor"]) is None:
            break

    assert sorted(names) == sorted(row["name"] for row in rows)
    assert (cut > 0) == (limit >= 20)


# ---------------------------------------------------------------- cursors


@pytest.mark.parametrize("name", ["page", "offset", "nextPage"])
async def test_a_reader_that_counts_is_shown_the_cursor(site, name):
    refused = await site.agent(await site.person()).refused("list_invoices", **{name: 2})

    (error,) = refused["errors"]
    assert (error["field"], error["code"]) == (name, "extra_forbidden")
    assert "nextCursor of each answer as cursor" in error["message"]


@pytest.mark.parametrize(
    "cursor", ["", "2", "two", "A" * 44, "AgAAAAAUAAA=", "AQAAAAAUAAAAAAAA", "ñ" * 44, "A" * 9_000]
)
async def test_a_cursor_that_cannot_be_read_says_what_to_do(site, cursor):
    refused = await site.agent(await site.person()).refused("list_invoices", cursor=cursor)

    (error,) = refused["errors"]
    assert (error["field"], error["code"]) == ("cursor", "cursor_invalid")
    assert "leave it out to begin the list" in error["message"]


async def test_a_cursor_of_another_list_or_of_other_filters_is_refused(site):
    ana = await site.person()
    for _ in range(2):
        await ana.invoice(client={"name": "Norte"})
    agent = site.agent(ana)
    cursor = (await agent.ok("list_invoices", limit=1))["nextCursor"]

    for tool, filters in (("list_invoices", {"search": "Norte"}), ("list_expenses", {})):
        refused = await agent.refused(tool, cursor=cursor, **filters)
        assert (refused["code"], refused["errors"][0]["field"]) == ("VALIDATION_ERROR", "cursor")
        assert (
            refused["remedy"] == "Repeat the filters that it was answered with, or leave cursor out to begin this list."
        )
    assert len((await agent.ok("list_invoices", cursor=cursor, limit=100, detail="full"))["items"]) == 1


@pytest.mark.parametrize(
    "answer",
    [
        {"lines": [{"text": "x" * 200}] * 1000, "total": 5},
        {"markdown": "ñ" * 90_000, "entryCount": 3},
        {"boxes": {str(n): n for n in range(9000)}, "id": "a"},
        {"buckets": {"a": [{"x": "y" * 3000}] * 20, "b": [{"x": "y" * 30}] * 5}},
        {"items": [{"notes": "x" * 40_000}], "total": 1, "nextCursor": None},
    ],
)
def test_a_record_that_is_too_long_says_what_was_cut(answer):
    cut = bounded(answer, Nothing(), "es")

    assert len(to_json(cut)) <= MOST_BYTES
    assert cut["hint"].startswith("La respuesta era demasiado larga")
    assert all(part["shown"] < part["total"] for part in cut["truncated"])
    assert {name: value for name, value in answer.items() if isinstance(value, int)}.items() <= cut.items()


def test_what_is_short_stays_as_it_is():
    assert bounded({"id": "a"}, Nothing(), "en") == {"id": "a"}


async def test_an_invoice_of_a_thousand_lines_is_answered_within_bounds(site):
    agent = site.agent(await site.person())

    draft = await agent.ok("create_invoice", **invoice_body(items=[item(description=LONG)] * 300))

    shown = {part["field"]: part for part in draft["truncated"]}
    assert shown["items"]["total"] == 300
    assert len(draft["items"]) == shown["items"]["shown"]
    assert draft["total"] > 0
    assert len(to_json(draft)) <= MOST_BYTES


async def test_long_records_in_full_are_paged_within_bounds(site):
    ana = await site.person()
    made = [(await ana.invoice(items=[item(description=LONG)] * 4))["id"] for _ in range(7)]
    agent = site.agent(ana)

    collected, cursor, calls = [], None, 0
    while calls == 0 or cursor is not None:
        answer = await agent.ok("list_invoices", cursor=cursor, limit=20, detail="full")
        collected += [record["id"] for record in answer["items"]]
        cursor, calls = answer["nextCursor"], calls + 1

    assert calls > 1
    assert sorted(collected) == sorted(made)


# ---------------------------------------------------------------- links


def path_of(link):
    """Path of a link; its host is the configured one."""
    return urlsplit(link["url"]).path


async def test_a_link_opens_the_document_without_credentials(site):
    ana = await site.person()
    agent = site.agent(ana)
    invoice = await ana.invoice()
    await agent.ok("emit_einvoice", invoiceId=invoice["id"])

    for kind, beginning in (("invoice_pdf", b"%PDF-"), ("einvoice_xml", b"<")):
        link = await agent.ok("get_document", kind=kind, id=invoice["id"])
        answer = await site.client.get(path_of(link))
        assert answer.status_code == 200
        assert answer.content.removeprefix(b"\xef\xbb\xbf").startswith(beginning)
        assert (answer.headers["cache-control"], answer.headers["x-robots-tag"]) == ("no-store", "noindex")
        assert answer.headers["content-type"].partition(";")[0] == link["mediaType"]
        assert link["resource"].startswith(f"ledgerkit://invoices/{invoice['id']}/")


async def test_other_documents_have_links_too(site):
    agent = site.agent(await site.person())
    await agent.ok("save_catalog_item", name="Taza")
    declaration = await agent.ok("generate_tax_declaration", country="ES", year=2026, period="Q1", form="303")

    csv = await site.client.get(path_of(await agent.ok("get_document", kind="catalog_csv")))
    pdf = await site.client.get(path_of(await agent.ok("get_document", kind="declaration_pdf", id=declaration["id"])))

    assert "Taza" in csv.text
    assert pdf.content.startswith(b"%PDF-")


async def test_a_resource_link_comes_with_the_link(site):
    ana = await site.person()
    invoice = await ana.invoice()

    async with site.agent(ana).connected() as client:
        done = await client.call_tool("get_document", {"kind": "invoice_pdf", "id": invoice["id"]})
        content = (await client.read_resource(done.content[1].uri)).contents

    assert [block.type for block in done.content] == ["text", "resource_link"]
    assert content[0].mime_type == "application/pdf"


async def test_a_link_is_for_those_who_may_read_the_document(site):
    ana, berta = await site.person(), await site.person("Berta Gil")
    invoice = await ana.invoice()
    member = await site.colleague(ana, "member")

    unknown = await site.agent(berta).refused("get_document", kind="invoice_pdf", id=invoice["id"])
    unemitted = await site.agent(ana).refused("get_document", kind="einvoice_xml", id=invoice["id"])
    forbidden = await site.agent(member).refused("get_document", kind="einvoice_xml", id=invoice["id"])
    without = await site.agent(ana).refused("get_document", kind="declaration_pdf")

    assert (unknown["code"], unemitted["code"], forbidden["code"]) == ("NOT_FOUND", "NOT_EMITTED", "FORBIDDEN_ROLE")
    assert without["errors"][0]["field"] == "id"


async def test_a_link_that_has_expired_or_was_changed_opens_nothing(site):
    ana = await site.person()
    invoice = await ana.invoice()
    link = await site.agent(ana).ok("get_document", kind="invoice_pdf", id=invoice["id"])
    token = path_of(link).removeprefix("/d/")
    target = operations.target_of(site.kernel.secret, token)
    expired = operations.token_of(
        site.kernel.secret,
        LinkTarget(
            account_id=target.account_id,
            kind=target.kind,
            record_id=target.record_id,
            expires_at=clock.now() - timedelta(seconds=2),
        ),
    )

    assert (target.kind, target.record_id) == (LinkedDocument.INVOICE_PDF, invoice["id"])
    assert target.expires_at <= clock.now() + timedelta(minutes=15)
    for wrong in (expired, token[:-2] + ("AA" if token[-2:] != "AA" else "BB"), "A" * 43, "x", "ñ" * 30, "A" * 500):
        answer = await site.client.get(f"/d/{wrong}")
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND"), wrong


def test_a_token_of_another_key_or_account_is_none():
    secret, other = b"a" * 32, b"b" * 32
    target = LinkTarget(account_id=UUID(int=1), kind=LinkedDocument.CATALOG_CSV, record_id="", expires_at=clock.now())
    token = operations.token_of(secret, target)

    assert operations.target_of(other, token) is None
    assert operations.target_of(secret, token).account_id == target.account_id
    moved = operations.token_of(secret, LinkTarget(**{**vars(target), "account_id": UUID(int=2)}))
    assert operations.target_of(secret, token[:22] + moved[22:]) is None
