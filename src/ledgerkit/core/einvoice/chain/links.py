"""Chain links: what the next record is linked to, and the check of a chain's end before each record is made."""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from operator import attrgetter
from typing import Any, TypeGuard
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, Join, Uuid, bindparam, literal, select

from ledgerkit import clock
from ledgerkit.core.einvoice.chain import billings
from ledgerkit.core.einvoice.table import ChainHeadRow, RecordColumns, fiscal_record, record_kind
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import Anomaly, AuditedRecord, ChainLink, Environment, FiscalChannel


class ChainEndRow(Row):
    """Row of `end_columns`: the last record, the one before it, and the number of issuers.

    The columns `end_*` are all None when `end_id` is, and those of `before_*` when `before_position` is.
    """

    several_issuers: bool
    end_id: UUID | None
    end_installation_id: UUID
    end_position: int
    end_kind: str
    end_issuer_tax_id: str
    end_number: str
    end_issue_date: date
    end_content: bytes
    end_fingerprint: str
    end_generated_at: datetime
    end_digest: bytes
    before_issuer_tax_id: str
    before_position: int | None
    before_number: str
    before_issue_date: date
    before_fingerprint: str
    before_generated_at: datetime
    before_digest: bytes | None


class HeadWithEndRow(ChainHeadRow, ChainEndRow):
    """Row of a chain's head, read together with the chain's end."""


@dataclass(frozen=True, kw_only=True)
class EndCheck:
    """Result of checking a chain's end before a record is made.

    `several_issuers`: the user of this account bills for several issuers. `anomaly`: the first flaw of the last record.
    """

    several_issuers: bool
    anomaly: Anomaly | None


def previous_link(head: ChainHeadRow) -> ChainLink | None:
    """Return the link to the last record, or to the last one of other software; None where the chain is empty."""
    if head.last_fingerprint is None or head.last_number is None or head.last_issue_date is None:
        return None
    return ChainLink(
        issuer_tax_id=head.issuer_tax_id,
        number=head.last_number,
        issue_date=head.last_issue_date,
        fingerprint=head.last_fingerprint,
        position=head.position,
        generated_at=head.last_generated_at,
    )


def origin_link(head: ChainHeadRow) -> ChainLink | None:
    """Return the link to the last record of other software, which the chain continues; None if it continues none."""
    if head.origin_fingerprint is None or head.origin_number is None or head.origin_issue_date is None:
        return None
    return ChainLink(
        issuer_tax_id=head.issuer_tax_id,
        number=head.origin_number,
        issue_date=head.origin_issue_date,
        fingerprint=head.origin_fingerprint,
        position=0,
        generated_at=head.origin_generated_at,
    )


def digest(previous_digest: bytes | None, content: bytes) -> bytes:
    """Return the SHA-256 of the previous digest and a record's bytes, which detects a change of any byte."""
    return sha256((previous_digest or b"") + content).digest()


def as_audited_record(record: RecordColumns, previous_digest: bytes | None, *, signed: bool = False) -> AuditedRecord:
    """Convert a record for an audit. `previous_digest` is the digest of the record before it."""
    return AuditedRecord(
        installation=record.installation_id.hex,
        position=record.position,
        kind=record_kind(record.kind),
        issuer_tax_id=record.issuer_tax_id,
        number=record.number,
        issue_date=record.issue_date,
        content=record.content,
        fingerprint=record.fingerprint,
        generated_at=record.generated_at,
        altered=record.digest != digest(previous_digest, record.content),
        signed=signed,
    )


# ---------------------------------------------------------------- before each record


async def check_end(ctx: Context, head: ChainHeadRow, channel: FiscalChannel, environment: Environment) -> EndCheck:
    """Check the last record against the one before it and against the clock, before the next one is made.

    The result prevents nothing: invoicing goes on after an anomaly. Source: Orden HAC/1177/2024 arts. 6.d and 7.h.
    """
    chain_end = await _chain_end(ctx, head, channel, environment)
    return EndCheck(several_issuers=chain_end.several_issuers, anomaly=_anomaly(chain_end, head, channel))


async def _chain_end(ctx: Context, head: ChainHeadRow, channel: FiscalChannel, environment: Environment) -> ChainEndRow:
    """Return the columns of `end_columns`: those read with the head, unless another record was added meanwhile."""
    if _has_end_columns(head) and head.end_id == head.last_record_id:
        return head
    parameters = billings.query_parameters(ctx, channel.id, environment, head.issuer_tax_id)
    return await _END_OF_LOCKED_HEAD.one(ctx.db, **parameters, last_id=head.last_record_id)


def _has_end_columns(head: ChainHeadRow) -> TypeGuard[HeadWithEndRow]:
    return hasattr(head, "end_id")


def _anomaly(chain_end: ChainEndRow, head: ChainHeadRow, channel: FiscalChannel) -> Anomaly | None:
    if channel.audits is None or not head.position or _is_remembered(chain_end, head):
        return None
    records = [] if chain_end.end_id is None else [_last_record(chain_end)]
    before_last = _link_before_last(chain_end) or origin_link(head)
    return next(channel.audits.audit(records, before_last, clock.now(), previous_link(head)), None)


