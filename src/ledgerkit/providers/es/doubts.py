"""Doubts about a draft, all of them: foreign clients, simplified invoices, addresses, and tax left out at home."""

from collections.abc import Sequence

from ledgerkit.providers.api import DraftFacts, TaxDoubt
from ledgerkit.providers.es import domestic_doubts, foreign_clients, form_doubts


def doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubts about a draft, those of its form first."""
    return (*form_doubts.doubts(facts), *foreign_clients.doubts(facts), *domestic_doubts.doubts(facts))
