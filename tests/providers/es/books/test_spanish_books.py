"""Golden rows of the three books: what typical documents look like in the columns and codes of the tax agency.

Codes are those of the agency's common format (libros_LSI_2025.json); amounts are worked out beside each case.
"""

import json
import re
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from ledgerkit.providers.api import (
    Assessment,
    ColumnKind,
    DateSpan,
    DocumentKind,
    DocumentRef,
    Ledger,
    LedgerPayment,
    Party,
    Purchase,
    PurchaseKind,
    PurchaseOrigin,
    PurchaseTax,
    Sale,
    TaxCategory,
    TaxLine,
    TaxProfile,
)
from ledgerkit.providers.es.books import BOOKS, columns
from ledgerkit.providers.es.tax_forms.profile import (
    Activity,
    ActivityKind,
    FilingPeriod,
    PersonKind,
    Prorrata,
    SpanishTaxProfile,
)

SECOND_QUARTER = DateSpan(first=date(2026, 4, 1), last=date(2026, 6, 30))
MAY = date(2026, 5, 4)

DESIGNER = Activity(kind=ActivityKind.PROFESSIONAL, iae="749", since=date(2024, 2, 1))
PROFILE = SpanishTaxProfile(activities=(DESIGNER,))
OWNER = Party(name="Ana Ruiz Núñez", tax_id="12345678Z", country="ES")
NORTE = Party(name="Talleres Norte, S.L.", tax_id="B12345674", country="ES")
BERLIN = Party(name="Berlin GmbH", tax_id="DE123456789", country="DE")
GERMAN = Party(name="Werkstatt Nord GmbH", tax_id="DE811907980", country="DE")
SWISS = Party(name="Zürich AG", tax_id="CHE-116.281.710", country="CH")

ISSUED, RECEIVED, INVESTMENT = BOOKS


def d(amount: str) -> Decimal:
    return Decimal(amount)


def line(base: str, rate: str = "21", amount: str | None = None, **fields: Any) -> TaxLine:
    fields.setdefault("category", TaxCategory.STANDARD)
    tax = d(amount) if amount else (d(base) * d(rate) / 100).quantize(d("0.01"))
    return TaxLine(rate=d(rate), base=d(base), amount=tax, **fields)


def sale(*taxes: TaxLine, **fields: Any) -> Sale:
    gross = sum((one.base + one.amount + one.surcharge_amount for one in taxes), d("0.00"))
    usual: dict[str, Any] = {
        "document_id": "0199-sale",
        "kind": DocumentKind.INVOICE,
        "number": "F2026-0007",
        "issue_date": MAY,
        "operation_date": None,
        "client": NORTE,
        "taxes": taxes,
        "retention": d("0.00"),
        "gross_total": gross,
    }
    return Sale(**{**usual, **fields})


def bought(base: str, rate: str = "21", share: str = "100", **fields: Any) -> PurchaseTax:
    tax = (d(base) * d(rate) / 100).quantize(d("0.01"))
    deductible = {"deductible_base": d(base) * d(share) / 100, "deductible_tax": tax * d(share) / 100}
    return PurchaseTax(rate=d(rate), base=d(base), tax=tax, **deductible, **fields)


def purchase(*taxes: PurchaseTax, **fields: Any) -> Purchase:
    net = sum((one.base + one.surcharge_amount for one in taxes), d("0.00"))
    tax = sum((one.tax for one in taxes), d("0.00"))
    charged = fields.get("assessment", Assessment.VENDOR) is Assessment.VENDOR
    day = fields.get("issue_date", MAY)
    usual: dict[str, Any] = {
        "document_id": "0199-purchase",
        "origin": PurchaseOrigin.EXPENSE,
        "kind": PurchaseKind.INVOICE,
        "number": "A/26-15",
        "issue_date": day,
        "operation_date": None,
        "reception_date": day,
        "deduction_date": fields.get("reception_date", day),
        "vendor": NORTE,
        "assessment": Assessment.VENDOR,
        "taxes": taxes,
        "cost": net + tax - sum((one.deductible_tax for one in taxes), d("0.00")),
        "income_tax_percent": d("100"),
        "retention": d("0.00"),
        "retention_base": d("0.00"),
        "gross_total": net + tax if charged else net,
        "category": "office",
    }
    return Purchase(**{**usual, **fields})


