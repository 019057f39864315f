"""Numbers that a restored database may have lost: the known facts about them, and the warnings to their owner.

The database may have given them after the backup, and the authority may have them. Before a chain that was begun anew
gives its first number, the authority is asked (`transmission.number_recovery`). `fiscal_installation.numbers` has the
state of that question.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal, cast
from uuid import UUID

from sqlalchemy import DateTime, Text, Uuid, bindparam, select

from ledgerkit import clock
from ledgerkit.core.einvoice.chain.api import LostDocument
from ledgerkit.core.einvoice.table import LostNumberRow, fiscal_installation, fiscal_lost_number
from ledgerkit.core.einvoice.texts import EInvoiceMsg
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.texts import Text as Message
from ledgerkit.texts import text

Standing = Literal["due", "asked", "renamed"]

TOLD_FOR = timedelta(days=30)
"""Time for which the owner is reminded of it."""

MOST_NAMED = 20
"""Most lost documents that a warning names."""


class _RecentRow(Row):
    id: UUID
    issuer_tax_id: str
    numbers: str | None


_IN_ENVIRONMENT = fiscal_installation.c.environment == bindparam("environment", type_=Text)
_RECENT = Prepared(
    select(fiscal_installation.c.id, fiscal_installation.c.issuer_tax_id, fiscal_installation.c.numbers)
    .where(
        _IN_ENVIRONMENT,
        fiscal_installation.c.numbers.is_not(None),
        fiscal_installation.c.closed_at.is_(None),
        fiscal_installation.c.created_at > bindparam("since", type_=DateTime(timezone=True)),
    )
    .order_by(fiscal_installation.c.id),
    _RecentRow,
)
_ONE = Prepared(
    select(fiscal_installation.c.id, fiscal_installation.c.issuer_tax_id, fiscal_installation.c.numbers).where(
        fiscal_installation.c.id == bindparam("installation_id", type_=Uuid)
    ),
    _RecentRow,
)
_LOST = Prepared(
    select(fiscal_lost_number).order_by(
        fiscal_lost_number.c.series, fiscal_lost_number.c.year, fiscal_lost_number.c.ordinal
    ),
    LostNumberRow,
)


def standing(stored: str | None) -> Standing | None:
    """Return the stored word as the word that callers see."""
    return cast("Standing | None", stored)


async def documents(ctx: Context) -> dict[UUID, list[LostDocument]]:
    """Return the known lost documents, by the installation that found them."""
    by_installation: dict[UUID, list[LostDocument]] = {}
    for row in await _LOST.rows(ctx.db):
        by_installation.setdefault(row.installation_id, []).append(_shown(row))
    return by_installation


async def recent(ctx: Context) -> list[Message]:
    """Return the warnings about the account's open chains that were begun anew within the last days."""
    environment, since = ctx.settings.einvoice_env.value, clock.now() - TOLD_FOR
    return await _messages(ctx, await _RECENT.rows(ctx.db, environment=environment, since=since))


async def recent_warnings(ctx: Context) -> list[str]:
    """Return the same as `recent`, in the language of the request."""
    return [message.in_language(ctx.request_metadata.language) for message in await recent(ctx)]


async def warnings_of(ctx: Context, installation_id: UUID) -> list[str]:
    """Return the warnings with the first number of a chain, in the language of the request."""
    messages = await _messages(ctx, await _ONE.rows(ctx.db, installation_id=installation_id))
    return [message.in_language(ctx.request_metadata.language) for message in messages]


async def _messages(ctx: Context, chains: Sequence[_RecentRow]) -> list[Message]:
    lost = await documents(ctx) if chains else {}
    messages: list[Message] = []
    for chain in chains:
        if chain.numbers == "due":
            messages.append(text(EInvoiceMsg.NUMBERS_DUE, issuer=chain.issuer_tax_id))
        elif chain.numbers == "renamed":
            messages.append(text(EInvoiceMsg.SERIES_RENAMED, issuer=chain.issuer_tax_id))
        elif lost.get(chain.id):
            named = named_documents(lost[chain.id])
            messages.append(text(EInvoiceMsg.NUMBERS_LOST, issuer=chain.issuer_tax_id, documents=named))
    return messages


def named_documents(lost: Sequence[LostDocument]) -> str:
    """Return numbers, dates and totals in one line, `F2026-0002 (2026-11-24, 6050.00)`, of as many as fit."""
    names = [_named(document) for document in lost[:MOST_NAMED]]
    return ", ".join(names) + (f" ... ({len(lost)})" if len(lost) > MOST_NAMED else "")


def _named(document: LostDocument) -> str:
    if document.issue_date is None:
        return f"{document.number} (?)"
    total = "?" if document.total is None else f"{document.total:.2f}"
    return f"{document.number} ({document.issue_date.isoformat()}, {total})"


def _shown(row: LostNumberRow) -> LostDocument:
    issue_date: date | None = row.issue_date
    total: Decimal | None = row.total
    noticed_at: datetime = row.created_at
    return LostDocument(
        number=row.number, issue_date=issue_date, total=total, status=row.state, held=row.held, noticed_at=noticed_at
    )
