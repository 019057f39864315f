"""Conditions on which two records are merged."""

from typing import Protocol
from uuid import UUID

from ledgerkit.core.merging.texts import MergingMsg
from ledgerkit.problems import Code, Conflict, Invalid


class Party(Protocol):
    """Row of a client or a vendor."""

    id: UUID
    name: str
    tax_id: str | None


def check(remaining: Party, duplicate: Party) -> None:
    """Check that two records can be one party.

    Raises Invalid at `duplicateId` when they are one record, Conflict NOT_DUPLICATES when both have a tax id and these
    differ in more than spelling.
    """
    if remaining.id == duplicate.id:
        raise Invalid.field("duplicateId", MergingMsg.ONE_RECORD)
    tax_ids = {_plain(row.tax_id) for row in (remaining, duplicate) if row.tax_id}
    if len(tax_ids) > 1:
        raise Conflict(
            MergingMsg.OTHER_TAX_ID,
            code=Code.NOT_DUPLICATES,
            remaining=_identified(remaining),
            duplicate=_identified(duplicate),
        )


def _identified(party: Party) -> str:
    return f"{party.name} ({party.tax_id})"


def _plain(tax_id: str) -> str:
    return "".join(filter(str.isalnum, tax_id)).upper()