def ledger(*documents: Sale | Purchase, span: DateSpan = SECOND_QUARTER, earlier: tuple[Purchase, ...] = ()) -> Ledger:
    return Ledger(
        span=span,
        currency="EUR",
        owner=OWNER,
        sales=[one for one in documents if isinstance(one, Sale)],
        purchases=[one for one in documents if isinstance(one, Purchase)],
        earlier_investments=earlier,
    )


NAMES = {"issued": columns.ISSUED, "received": columns.RECEIVED}


def rows(book, *documents, profile: TaxProfile = PROFILE, **fields: Any) -> list[dict[str, Any]]:
    """The cells that are not empty, by our names of their columns."""
    of = ledger(*documents, **fields)
    names = NAMES.get(book.key) or columns.investment(of.span.last.year)
    found = [dict(zip(names, row, strict=True)) for row in book.rows(of, profile)]
    return [{name: value for name, value in row.items() if value is not None} for row in found]


BEGINNING = {"year": 2026, "period": "2T", "activity_code": "A", "activity_type": "05", "iae": "749"}
SOLD = {
    **BEGINNING,
    "invoice_type": "F1",
    "concept": "I01",
    "issue_date": MAY,
    "number": "F2026-0007",
    "party_id": "B12345674",
    "party_name": "Talleres Norte, S.L.",
    "key": "01",
    "qualification": "S1",
    "reference": "0199-sale",
}
BOUGHT = {
    **BEGINNING,
    "invoice_type": "F1",
    "concept": "G03",
    "issue_date": MAY,
    "number": "A/26-15",
    "reception_date": MAY,
    "party_id": "B12345674",
    "party_name": "Talleres Norte, S.L.",
    "key": "01",
    "investment_good": "N",
    "reverse_charge": "N",
    "deducted_later": "N",
    "reference": "0199-purchase",
}


# ---------------------------------------------------------------- columns


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.key)
def test_the_columns_of_2025_are_the_official_ones(book, shared):
    layouts = shared / "spain" / "tax-layouts" / "libros_LSI_2025.json"
    official = json.loads(layouts.read_text(encoding="utf-8"))["sheets"][book.sheet]

    found = book.columns(2025)

    assert len(found) == {"issued": 36, "received": 42, "investment": 40}[book.key]
    assert [heading(one) for one in official] == [one.heading for one in found]
    assert [kind(one["type"]) for one in official] == [(one.kind, one.width, one.decimals) for one in found]


def heading(official: dict[str, str]) -> tuple[str, ...]:
    """Without the numbers of footnotes."""
    parts = (re.sub(r" ?\(\d+\)", "", part) for part in (official["group"], official["sub"]) if part)
    return tuple(parts)


def kind(official: str) -> tuple[ColumnKind, int, int]:
    if official.startswith("Fecha"):
        return ColumnKind.DATE, 10, 0
    width, *decimals = (int(number) for number in re.findall(r"\d+", official))
    if official.startswith("Alfa"):
        return ColumnKind.TEXT, width, 0
    return (ColumnKind.DECIMAL, width, decimals[0]) if decimals[0] else (ColumnKind.INTEGER, width, 0)


def test_the_book_of_investment_goods_has_two_more_columns_from_2026():
    """Before the last one: the property's situation and reference (libros_LSI_2025.json, `version`)."""
    before, since = INVESTMENT.columns(2025), INVESTMENT.columns(2026)

    assert len(since) == 42
    assert [one.heading for one in since[-3:]] == [
        ("Inmueble", "Situación"),
        ("Inmueble", "Referencia Catastral"),
        ("Referencia Externa",),
    ]
    assert list(since[:-3]) == list(before[:-1])


# ---------------------------------------------------------------- issued


def test_a_sale_with_retention():
    """1,000 at 21 % and 200 at 10 %, 15 % withheld of both: 180, of which 150 and 30."""
    taxes = (line("1000.00"), line("200.00", "10"))
    first, second = rows(ISSUED, sale(*taxes, retention=d("180.00"), retention_rate=d("15")))

    assert first == {
        **SOLD,
        "income": d("1000.00"),
        "total": d("1210.00"),
        "base": d("1000.00"),
        "rate": 21,
        "quota": d("210.00"),
        "retention_rate": 15,
        "retention": d("150.00"),
    }
    assert (second["rate"], second["base"], second["quota"], second["retention"]) == (10, 200, 20, 30)
    assert (second["total"], second["income"]) == (220, 200)


