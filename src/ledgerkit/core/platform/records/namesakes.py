"""Several clients or vendors of one name: who is asked which of them is meant, and what tells them apart."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Protocol, TypeVar
from uuid import UUID

from ledgerkit.core.platform.records.texts import RecordsMsg
from ledgerkit.core.platform.request.context import Channel, Context
from ledgerkit.problems import Problem
from ledgerkit.texts import Joined, Text, text

_CANNOT_BE_ASKED = frozenset({Channel.API, Channel.WEB, Channel.SYSTEM})
"""Channels on which nobody waits to be asked back; the others are conversations (interface decisions B3)."""

Candidate = Mapping[str, str]
"""Fields of one of the namesakes, as JSON."""


Refusal = TypeVar("Refusal", bound=Problem)


class Party(Protocol):
    """Row of a client or a vendor."""

    @property
    def id(self) -> UUID: ...
    @property
    def name(self) -> str: ...
    @property
    def tax_id(self) -> str | None: ...
    @property
    def city(self) -> str | None: ...


def can_be_asked(ctx: Context) -> bool:
    """Return True when the caller converses with somebody who knows which of several namesakes is meant."""
    return ctx.actor.channel not in _CANNOT_BE_ASKED


def candidates(parties: Sequence[Party], last_invoices: Mapping[UUID, date] | None = None) -> list[Candidate]:
    """Return what tells the namesakes apart; what is not known of one is left out."""
    days = last_invoices or {}
    parties_as_json = (
        {
            "id": str(party.id),
            "name": party.name,
            "taxId": party.tax_id,
            "city": party.city,
            "lastInvoiceDate": days[party.id].isoformat() if party.id in days else None,
        }
        for party in parties
    )
    return [{name: value for name, value in candidate.items() if value} for candidate in parties_as_json]


def listed(namesakes: Sequence[Candidate], by: Sequence[str] = ("id", "taxId", "city")) -> Text:
    """Return the namesakes in words, each by these fields and its last invoice."""
    return Joined([_told_apart(candidate, by) for candidate in namesakes], separator="; ")


def asking(problem: Refusal, namesakes: Sequence[Candidate]) -> Refusal:
    """Return the problem with the namesakes as `candidates`, from which the caller names one by its id."""
    problem.extra["candidates"] = list(namesakes)
    return problem


def _told_apart(candidate: Candidate, by: Sequence[str]) -> Text:
    parts = [candidate[name] for name in by if name in candidate]
    if "lastInvoiceDate" not in candidate:
        return Joined(parts)
    return Joined([*parts, text(RecordsMsg.LAST_INVOICE, on=candidate["lastInvoiceDate"])])
