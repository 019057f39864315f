"""Reports agree to the cent with the documents that they are made from, whatever these are and however they ended."""

from collections import defaultdict
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
import time_machine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.api import Api
from support.office import cloned, opened
from support.random_books import NOW, TRADED, exact, filled
from support.sampling import examples


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords):
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, einvoice_wait=0) as office:
        yield office


class Ledger:
    """Sales and purchases of an account, as its documents state them, and sums of them computed by the test."""

    def __init__(self, api: Api) -> None:
        self.api = api

    async def read(self) -> None:
        shown = await self.api.get("/api/invoices?limit=100")
        numbered = [one for one in shown if one["number"] and (one["currency"] == "EUR" or one["converted"])]
        self.invoices = [in_euros(one, one["total"] - one["balance"]) for one in numbered]
        self.expenses = await self.api.get("/api/expenses?limit=100")
        owed = await self.api.get("/api/supplier-invoices?limit=100")
        counted = [one for one in owed if one["currency"] == "EUR" or one["converted"]]
        self.owed = [in_euros(one, one["paidAmount"]) for one in counted if one["status"] != "cancelled"]
        self.cash = []
        for one in numbered:
            paid = await self.api.get(f"/api/invoices/{one['id']}/payments")
            assert sum(exact(payment["amount"]) for payment in paid) == exact(one["amountPaid"])
            self.cash += [(payment["paidAt"], payment["baseAmount"] or payment["amount"]) for payment in paid]

    def sold(self, field: str, first: str, last: str) -> Decimal:
        return sum((changed(one, field) for one in self.invoices if first <= booked(one) <= last), Decimal(0))

    def bought(self, day: str, field: str, first: str, last: str) -> Decimal:
        """Sum of a field of expenses and supplier invoices together, by the expenses' name of it."""
        kinds = ((self.expenses, {}), (self.owed, SUPPLIER_NAMES))
        named = [(one, names) for found, names in kinds for one in found]
        return sum(
            (exact(one[names.get(field, field)]) for one, names in named if first <= one[names.get(day, day)] <= last),
            Decimal(0),
        )

    def assessed(self, first: str, last: str) -> Decimal:
        found = [one for one in self.expenses if one["reverseCharge"] or one["intraEu"] != "none"]
        own = sum((exact(one["baseTaxAmount"]) for one in found if first <= one["date"] <= last), Decimal(0))
        theirs = [one["selfAssessedTax"] for one in self.owed if first <= one["invoiceDate"] <= last]
        return own + sum(map(exact, theirs))

    def costs(self, first: str, last: str) -> Decimal:
        parts = [self.bought("receptionDate", name, first, last) for name in ("baseAmount", "baseTaxAmount")]
        received = [one for one in self.owed if first <= one["receptionDate"] <= last]
        more = sum(exact(one["selfAssessedTax"]) + exact(one["surchargeAmount"]) for one in received)
        return sum(parts) + more - self.bought("receptionDate", "deductibleTaxAmount", first, last)


SUPPLIER_NAMES = {
    "baseAmount": "subtotal",
    "baseTaxAmount": "taxAmount",
    "baseRetentionAmount": "retentionAmount",
    "date": "invoiceDate",
}


def in_euros(document: dict[str, Any], settled: float) -> dict[str, Any]:
    """The document with its amounts in euros; `settled` is what its total exceeds its balance by, in its currency."""
    converted, rate = document["converted"], exact(document["exchangeRate"] or 1)
    if converted is None:
        return document
    ratio = exact(converted["total"]) / exact(document["total"]) if document["total"] else rate
    paid = rounded(exact(settled) * ratio)
    changes: dict[str, Any] = {"paidAmount": paid, "balance": exact(converted["total"]) - paid}
    if document.get("replaced"):
        rows = document["replaced"]["taxBreakdown"]
        sums = {name: sum(rounded(exact(row[name]) * rate) for row in rows) for name in ("base", "amount")}
        retention = rounded(exact(document["replaced"]["retentionAmount"]) * rate)
        total = sums["base"] + sums["amount"] - retention
        changes["replaced"] = {
            "subtotal": sums["base"],
            "taxAmount": sums["amount"],
            "retentionAmount": retention,
            "total": total,
        }
    return {**document, **converted, **changes}