def test_retention_and_total_of_the_rows_are_those_of_the_document():
    """0.50 of 3.33 in three equal parts: 0.17 each, and the first gives back the cent too much."""
    parts = [line("1.11", "21"), line("1.11", "10"), line("1.11", "4")]
    found = rows(ISSUED, sale(*parts, retention=d("0.50"), retention_rate=d("15"), gross_total=d("3.80")))

    assert [one["retention"] for one in found] == [d("0.16"), d("0.17"), d("0.17")]
    assert sum(one["total"] for one in found) == d("3.80")


def test_a_service_for_a_business_in_the_eu():
    """Not subject by the rules of place (N2): no rate and no quota."""
    service = line("500.00", "0", category=TaxCategory.INTRA_EU_SERVICES)
    [found] = rows(ISSUED, sale(service, client=BERLIN))

    assert found == {
        **SOLD,
        "income": d("500.00"),
        "party_id_type": "02",
        "party_id": "DE123456789",
        "party_name": "Berlin GmbH",
        "qualification": "N2",
        "total": d("500.00"),
        "base": d("500.00"),
    }


def test_an_export():
    """Exempt by art. 21 (E2), with the key of exports."""
    [found] = rows(ISSUED, sale(line("500.00", "0", category=TaxCategory.EXPORT), client=SWISS))

    assert (found["key"], found["exemption"], found.get("qualification")) == ("02", "E2", None)
    assert (found["party_id_type"], found["party_country"], found["party_id"]) == ("04", "CH", "CHE-116.281.710")
    assert "rate" not in found
    assert (found["base"], found["total"], found["income"]) == (500, 500, 500)


@pytest.mark.parametrize(
    ("fields", "stated"),
    [
        ({"category": TaxCategory.EXEMPT, "exemption_code": "E1"}, ("01", None, "E1")),
        ({"category": TaxCategory.INTRA_EU_GOODS}, ("01", None, "E5")),
        ({"category": TaxCategory.REVERSE_CHARGE}, ("01", "S2", None)),
        ({"category": TaxCategory.NOT_SUBJECT, "not_subject_reason": "article_7"}, ("01", "N1", None)),
        ({"category": TaxCategory.NOT_SUBJECT, "not_subject_reason": "location_rules"}, ("01", "N2", None)),
        ({"tax": "IGIC"}, ("08", "N2", None)),
        ({"regime_key": "11"}, ("12", "S1", None)),
        ({"regime_key": "18"}, ("01", "S1", None)),
    ],
)
def test_key_qualification_and_exemption(fields, stated):
    [found] = rows(ISSUED, sale(line("100.00", "0", **fields)))

    assert (found["key"], found.get("qualification"), found.get("exemption")) == stated
    assert ("rate" in found) == (stated[1] == "S1")


@pytest.mark.parametrize(("earlier", "stated"), [(False, ("01", "N2", None)), (True, ("01", None, "E5"))])
def test_triangular_goods_are_booked_as_their_record_says(earlier, stated):
    """Not subject by their place; exempt where an earlier version has issued them so."""
    goods = line("100.00", "0", category=TaxCategory.INTRA_EU_GOODS)
    [found] = rows(ISSUED, sale(goods, client=GERMAN, triangular=True, triangular_exempt=earlier))

    assert (found["key"], found.get("qualification"), found.get("exemption")) == stated


def test_premises_let_with_retention_have_the_key_for_it():
    [found] = rows(ISSUED, sale(line("100.00", regime_key="11"), retention=d("19.00"), retention_rate=d("19")))

    assert (found["key"], found["retention"]) == ("11", 19)


def test_a_credit_note_counts_on_its_issue():
    """R4, on the day of its issue even where the operation lies in an earlier quarter."""
    note = sale(
        line("-100.00"),
        kind=DocumentKind.CREDIT_NOTE,
        number="R2026-0001",
        correction_reason="R4",
        corrects=(DocumentRef(number="F2026-0001", issue_date=date(2026, 1, 9)),),
        operation_date=date(2026, 1, 9),
    )
    [found] = rows(ISSUED, note)

    assert (found["invoice_type"], found["period"], found["number"]) == ("R4", "2T", "R2026-0001")
    assert (found["base"], found["quota"], found["total"], found["income"]) == (-100, -21, -121, -100)
    assert found["operation_date"] == date(2026, 1, 9)


