"""Days in whose periods the forms count a purchase: by them one knows that a filed declaration lacks it."""

from collections.abc import Collection
from datetime import date

from ledgerkit.providers.api import Assessment, PurchaseFacts, PurchaseKind
from ledgerkit.providers.es import foreign_vat

_INTRA_EU = frozenset({Assessment.INTRA_EU_GOODS, Assessment.INTRA_EU_SERVICES})
_NEVER: frozenset[date] = frozenset()


def of_vat(purchase: PurchaseFacts) -> Collection[date]:
    """Return the day of the deduction, and that of the document where the buyer owes the tax (forms 303 and 390)."""
    if purchase.kind is PurchaseKind.NO_INVOICE:
        return _NEVER
    claimed = any(line.deductible_tax and not foreign_vat.is_certain(purchase, line) for line in purchase.taxes)
    owed = purchase.assessment is not Assessment.VENDOR
    days = [(purchase.deduction_date, claimed), (purchase.issue_date, owed)]
    return frozenset(day for day, counts in days if counts)


def of_costs(purchase: PurchaseFacts) -> Collection[date]:
    """Return the day of reception of a cost that income tax lets deduct (form 130)."""
    return {purchase.reception_date} if purchase.income_tax_percent else _NEVER


def of_acquisitions(purchase: PurchaseFacts) -> Collection[date]:
    """Return the day of a document of an acquisition in the EU (form 349)."""
    return {purchase.issue_date} if purchase.assessment in _INTRA_EU else _NEVER


def of_third_parties(purchase: PurchaseFacts) -> Collection[date]:
    """Return the day of a document of a party with a tax number, which no other form declares (form 347)."""
    outside = purchase.kind in {PurchaseKind.NO_INVOICE, PurchaseKind.IMPORT} or purchase.assessment in _INTRA_EU
    return _NEVER if outside or purchase.retention or not purchase.vendor.tax_id else {purchase.issue_date}
