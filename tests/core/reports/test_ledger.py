"""The ledger holds every document that counts, once, with all that decides where it counts."""

from datetime import date
from decimal import Decimal
from uuid import UUID

import pytest
from sqlalchemy import text

from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.reports import ledger
from ledgerkit.providers.api import (
    Assessment,
    DateSpan,
    DocumentKind,
    DocumentRef,
    LedgerPayment,
    Omission,
    Party,
    PurchaseKind,
    PurchaseOrigin,
    PurchaseTax,
    TaxCategory,
)
from support.api import ADDRESS, CLIENT, item
from support.database import as_owner

OCTOBER = DateSpan(first=date(2026, 10, 1), last=date(2026, 10, 31))
AUTUMN = DateSpan(first=date(2026, 9, 1), last=date(2026, 11, 30))
EARLIER, WITHIN, LATER = "2026-09-30", "2026-10-15", "2026-11-01"


async def read(studio, span=AUTUMN):
    return await ledger.read(await accounts.system_context(studio.kernel, UUID(studio.team["id"])), span)


def d(amount: str) -> Decimal:
    return Decimal(amount)


# ---------------------------------------------------------------- sales


async def test_a_sale_says_all_that_its_document_says(studio):
    lines = [
        item(unitPrice=1000),
        item(unitPrice=100, taxRate=10, surchargeRate=1.4),
        item(unitPrice=50, taxCategory="exempt", exemptionCode="E1", taxRate=0),
    ]
    made = await studio.sold(0, WITHIN, LATER, items=lines, retentionRate=15, operationDate=EARLIER, placeOfSupply="ES")

    [sale] = (await read(studio)).sales

    assert (sale.document_id, sale.kind, sale.number) == (made["id"], DocumentKind.INVOICE, made["number"])
    assert (sale.issue_date, sale.operation_date) == (date(2026, 10, 15), date(2026, 9, 30))
    assert (sale.client.name, sale.client.tax_id, sale.client.country) == (CLIENT["name"], CLIENT["taxId"], "ES")
    standard, reduced, exempt = sorted(sale.taxes, key=lambda line: -line.rate)
    assert (standard.rate, standard.base, standard.amount) == (21, 1000, 210)
    assert (reduced.rate, reduced.base, reduced.amount) == (10, 100, 10)
    assert (reduced.surcharge_rate, reduced.surcharge_amount) == (d("1.4"), d("1.4"))
    assert (exempt.category, exempt.exemption_code, exempt.base) == (TaxCategory.EXEMPT, "E1", 50)
    assert (sale.retention, sale.retention_rate, sale.gross_total) == (d("172.50"), 15, d("1371.40"))
    assert sale.payments == (LedgerPayment(day=date(2026, 11, 1), amount=d("1198.90")),)
    assert (sale.corrects, sale.place_of_supply, sale.triangular) == ((), "ES", False)


async def test_a_credit_note_names_what_it_corrects(studio):
    made = await studio.sold(100, EARLIER, EARLIER)
    note = await studio.sold(-40, WITHIN, docType="credit_note", rectifies=made["id"], correctionReason="R1")

    sale = {one.document_id: one for one in (await read(studio)).sales}[note["id"]]

    assert (sale.kind, sale.correction_reason) == (DocumentKind.CREDIT_NOTE, "R1")
    assert sale.corrects == (DocumentRef(number=made["number"], issue_date=date(2026, 9, 30)),)
    assert [(line.base, line.amount) for line in sale.taxes] == [(-40, d("-8.4"))]
    assert sale.gross_total == d("-48.40")


async def test_a_credit_note_by_substitution_is_its_effect(studio):
    made = await studio.sold(100, EARLIER, EARLIER, retentionRate=15)
    right = {"docType": "credit_note", "rectifies": made["id"], "correctionMethod": "substitution", "retentionRate": 15}
    note = await studio.sold(70, WITHIN, **right)

    sale = {one.document_id: one for one in (await read(studio)).sales}[note["id"]]

    assert [(line.rate, line.base, line.amount) for line in sale.taxes] == [
        (21, 70, d("14.7")),
        (21, -100, d("-21")),
    ]
    assert (sale.retention, sale.gross_total) == (d("-4.50"), d("-36.30"))