def test_a_simplified_invoice_names_nobody():
    [found] = rows(ISSUED, sale(line("10.00"), kind=DocumentKind.SIMPLIFIED, client=None))

    assert found["invoice_type"] == "F2"
    assert not {name for name in found if name.startswith("party")}


def test_the_equivalence_surcharge_has_its_columns():
    """21 % with 5.2 % of 100: 21.00 and 5.20."""
    taxed = line("100.00", surcharge_rate=d("5.2"), surcharge_amount=d("5.20"))
    [found] = rows(ISSUED, sale(taxed))

    assert (found["rate"], found["quota"]) == (21, 21)
    assert (found["surcharge_rate"], found["surcharge"], found["total"]) == (d("5.2"), d("5.20"), d("126.20"))


@pytest.mark.parametrize(
    ("issue", "operation", "listed"),
    [
        (date(2026, 6, 30), None, True),
        (date(2026, 7, 1), date(2026, 6, 30), True),
        (date(2026, 5, 1), date(2026, 3, 31), False),
        (date(2026, 7, 1), None, False),
    ],
)
def test_a_sale_is_listed_in_the_return_of_its_operation(issue, operation, listed):
    found = rows(ISSUED, sale(line("100.00"), issue_date=issue, operation_date=operation))

    assert len(found) == listed


def test_who_files_monthly_has_months():
    monthly = PROFILE.model_copy(update={"filing": FilingPeriod.MONTHLY})

    [found] = rows(ISSUED, sale(line("100.00")), profile=monthly)

    assert found["period"] == "05"


def test_a_company_keeps_no_books_of_income_tax():
    company = SpanishTaxProfile(person=PersonKind.COMPANY)

    [sold] = rows(ISSUED, sale(line("100.00")), profile=company)
    [spent] = rows(RECEIVED, purchase(bought("100.00")), profile=company)

    assert not {"concept", "income", "cost", "activity_code"} & {*sold, *spent}


def test_cash_accounting_lists_payments_in_the_measure_of_the_total():
    """121 with 15 withheld: 106 are paid. Half of it, 53, is 60.50 of the total."""
    cash = PROFILE.model_copy(update={"cash_accounting": True})
    paid = (LedgerPayment(day=date(2026, 6, 1), amount=d("53.00")), LedgerPayment(day=date(2026, 8, 1), amount=d("53")))
    document = sale(line("100.00"), retention=d("15.00"), retention_rate=d("15"), payments=paid)

    invoice, payment = rows(ISSUED, document, profile=cash)

    assert (invoice["key"], invoice["quota"], "payment_day" in invoice) == ("07", 21, False)
    assert (payment["key"], payment["number"], payment["period"]) == ("07", "F2026-0007", "2T")
    assert (payment["payment_day"], payment["payment_amount"]) == (date(2026, 6, 1), d("60.50"))
    assert payment["payment_means"] == "04"
    assert not {"base", "rate", "quota", "total", "income"} & set(payment)


def test_what_stays_unpaid_accrues_at_the_end_of_the_next_year():
    """LIVA, art. 163 terdecies: 31 December of the year after; means 03 (never paid)."""
    cash = PROFILE.model_copy(update={"cash_accounting": True})
    document = sale(line("100.00"), payments=(LedgerPayment(day=date(2026, 6, 1), amount=d("21.00")),))
    last_quarter = DateSpan(first=date(2027, 10, 1), last=date(2027, 12, 31))

    [found] = rows(ISSUED, document, profile=cash, span=last_quarter)

    assert (found["year"], found["period"], found["payment_day"]) == (2027, "4T", date(2027, 12, 31))
    assert (found["payment_amount"], found["payment_means"]) == (100, "03")


def test_a_long_number_is_taken_apart_and_none_of_it_is_lost():
    [found] = rows(ISSUED, sale(line("100.00"), number="ESTABLECIMIENTO-CENTRO-2026-0001"))

    assert found["series"] + found["number"] == "ESTABLECIMIENTO-CENTRO-2026-0001"
    assert max(len(found["series"]), len(found["number"])) <= 20


# ---------------------------------------------------------------- received


