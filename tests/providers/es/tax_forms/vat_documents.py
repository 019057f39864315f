"""Documents of the ledger for tests of the VAT forms: short ways to say them, with amounts as given."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import count

from ledgerkit.providers.api import (
    Assessment,
    Computation,
    DateSpan,
    DocumentKind,
    FormInput,
    Ledger,
    LedgerPayment,
    Party,
    Purchase,
    PurchaseKind,
    PurchaseOrigin,
    PurchaseTax,
    Sale,
    TaxCategory,
    TaxForm,
    TaxLine,
    TaxPeriod,
)
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile

OWNER = Party(name="Ana García Pérez", tax_id="12345678Z", country="ES")
CLIENT = Party(name="Cliente SL", tax_id="B29805314", country="ES")
GERMAN = Party(name="Kunde GmbH", tax_id="DE123456789", country="DE")
IRISH = Party(name="Cloud Ltd", tax_id="IE6388047V", country="IE")
SWISS = Party(name="Kunde AG", tax_id="CHE-123.456.788", country="CH")
CANARIAN = Party(name="Isleña SL", tax_id="B35000009", country="ES", postal_code="35001")

_ids = count(1)


def money(value: str | int | Decimal) -> Decimal:
    return Decimal(value).quantize(Decimal("0.01"))


def line(base: str | int, rate: str | int = "21", amount: str | None = None, **more) -> TaxLine:
    """A standard line; its amount is that of the rate unless it is given."""
    category = more.pop("category", TaxCategory.STANDARD)
    rate = Decimal(rate) if category is TaxCategory.STANDARD else Decimal(0)
    tax = money(amount) if amount is not None else money(Decimal(base) * rate / 100)
    surcharge = more.pop("surcharge", None)
    if surcharge is not None:
        more |= {
            "surcharge_rate": Decimal(surcharge),
            "surcharge_amount": money(Decimal(base) * Decimal(surcharge) / 100),
        }
    return TaxLine(category=category, rate=rate, base=money(base), amount=tax, **more)


def sale(*lines: TaxLine, on: str | date = "2026-02-10", **more) -> Sale:
    if more.get("operation_date"):
        more["operation_date"] = _day(more["operation_date"])
    gross = sum((one.base + one.amount + one.surcharge_amount for one in lines), Decimal(0))
    given = {
        "document_id": f"s{next(_ids):04d}",
        "kind": DocumentKind.INVOICE,
        "number": "F1",
        "operation_date": None,
        "client": CLIENT,
        "retention": Decimal("0.00"),
        "gross_total": gross,
    }
    return Sale(issue_date=_day(on), taxes=lines, **given | more)


def credit_note(*lines: TaxLine, **more) -> Sale:
    return sale(*lines, **{"kind": DocumentKind.CREDIT_NOTE, "correction_reason": "R1", "number": "R1"} | more)


def bought(base: str | int, rate: str | int = "21", share: str | int = 100, **more) -> PurchaseTax:
    """A line of a purchase of which `share` percent is deductible."""
    tax = money(more.pop("tax", Decimal(base) * Decimal(rate) / 100))
    part = Decimal(share) / 100
    return PurchaseTax(
        rate=Decimal(rate),
        base=money(base),
        tax=tax,
        deductible_base=money(money(base) * part),
        deductible_tax=money(tax * part),
        **more,
    )


def purchase(*lines: PurchaseTax, on: str | date = "2026-02-10", **more) -> Purchase:
    day = _day(on)
    more |= {
        name: _day(more[name]) for name in ("deduction_date", "reception_date", "operation_date") if more.get(name)
    }
    net, tax = sum((one.base for one in lines), Decimal(0)), sum((one.tax for one in lines), Decimal(0))
    charged = more.get("assessment", Assessment.VENDOR) is Assessment.VENDOR
    given = {
        "document_id": f"p{next(_ids):04d}",
        "origin": PurchaseOrigin.EXPENSE,
        "kind": PurchaseKind.INVOICE,
        "number": "A1",
        "operation_date": None,
        "reception_date": day,
        "deduction_date": day,
        "vendor": CLIENT,
        "assessment": Assessment.VENDOR,
        "cost": net,
        "income_tax_percent": Decimal(100),
        "retention": Decimal("0.00"),
        "retention_base": Decimal("0.00"),
        "gross_total": net + tax if charged else net,
        "category": "other",
    }
    return Purchase(issue_date=day, taxes=lines, **given | more)


def paid(*payments: tuple[str, str | int]) -> tuple[LedgerPayment, ...]:
    return tuple(LedgerPayment(day=date.fromisoformat(day), amount=money(amount)) for day, amount in payments)


def ledger(documents: Sequence[Sale | Purchase], **more) -> Ledger:
    given = {
        "span": DateSpan(first=date(2000, 1, 1), last=date(2100, 1, 1)),
        "currency": "EUR",
        "owner": OWNER,
        "sales": [one for one in documents if isinstance(one, Sale)],
        "purchases": [one for one in documents if isinstance(one, Purchase)],
    }
    return Ledger(**given | more)


def compute(form: TaxForm, period: TaxPeriod, documents: Sequence[Sale | Purchase] = (), **more) -> Computation:
    """Computation of a form; `more` replaces parts of its input, and keywords of the profile go into it."""
    profile = SpanishTaxProfile.model_validate(
        {name: more.pop(name) for name in list(more) if name in SpanishTaxProfile.model_fields}
    )
    given = FormInput(period=period, ledger=ledger(documents), previous=(), profile=profile)
    return form.compute(replace(given, **more))


def filled(boxes) -> dict[str, str]:
    """The boxes that are not zero, as texts; 65 is the percent of the State and always 100."""
    return {key: str(amount) for key, amount in boxes.items() if amount and key != "65"}


def codes(computation: Computation) -> set[str]:
    return {one.code for one in computation.warnings}


def _day(value: str | date) -> date:
    return value if isinstance(value, date) else date.fromisoformat(value)
