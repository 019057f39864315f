"""Reports agree to the cent with the documents that they are made from, whatever these are and however they ended."""

from collections import defaultdict
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.api import Api, item
from support.office import cloned, opened
from support.sampling import examples

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAYS = st.dates(date(2026, 6, 20), date(2026, 11, 20)).map(str)
CENTS = st.integers(1, 500_000).map(lambda cents: cents / 100)
RATES = st.sampled_from([21, 10, 4, 0])
SHARES = st.sampled_from([100, 100, 50, 33.333, 0])

LINES = st.lists(
    st.builds(lambda price, rate: item(unitPrice=price, taxRate=rate), CENTS, RATES), min_size=1, max_size=4
)
INVOICES = st.fixed_dictionaries(
    {"items": LINES, "retentionRate": st.sampled_from([0, 7, 15])},
    optional={"operationDate": DAYS, "currency": st.just("USD")},
)
PLAIN_ENDS = ["draft", "open", "part", "paid", "credited", "voided", "restored"]
CORRECTED = ["given back in part", "given back in two", "put right", "put right, then given back"]
ENDS = st.sampled_from([*PLAIN_ENDS, *CORRECTED, "exchanged"])
EXPENSES = st.fixed_dictionaries(
    {
        "amount": CENTS,
        "date": DAYS,
        "taxRate": RATES,
        "deductiblePercent": SHARES,
        "retentionRate": st.sampled_from([0, 15, 19]),
        "category": st.sampled_from(["office", "rent"]),
    },
    optional={
        "reverseCharge": st.booleans(),
        "intraEu": st.sampled_from(["goods", "services"]),
        "deductible": st.booleans(),
        "status": st.just("pending"),
        "receptionDate": st.just("2026-11-20"),
    },
).map(lambda one: {"description": "Compra", **one})

SUPPLIED = st.fixed_dictionaries(
    {
        "items": LINES,
        "invoiceDate": DAYS,
        "deductiblePercent": SHARES,
        "retentionRate": st.sampled_from([0, 15]),
    },
    optional={
        "reverseCharge": st.booleans(),
        "intraEu": st.sampled_from(["goods", "services"]),
        "category": st.just("rent"),
        "currency": st.just("USD"),
        "deductionDate": st.just("2026-11-20"),
    },
)
DEALS = st.sampled_from(["open", "part", "paid", "cancelled"])


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords):
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, einvoice_wait=0) as office:
        yield office


def exact(value: float) -> Decimal:
    return Decimal(str(value))


