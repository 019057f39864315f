"""Doubts about sales to clients in Spain that bear no IVA and hardly mean it: exports, and the rate of zero.

Source: Ley 37/1992, arts. 21 (exports leave the European Union; the Canary Islands, Ceuta and Melilla lie outside of
the territory of the tax, art. 3) and 91.Cuatro (zero for what is given to charities).
"""

from collections.abc import Iterator, Sequence

from ledgerkit.money import ZERO
from ledgerkit.providers.api import DocumentKind, DraftFacts, Party, TaxCategory, TaxDoubt
from ledgerkit.providers.es.foreign_clients import is_general
from ledgerkit.providers.es.messages import SpainMsg
from ledgerkit.texts import text

EXPORT_WITHIN_SPAIN, ZERO_RATE_WITHIN_SPAIN = "EXPORT_WITHIN_SPAIN", "ZERO_RATE_WITHIN_SPAIN"

_OUTSIDE_OF_THE_TAX = ("35", "38", "51", "52")
"""First digits of the postal codes of Las Palmas, Santa Cruz de Tenerife, Ceuta and Melilla."""


def doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubts about lines without IVA for a client in Spain, or for nobody in particular."""
    if facts.kind is DocumentKind.CREDIT_NOTE or not _is_here(facts.recipient):
        return ()
    return tuple(_doubts(facts))


def _doubts(facts: DraftFacts) -> Iterator[TaxDoubt]:
    if any(line.category is TaxCategory.EXPORT and line.tax is None for line in facts.taxes):
        yield TaxDoubt(EXPORT_WITHIN_SPAIN, text(SpainMsg.EXPORT_WITHIN_SPAIN))
    if any(is_general(line) and line.rate == ZERO and line.base != ZERO for line in facts.taxes):
        yield TaxDoubt(ZERO_RATE_WITHIN_SPAIN, text(SpainMsg.ZERO_RATE_WITHIN_SPAIN))


def _is_here(client: Party | None) -> bool:
    if client is None:
        return True
    return client.country == "ES" and not (client.postal_code or "").strip().startswith(_OUTSIDE_OF_THE_TAX)
