"""Doubts about the tax of expenses and supplier invoices: rates that the IVA does not have, and VAT of other countries.

Sources: Ley 37/1992, arts. 90 and 91 (rates), 92 (only tax that is due within the territory of the IVA is deducted), 84
and 85 (the buyer owes the tax); RD 1624/1992, art. 30 ter (VAT of other member states is asked back there, form 360).
"""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from ledgerkit.providers.api import Assessment, PurchaseFacts, PurchaseTax, TaxDoubt
from ledgerkit.providers.es import foreign_vat, rates, tax_ids, territories
from ledgerkit.providers.es.doubt_wordings import doubt
from ledgerkit.providers.es.messages import SpainMsg

PURCHASE_RATE_UNKNOWN, FOREIGN_VAT_DEDUCTED = "PURCHASE_RATE_UNKNOWN", "FOREIGN_VAT_DEDUCTED"


def doubts(facts: PurchaseFacts) -> Sequence[TaxDoubt]:
    """Return the doubts about a received document; none where nothing of its tax is deducted or owed.

    A buyer in the Canary Islands, Ceuta or Melilla has other taxes.
    """
    if territories.is_outside_of_the_iva(facts.buyer):
        return ()
    counted = [line for line in facts.taxes if line.tax and (line.deductible_tax or _is_owed(facts))]
    if foreign_vat.is_charged_abroad(facts):
        return tuple(_of_vendor_abroad(facts, counted))
    return tuple(_of_rates(facts, counted))


def _of_vendor_abroad(facts: PurchaseFacts, counted: Sequence[PurchaseTax]) -> Iterator[TaxDoubt]:
    country = foreign_vat.country(facts.vendor)
    if not counted or country is None:
        return
    in_eu = country in tax_ids.MEMBER_STATES
    message = SpainMsg.EU_VAT_DEDUCTED if in_eu else SpainMsg.THIRD_COUNTRY_VAT_DEDUCTED
    listed = _listed(line.rate for line in counted)
    yield doubt(FOREIGN_VAT_DEDUCTED, message, vendor=facts.vendor.name or "-", country=country, rates=listed)


def _of_rates(facts: PurchaseFacts, counted: Sequence[PurchaseTax]) -> Iterator[TaxDoubt]:
    strange = [line.rate for line in counted if foreign_vat.has_strange_rate(facts, line)]
    if strange:
        day = facts.operation_date or facts.issue_date
        in_force = list(dict.fromkeys(rate.percent for rate in rates.in_force(day)))
        of_day = ", ".join(f"{rate.normalize():f}" for rate in in_force)
        values = {"rates": _listed(strange), "on": str(day), "known": of_day}
        yield doubt(PURCHASE_RATE_UNKNOWN, SpainMsg.PURCHASE_RATE_UNKNOWN, **values)


def _is_owed(facts: PurchaseFacts) -> bool:
    return facts.assessment is not Assessment.VENDOR


def _listed(percents: Iterable[Decimal]) -> str:
    return ", ".join(f"{rate.normalize():f} %" for rate in sorted(set(percents)))
