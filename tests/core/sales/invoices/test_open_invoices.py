"""Invoices of which something is still owed (`open`): which they are, their pages and totals, each account its own."""

import pytest

from ledgerkit.core.platform.request.context import Kernel
from support.api import Api, item
from support.issuing import issued

PATH = "/api/invoices"


class Books:
    """Ana's invoices by name, one of each standing, the oldest first."""

    def __init__(self, kernel: Kernel, ana: Api) -> None:
        self.kernel, self.ana = kernel, ana
        self.names: dict[str, str] = {}

    async def make(self, name, day, **fields) -> str:
        made = await self.ana.invoice(items=[item(unitPrice=100)], issueDate=day, **fields)
        self.names[made["id"]] = name
        return made["id"]

    async def issue(self, name, day, **fields) -> str:
        invoice_id = await self.make(name, day, **fields)
        await issued(self.kernel, self.ana, {"id": invoice_id})
        return invoice_id

    async def listed(self, query) -> list[str]:
        answer = await self.ana.request("GET", f"{PATH}?{query}")
        shown = [self.names[one["id"]] for one in answer.json()]
        assert answer.headers["x-total-count"] == str(len(shown))
        return shown


@pytest.fixture
async def books(ana, kernel) -> Books:
    books = Books(kernel, ana)
    await books.make("draft", "2026-01-01")
    await books.issue("late", "2026-01-02", dueDate="2026-01-03")
    await books.issue("not due", "2026-01-04", dueDate="2099-01-01")
    part = await books.issue("paid in part", "2026-01-05", dueDate="2099-01-01")
    await ana.patch(f"{PATH}/{part}/pay", {"amount": 1})
    paid = await books.issue("paid", "2026-01-06")
    await ana.patch(f"{PATH}/{paid}/pay")
    credited = await books.issue("credited", "2026-01-07")
    note = {"docType": "credit_note", "rectifies": credited, "correctionReason": "R1"}
    made = await ana.invoice(**note, items=[item(unitPrice=100, quantity=-1)], issueDate="2026-01-08")
    books.names[made["id"]] = "credit note"
    await issued(kernel, ana, made)
    await ana.post(PATH, {"items": [item(unitPrice=5)], "client": {"name": "Sin fecha"}})
    books.names |= {one["id"]: "undated draft" for one in await ana.get(PATH) if one["id"] not in books.names}
    return books


async def test_open_lists_what_something_is_owed_of(books):
    assert await books.listed("open=true") == ["paid in part", "not due", "late"]
    others = ["undated draft", "credit note", "credited", "paid", "draft"]
    assert await books.listed("open=false") == others
    assert sorted(await books.listed("")) == sorted([*others, "paid in part", "not due", "late"])


async def test_open_holds_beside_the_other_filters(books):
    assert await books.listed("open=true&status=overdue") == ["late"]
    assert await books.listed("open=true&status=sent") == ["paid in part", "not due"]
    assert await books.listed("open=true&from=2026-01-03&to=2026-01-04") == ["not due"]
    assert await books.listed("open=true&status=draft") == await books.listed("open=true&status=paid") == []
    assert await books.listed("open=false&status=sent") == ["credit note", "credited"]
    assert await books.listed("open=false&docType=credit_note") == ["credit note"]


async def test_open_ones_are_those_that_the_receivables_count(books):
    owed = await books.ana.get("/api/reports/receivables/invoices")

    assert sorted(books.names[one["id"]] for one in owed) == sorted(await books.listed("open=true"))


async def test_pages_keep_it_and_the_total_is_of_the_open_ones(books):
    first = await books.ana.request("GET", f"{PATH}?open=true&limit=2")
    second = await books.ana.request("GET", f"{PATH}?open=true&limit=2&page=2")

    assert [answer.headers["x-total-count"] for answer in (first, second)] == ["3", "3"]
    assert "open=true&page=2&limit=2" in first.headers["link"]
    assert [books.names[one["id"]] for one in [*first.json(), *second.json()]] == await books.listed("open=true")


async def test_the_total_follows_payments_and_deletions(books):
    by_name = {name: invoice_id for invoice_id, name in books.names.items()}
    assert len(await books.listed("open=true")) == 3
    await books.ana.patch(f"{PATH}/{by_name['late']}/pay")
    assert await books.listed("open=true") == ["paid in part", "not due"]
    await books.ana.delete(f"{PATH}/{by_name['not due']}")
    assert await books.listed("open=true") == ["paid in part"]


async def test_an_annulled_invoice_is_not_open(office):
    ana = await office.account()
    draft = await ana.invoice()
    emitted = await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    before = [one["id"] for one in await ana.get(f"{PATH}?open=true")]
    await ana.post("/api/einvoice/annul", {"fiscalId": emitted["fiscalId"], "reason": "Duplicada"})

    assert before == [draft["id"]]
    assert await ana.get(f"{PATH}?open=true") == []
    assert [one["id"] for one in await ana.get(f"{PATH}?open=false")] == [draft["id"]]


async def test_another_account_sees_none_of_them(books, berta):
    await berta.invoice()

    assert await berta.get(f"{PATH}?open=true") == []
    assert len(await berta.get(f"{PATH}?open=false")) == 1


async def test_a_word_is_no_answer(ana):
    problem = await ana.refused(400, "GET", f"{PATH}?open=maybe")

    assert [error["field"] for error in problem["errors"]] == ["open"]
