"""Append a sealed record to its chain: record, status and chain head in one statement, the sender's row with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol
from uuid import UUID

from sqlalchemy import BindParameter, Insert, Table, Update, Uuid, bindparam, func, insert, literal, select, update

from ledgerkit.core.einvoice.authority.channels import channel_of
from ledgerkit.core.einvoice.chain import history, links
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.modes import issuers as modes
from ledgerkit.core.einvoice.outbox import pace
from ledgerkit.core.einvoice.outbox.table import SenderRow
from ledgerkit.core.einvoice.table import (
    ChainHeadRow,
    RecordColumns,
    StatusColumns,
    fiscal_installation,
    fiscal_record,
    fiscal_status,
)
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import ExtraWrites, Prepared, extra_write_ctes
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import Environment, Mode, SealedRecord, State


class AppendedInvoice(Protocol):
    """The invoice that a record reports, stored or about to be."""

    @property
    def id(self) -> UUID: ...
    @property
    def operation_date(self) -> date | None: ...


@dataclass(frozen=True)
class RecordDetails:
    """Details stored with a sealed record, which its bytes do not contain.

    `earlier`: the invoice's records so far, oldest first. `document_digest`: a digest of the document that the record
    reports, kept as `fiscal_record.told`. `reason`: why the invoice was annulled. `replaces`: fingerprint of the record
    of somebody else that this one replaces.
    """

    environment: Environment
    issuer_name: str
    earlier: Sequence[RecordWithStatus] = ()
    document_digest: str | None = None
    reason: str | None = None
    replaces: str | None = None

    @property
    def corrects_id(self) -> UUID | None:
        """Id of the record that the new one corrects; None for the invoice's first record."""
        if not self.earlier:
            return None
        return history.current(self.earlier).record.id


def new_record(
    ctx: Context, invoice: AppendedInvoice, head: ChainHeadRow, sealed_record: SealedRecord, details: RecordDetails
) -> RecordWithStatus:
    """Build the rows of a sealed record for the end of the chain whose locked head is `head`; nothing is written yet.

    Its state is `kept` if the issuer's records are signed and stored, and `pending` if they are reported.
    """
    state = State.SIGNED if modes.mode_of(ctx, head) is Mode.SIGNING else State.PENDING
    record = _record_columns(ctx, invoice, head, sealed_record, details)
    return RecordWithStatus(
        record,
        StatusColumns(
            state=state.value, code=None, message=None, reference=None, submitted_at=None, held=None, burnt=None
        ),
    )


async def write(ctx: Context, head: ChainHeadRow, record: RecordWithStatus) -> None:
    """Write the record, its status and the chain's head in one statement; call `schedule_sending` afterwards."""
    links.remember_end(head, record.record)
    await _WRITE.run(ctx.db, **_parameter_values(record))


def extra_writes(ctx: Context, head: ChainHeadRow, record: RecordWithStatus) -> ExtraWrites:
    """Return what `write` and `schedule_sending` would write, to be added to another statement.

    The sender's row is locked last, so that statement must be the last one that locks anything.
    """
    links.remember_end(head, record.record)
    if record.status.state == State.SIGNED:
        return ExtraWrites(_STATEMENTS, _parameter_values(record))
    schedule = pace.schedule_parameters(ctx, head.id, record.record.generated_at, _max_batch(ctx), _last_position(head))
    return ExtraWrites(_STATEMENTS_WITH_SENDER, _parameter_values(record) | schedule)


async def schedule_sending(ctx: Context, head: ChainHeadRow, record: RecordWithStatus) -> None:
    """Make the chain's next message due, after `write`. A record that is not sent only moves the last position."""
    if record.status.state == State.SIGNED:
        await pace.note_last_position(ctx, head.id, _last_position(head))
        return
    await pace.schedule(ctx, head.id, record.record.generated_at, _max_batch(ctx), _last_position(head))