def _last_record(chain_end: ChainEndRow) -> AuditedRecord:
    return AuditedRecord(
        installation=chain_end.end_installation_id.hex,
        position=chain_end.end_position,
        kind=record_kind(chain_end.end_kind),
        issuer_tax_id=chain_end.end_issuer_tax_id,
        number=chain_end.end_number,
        issue_date=chain_end.end_issue_date,
        content=chain_end.end_content,
        fingerprint=chain_end.end_fingerprint,
        generated_at=chain_end.end_generated_at,
        altered=chain_end.end_digest != digest(chain_end.before_digest, chain_end.end_content),
    )


def _link_before_last(chain_end: ChainEndRow) -> ChainLink | None:
    if chain_end.before_position is None:
        return None
    return ChainLink(
        issuer_tax_id=chain_end.before_issuer_tax_id,
        number=chain_end.before_number,
        issue_date=chain_end.before_issue_date,
        fingerprint=chain_end.before_fingerprint,
        position=chain_end.before_position,
        generated_at=chain_end.before_generated_at,
    )


def _is_remembered(chain_end: ChainEndRow, head: ChainHeadRow) -> bool:
    """Return True when the stored last record is, byte for byte, the one that this process added: no need to parse it.

    A record from the future is parsed all the same: the clock has been put back.
    """
    if chain_end.end_id is None or chain_end.end_generated_at > clock.now():
        return False
    unaltered = chain_end.end_digest == digest(chain_end.before_digest, chain_end.end_content)
    stored = _HEAD_LINK(head), _STORED_LAST_RECORD(chain_end), _STORED_BEFORE_LAST(chain_end)
    return unaltered and _remembered.get(head.id) == stored


def remember_end(head: ChainHeadRow, record: RecordColumns) -> None:
    """Remember `record` as the new end of the chain whose locked head is `head`.

    If the transaction fails, the stored end does not equal the remembered one, and `check_end` reads all of it.
    """
    is_first = head.last_record_id is None
    before_last = (None,) * len(_LINK_COLUMNS) if is_first else (head.issuer_tax_id, *_HEAD_LINK(head)[1:])
    _remembered[head.id] = (record.id, *_RECORD_LINK(record)[1:]), _RECORD_WITHOUT_CONTENT(record), before_last
    _remembered.move_to_end(head.id)
    if len(_remembered) > _MOST_REMEMBERED:
        _remembered.popitem(last=False)


_MOST_REMEMBERED = 2000
_remembered: OrderedDict[UUID, tuple[tuple[object, ...], ...]] = OrderedDict()
"""By chain: the last record as the head names it, as it is stored, and the record before it, as added by this process.
"""

_LAST_RECORD_COLUMNS = (
    "id",
    "installation_id",
    "position",
    "kind",
    "issuer_tax_id",
    "number",
    "issue_date",
    "content",
    "fingerprint",
    "generated_at",
    "digest",
)
_LINK_COLUMNS = ("issuer_tax_id", "position", "number", "issue_date", "fingerprint", "generated_at", "digest")
_HEAD_LINK_COLUMNS = (
    "position",
    "last_number",
    "last_issue_date",
    "last_fingerprint",
    "last_generated_at",
    "last_digest",
)

_HEAD_LINK = attrgetter("last_record_id", *_HEAD_LINK_COLUMNS)
_RECORD_LINK = attrgetter(*_LINK_COLUMNS)
_WITHOUT_CONTENT = [name for name in _LAST_RECORD_COLUMNS if name != "content"]
_RECORD_WITHOUT_CONTENT = attrgetter(*_WITHOUT_CONTENT)
_STORED_LAST_RECORD = attrgetter(*(f"end_{name}" for name in _WITHOUT_CONTENT))
_STORED_BEFORE_LAST = attrgetter(*(f"before_{name}" for name in _LINK_COLUMNS))

_END, _BEFORE = fiscal_record.alias("end"), fiscal_record.alias("before")


def end_columns() -> list[ColumnElement[Any]]:
    """Return columns about a chain's end: last record (`end_*`), the one before (`before_*`), `several_issuers`.

    `several_issuers` needs the parameters of `billings.query_parameters`.
    """
    several = billings.several_issuers().label("several_issuers")
    end = [_END.c[name].label(f"end_{name}") for name in _LAST_RECORD_COLUMNS]
    return [several, *end, *(_BEFORE.c[name].label(f"before_{name}") for name in _LINK_COLUMNS)]


def join_end(table: FromClause, last_record_id: ColumnElement[Any]) -> Join:
    """Join `table` with the rows that `end_columns` selects from; without a last record they are NULL."""
    with_last = table.outerjoin(_END, _END.c.id == last_record_id)
    return with_last.outerjoin(_BEFORE, _BEFORE.c.id == _END.c.previous_id)


def _end_statement() -> Prepared[ChainEndRow]:
    """Select `end_columns` alone, for a head that is locked already."""
    one_row = select(literal(1).label("one")).subquery("one_row")
    query = select(*end_columns()).select_from(join_end(one_row, bindparam("last_id", type_=Uuid)))
    return Prepared(query, ChainEndRow)


_END_OF_LOCKED_HEAD = _end_statement()
