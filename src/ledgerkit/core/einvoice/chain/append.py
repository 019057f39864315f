"""A sealed record put down: itself, its standing and its chain's head in one statement, its sender's row with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from sqlalchemy import Insert, Table, Update, Uuid, bindparam, func, insert, literal, select, update

from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.statements import ExtraWrites, Prepared, extra_write_ctes
from ledgerkit.core.einvoice import modes
from ledgerkit.core.einvoice.chain import history, links
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.channels import channel_of
from ledgerkit.core.einvoice.models import fiscal_installation, fiscal_record, fiscal_status
from ledgerkit.core.einvoice.outbox import pacing
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import Environment, Mode, SealedRecord, State


@dataclass(frozen=True)
class Sealing:
    """What is stored beside a sealed record: its issuer's name, the invoice's earlier ones, a digest, and a reason.

    `told` is a digest of what it tells (`fiscal_record.told`).
    """

    environment: Environment
    issuer_name: str
    earlier: Sequence[RecordWithStatus] = ()
    told: str | None = None
    reason: str | None = None

    @property
    def corrects(self) -> UUID | None:
        found: UUID | None = history.current(self.earlier).record.id if self.earlier else None
        return found


@dataclass(frozen=True)
class Fresh:
    """A standing as it is stored with its record: nobody has said anything of it."""

    state: str
    code: None = None
    message: None = None
    reference: None = None
    submitted_at: None = None


def made(ctx: Context, row: Any, head: Any, sealed: SealedRecord, sealing: Sealing) -> RecordWithStatus:
    """The record of the invoice `row`, for the end of the chain whose locked head is `head`; nothing is written yet."""
    state = State.KEPT if modes.mode_of(ctx, head) is Mode.KEEPING else State.PENDING
    return RecordWithStatus(SimpleNamespace(**_record(ctx, row, head, sealed, sealing)), Fresh(state.value))


async def write(ctx: Context, head: Any, found: RecordWithStatus) -> None:
    """Put the record down by itself; its sender is told by `woken`."""
    links.remember(head, found.record)
    await _WRITE.run(ctx.db, **_values(found))


def beside(ctx: Context, head: Any, found: RecordWithStatus) -> ExtraWrites:
    """The same to be written with something else, the sender's row included: nothing may be locked afterwards."""
    links.remember(head, found.record)
    if found.status.state == State.KEPT:
        return ExtraWrites(_STATEMENTS, _values(found))
    wake = pacing.woken(ctx, head.id, found.record.generated_at, _whole_message(ctx), _place(head))
    return ExtraWrites(_WITH_SENDER, _values(found) | wake)


async def woken(ctx: Context, head: Any, found: RecordWithStatus) -> None:
    """The sender's row of a record that is written, unless it was told with `beside`."""
    if found.status.state == State.KEPT:
        await pacing.passed(ctx, head.id, _place(head))
        return
    await pacing.wake(ctx, head.id, found.record.generated_at, _whole_message(ctx), _place(head))


def _place(head: Any) -> Mapping[str, Any]:
    return {"position": head.position + 1, "database_identity": head.database_identity}


def _whole_message(ctx: Context) -> int:
    """As many records as one message takes."""
    channel = channel_of(ctx)
    return channel.max_batch if channel else 1


def _record(ctx: Context, row: Any, head: Any, sealed: SealedRecord, sealing: Sealing) -> dict[str, Any]:
    return {
        "id": new_id(),
        "installation_id": head.id,
        "position": head.position + 1,
        "previous_id": head.last_record_id,
        "kind": sealed.kind,
        "invoice_id": row.id,
        "country": sealing.earlier[0].record.country if sealing.earlier else ctx.account.country,
        "channel": sealed.channel,
        "channel_version": sealed.channel_version,
        "environment": sealing.environment.value,
        "fiscal_id": sealed.fiscal_id,
        "issuer_tax_id": sealed.issuer_tax_id,
        "number": sealed.number,
        "issue_date": sealed.issue_date,
        "content": sealed.content,
        "media_type": sealed.media_type,
        "fingerprint": sealed.fingerprint,
        "qr_url": sealed.qr_url,
        "generated_at": sealed.generated_at,
        "digest": links.digest(head.last_digest, sealed.content),
        "issuer_name": sealing.issuer_name,
        "operated_on": row.operation_date or sealed.issue_date,
        "corrects_id": sealing.corrects,
        "reason": sealing.reason,
        "told": sealing.told,
        "flags": dict(sealed.flags) or None,
    }


def _values(found: RecordWithStatus) -> dict[str, Any]:
    """Of the parameters below."""
    return {f"fiscal_{name}": value for name, value in vars(found.record).items()} | {
        "fiscal_state": found.status.state
    }


_STANDING = {"record_id": "id", "installation_id": "installation_id", "position": "position", "state": "state"}
"""Columns of fiscal_status, and what of the record they are written from; the same for the head."""

_HEAD = {
    "position": "position",
    "last_record_id": "id",
    "last_number": "number",
    "last_issue_date": "issue_date",
    "last_fingerprint": "fingerprint",
    "last_generated_at": "generated_at",
    "last_digest": "digest",
}
_OWN = frozenset({"account_id", "created_at"})
"""What the database writes into a record by itself."""


def _statements() -> tuple[Insert | Update, ...]:
    columns = {column.name: column.name for column in fiscal_record.c if column.name not in _OWN}
    record = insert(fiscal_record).values(_parameters(fiscal_record, columns))
    return record, insert(fiscal_status).values(_parameters(fiscal_status, _STANDING)), _advance()


def _advance() -> Update:
    """The chain's head has this record at its end."""
    head = fiscal_installation
    stamped = {"version": head.c.version + 1, "updated_at": func.now()}
    mine = head.c.id == bindparam("fiscal_installation_id", type_=Uuid)
    return update(head).where(mine).values({**_parameters(head, _HEAD), **stamped})


def _parameters(table: Table, columns: Mapping[str, str]) -> dict[str, Any]:
    return {name: bindparam(f"fiscal_{source}", type_=table.c[name].type) for name, source in columns.items()}


_STATEMENTS = _statements()
_WITH_SENDER = (*_STATEMENTS, pacing.waking())
_WRITE = Prepared(select(literal(1).label("one")).add_cte(*extra_write_ctes(_STATEMENTS)))