def _last_position(head: ChainHeadRow) -> Values[SenderRow]:
    """Columns of fiscal_sender that name the chain's new last record."""
    return Values(SenderRow, position=head.position + 1, database_identity=head.database_identity)


def _max_batch(ctx: Context) -> int:
    """Return how many records one message to the authority takes."""
    channel = channel_of(ctx)
    return channel.max_batch if channel else 1


def _record_columns(
    ctx: Context, invoice: AppendedInvoice, head: ChainHeadRow, sealed_record: SealedRecord, details: RecordDetails
) -> RecordColumns:
    return RecordColumns(
        id=new_id(),
        installation_id=head.id,
        position=head.position + 1,
        previous_id=head.last_record_id,
        kind=sealed_record.kind,
        invoice_id=invoice.id,
        country=details.earlier[0].record.country if details.earlier else ctx.account.country,
        channel=sealed_record.channel,
        channel_version=sealed_record.channel_version,
        environment=details.environment.value,
        fiscal_id=sealed_record.fiscal_id,
        issuer_tax_id=sealed_record.issuer_tax_id,
        number=sealed_record.number,
        issue_date=sealed_record.issue_date,
        content=sealed_record.content,
        media_type=sealed_record.media_type,
        fingerprint=sealed_record.fingerprint,
        qr_url=sealed_record.qr_url,
        generated_at=sealed_record.generated_at,
        digest=links.digest(head.last_digest, sealed_record.content),
        issuer_name=details.issuer_name,
        operated_on=invoice.operation_date or sealed_record.issue_date,
        corrects_id=details.corrects_id,
        reason=details.reason,
        told=details.document_digest,
        flags=dict(sealed_record.flags) or None,
        replaces=details.replaces,
    )


def _parameter_values(record: RecordWithStatus) -> dict[str, object]:
    """Values of the parameters of `_STATEMENTS`: each column of the record with the prefix `fiscal_`, and its state."""
    columns = {f"fiscal_{name}": value for name, value in vars(record.record).items()}
    return columns | {"fiscal_state": record.status.state}


_STATUS_SOURCES = {"record_id": "id", "installation_id": "installation_id", "position": "position", "state": "state"}
"""Columns of fiscal_status, each with the record's value that it is written from."""

_HEAD_SOURCES = {
    "position": "position",
    "last_record_id": "id",
    "last_number": "number",
    "last_issue_date": "issue_date",
    "last_fingerprint": "fingerprint",
    "last_generated_at": "generated_at",
    "last_digest": "digest",
}
"""Columns of fiscal_installation, each with the record's value that it is written from."""

_WRITTEN_BY_DATABASE = frozenset({"account_id", "created_at"})


def _statements() -> tuple[Insert | Update, ...]:
    columns = {column.name: column.name for column in fiscal_record.c if column.name not in _WRITTEN_BY_DATABASE}
    record = insert(fiscal_record).values(_parameters(fiscal_record, columns))
    status = insert(fiscal_status).values(_parameters(fiscal_status, _STATUS_SOURCES))
    return record, status, _advance_head()


def _advance_head() -> Update:
    """Update the chain's head so that the new record is its last one."""
    head = fiscal_installation
    revision = {"version": head.c.version + 1, "updated_at": func.now()}
    is_head = head.c.id == bindparam("fiscal_installation_id", type_=Uuid)
    return update(head).where(is_head).values({**_parameters(head, _HEAD_SOURCES), **revision})


def _parameters(table: Table, sources: Mapping[str, str]) -> dict[str, BindParameter[object]]:
    return {name: bindparam(f"fiscal_{source}", type_=table.c[name].type) for name, source in sources.items()}


_STATEMENTS = _statements()
_STATEMENTS_WITH_SENDER = (*_STATEMENTS, pace.schedule_statement())
_WRITE = Prepared(select(literal(1).label("one")).add_cte(*extra_write_ctes(_STATEMENTS)))
