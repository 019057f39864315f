"""Small ledgers for the tests of income tax and of lists: documents by their least, and a form's computation."""

from datetime import date
from decimal import Decimal

from ledgerkit.providers.api import (
    Assessment,
    DateSpan,
    DocumentKind,
    FormInput,
    Ledger,
    LedgerPayment,
    Party,
    PreviousDeclaration,
    Purchase,
    PurchaseKind,
    PurchaseOrigin,
    PurchaseTax,
    RetentionKind,
    Sale,
    TaxCategory,
    TaxLine,
    TaxPeriod,
)
from ledgerkit.providers.es.tax_forms.profile import Activity, SpanishTaxProfile
from ledgerkit.providers.es.tax_forms.profile_details import Contact, Employee

OWNER = Party(name="Ana Ruiz Gil", tax_id="12345678Z", country="ES", postal_code="28001", province="Madrid")
CLIENT = Party(name="Cliente SL", tax_id="B29805314", country="ES", postal_code="29001", province="Málaga")
VENDOR = Party(name="Pérez Núñez, José", tax_id="00000001R", country="ES", postal_code="08001", province="Barcelona")
LANDLORD = Party(name="Locales SA", tax_id="A58818501", country="ES", postal_code="28004", province="Madrid")
GERMAN = Party(name="Kunde GmbH", tax_id="DE123456788", country="DE")
FRENCH = Party(name="Fournisseur SARL", tax_id="FR40303265045", country="FR")
AMERICAN = Party(name="Customer Inc", tax_id=None, country="US")

PROPERTY = "9872023VH5797S0001WX"
"""Cadastral reference with right check characters: the sample of python-stdnum's `es.referenciacatastral`."""

SETTLED = SpanishTaxProfile(
    contact=Contact(surnames="Ruiz Gil", first_name="Ana", phone="910000000", email="ana@example.com"),
    employees=(Employee(tax_id="00000001R", birth_year=1990, family_situation="3", contract="1"),),
    last_year_net_income=Decimal(50000),
    activities=(Activity(since=date(2010, 1, 1)),),
)
"""Freelancer of many years with too much income for any reduction, and an employee."""


def amount(text):
    return Decimal(text).quantize(Decimal("0.01"))


def line(base, rate="21", *, category=TaxCategory.STANDARD, **more):
    tax = amount(Decimal(base) * Decimal(rate) / 100)
    return TaxLine(category=category, rate=Decimal(rate), base=amount(base), amount=tax, **more)


def sale(key, day, *lines, retention="0", client=CLIENT, kind=DocumentKind.INVOICE, **more):
    """Sale of 1,000.00 EUR at 21 % unless lines are given."""
    taxes = lines or (line("1000"),)
    gross = sum((one.base + one.amount + one.surcharge_amount + (one.untaxed or 0) for one in taxes), Decimal(0))
    return Sale(
        **{
            "document_id": key,
            "kind": kind,
            "number": key,
            "issue_date": day,
            "operation_date": None,
            "client": client,
            "taxes": taxes,
            "retention": amount(retention),
            "gross_total": gross,
        }
        | more
    )


def credit(key, day, *lines, **more):
    return sale(key, day, *lines, kind=DocumentKind.CREDIT_NOTE, **more)


def bought(base, rate="21", deductible="100", **more):
    """Tax of a purchase of which a percent is deductible."""
    tax = amount(Decimal(base) * Decimal(rate) / 100)
    share = Decimal(deductible) / 100
    return PurchaseTax(
        rate=Decimal(rate),
        base=amount(base),
        tax=tax,
        deductible_base=amount(Decimal(base) * share),
        deductible_tax=amount(tax * share),
        **more,
    )


def purchase(key, day, *taxes, retention="0", assessment=Assessment.VENDOR, **more):
    """Purchase of 100.00 EUR at 21 % unless taxes are given; what it costs and totals follows from them."""
    taxes = taxes or (bought("100"),)
    net = sum((one.base for one in taxes), Decimal(0))
    charged = sum((one.tax + one.surcharge_amount for one in taxes), Decimal(0))
    lost = sum((one.tax - one.deductible_tax + one.surcharge_amount for one in taxes), Decimal(0))
    withheld = amount(retention)
    return Purchase(
        **{
            "document_id": key,
            "origin": PurchaseOrigin.EXPENSE,
            "kind": PurchaseKind.INVOICE,
            "number": key,
            "issue_date": day,
            "operation_date": None,
            "reception_date": day,
            "deduction_date": day,
            "vendor": VENDOR,
            "assessment": assessment,
            "taxes": taxes,
            "cost": net + lost,
            "income_tax_percent": Decimal(100),
            "retention": withheld,
            "retention_base": net if withheld else Decimal("0.00"),
            "gross_total": net + (charged if assessment is Assessment.VENDOR else 0),
            "category": "other",
        }
        | more
    )


def paid(day, total, *, in_cash=False):
    return LedgerPayment(day=day, amount=amount(total), in_cash=in_cash)


def professional(key, day, base="1000", rate="15", **more):
    withheld = Decimal(base) * Decimal(rate) / 100
    given = {"retention_kind": RetentionKind.PROFESSIONAL, "payments": (paid(day, base),)} | more
    return purchase(key, day, bought(base), retention=withheld, **given)


def rent(key, day, base="1000", rate="19", **more):
    withheld = Decimal(base) * Decimal(rate) / 100
    given = {
        "retention_kind": RetentionKind.RENT,
        "vendor": LANDLORD,
        "leased_property": PROPERTY,
        "payments": (paid(day, base),),
    } | more
    return purchase(key, day, bought(base), retention=withheld, **given)


def wages(key, day, base="2000", withheld="300", **more):
    """Payroll of an employee: no VAT."""
    tax = PurchaseTax(
        rate=Decimal(0), base=amount(base), tax=amount(0), deductible_base=amount(base), deductible_tax=amount(0)
    )
    given = {
        "kind": PurchaseKind.NO_INVOICE,
        "retention_kind": RetentionKind.EMPLOYMENT,
        "retention_base": amount(base),
        "payments": (paid(day, base),),
    } | more
    return purchase(key, day, tax, retention=withheld, **given)


def ledger(*documents, span=None, omitted=(), earlier_investments=()):
    return Ledger(
        span=span or DateSpan(first=date(2026, 1, 1), last=date(2026, 12, 31)),
        currency="EUR",
        owner=OWNER,
        sales=[one for one in documents if isinstance(one, Sale)],
        purchases=[one for one in documents if isinstance(one, Purchase)],
        omitted=omitted,
        earlier_investments=earlier_investments,
    )


def previous(form, code, *, year=2026, records=(), submitted=True, **boxes):
    """Earlier declaration; boxes as `b07="-90"`."""
    return PreviousDeclaration(
        form=form,
        period=TaxPeriod(year, code),
        boxes={key.removeprefix("b"): Decimal(value) for key, value in boxes.items()},
        declaration_type=None,
        submitted=submitted,
        records=records,
    )


def given(code, *documents, year=2026, profile=SETTLED, earlier=(), overrides=None, amends=None, **more):
    return FormInput(
        period=TaxPeriod(year, code),
        ledger=ledger(*documents, **more),
        previous=earlier,
        profile=profile,
        overrides={key: Decimal(value) for key, value in (overrides or {}).items()},
        amends=amends,
    )


def codes(computation):
    """Codes of the warnings without the part that names their forms."""
    return [one.code.partition(".")[2] for one in computation.warnings]


def warned(computation):
    """Documents of each warning by its code."""
    return {code: one.document_ids for code, one in zip(codes(computation), computation.warnings, strict=True)}
