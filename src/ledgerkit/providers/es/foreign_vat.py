"""VAT of other countries on purchases, of which a Spanish return deducts nothing.

Sources: Ley 37/1992, art. 92 (only tax that is due within the territory of the IVA is deducted) and art. 119 bis; tax
of another member state is asked back there (RD 1624/1992, art. 30 ter; form 360).
"""

from datetime import date
from decimal import Decimal
from functools import cache

from ledgerkit.providers.api import Assessment, Party, Purchase, PurchaseFacts, PurchaseKind, PurchaseTax
from ledgerkit.providers.es import rates, tax_ids

_SPAIN = "ES"
_OF_FARMERS = frozenset({"02", "19"})
"""Keys of the special regime of farmers: of the buyer's book, and of the vendor's."""

_EVER = frozenset(rate.percent for rate in rates.RATES)


def country(vendor: Party) -> str | None:
    """Return the country of a vendor abroad, by its address or its VAT number; None for one that is registered here.

    A foreign business that charges IVA has a Spanish NIF (Ley 37/1992, art. 164.Uno.2); it is written with its prefix.
    """
    number = vendor.tax_id or ""
    if vendor.country == _SPAIN or tax_ids.foreign_nif(number) is not None:
        return None
    prefix = tax_ids.written_prefix(number)
    is_numbered = prefix is not None and vendor.country not in tax_ids.MEMBER_STATES
    return tax_ids.country_of(prefix) if prefix is not None and is_numbered else vendor.country


def is_charged_abroad(purchase: Purchase | PurchaseFacts) -> bool:
    """Return True for a document on which a vendor abroad charges tax; customs charge that of imports."""
    is_charged = purchase.assessment is Assessment.VENDOR and purchase.kind is not PurchaseKind.IMPORT
    return is_charged and country(purchase.vendor) is not None


def is_certain(purchase: Purchase | PurchaseFacts, line: PurchaseTax) -> bool:
    """Return True for tax of another country for certain: of a vendor abroad, and at no rate of the IVA.

    At a rate of the IVA it may be either: several countries have 21, 10 or 4 %.
    """
    return bool(line.tax) and is_charged_abroad(purchase) and not is_rate(purchase, line.rate)


def has_strange_rate(purchase: Purchase | PurchaseFacts, line: PurchaseTax) -> bool:
    """Return True for tax at no rate of the IVA; a compensation to farmers has rates of its own (art. 130)."""
    is_tax = bool(line.tax) and purchase.kind is not PurchaseKind.NO_INVOICE and purchase.regime_key not in _OF_FARMERS
    return is_tax and not is_rate(purchase, line.rate)


def is_rate(purchase: Purchase | PurchaseFacts, percent: Decimal) -> bool:
    """Return True for a rate of the IVA of the purchase's day; of a correction, of any day, as of what it corrects.

    Before September 2012 the rates are not known, and any is one.
    """
    if purchase.kind is PurchaseKind.CREDIT_NOTE:
        return percent in _EVER
    in_force = _of_day(purchase.operation_date or purchase.issue_date)
    return not in_force or percent in in_force


@cache
def _of_day(day: date) -> frozenset[Decimal]:
    return frozenset(rate.percent for rate in rates.in_force(day))
