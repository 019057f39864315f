"""Doubts about a draft of an invoice: its form, IVA that is left out at home, its place and its retention.

Sources: RD 1619/2012, arts. 4 (simplified invoices), 6.1.e (addresses) and 7.2.a (simplified for a business); Ley
37/1992, arts. 21 (exports leave the European Union) and 91.Cuatro (rate of zero for what is given to charities); RDL
15/2020, art. 8, and RDL 35/2020, final provision 7 (rate of zero for medical goods); RDL 20/2022, art. 72 (food).
"""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import DateSpan, DocumentKind, DraftFacts, Party, TaxCategory, TaxDoubt
from ledgerkit.providers.es import not_subject, retention_doubts, supplies_abroad, tax_ids, territories
from ledgerkit.providers.es.doubt_wordings import doubt
from ledgerkit.providers.es.messages import SpainMsg
from ledgerkit.providers.es.supplies_abroad import is_general

SIMPLIFIED_LIMIT, ADDRESS_MISSING = "SIMPLIFIED_LIMIT", "ADDRESS_MISSING"
EXPORT_WITHIN_SPAIN, ZERO_RATE_WITHIN_SPAIN = "EXPORT_WITHIN_SPAIN", "ZERO_RATE_WITHIN_SPAIN"
NOT_SUBJECT_WITHOUT_REASON, EXEMPT_WITHOUT_REASON = "NOT_SUBJECT_WITHOUT_REASON", "EXEMPT_WITHOUT_REASON"

_SPAIN = "ES"

_USUAL_LIMIT, _HIGHER_LIMIT = Decimal(400), Decimal(3000)
"""Limits of simplified invoices in euro, IVA included: art. 4.1.a, and the cases of art. 4.2."""

_OF_BUSINESSES = frozenset({TaxCategory.REVERSE_CHARGE, TaxCategory.INTRA_EU_GOODS, TaxCategory.INTRA_EU_SERVICES})
"""Categories of what only a business is sold."""

_WITH_ZERO_RATED_GOODS = (
    DateSpan(first=date(2020, 4, 23), last=date(2022, 12, 31)),
    DateSpan(first=date(2023, 1, 1), last=date(2024, 9, 30)),
)
"""Days on which goods of every day bore IVA at 0 %: masks, tests and vaccines, then basic food."""


def doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubts about a draft, those of its form first."""
    of_taxes = (*supplies_abroad.doubts(facts), *domestic_doubts(facts), *reason_doubts(facts))
    of_retention = retention_doubts.doubts(facts) if facts.retention else ()
    return (*form_doubts(facts), *of_taxes, *of_retention)


def form_doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubts about the form of the document, and about what it leaves out."""
    return (*_of_the_amount(facts), *_of_addresses(facts))


def domestic_doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubts about exports and the rate of zero for a client in Spain, or where no client is named."""
    if facts.kind is DocumentKind.CREDIT_NOTE or not _is_here(facts.recipient):
        return ()
    return tuple(_of_untaxed_lines(facts))


def reason_doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubts about lines that bear no tax, and neither state nor show why."""
    if facts.kind is DocumentKind.CREDIT_NOTE:
        return ()
    return tuple(_of_unsaid_reasons(facts))


def _of_unsaid_reasons(facts: DraftFacts) -> Iterator[TaxDoubt]:
    """Yield the doubt about lines that are not subject, and the one about exempt lines, for which E1 is assumed."""
    lines = [line for line in facts.taxes if line.base != ZERO]
    not_subject_lines = [line for line in lines if line.category is TaxCategory.NOT_SUBJECT]
    if any(not_subject.reason(line, facts.place_of_supply) is None for line in not_subject_lines):
        yield doubt(NOT_SUBJECT_WITHOUT_REASON, SpainMsg.NOT_SUBJECT_WITHOUT_REASON)
    if any(line.category is TaxCategory.EXEMPT and line.exemption_code is None for line in lines):
        yield doubt(EXEMPT_WITHOUT_REASON, SpainMsg.EXEMPT_WITHOUT_REASON)


def _of_the_amount(facts: DraftFacts) -> Iterator[TaxDoubt]:
    """Yield the doubt about a simplified invoice that is too high; the agency may allow it (art. 4.3)."""
    is_allowed = bool(facts.details.get("invoicingAgreement"))
    if facts.kind is not DocumentKind.SIMPLIFIED or facts.currency != "EUR" or is_allowed:
        return
    if facts.gross_total > _HIGHER_LIMIT:
        yield doubt(SIMPLIFIED_LIMIT, SpainMsg.SIMPLIFIED_OVER_3000)
    elif facts.gross_total > _USUAL_LIMIT and not facts.higher_simplified_limit:
        yield doubt(SIMPLIFIED_LIMIT, SpainMsg.SIMPLIFIED_OVER_400)


def _of_addresses(facts: DraftFacts) -> Iterator[TaxDoubt]:
    """Yield the doubt about each party without an address; a correction has those of what it corrects."""
    is_complete = facts.kind is DocumentKind.INVOICE
    for_a_business = facts.kind is DocumentKind.SIMPLIFIED and bool(facts.details.get("identifiedRecipient"))
    if is_complete and not _has_address(facts.issuer):
        yield doubt(ADDRESS_MISSING, SpainMsg.ISSUER_ADDRESS_MISSING)
    client = facts.recipient
    if client is None or _has_address(client) or facts.details.get("withoutRecipientId"):
        return
    if for_a_business or (is_complete and _acts_as_business(facts, client)):
        yield doubt(ADDRESS_MISSING, SpainMsg.CLIENT_ADDRESS_MISSING, client=client.name)


def _of_untaxed_lines(facts: DraftFacts) -> Iterator[TaxDoubt]:
    if any(line.category is TaxCategory.EXPORT and line.tax is None for line in facts.taxes):
        yield doubt(EXPORT_WITHIN_SPAIN, SpainMsg.EXPORT_WITHIN_SPAIN)
    if any(is_general(line) and line.rate == ZERO for line in facts.taxes) and not _had_zero_rated_goods(facts.day):
        yield doubt(ZERO_RATE_WITHIN_SPAIN, SpainMsg.ZERO_RATE_WITHIN_SPAIN)


def _had_zero_rated_goods(day: date | None) -> bool:
    return day is not None and any(day in span for span in _WITH_ZERO_RATED_GOODS)


def _has_address(party: Party) -> bool:
    return bool((party.address or "").strip())


def _acts_as_business(facts: DraftFacts, client: Party) -> bool:
    """Return True for a client that is no natural person, or acts as a business: it retains, or owes the tax itself.

    The address of a natural person who does not act as one may be left out (art. 6.1.e).
    """
    retains = facts.retention != ZERO
    of_business = any(line.surcharge_rate or line.category in _OF_BUSINESSES for line in facts.taxes)
    return retains or of_business or _is_entity(client)


def _is_entity(client: Party) -> bool:
    """Return True for the NIF of a company or body, and for a tax number of another country."""
    if not client.tax_id or client.tax_id_kind is not None:
        return False
    return client.country != _SPAIN or tax_ids.is_entity(client.tax_id)


def _is_here(client: Party | None) -> bool:
    return client is None or (client.country == _SPAIN and not territories.is_outside_of_the_iva(client))