class Ledger:
    """Sales and purchases of an account, as its documents state them, and sums of them computed by the test.

    `reported`: its e-invoicing is on, so that what cannot be reported gets no number, and nothing is voided. Where it
    is off nothing is emitted, and so nothing is corrected or exchanged by the server.
    """

    def __init__(self, api: Api, *, reported: bool) -> None:
        self.api, self.reported = api, reported

    async def sell(self, day: str, fields: dict[str, Any], end: str) -> None:
        if self.reported:
            end = "restored" if end == "voided" else end
            fields = {name: fields[name] for name in ("items", "retentionRate")}
        elif end not in PLAIN_ENDS:
            end = "credited"
        if end not in PLAIN_ENDS:
            plain = {name: fields[name] for name in ("items", "retentionRate")}
            await (self._exchange(day, plain) if end == "exchanged" else self._correct(day, plain, end))
            return
        made = await self.api.invoice(issueDate=day, **fields)
        path = f"/api/invoices/{made['id']}"
        if end == "draft":
            return
        await self.api.patch(f"{path}/pay", {"amount": 0.01, "paidAt": day} if made["total"] > 0.01 else None)
        if end in {"part", "paid"} and made["total"] > 0.02:
            await self.api.patch(f"{path}/pay", {"amount": 0.01, "paidAt": "2026-11-20"})
        if end == "paid":
            await self.api.patch(f"{path}/pay", {"paidAt": "2026-11-20"})
        if end == "credited":
            await self._credit(made)
        if end in {"voided", "restored"}:
            await self.api.delete(path)
        if end == "restored":
            await self.api.post(f"{path}/restore")

    async def _correct(self, day: str, fields: dict[str, Any], end: str) -> None:
        """By the credit notes that the server makes: of half a line, of all that is left, of other prices."""
        made = await self._emitted(issueDate=day, **fields)
        half = [{**made["items"][0], "unitPrice": max(0.01, round(made["items"][0]["unitPrice"] / 2, 2))}]
        right = [{**line, "unitPrice": 2.35} for line in made["items"]]
        if end.startswith("given"):
            await self._note(made, items=half)
        else:
            await self._note(made, method="substitution", items=right)
        if end in {"given back in two", "put right, then given back"}:
            await self._note(made)

    async def _note(self, made: dict[str, Any], **wish: Any) -> None:
        named = {"originalFiscalId": made["einvoice"]["fiscalId"], "originalDate": made["issueDate"]}
        asked = {"invoiceId": made["id"], **named, **wish}
        answer = await self.api.request("POST", "/api/einvoice/credit-note", asked)
        nothing_left = answer.status_code == 400 and "nothing is left" in answer.text
        assert answer.status_code == 200 or nothing_left, answer.text

    async def _exchange(self, day: str, fields: dict[str, Any]) -> None:
        lines = [{**line, "unitPrice": round(line["unitPrice"] / 10, 2) or 0.01} for line in fields["items"]]
        ticket = await self._emitted(docType="simplified", client=None, items=lines, retentionRate=0, issueDate=day)
        await self._emitted(items=None, substitutes=[ticket["id"]], retentionRate=0, issueDate=day)

    async def _emitted(self, **fields: Any) -> dict[str, Any]:
        made = await self.api.invoice(**fields)
        await self.api.post("/api/einvoice/emit", {"invoiceId": made["id"]})
        found: dict[str, Any] = await self.api.get(f"/api/invoices/{made['id']}")
        return found

    async def _credit(self, made: dict[str, Any]) -> None:
        lines = [{**line, "unitPrice": -line["unitPrice"]} for line in made["items"]]
        same = {name: made[name] for name in ("currency", "retentionRate")}
        note = await self.api.invoice(docType="credit_note", rectifies=made["id"], items=lines, **same)
        await self.api.patch(f"/api/invoices/{note['id']}/pay")

    async def owe(self, fields: dict[str, Any], end: str) -> None:
        known = await self.api.get("/api/vendors")
        vendor = known[0] if known else await self.api.post("/api/vendors", {"name": "Papelera, S.A."})
        made = await self.api.post("/api/supplier-invoices", {"vendorId": vendor["id"], **fields})
        path = f"/api/supplier-invoices/{made['id']}"
        if end == "cancelled":
            await self.api.put(f"{path}/cancel", {})
        elif end != "open":
            amount = made["total"] if end == "paid" else 0.01
            paid = {"amount": amount, "paymentMethod": "cash", "paymentDate": "2026-11-20"}
            await self.api.post(f"{path}/payments", paid)

    async def read(self) -> None:
        shown = await self.api.get("/api/invoices?limit=100")
        self.invoices = [one for one in shown if one["number"] and one["currency"] == "EUR"]
        self.expenses = await self.api.get("/api/expenses?limit=100")
        owed = await self.api.get("/api/supplier-invoices?limit=100")
        self.owed = [one for one in owed if one["status"] != "cancelled" and one["currency"] == "EUR"]
        self.cash = []
        for one in self.invoices:
            paid = await self.api.get(f"/api/invoices/{one['id']}/payments")
            assert sum(exact(payment["amount"]) for payment in paid) == exact(one["amountPaid"])
            self.cash += [(payment["paidAt"], payment["amount"]) for payment in paid]

    def sold(self, field: str, first: str, last: str) -> Decimal:
        return sum((changed(one, field) for one in self.invoices if first <= booked(one) <= last), Decimal(0))

    def bought(self, day: str, field: str, first: str, last: str) -> Decimal:
        """Sum of a field of expenses and supplier invoices together, by the names of the former."""
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


def changed(invoice: dict[str, Any], field: str) -> Decimal:
    """Change that a document makes to the books, less what it replaces; nothing when simplified invoices count."""
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


async def follow(office, traded, *, reported: bool) -> None:
    sales, expenses, supplied = traded
    owner = await office.account()
    if not reported:
        await owner.put("/api/teams/current", {"einvoicing": "off"})
    ledger = Ledger(Api(owner.client, {"x-api-key": owner.team["apiKey"]}), reported=reported)
    days = sorted(day for _, _, day in sales)  # as the order of numbers wants it
    for (fields, end, _), day in zip(sales, days, strict=True):
        await ledger.sell(day, fields, end)
    for one in expenses:
        await ledger.api.post("/api/expenses", one)
    for fields, end in supplied:
        await ledger.owe(fields, end)
    await check(ledger)


TRADED = st.tuples(
    st.lists(st.tuples(INVOICES, ENDS, DAYS), max_size=5),
    st.lists(EXPENSES, max_size=4),
    st.lists(st.tuples(SUPPLIED, DEALS), max_size=4),
)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(TRADED, st.booleans())
def test_reports_are_the_sums_of_their_documents(office, run, traded, reported):
    with time_machine.travel(NOW, tick=True):
        run(follow(office, traded, reported=reported))