def rounded(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


def changed(invoice: dict[str, Any], field: str) -> Decimal:
    """Effect of a document: without what it replaces, and none if simplified invoices count in its place."""
    if invoice["substitutes"]:
        return Decimal(0)
    replaced = invoice["replaced"]
    return exact(invoice[field]) - (exact(replaced[field]) if replaced else 0)


def booked(invoice: dict[str, Any]) -> str:
    if invoice["docType"] == "credit_note":
        return str(invoice["issueDate"])
    return str(invoice["operationDate"] or invoice["issueDate"])


async def check(ledger: Ledger) -> None:
    await ledger.read()
    await check_receivables(ledger.api)
    await check_profit(ledger)
    for quarter, first, last in ((2, "04-01", "06-30"), (3, "07-01", "09-30"), (4, "10-01", "12-31")):
        await check_taxes(ledger, quarter, f"2026-{first}", f"2026-{last}")
    await check_cash(ledger)
    await check_clients(ledger)


async def check_profit(ledger: Ledger) -> None:
    year = ("2026-01-01", "2026-12-31")
    found = await ledger.api.get("/api/expenses/profit-loss")
    income, costs = ledger.sold("subtotal", *year), ledger.costs(*year)
    assert (exact(found["income"]), exact(found["expenses"]), exact(found["profit"])) == (income, costs, income - costs)
    for name in ("income", "expenses", "profit"):
        assert sum(exact(one[name]) for one in found["byMonth"]) == exact(found[name])
    assert sum(exact(one["amount"]) for one in found["byCategory"]) == costs
    summary = await ledger.api.get("/api/expenses/income-summary")
    assert exact(summary["invoiced"]) == sum(exact(one["invoiced"]) for one in summary["byClient"]) == income
    owed = [exact(one["balance"]) for one in ledger.invoices if one["status"] in {"sent", "overdue"}]
    assert exact(summary["pending"]) == sum(amount for amount in owed if amount > 0)
    context = await ledger.api.get("/api/invoices/context")
    assert (exact(context["year"]["invoiced"]), exact(context["year"]["expenses"])) == (income, costs)


async def check_taxes(ledger: Ledger, quarter: int, first: str, last: str) -> None:
    found = await ledger.api.get(f"/api/expenses/tax-summary?year=2026&quarter={quarter}")
    balance = await ledger.api.get(f"/api/expenses/vat-balance?year=2026&quarter={quarter}")
    output = ledger.sold("taxAmount", first, last) + ledger.assessed(first, last)
    deducted = ledger.bought("deductionDate", "deductibleTaxAmount", first, last)
    assert (exact(balance["outputVat"]), exact(balance["deductibleInputVat"])) == (output, deducted)
    assert exact(balance["balance"]) == exact(found["balance"]) == output - deducted
    assert sum(exact(row["tax"]) for row in found["output"]["byRate"]) == exact(found["output"]["tax"]) == output
    assert sum(exact(row["tax"]) for row in found["input"]["byRate"]) == deducted
    taxed = exact(found["output"]["base"]) - exact(found["output"]["selfAssessed"]["base"])
    assert taxed + exact(found["output"]["untaxed"]) == ledger.sold("subtotal", first, last)
    assert exact(found["retentions"]["suffered"]) == ledger.sold("retentionAmount", first, last)
    assert exact(found["retentions"]["withheld"]) == ledger.bought("receptionDate", "baseRetentionAmount", first, last)


async def check_cash(ledger: Ledger) -> None:
    found = await ledger.api.get("/api/expenses/cashflow?opening=5")
    came, went = defaultdict(Decimal), defaultdict(Decimal)
    for day, amount in ledger.cash:
        came[day[:7]] += exact(amount)
    for one in ledger.expenses:
        went[(one["paidAt"] or "")[:7]] += exact(one["baseTotal"]) - exact(one["baseRetentionAmount"])
    for one in ledger.owed:
        went["2026-11"] += exact(one["paidAmount"])
        went[""] += exact(one["balance"]) if one["dueDate"] <= "2026-12-21" else 0
    held = Decimal(5)
    for month in found["months"]:
        held += came[month["month"]] - went[month["month"]]
        assert (exact(month["inflow"]), exact(month["outflow"])) == (came[month["month"]], went[month["month"]])
        assert exact(month["cumulative"]) == held
    assert exact(found["expected"]["outflow30"]) == went[""]


async def check_clients(ledger: Ledger) -> None:
    """Their figures are the sums of their documents, and no goods or money are made up."""
    clients = await ledger.api.get("/api/clients")
    theirs = [one for one in ledger.invoices if one["clientId"] is not None]
    assert sum(exact(one["totalInvoiced"]) for one in clients) == sum(changed(one, "total") for one in theirs)
    assert sum(exact(one["balance"]) for one in clients) == sum(exact(one["balance"]) for one in theirs)
    assert sum(one["invoiceCount"] for one in clients) == len(theirs)


AGES = {
    "current": (-10_000, 0),
    "days30": (1, 30),
    "days60": (31, 60),
    "days90": (61, 90),
    "over90": (91, 10_000),
}


def late(one: dict[str, Any]) -> int:
    return (NOW.date() - date.fromisoformat(one["dueDate"])).days


def balances(invoices: list[dict[str, Any]]) -> Decimal:
    return sum((exact(one["balance"]) for one in invoices), Decimal(0))


async def check_receivables(api: Api) -> None:
    """Receivables are the sums of the balances of listed invoices, in their own currencies, in every view."""
    shown = await api.get("/api/invoices?limit=100")
    owed = [one for one in shown if one["status"] in {"sent", "overdue"} and one["balance"] > 0]
    found = await api.get("/api/reports/receivables")
    assert found["currencies"][0]["currency"] == "EUR"
    assert {each["currency"] for each in found["currencies"]} == {"EUR", *(one["currency"] for one in owed)}
    for each in found["currencies"]:
        invoices = [one for one in owed if one["currency"] == each["currency"]]
        assert (exact(each["open"]), each["invoices"]) == (balances(invoices), len(invoices))
        assert exact(each["overdue"]) == balances([one for one in invoices if one["status"] == "overdue"])
        assert each["overdueInvoices"] == sum(one["status"] == "overdue" for one in invoices)
        assert each["oldestDue"] == min((one["dueDate"] for one in invoices), default=None)
        for name, (first, last) in AGES.items():
            assert exact(each["aged"][name]) == balances([one for one in invoices if first <= late(one) <= last])
    await check_receivables_of_clients(api, owed)
    await check_open_invoices(api, owed)


async def check_receivables_of_clients(api: Api, owed: list[dict[str, Any]]) -> None:
    rows = await api.get("/api/reports/receivables/clients?limit=100")
    order = [(row["currency"] != "EUR", row["currency"], -row["owed"]) for row in rows]
    assert order == sorted(order)
    groups = defaultdict(list)
    for one in owed:
        groups[one["clientId"], None if one["clientId"] else one["client"]["name"], one["currency"]].append(one)
    assert len(rows) == len(groups)
    for row in rows:
        theirs = groups[row["clientId"], None if row["clientId"] else row["client"], row["currency"]]
        assert (exact(row["owed"]), row["count"]) == (balances(theirs), len(theirs))
        assert exact(row["overdue"]) == balances([one for one in theirs if one["status"] == "overdue"])
        assert row["oldestDue"] == min(one["dueDate"] for one in theirs)
        assert row["daysOverdue"] == max(0, *(late(one) for one in theirs))


async def check_open_invoices(api: Api, owed: list[dict[str, Any]]) -> None:
    rows = await api.get("/api/reports/receivables/invoices?limit=100")
    assert [row["id"] for row in rows] == [
        one["id"] for one in sorted(owed, key=lambda one: (one["dueDate"], one["id"]))
    ]
    by_id = {one["id"]: one for one in owed}
    for row in rows:
        one = by_id[row["id"]]
        shared = {name: one[name] for name in ("number", "clientId", "balance", "total", "currency", "dueDate")}
        assert row | shared == row
        assert row["daysOverdue"] == max(0, late(one))
    old = await api.get("/api/reports/receivables/invoices?limit=100&overdueDays=31")
    assert {row["id"] for row in old} == {one["id"] for one in owed if late(one) >= 31}


async def follow(office, traded, *, reported: bool) -> None:
    books = await filled(office, traded, reported=reported)
    await check(Ledger(books.api))


@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(TRADED, st.booleans())
def test_reports_are_the_sums_of_their_documents(office, run, traded, reported):
    with time_machine.travel(NOW, tick=True):
        run(follow(office, traded, reported=reported))