@pytest.mark.parametrize(
    ("issue", "operation", "paid", "listed"),
    [
        (WITHIN, None, None, True),
        (WITHIN, EARLIER, None, True),
        (LATER, WITHIN, None, True),
        (LATER, EARLIER, None, False),
        (EARLIER, None, WITHIN, True),
        (EARLIER, None, LATER, False),
        (LATER, None, None, False),
        ("2026-10-02", "2026-10-01", "2026-10-31", True),
    ],
)
async def test_each_date_of_a_sale_lists_it_once(studio, issue, operation, paid, listed):
    await studio.sold(100, issue, paid, **({"operationDate": operation} if operation else {}))

    assert len((await read(studio, OCTOBER)).sales) == listed


async def test_payments_outside_of_the_span_are_told_too(studio):
    made = await studio.sold(100, EARLIER)
    for day, amount in ((LATER, 3), (WITHIN, 2)):
        await studio.patch(f"/api/invoices/{made['id']}/pay", {"amount": amount, "paidAt": day})

    [sale] = (await read(studio, OCTOBER)).sales

    assert [(one.day.isoformat(), one.amount) for one in sale.payments] == [(WITHIN, 2), (LATER, 3)]


async def test_drafts_and_voided_invoices_are_out(studio):
    await studio.put("/api/teams/current", {"einvoicing": "off"})
    await studio.sell(100, WITHIN)
    voided = await studio.sold(100, WITHIN)
    await studio.delete(f"/api/invoices/{voided['id']}")

    assert (await read(studio)).sales == []


async def test_an_emitted_invoice_counts_when_hidden_and_not_when_annulled(studio):
    hidden, annulled = [await studio.sold(100, WITHIN) for _ in range(2)]
    await studio.delete(f"/api/invoices/{hidden['id']}")
    await standing(studio, annulled, "annulled")

    assert [sale.document_id for sale in (await read(studio)).sales] == [hidden["id"]]


async def standing(studio, invoice, value):
    """The fiscal standing that the authority's answer gives an invoice."""
    async with as_owner(studio.kernel) as connection:
        statement = text("update invoice set fiscal_standing = :value where id = :id")
        await connection.execute(statement, {"value": value, "id": UUID(invoice["id"])})


async def test_simplified_invoices_count_and_not_the_full_one_for_them(studio):
    ticket = await studio.sold(100, WITHIN, docType="simplified", client=None)
    await studio.sold(0, WITHIN, items=None, substitutes=[ticket["id"]])

    [sale] = (await read(studio)).sales

    assert (sale.document_id, sale.kind, sale.client) == (ticket["id"], DocumentKind.SIMPLIFIED, None)


# ---------------------------------------------------------------- purchases


async def test_an_expense_says_all_in_the_accounts_currency(studio):
    made = await studio.spend(
        121,
        WITHIN,
        currency="USD",
        exchangeRate=0.5,
        deductiblePercent=50,
        incomeTaxPercent=80,
        retentionRate=15,
        vendor="Papelera",
        vendorTaxId="B12345674",
        invoiceNumber="A-1",
        investmentGood=True,
        regimeKey="07",
        category="office",
        receptionDate=LATER,
        deductionDate="2026-11-02",
        operationDate=EARLIER,
        paidAt="2026-11-03",
    )

    [purchase] = (await read(studio)).purchases

    assert (purchase.document_id, purchase.origin, purchase.kind) == (
        made["id"],
        PurchaseOrigin.EXPENSE,
        PurchaseKind.INVOICE,
    )
    assert purchase.number == "A-1"
    days = (purchase.operation_date, purchase.issue_date, purchase.reception_date, purchase.deduction_date)
    assert [day.isoformat() for day in days] == [EARLIER, WITHIN, LATER, "2026-11-02"]
    assert purchase.vendor == Party(name="Papelera", tax_id="B12345674", country="ES")
    assert purchase.taxes == (
        PurchaseTax(
            rate=d("21"),
            base=d("50.00"),
            tax=d("10.50"),
            deductible_base=d("25.00"),
            deductible_tax=d("5.25"),
            investment_good=True,
        ),
    )
    assert (purchase.cost, purchase.income_tax_percent, purchase.gross_total) == (d("55.25"), 80, d("60.50"))
    assert (purchase.retention, purchase.retention_base, purchase.retention_rate) == (d("7.50"), d("50.00"), 15)
    assert purchase.description == "Compra"
    assert (purchase.category, purchase.regime_key, purchase.assessment) == ("office", "07", Assessment.VENDOR)
    assert purchase.payments == (LedgerPayment(day=date(2026, 11, 3), amount=d("53.00")),)