def test_an_expense_that_is_deducted_by_half():
    """100 and 21: 10.50 deducted; the other 10.50 is cost, of which income tax lets deduct 50 %: 55.25."""
    [found] = rows(RECEIVED, purchase(bought("100.00", share="50"), income_tax_percent=d("50"), category="vehicle"))

    assert found == {
        **BOUGHT,
        "concept": "G13",
        "cost": d("55.25"),
        "total": d("121.00"),
        "base": d("100.00"),
        "rate": 21,
        "quota": d("21.00"),
        "deductible": d("10.50"),
    }


def test_a_reverse_charge():
    """The buyer assesses 21 of 100 and deducts it; the vendor charges 100."""
    [found] = rows(RECEIVED, purchase(bought("100.00"), assessment=Assessment.REVERSE_CHARGE))

    assert (found["reverse_charge"], found["key"]) == ("S", "01")
    assert (found["total"], found["quota"], found["deductible"], found["cost"]) == (100, 21, 21, 100)


@pytest.mark.parametrize("assessment", [Assessment.INTRA_EU_GOODS, Assessment.INTRA_EU_SERVICES])
def test_an_acquisition_in_the_eu(assessment):
    [found] = rows(RECEIVED, purchase(bought("100.00"), assessment=assessment, vendor=BERLIN))

    assert (found["key"], found["reverse_charge"]) == ("09", "N")
    assert (found["party_id_type"], found["party_id"]) == ("02", "DE123456789")
    assert (found["total"], found["quota"], found["deductible"]) == (100, 21, 21)


def test_an_import():
    """The customs document (F5) with the tax that customs charges."""
    [found] = rows(RECEIVED, purchase(bought("1000.00"), kind=PurchaseKind.IMPORT, vendor=SWISS, category="goods"))

    assert (found["invoice_type"], found["key"], found["concept"]) == ("F5", "01", "G01")
    assert (found["base"], found["quota"], found["deductible"]) == (1000, 210, 210)


@pytest.mark.parametrize(
    ("kind", "dua", "expected"),
    [
        (PurchaseKind.IMPORT, "26ES00280130001234", "26ES00280130001234"),
        (PurchaseKind.IMPORT, None, "R-7"),
        (PurchaseKind.INVOICE, "26ES00280130001234", "R-7"),
    ],
)
def test_an_import_is_booked_by_the_number_of_its_customs_document(kind, dua, expected):
    imported = purchase(bought("1000.00"), kind=kind, vendor=SWISS, number="R-7", import_document=dua)

    assert [row["number"] for row in rows(RECEIVED, imported)] == [expected]


def test_rent_with_retention_names_the_property():
    """19 % of 600 withheld: 114."""
    rent = purchase(
        bought("600.00"),
        category="rent",
        retention=d("114.00"),
        retention_base=d("600.00"),
        retention_rate=d("19"),
        leased_property="9872023VH5797S0001WX",
        regime_key="11",
    )
    [found] = rows(RECEIVED, rent)

    assert (found["concept"], found["key"]) == ("G12", "12")
    assert (found["retention_rate"], found["retention"]) == (19, 114)
    assert (found["estate_situation"], found["estate_reference"]) == ("1", "9872023VH5797S0001WX")


def test_rates_of_one_invoice_are_rows_of_their_own():
    surcharged = bought("50.00", "10", surcharge_rate=d("1.4"), surcharge_amount=d("0.70"))
    first, second = rows(RECEIVED, purchase(bought("100.00"), surcharged))

    assert (first["rate"], first["base"], first["quota"], first["total"]) == (21, 100, 21, 121)
    assert (second["rate"], second["base"], second["quota"], second["total"]) == (10, 50, 5, d("55.70"))
    assert (second["surcharge_rate"], second["surcharge"], second["cost"]) == (d("1.4"), d("0.70"), d("50.70"))


def test_a_credit_note_received():
    [found] = rows(RECEIVED, purchase(bought("-100.00"), kind=PurchaseKind.CREDIT_NOTE))

    assert (found["invoice_type"], found["base"], found["deductible"], found["cost"]) == ("R1", -100, -21, -100)


