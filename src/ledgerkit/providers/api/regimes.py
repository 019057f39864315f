"""Regimes under which the issuers of a country report their invoices, where it has several."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ledgerkit.providers.api.documents import Party
from ledgerkit.texts import Text


@dataclass(frozen=True, kw_only=True)
class InvoicingRegime:
    """A regime under which an issuer reports what it invoices; `source` names law and article.

    `is_recorded`: what is numbered gets a fiscal record through the country's channel. Where it is False ledgerkit
    makes none, and the issuer does elsewhere what `InvoicingRegimes.duty` says.
    """

    key: str
    name: Text
    explanation: Text
    is_recorded: bool
    source: str


@dataclass(frozen=True, kw_only=True)
class RegimeProposal:
    """Regime `key` that an issuer seems to be under, and why, with what to do about it."""

    key: str
    text: Text


class InvoicingRegimes(Protocol):
    """Regimes of a country. Pure."""

    @property
    def regimes(self) -> Sequence[InvoicingRegime]:
        """The regimes; the first one is that of issuers who have stated none."""
        ...

    def duty(self, key: str, issuer: Party) -> Text | None:
        """Say what an issuer has to do elsewhere under a regime without records; None under another one."""
        ...

    def proposal(self, issuer: Party) -> RegimeProposal | None:
        """Propose another regime than the first one for an issuer; None where nothing speaks for one."""
        ...
