"""Doubts about the retention of income tax (IRPF) on an invoice: who retains, and at which rate.

Only businesses and professionals established in Spain retain, and bodies: RD 439/2007, art. 76.1 (a private person who
is a final consumer does not, nor does a client abroad without an establishment here). Rates: arts. 95 (professionals
15, in the first years 7; farming and others 1 and 2), 99 to 101 (rents, capital and others 19, image rights 24); Ley
35/2006, art. 101 (40 % of the rate in Ceuta and Melilla). Of the days before 2016 nothing is judged, nor of issuers in
the foral territories, which have income taxes of their own.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import DocumentKind, DraftFacts, Party, TaxCategory, TaxDoubt, TaxLine
from ledgerkit.providers.es import tax_ids, territories
from ledgerkit.providers.es.doubt_wordings import doubt
from ledgerkit.providers.es.messages import SpainMsg

RETENTION_BY_PRIVATE_PERSON = "RETENTION_BY_PRIVATE_PERSON"
RETENTION_FROM_ABROAD = "RETENTION_FROM_ABROAD"
RETENTION_RATE_UNKNOWN = "RETENTION_RATE_UNKNOWN"

_SPAIN = "ES"
_JUDGED_SINCE = date(2016, 1, 1)
_RATES = (1, 2, 7, 15, 19, 24)
_RATES_IN_FORCE = frozenset({Decimal(rate) for rate in _RATES} | {Decimal(rate) * 4 / 10 for rate in _RATES})


def doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubts about the retention of a document; a correction gives back what was retained."""
    if facts.kind is DocumentKind.CREDIT_NOTE or facts.retention == ZERO:
        return ()
    return (*_of_the_client(facts), *_of_the_rate(facts))


def _of_the_client(facts: DraftFacts) -> Iterator[TaxDoubt]:
    client = facts.recipient
    if client is None or facts.details.get("withoutRecipientId"):
        yield doubt(RETENTION_BY_PRIVATE_PERSON, SpainMsg.RETENTION_BY_NOBODY)
    elif client.country != _SPAIN and tax_ids.foreign_nif(client.tax_id or "") is None:
        yield doubt(RETENTION_FROM_ABROAD, SpainMsg.RETENTION_FROM_ABROAD, country=client.country)
    elif _is_unidentified(facts, client):
        yield doubt(RETENTION_BY_PRIVATE_PERSON, SpainMsg.RETENTION_WITHOUT_NIF, client=client.name)
    elif _is_private_person(facts, client):
        yield doubt(RETENTION_BY_PRIVATE_PERSON, SpainMsg.RETENTION_BY_PRIVATE_PERSON, client=client.name)


def _is_unidentified(facts: DraftFacts, client: Party) -> bool:
    """Return True for a client without a NIF who neither is said nor seen to be a business."""
    is_of_business = facts.is_business_stated or any(_is_of_business(line) for line in facts.taxes)
    return not client.tax_id and facts.recipient_is_company is not False and not is_of_business


def _is_private_person(facts: DraftFacts, client: Party) -> bool:
    """Return True for a natural person who is not seen to act as a business.

    The card of a client says that: `isCompany`. Without a card, a natural person's NIF or a passport is a private
    person's. Who bears the equivalence surcharge, or owes the tax itself, is a business.
    """
    if tax_ids.is_entity(client.tax_id or "") or any(_is_of_business(line) for line in facts.taxes):
        return False
    if facts.recipient_is_company is not None:
        return not facts.recipient_is_company
    return client.tax_id_kind is not None or tax_ids.is_person(client.tax_id or "")


def _is_of_business(line: TaxLine) -> bool:
    return bool(line.surcharge_rate) or line.category is TaxCategory.REVERSE_CHARGE


def _of_the_rate(facts: DraftFacts) -> Iterator[TaxDoubt]:
    is_judged = facts.day is not None and facts.day >= _JUDGED_SINCE and not territories.is_foral(facts.issuer)
    if is_judged and facts.retention_rate not in _RATES_IN_FORCE:
        rate = f"{facts.retention_rate.normalize():f}"
        listed = ", ".join(map(str, _RATES))
        yield doubt(RETENTION_RATE_UNKNOWN, SpainMsg.RETENTION_RATE_UNKNOWN, rate=rate, rates=listed)