async def test_an_expense_that_is_not_deductible_lets_deduct_nothing(studio):
    await studio.spend(121, WITHIN, deductible=False, deductiblePercent=50, incomeTaxPercent=80)

    [purchase] = (await read(studio)).purchases

    [tax] = purchase.taxes
    assert (tax.deductible_base, tax.deductible_tax, purchase.income_tax_percent) == (0, 0, 0)


async def test_a_supplier_invoice_says_its_rates_and_their_shares(studio):
    lines = [
        {"description": "Papel", "unitPrice": 0.33, "taxRate": 21},
        {"description": "Libros", "unitPrice": 10.1, "taxRate": 4, "surchargeRate": 0.5},
        {"description": "Sellos", "unitPrice": 5, "taxRate": 0},
    ]
    fields = {"deductiblePercent": 33.333, "retentionRate": 10, "invoiceNumber": "7/26"}
    owed = await studio.owe(WITHIN, items=lines, **fields)
    await studio.settle(owed, 5, LATER)

    [purchase] = (await read(studio)).purchases

    assert (purchase.document_id, purchase.origin) == (owed["id"], PurchaseOrigin.SUPPLIER_INVOICE)
    assert (purchase.number, purchase.vendor.name) == ("7/26", "Papelera, S.A.")
    amounts = [(tax.rate, tax.base, tax.tax, tax.deductible_base, tax.deductible_tax) for tax in purchase.taxes]
    assert amounts == [
        (4, d("10.10"), d("0.40"), d("3.37"), d("0.14")),  # 0.13 and the cent that the shares leave over
        (21, d("0.33"), d("0.07"), d("0.11"), d("0.02")),
        (0, d("5.00"), 0, d("1.67"), 0),
    ]
    surcharges = [(tax.surcharge_rate, tax.surcharge_amount) for tax in purchase.taxes]
    assert surcharges == [(d("0.5"), d("0.05")), (None, 0), (None, 0)]
    assert purchase.cost == d("15.43") + d("0.47") + d("0.05") - d("0.16")
    assert (purchase.retention, purchase.retention_base, purchase.retention_rate) == (d("1.54"), d("15.43"), 10)
    assert purchase.description == "Papel"
    assert purchase.gross_total == d("15.95")
    assert purchase.payments == (LedgerPayment(day=date(2026, 11, 1), amount=d("5.00")),)


@pytest.mark.parametrize(
    ("flags", "assessment"),
    [
        ({}, Assessment.VENDOR),
        ({"reverseCharge": True}, Assessment.REVERSE_CHARGE),
        ({"intraEu": "goods"}, Assessment.INTRA_EU_GOODS),
        ({"intraEu": "services", "reverseCharge": True}, Assessment.INTRA_EU_SERVICES),
    ],
)
async def test_the_assessment_is_that_of_the_document(studio, flags, assessment):
    await studio.spend(100, WITHIN, **flags)
    await studio.owe(WITHIN, total=100, **flags)

    purchases = (await read(studio)).purchases

    assert {one.assessment for one in purchases} == {assessment}
    if assessment is not Assessment.VENDOR:
        assert {(tax.base, tax.tax, tax.deductible_tax) for one in purchases for tax in one.taxes} == {(100, 21, 21)}
        assert {one.gross_total for one in purchases} == {100}


@pytest.mark.parametrize(
    ("fields", "listed"),
    [
        ({"date": WITHIN}, True),
        ({"date": LATER, "operationDate": WITHIN}, True),
        ({"date": EARLIER, "receptionDate": WITHIN, "deductionDate": LATER}, True),
        ({"date": EARLIER, "receptionDate": EARLIER, "deductionDate": WITHIN}, True),
        ({"date": EARLIER, "paidAt": WITHIN}, True),
        ({"date": EARLIER, "paidAt": LATER}, False),
        ({"date": EARLIER, "operationDate": EARLIER, "receptionDate": LATER, "deductionDate": LATER}, False),
        ({"date": WITHIN, "operationDate": WITHIN, "paidAt": WITHIN}, True),
    ],
)
async def test_each_date_of_a_purchase_lists_it_once(studio, fields, listed):
    paid = fields.get("paidAt", EARLIER)
    day = fields["date"]
    await studio.spend(121, day, **{"paidAt": paid, **{k: v for k, v in fields.items() if k != "date"}})
    owed = await studio.owe(day, **{k: v for k, v in fields.items() if k not in {"date", "paidAt"}})
    await studio.settle(owed, 1, paid)

    purchases = (await read(studio, OCTOBER)).purchases

    assert [one.origin for one in purchases] == ([PurchaseOrigin.EXPENSE, PurchaseOrigin.SUPPLIER_INVOICE] * listed)


