"""A reader that knows nothing but nextCursor reads every list whole, whatever is made or deleted meanwhile."""

from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from ledgerkit.mcp_server.catalogue.payables import PayablesQuery
from ledgerkit.mcp_server.shapes import PageQuery, Place, mark
from ledgerkit.mcp_server.tools import TOOLS
from support.api import Api, invoice_body

NUMBERS = count(1)


@dataclass
class Book:
    """A list with records of one kind: how one is made and how it goes."""

    tool: str
    path: str
    view: dict[str, Any]

    def body(self, vendor: str) -> dict[str, Any]:
        """A new record's body: some are before the others in the order of the list, some after."""
        number = next(NUMBERS)
        day = f"2026-{number * 7 % 9 + 1:02}-{number * 11 % 28 + 1:02}"
        name = f"{'ZAM'[number % 3]} {number}"
        return {
            "list_invoices": invoice_body(issueDate=day, client={"name": name}),
            "list_clients": {"name": name},
            "list_expenses": {"description": name, "amount": 5, "date": day},
            "list_catalog_items": {"name": name, "unitPrice": 5, "stock": 1, "lowStockThreshold": 5},
            "list_vendors": {"name": name},
            "list_tasks": {"title": name, "dueDate": day},
            "list_supplier_invoices": {
                "vendorId": vendor,
                "invoiceNumber": name,
                "invoiceDate": day,
                "taxRate": 21,
                "total": 121,
            },
        }[self.tool]

    async def make(self, api: Api, vendor: str) -> str:
        made = await api.post(self.path, self.body(vendor))
        return made["id"]

    async def delete(self, api: Api, record: str) -> None:
        await api.delete(f"{self.path}/{record}")


BOOKS = [
    Book("list_invoices", "/api/invoices", {}),
    Book("list_invoices", "/api/invoices", {"status": "draft", "detail": "full"}),
    Book("list_invoices", "/api/invoices", {"open": False}),
    Book("list_clients", "/api/clients", {}),
    Book("list_expenses", "/api/expenses", {}),
    Book("list_catalog_items", "/api/catalog", {}),
    Book("list_catalog_items", "/api/catalog", {"view": "low_stock"}),
    Book("list_vendors", "/api/vendors", {}),
    Book("list_tasks", "/api/tasks", {}),
]
SOLID = [
    Book("list_supplier_invoices", "/api/supplier-invoices", {}),
    Book("list_supplier_invoices", "/api/supplier-invoices", {"sort": "invoiceDate", "order": "desc"}),
    Book("list_supplier_invoices", "/api/supplier-invoices", {"open": True}),
]
"""Records that nobody deletes."""


async def filled(site, book, number=15):
    ana = await site.person()
    vendor = (await ana.post("/api/vendors", {"name": "Sol"}))["id"] if "supplier" in book.path else ""
    return ana, vendor, [await book.make(ana, vendor) for _ in range(number)]


async def pages(agent, book, limit):
    """The pages of a list, one after the other."""
    cursor = None
    for _ in range(200):
        page = await agent.ok(book.tool, **book.view, limit=limit, cursor=cursor)
        yield [record["id"] for record in page["items"]]
        if (cursor := page["nextCursor"]) is None:
            return
    pytest.fail("the list has no end")


def named(book):
    return " ".join([book.tool, *map(str, book.view.values())])


@pytest.mark.parametrize("book", [*BOOKS, *SOLID], ids=named)
async def test_every_list_is_read_whole_with_any_limit(site, book):
    ana, _, made = await filled(site, book)

    for limit in (1, 2, 7, 14, 15, 100):
        seen = [record async for page in pages(site.agent(ana), book, limit) for record in page]
        assert sorted(seen) == sorted(made), limit


@pytest.mark.parametrize("limit", [1, 4])
@pytest.mark.parametrize("book", [*BOOKS, *SOLID], ids=named)
async def test_records_that_are_made_meanwhile_hide_none(site, book, limit):
    ana, vendor, made = await filled(site, book)

    seen, added = [], []
    async for page in pages(site.agent(ana), book, limit):
        seen += page
        if len(added) < 6:
            added += [await book.make(ana, vendor), await book.make(ana, vendor)]

    assert set(made) <= set(seen) <= {*made, *added}
    assert len(seen) - len(set(seen)) <= len(added), "one that was made right before the last one repeats that one only"


@pytest.mark.parametrize("limit", [1, 4])
@pytest.mark.parametrize("book", BOOKS, ids=named)
async def test_records_that_are_deleted_meanwhile_hide_none(site, book, limit):
    """Those that have been read, the last of them among these, and some that have not."""
    ana, _, made = await filled(site, book)

    seen, gone = [], set()
    async for page in pages(site.agent(ana), book, limit):
        seen += page
        unread = [record for record in made if record not in seen and record not in gone]
        for record in {seen[0], seen[-1], *unread[:1]} - gone:
            await book.delete(ana, record)
            gone.add(record)

    assert set(made) - gone <= set(seen)


@pytest.mark.parametrize("limit", [1, 4])
async def test_a_reader_who_deletes_all_that_it_reads_reads_all(site, limit):
    book = Book("list_tasks", "/api/tasks", {})
    ana, _, made = await filled(site, book)

    seen = []
    async for page in pages(site.agent(ana), book, limit):
        seen += page
        for record in page:
            await book.delete(ana, record)

    assert sorted(seen) == sorted(made)


def test_every_tool_with_pages_is_read_here_or_made_of_the_same_lists():
    paged = {name for name, tool in TOOLS.items() if issubclass(tool.arguments, PageQuery)}

    others = {"get_cash_register", "get_history", "get_payables", "get_receivables", "get_tax_declaration", "get_team"}
    of_lists = {"list_supplier_payments", "list_tax_declarations"}
    assert paged == {book.tool for book in [*BOOKS, *SOLID]} | others | of_lists


# ---------------------------------------------------------------- where a place is now


def place(*read: str) -> Place:
    return Place().after(read, len(read) + 1)


@pytest.mark.parametrize(
    ("now", "following"),
    [
        ("abcdefg", "g"),
        ("bcdefg", "g"),
        ("xyabcdefg", "g"),
        ("abcdeg", "g"),
        ("abcg", "g"),
        ("fabcdeg", "g"),
        ("xfabcdeyg", "y"),
        ("abcdegf", "g"),
        ("abcdeyfg", "y"),
        ("bg", "g"),
        ("g", "g"),
    ],
)
def test_a_place_is_found_again_after_the_records_that_were_read(now, following):
    """`f` was read last: it may have moved, and others may have come or gone."""
    assert now[place(*"abcdef").found(now, 0, len(now))] == following


def test_a_place_of_which_nothing_is_left_is_counted():
    assert place(*"abc").found("xyzw", 0, 4) == 3
    assert place(*"abcdef").found("", 0, 0) == 0


def test_a_cursor_says_where_and_after_what():
    query = PageQuery(cursor=place("a", "b").cursor(b"PageQuery{}"))

    assert query.place == Place(2, (mark("a"), mark("b")), 3)
    assert len(query.cursor) == 44


def test_a_cursor_goes_on_after_the_records_of_earlier_pages():
    first = PayablesQuery(limit=1)
    second = PayablesQuery(limit=1, cursor=first.following([{"vendorId": "a"}], 0, 9))
    third = PayablesQuery(limit=1, cursor=second.following([{"vendorId": "b"}], 1, 9))

    assert third.place == Place(2, (mark("a"), mark("b")), 9)
    assert third.following([{"vendorId": "c"}], 8, 9) is None
