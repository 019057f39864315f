"""Doubts about the form of an invoice: simplified ones above the usual limit, complete ones without an address.

Source: RD 1619/2012, arts. 4 (simplified invoices), 6.1.e (addresses) and 7.2.a (simplified for a business).
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import DocumentKind, DraftFacts, Party, TaxCategory, TaxDoubt
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.messages import SpainMsg
from ledgerkit.texts import text

SIMPLIFIED_LIMIT, ADDRESS_MISSING = "SIMPLIFIED_LIMIT", "ADDRESS_MISSING"

_USUAL_LIMIT, _HIGHER_LIMIT = Decimal(400), Decimal(3000)
"""Limits of simplified invoices in euro, IVA included: art. 4.1.a, and the cases of art. 4.2."""

_OF_BUSINESSES = frozenset(
    {TaxCategory.REVERSE_CHARGE, TaxCategory.INTRA_EU_GOODS, TaxCategory.INTRA_EU_SERVICES},
)
"""Categories of what only a business is sold."""


def doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubts about what the document leaves out, or the form that it has."""
    return (*_of_the_amount(facts), *_of_addresses(facts))


def _of_the_amount(facts: DraftFacts) -> Iterator[TaxDoubt]:
    """Yield the doubt about a simplified invoice that is too high; the agency may allow it (art. 4.3)."""
    is_allowed = bool(facts.details.get("invoicingAgreement"))
    if facts.kind is not DocumentKind.SIMPLIFIED or facts.currency != "EUR" or is_allowed:
        return
    if facts.gross_total > _HIGHER_LIMIT:
        yield TaxDoubt(SIMPLIFIED_LIMIT, text(SpainMsg.SIMPLIFIED_OVER_3000))
    elif facts.gross_total > _USUAL_LIMIT and not facts.higher_simplified_limit:
        yield TaxDoubt(SIMPLIFIED_LIMIT, text(SpainMsg.SIMPLIFIED_OVER_400))


def _of_addresses(facts: DraftFacts) -> Iterator[TaxDoubt]:
    """Yield the doubt about each party without an address; a correction has those of what it corrects."""
    is_complete = facts.kind is DocumentKind.INVOICE
    for_a_business = facts.kind is DocumentKind.SIMPLIFIED and bool(facts.details.get("identifiedRecipient"))
    if is_complete and not _has_address(facts.issuer):
        yield TaxDoubt(ADDRESS_MISSING, text(SpainMsg.ISSUER_ADDRESS_MISSING))
    client = facts.recipient
    if client is None or _has_address(client) or facts.details.get("withoutRecipientId"):
        return
    if for_a_business or (is_complete and _acts_as_business(facts, client)):
        yield TaxDoubt(ADDRESS_MISSING, text(SpainMsg.CLIENT_ADDRESS_MISSING, client=client.name))


def _has_address(party: Party) -> bool:
    return bool((party.address or "").strip())


def _acts_as_business(facts: DraftFacts, client: Party) -> bool:
    """Return True for a client that is no natural person, or acts as a business: it retains, or owes the tax itself.

    The address of a natural person who does not may be left out (art. 6.1.e).
    """
    retains = facts.retention != ZERO
    of_business = any(line.surcharge_rate or line.category in _OF_BUSINESSES for line in facts.taxes)
    return retains or of_business or _is_entity(client)


def _is_entity(client: Party) -> bool:
    """Return True for the NIF of a company or body, and for a tax number of another country."""
    if not client.tax_id or client.tax_id_kind is not None:
        return False
    return client.country != "ES" or tax_ids.is_entity(client.tax_id)