async def test_deleted_expenses_and_cancelled_supplier_invoices_are_out(studio):
    spent, owed = await studio.spend(121, WITHIN), await studio.owe(WITHIN)
    await studio.delete(f"/api/expenses/{spent['id']}")
    await studio.put(f"/api/supplier-invoices/{owed['id']}/cancel", {})

    assert (await read(studio)).purchases == []


async def test_a_credit_note_of_a_vendor_names_what_it_corrects(studio):
    owed = await studio.owe(EARLIER, invoiceNumber="7/26")
    note = await studio.owe(WITHIN, total=-60.5, rectifies=owed["id"])
    await studio.settle(note, -60.5, WITHIN)

    (purchase,) = (await read(studio, OCTOBER)).purchases

    assert (purchase.kind, purchase.gross_total, purchase.cost) == (PurchaseKind.CREDIT_NOTE, d("-60.50"), d("-50.00"))
    assert [(one.number, one.issue_date) for one in purchase.corrects] == [("7/26", date.fromisoformat(EARLIER))]
    assert [(tax.base, tax.tax, tax.deductible_tax) for tax in purchase.taxes] == [
        (d("-50.00"), d("-10.50"), d("-10.50"))
    ]
    assert [payment.amount for payment in purchase.payments] == [d("-60.50")]


# ---------------------------------------------------------------- the whole


async def test_documents_in_another_currency_are_named_as_omitted(studio):
    await studio.put("/api/teams/current", {"einvoicing": "off"})
    await studio.sold(100, "2026-01-02", currency="USD")
    sold = await studio.sold(100, WITHIN, currency="USD")
    owed = await studio.owe(WITHIN, currency="USD", invoiceNumber="7/26")

    found = await read(studio)

    assert (found.sales, found.purchases) == ([], [])
    day = date(2026, 10, 15)
    assert [(one.document_id, one.number, one.reason, one.issue_date) for one in found.omitted] == [
        (sold["id"], sold["number"], Omission.FOREIGN_CURRENCY, day),
        (owed["id"], "7/26", Omission.FOREIGN_CURRENCY, day),
    ]


async def test_payments_in_cash_are_marked(studio):
    made = await studio.sold(100, WITHIN)
    for method in ("cash", "card", None):
        sent = {"amount": 1, "paidAt": WITHIN, **({"method": method} if method else {})}
        await studio.patch(f"/api/invoices/{made['id']}/pay", sent)
    await studio.spend(121, WITHIN, paymentMethod="cash")

    found = await read(studio)

    assert [payment.in_cash for payment in found.sales[0].payments] == [True, False, False]
    assert [payment.in_cash for payment in found.purchases[0].payments] == [True]


async def test_assets_that_were_received_earlier_are_told_apart(studio):
    goods = [
        await studio.spend(121, EARLIER, investmentGood=True, paidAt=EARLIER),
        await studio.owe(EARLIER, investmentGood=True),
        await studio.spend(121, EARLIER, usefulLifeYears=4, paidAt=EARLIER),
        await studio.owe(EARLIER, usefulLifeYears=4),
    ]
    hidden = await studio.spend(121, EARLIER, investmentGood=True)
    await studio.delete(f"/api/expenses/{hidden['id']}")
    await studio.spend(121, EARLIER)
    await studio.spend(121, WITHIN, investmentGood=True)

    found = await read(studio, OCTOBER)

    assert [one.document_id for one in found.earlier_investments] == sorted(one["id"] for one in goods)
    assert len(found.purchases) == 1


async def test_a_ledger_is_of_one_account_and_says_whose(studio, other):
    await other.sold(100, WITHIN)
    await other.spend(121, WITHIN)
    await other.owe(WITHIN)

    found = await read(studio)

    assert (found.sales, found.purchases, found.omitted) == ([], [], [])
    assert (found.span, found.currency) == (AUTUMN, "EUR")
    assert found.owner == Party(
        name=studio.team["company"] or studio.team["name"],
        tax_id=studio.team["taxId"],
        country="ES",
        address=ADDRESS["address"],
        postal_code=ADDRESS["postalCode"],
        city=ADDRESS["city"],
        province=ADDRESS["province"],
        email=studio.team["email"],
    )