@pytest.mark.parametrize(("category", "concept"), [("taxes", "G26"), ("social_security", "G45")])
def test_what_needs_no_invoice_has_no_tax(category, concept):
    [found] = rows(
        RECEIVED, purchase(bought("300.00", "0"), kind=PurchaseKind.NO_INVOICE, category=category, number=None)
    )

    assert (found["invoice_type"], found["concept"], found["cost"], found["total"]) == ("SF", concept, 300, 300)
    assert not {"rate", "quota", "deductible", "number"} & set(found)


def test_a_later_deduction_says_in_which_return():
    late = purchase(bought("100.00"), deduction_date=date(2026, 10, 2))
    [found] = rows(RECEIVED, late)

    assert (found["period"], found["deducted_later"]) == ("2T", "S")
    assert (found["deduction_year"], found["deduction_period"]) == (2026, "4T")


def test_a_purchase_is_listed_by_its_reception():
    received_later = purchase(bought("100.00"), reception_date=date(2026, 7, 1))
    received_now = purchase(bought("100.00"), issue_date=date(2026, 3, 30), reception_date=date(2026, 4, 1))

    found = rows(RECEIVED, received_later, received_now)

    assert [one["issue_date"] for one in found] == [date(2026, 3, 30)]


def test_the_general_prorrata_takes_its_percent():
    """60 % of 21 is 12.60; the other 8.40 is cost."""
    partly = PROFILE.model_copy(update={"prorrata": Prorrata.GENERAL, "provisional_percent": 60})

    [found] = rows(RECEIVED, purchase(bought("100.00")), profile=partly)

    assert (found["deductible"], found["cost"]) == (d("12.60"), d("108.40"))


# ---------------------------------------------------------------- investment goods


def test_an_investment_good_is_no_expense_and_depreciates():
    """1,200 over 4 years from 1 July 2024: 150.82 (184 of 366 days), 300.00 in 2025, 148.77 (181 of 365) to June."""
    good = bought("1200.00", investment_good=True, useful_life_years=4)
    laptop = purchase(good, issue_date=date(2024, 7, 1), category="telecom", description="Portátil")

    [found] = rows(INVESTMENT, earlier=(laptop,))

    assert (found["good_type"], found["description"], found["use_date"]) == ("23", "Portátil", date(2024, 7, 1))
    assert (found["value"], found["depreciable"], found["depreciation_percent"]) == (1200, 1200, 25)
    assert found["depreciated_before"] == d("450.82")
    assert (found["depreciation"], found["depreciated_after"]) == (d("148.77"), d("599.59"))
    assert found["depreciation_left"] == d("600.41")
    assert (found["base"], found["rate"], found["prorrata"], found["deductible"]) == (1200, 21, 100, 252)


def test_a_good_in_the_received_book_has_no_concept_of_expense():
    mixed = purchase(bought("4000.00", investment_good=True), bought("100.00", "10"))

    good, other = rows(RECEIVED, mixed)
    [listed] = rows(INVESTMENT, mixed)

    assert (good["investment_good"], "concept" in good, "cost" in good) == ("S", False, False)
    assert (other["investment_good"], other["concept"], other["cost"]) == ("N", "G03", 100)
    assert (listed["value"], listed["depreciable"], "depreciation" in listed) == (4000, 4000, False)


def test_a_good_that_is_also_paid_within_the_span_is_listed_once():
    good = purchase(bought("4000.00", investment_good=True), issue_date=date(2026, 2, 1))

    assert len(rows(INVESTMENT, good, earlier=(good,))) == 1


# ---------------------------------------------------------------- the whole


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.key)
def test_every_row_has_its_columns_kinds(book):
    documents = (sale(line("100.00")), purchase(bought("100.00", investment_good=True, useful_life_years=4)))
    types = {ColumnKind.TEXT: str, ColumnKind.INTEGER: int, ColumnKind.DECIMAL: Decimal, ColumnKind.DATE: date}

    [row] = book.rows(ledger(*documents), PROFILE)

    for value, column in zip(row, book.columns(2026), strict=True):
        assert value is None or isinstance(value, types[column.kind])


def test_files_are_named_as_the_format_wants():
    assert {book.file_name(OWNER, 2026) for book in BOOKS} == {"2026_12345678Z_T_ANA_RUIZ_NUÑEZ"}


def test_a_foreign_profile_is_refused():
    with pytest.raises(TypeError):
        rows(ISSUED, sale(line("1.00")), profile=TaxProfile())
