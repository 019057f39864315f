"""Documents for the tests of Spain: one invoice of 121.00 EUR, and variations of it."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

from ledgerkit.providers.api import (
    Correction,
    Document,
    DocumentKind,
    DocumentRef,
    Party,
    TaxCategory,
    TaxLine,
)
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings

CHANNEL = VerifactuChannel(VerifactuSettings(_env_file=None))
TODAY = date(2026, 11, 20)
ISSUER = Party(name="Ana García", tax_id="12345678Z", country="ES")
CLIENT = Party(name="Acme SL", tax_id="B64717838", country="ES")
FRENCH = Party(name="Société Générique", tax_id="FR61954506077", country="FR")
AMERICAN = Party(name="Acme Inc", tax_id="12-3456789", country="US")


def line(base="100.00", rate="21", category=TaxCategory.STANDARD, **more) -> TaxLine:
    """A tax line whose tax is right to the cent."""
    net, percent = Decimal(base), Decimal(rate)
    surcharge = more.pop("surcharge", None)
    if category is not TaxCategory.STANDARD:
        percent = Decimal(0)
    made = TaxLine(category=category, rate=percent, base=net, amount=cents(net * percent / 100), **more)
    if surcharge is None:
        return made
    return replace(made, surcharge_rate=Decimal(surcharge), surcharge_amount=cents(net * Decimal(surcharge) / 100))


def not_subject(reason: str | None = "other", **more) -> TaxLine:
    return line(category=TaxCategory.NOT_SUBJECT, not_subject_reason=reason, **more)


def of_margin(regime: str = "03", untaxed="900.00", **more) -> TaxLine:
    """A line of which only the margin is taxed: its base is that, and what was paid is outside of it."""
    return line(regime_key=regime, untaxed=Decimal(untaxed), **more)


def cents(value: Decimal) -> Decimal:
    return value.quantize(Decimal("0.01"))


def invoice(*lines: TaxLine, **changes) -> Document:
    taxes = lines or (line(),)
    tax = sum((each.amount + each.surcharge_amount for each in taxes), Decimal("0.00"))
    gross = sum((each.base + (each.untaxed or 0) for each in taxes), Decimal("0.00")) + tax
    made = Document(
        kind=DocumentKind.INVOICE,
        number="F2026-0001",
        issue_date=TODAY,
        operation_date=None,
        issuer=ISSUER,
        recipient=CLIENT,
        currency="EUR",
        description="Consultoría",
        taxes=taxes,
        tax_total=tax,
        gross_total=gross,
        retention=Decimal("0.00"),
        payable=gross,
    )
    return replace(made, **changes)


def simplified(*lines: TaxLine, **changes) -> Document:
    return invoice(*lines, **({"kind": DocumentKind.SIMPLIFIED, "recipient": None, "number": "T2026-0001"} | changes))


def credit_note(*lines: TaxLine, correction: Correction | None = None, **changes) -> Document:
    correction = correction or Correction(documents=(DocumentRef(number="F2026-0001", issue_date=TODAY),))
    changes = {"kind": DocumentKind.CREDIT_NOTE, "number": "R2026-0001", "correction": correction} | changes
    return invoice(*(lines or (line("-100.00"),)), **changes)
