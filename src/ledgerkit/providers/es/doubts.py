"""Doubts about a draft of an invoice: its form, clients abroad, and IVA that is left out at home.

Sources: RD 1619/2012, arts. 4 (simplified invoices), 6.1.e (addresses) and 7.2.a (simplified for a business); Ley
37/1992, arts. 3 (the Canary Islands, Ceuta and Melilla lie outside of the territory of the tax), 21 (exports leave the
European Union), 25 (intra-Community supplies), 69.Uno.1 (services to a business: where it is) and 91.Cuatro (rate of
zero for what is given to charities).
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import DocumentKind, DraftFacts, Party, TaxCategory, TaxDoubt, TaxLine
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.messages import SpainMsg
from ledgerkit.texts import text

SIMPLIFIED_LIMIT, ADDRESS_MISSING = "SIMPLIFIED_LIMIT", "ADDRESS_MISSING"
FOREIGN_BUSINESS_DOMESTIC_VAT = "FOREIGN_BUSINESS_DOMESTIC_VAT"
EXPORT_WITHIN_SPAIN, ZERO_RATE_WITHIN_SPAIN = "EXPORT_WITHIN_SPAIN", "ZERO_RATE_WITHIN_SPAIN"

_SPAIN = "ES"

_USUAL_LIMIT, _HIGHER_LIMIT = Decimal(400), Decimal(3000)
"""Limits of simplified invoices in euro, IVA included: art. 4.1.a, and the cases of art. 4.2."""

_OF_BUSINESSES = frozenset({TaxCategory.REVERSE_CHARGE, TaxCategory.INTRA_EU_GOODS, TaxCategory.INTRA_EU_SERVICES})
"""Categories of what only a business is sold."""

_EU = tax_ids.MEMBER_STATES | {"EL"}
"""Member states; Greece by both its codes. Northern Ireland (XI) is one for goods only and is not told apart."""

_GENERAL_REGIMES = frozenset({None, "01"})
"""Regimes without a special scheme: those of margins, of the one-stop shop and others tax in their own way."""

_OUTSIDE_OF_THE_TAX = ("35", "38", "51", "52")
"""First digits of the postal codes of Las Palmas, Santa Cruz de Tenerife, Ceuta and Melilla."""


def doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubts about a draft, those of its form first."""
    return (*form_doubts(facts), *foreign_client_doubts(facts), *domestic_doubts(facts))


def form_doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubts about the form of the document, and about what it leaves out."""
    return (*_of_the_amount(facts), *_of_addresses(facts))


def foreign_client_doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubt about a business abroad that is charged IVA, or a standard rate of zero; none otherwise.

    A business is whoever is named with a tax number; a passport or another document is a person's. What is sold to
    businesses abroad is mostly taxed where they are. It is only a doubt: services about land, events or transport of
    persons, and goods that stay in Spain, are taxed here.
    """
    recipient = facts.recipient
    if recipient is None or not recipient.tax_id or recipient.tax_id_kind or recipient.country == _SPAIN:
        return ()
    rates = sorted({line.rate for line in facts.taxes if _is_general(line)})
    if not rates:
        return ()
    listed = ", ".join(f"{rate.normalize():f} %" for rate in rates)
    message = SpainMsg.EU_BUSINESS_TAXED if recipient.country in _EU else SpainMsg.THIRD_COUNTRY_BUSINESS_TAXED
    doubt = text(message, country=recipient.country, rates=listed)
    return (TaxDoubt(FOREIGN_BUSINESS_DOMESTIC_VAT, doubt),)


def domestic_doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubts about exports and the rate of zero for a client in Spain, or for nobody in particular."""
    if facts.kind is DocumentKind.CREDIT_NOTE or not _is_here(facts.recipient):
        return ()
    return tuple(_of_untaxed_lines(facts))


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


def _of_untaxed_lines(facts: DraftFacts) -> Iterator[TaxDoubt]:
    if any(line.category is TaxCategory.EXPORT and line.tax is None for line in facts.taxes):
        yield TaxDoubt(EXPORT_WITHIN_SPAIN, text(SpainMsg.EXPORT_WITHIN_SPAIN))
    if any(_is_general(line) and line.rate == ZERO and line.base != ZERO for line in facts.taxes):
        yield TaxDoubt(ZERO_RATE_WITHIN_SPAIN, text(SpainMsg.ZERO_RATE_WITHIN_SPAIN))


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


def _is_general(line: TaxLine) -> bool:
    """Return True for a line that is charged IVA under no special scheme, at whatever rate."""
    is_vat = line.tax is None and line.category is TaxCategory.STANDARD
    return is_vat and line.regime_key in _GENERAL_REGIMES


def _is_here(client: Party | None) -> bool:
    if client is None:
        return True
    return client.country == _SPAIN and not (client.postal_code or "").strip().startswith(_OUTSIDE_OF_THE_TAX)
