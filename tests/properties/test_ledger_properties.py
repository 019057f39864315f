"""The ledger agrees to the cent with the reports of the same quarter, whatever the books hold."""

from datetime import date
from decimal import Decimal
from uuid import UUID

import pytest
import time_machine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledgerkit.core.platform.database.transactions import snapshot
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.reports import ledger
from ledgerkit.providers.api import Assessment, DateSpan, DocumentKind, PurchaseOrigin, Sale, TaxCategory
from support.office import cloned, opened
from support.random_books import NOW, TRADED, exact, filled
from support.sampling import examples

NOTHING = Decimal(0)
QUARTERS = {
    2: DateSpan(first=date(2026, 4, 1), last=date(2026, 6, 30)),
    3: DateSpan(first=date(2026, 7, 1), last=date(2026, 9, 30)),
    4: DateSpan(first=date(2026, 10, 1), last=date(2026, 12, 31)),
}


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords):
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, einvoice_wait=0) as office:
        yield office


async def read(office, api, span):
    return await ledger.read(await accounts.system_context(office.kernel, UUID(api.team["id"])), span)


def booked(sale: Sale) -> date:
    return sale.issue_date if sale.kind is DocumentKind.CREDIT_NOTE else sale.operation_date or sale.issue_date


async def follow(office, traded, *, reported: bool) -> None:
    api = (await filled(office, traded, reported=reported)).api
    for number, span in QUARTERS.items():
        found = await read(office, api, span)
        assert found == await read(office, api, span)
        ids = [one.document_id for one in (*found.sales, *found.purchases, *found.omitted)]
        assert len(ids) == len(set(ids))
        assert list(found.sales) == sorted(found.sales, key=lambda one: (one.issue_date, one.document_id))
        assert list(found.purchases) == sorted(found.purchases, key=lambda one: (one.issue_date, one.document_id))
        await check_taxes(api, number, found)
    await check_income(api, await read(office, api, DateSpan(first=date(2026, 1, 1), last=date(2026, 12, 31))))


async def check_taxes(api, number, found) -> None:
    summary = await api.get(f"/api/expenses/tax-summary?year=2026&quarter={number}")
    balance = await api.get(f"/api/expenses/vat-balance?year=2026&quarter={number}")
    sold = [one for one in found.sales if booked(one) in found.span]
    taxed = [line for one in sold for line in one.taxes if line.category is TaxCategory.STANDARD]
    by_buyer = [one for one in found.purchases if one.assessment is not Assessment.VENDOR]
    assessed = [
        tax
        for one in by_buyer
        if one.issue_date in found.span
        for tax in one.taxes
        if tax.tax or one.origin is PurchaseOrigin.EXPENSE  # as reports do with rates without tax
    ]
    deducted = [tax for one in found.purchases if one.deduction_date in found.span for tax in one.taxes]
    output = sum((line.amount + line.surcharge_amount for line in taxed), NOTHING) + total(assessed, "tax")
    assert exact(balance["outputVat"]) == output
    assert exact(balance["deductibleInputVat"]) == exact(summary["input"]["tax"]) == total(deducted, "deductible_tax")
    assert exact(summary["output"]["selfAssessed"]["tax"]) == total(assessed, "tax")
    assert exact(summary["retentions"]["suffered"]) == total(sold, "retention")
    received = [one for one in found.purchases if one.reception_date in found.span]
    assert exact(summary["retentions"]["withheld"]) == total(received, "retention")
    for row in summary["output"]["byRate"]:
        lines = [line for line in taxed if line.rate == exact(row["rate"])]
        own = [tax for tax in assessed if tax.rate == exact(row["rate"])]
        assert exact(row["base"]) == total(lines, "base") + total(own, "base")
        assert exact(row["tax"]) == total(lines, "amount") + total(own, "tax")
    for row in summary["input"]["byRate"]:
        shares = [tax for tax in deducted if tax.rate == exact(row["rate"]) and tax.tax]
        assert exact(row["tax"]) == total(shares, "deductible_tax")
        assert exact(row["base"]) == total([tax for tax in shares if tax.deductible_tax], "deductible_base")


async def check_income(api, found) -> None:
    """Compare income, costs and cash of a year with the profit and loss account and the cash flow."""
    profit = await api.get("/api/expenses/profit-loss?from=2026-01-01&to=2026-12-31")
    income = [line for one in found.sales if booked(one) in found.span for line in one.taxes]
    assert exact(profit["income"]) == total(income, "base")
    costs = [one for one in found.purchases if one.reception_date in found.span]
    assert exact(profit["expenses"]) == total(costs, "cost")
    cash = await api.get("/api/expenses/cashflow")
    came = [payment for one in found.sales for payment in one.payments]
    went = [payment for one in found.purchases for payment in one.payments]
    assert sum(exact(month["inflow"]) for month in cash["months"]) == total(came, "amount")
    assert sum(exact(month["outflow"]) for month in cash["months"]) == total(went, "amount")


def total(parts, name) -> Decimal:
    return sum((getattr(one, name) for one in parts), NOTHING)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(TRADED, st.booleans())
def test_the_ledger_adds_up_to_the_reports(office, run, traded, reported):
    with time_machine.travel(NOW, tick=True):
        run(follow(office, traded, reported=reported))


async def test_what_is_entered_while_the_ledger_is_read_is_not_in_it(office):
    owner = await office.account()
    expense = {"description": "Papel", "amount": 121, "taxRate": 21, "date": "2026-05-01"}
    first = await owner.post("/api/expenses", expense)
    ctx = await accounts.system_context(office.kernel, UUID(owner.team["id"]))

    async with ctx.reading() as inner, snapshot(inner.db):
        before = await ledger.read(inner, QUARTERS[2])
        await owner.post("/api/expenses", expense)
        await owner.delete(f"/api/expenses/{first['id']}")
        meanwhile = await ledger.read(inner, QUARTERS[2])
    afterwards = await read(office, owner, QUARTERS[2])

    assert [one.document_id for one in before.purchases] == [first["id"]]
    assert meanwhile == before
    assert [one.document_id for one in afterwards.purchases] not in ([], [first["id"]])
