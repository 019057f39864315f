"""Chain links: what the next record is linked to, and the check of a chain's end before each record is made."""

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256
from operator import attrgetter, itemgetter
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, Join, Uuid, bindparam, literal, select

from ledgerkit import clock
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.einvoice import billings
from ledgerkit.core.einvoice.models import fiscal_record
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import Anomaly, ChainLink, Environment, FiscalChannel, KeptRecord


@dataclass(frozen=True, kw_only=True)
class EndCheck:
    """Result of checking a chain's end before a record is made.

    `several_issuers`: the user of this account bills for several issuers. `anomaly`: the first flaw of the last record.
    """

    several_issuers: bool
    anomaly: Anomaly | None


def previous_link(head: Any) -> ChainLink | None:
    """Return the link to the last record, or to the last one of other software; None where the chain is empty."""
    return _link(head, "last", head.position)


def origin_link(head: Any) -> ChainLink | None:
    """Return the link to the last record of other software, which the chain continues; None where it continues none."""
    return _link(head, "origin", 0)


def _link(head: Any, prefix: str, position: int) -> ChainLink | None:
    fingerprint = getattr(head, f"{prefix}_fingerprint")
    if fingerprint is None:
        return None
    return ChainLink(
        issuer_tax_id=head.issuer_tax_id,
        number=getattr(head, f"{prefix}_number"),
        issue_date=getattr(head, f"{prefix}_issue_date"),
        fingerprint=fingerprint,
        position=position,
        generated_at=getattr(head, f"{prefix}_generated_at"),
    )


def digest(previous_digest: bytes | None, content: bytes) -> bytes:
    """SHA-256 over the previous record's digest and a record's bytes, so that a change of any byte shows."""
    return sha256((previous_digest or b"") + content).digest()


def as_kept_record(row: Any, previous_digest: bytes | None, *, signed: bool = False) -> KeptRecord:
    """Convert a row of fiscal_record for an audit. `previous_digest` is the digest of the record before it."""
    return KeptRecord(
        installation=row.installation_id.hex,
        position=row.position,
        kind=row.kind,
        issuer_tax_id=row.issuer_tax_id,
        number=row.number,
        issue_date=row.issue_date,
        content=row.content,
        fingerprint=row.fingerprint,
        generated_at=row.generated_at,
        altered=row.digest != digest(previous_digest, row.content),
        signed=signed,
    )


# ---------------------------------------------------------------- before each record


async def check_end(ctx: Context, head: Any, channel: FiscalChannel, environment: Environment) -> EndCheck:
    """Check the last record against the one before it and against the clock, before the next one is made.

    The result stops nothing: invoicing goes on after an anomaly. Source: Orden HAC/1177/2024 arts. 6.d and 7.h.
    """
    chain_end = await _chain_end(ctx, head, channel, environment)
    return EndCheck(several_issuers=chain_end.several_issuers, anomaly=_anomaly(chain_end, head, channel))


async def _chain_end(ctx: Context, head: Any, channel: FiscalChannel, environment: Environment) -> Any:
    """The columns of `end_columns`: those read together with the head, unless another record was added meanwhile."""
    if "end_id" in head and head.end_id == head.last_record_id:
        return head
    parameters = billings.query_parameters(ctx, channel.id, environment, head.issuer_tax_id)
    return await _END_OF_LOCKED_HEAD.one(ctx.db, **parameters, last_id=head.last_record_id)


def _anomaly(chain_end: Any, head: Any, channel: FiscalChannel) -> Anomaly | None:
    if channel.audits is None or not head.position or _is_remembered(chain_end, head):
        return None
    last_record = SimpleNamespace(**{name: chain_end[f"end_{name}"] for name in _LAST_RECORD_COLUMNS})
    records = [] if last_record.id is None else [as_kept_record(last_record, chain_end.before_digest)]
    before_last = origin_link(head)
    if chain_end.before_position is not None:
        before_last = ChainLink(
            issuer_tax_id=chain_end.before_issuer_tax_id,
            number=chain_end.before_number,
            issue_date=chain_end.before_issue_date,
            fingerprint=chain_end.before_fingerprint,
            position=chain_end.before_position,
            generated_at=chain_end.before_generated_at,
        )
    return next(channel.audits.audit(records, before_last, clock.now(), previous_link(head)), None)


def _is_remembered(chain_end: Any, head: Any) -> bool:
    """Return True when the stored last record is, byte for byte, the one that this process added: no need to parse it.

    A record from the future is parsed all the same: the clock has been put back.
    """
    if chain_end.end_content is None or chain_end.end_generated_at > clock.now():
        return False
    unaltered = chain_end.end_digest == digest(chain_end.before_digest, chain_end.end_content)
    stored = _HEAD_LINK(head), _STORED_LAST_RECORD(chain_end), _STORED_BEFORE_LAST(chain_end)
    return unaltered and _remembered.get(head.id) == stored


def remember_end(head: Any, record: Any) -> None:
    """Remember `record` as the new end of the chain whose locked head is `head`.

    When the transaction fails, the stored end does not equal the remembered one, and `check_end` reads it whole.
    """
    is_first = head.last_record_id is None
    before_last = (None,) * len(_LINK_COLUMNS) if is_first else (head.issuer_tax_id, *_HEAD_LINK(head)[1:])
    _remembered[head.id] = (record.id, *_RECORD_LINK(record)[1:]), _RECORD_WITHOUT_CONTENT(record), before_last
    _remembered.move_to_end(head.id)
    if len(_remembered) > _MOST_REMEMBERED:
        _remembered.popitem(last=False)


_MOST_REMEMBERED = 2000
_remembered: OrderedDict[UUID, tuple[tuple[Any, ...], ...]] = OrderedDict()
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

_HEAD_LINK = itemgetter("last_record_id", *_HEAD_LINK_COLUMNS)
_RECORD_LINK = attrgetter(*_LINK_COLUMNS)
_WITHOUT_CONTENT = [name for name in _LAST_RECORD_COLUMNS if name != "content"]
_RECORD_WITHOUT_CONTENT = attrgetter(*_WITHOUT_CONTENT)
_STORED_LAST_RECORD = itemgetter(*(f"end_{name}" for name in _WITHOUT_CONTENT))
_STORED_BEFORE_LAST = itemgetter(*(f"before_{name}" for name in _LINK_COLUMNS))

_END, _BEFORE = fiscal_record.alias("end"), fiscal_record.alias("before")


def end_columns() -> list[ColumnElement[Any]]:
    """Columns about a chain's end: its last record (`end_*`), the one before (`before_*`), and `several_issuers`.

    `several_issuers` needs the parameters of `billings.query_parameters`.
    """
    several = billings.several_issuers().label("several_issuers")
    end = [_END.c[name].label(f"end_{name}") for name in _LAST_RECORD_COLUMNS]
    return [several, *end, *(_BEFORE.c[name].label(f"before_{name}") for name in _LINK_COLUMNS)]


def join_end(table: FromClause, last_record_id: ColumnElement[Any]) -> Join:
    """Join `table` with the rows that `end_columns` selects from; without a last record they are NULL."""
    with_last = table.outerjoin(_END, _END.c.id == last_record_id)
    return with_last.outerjoin(_BEFORE, _BEFORE.c.id == _END.c.previous_id)


def _end_statement() -> Prepared[Any]:
    """Select `end_columns` alone, for a head that is locked already."""
    one_row = select(literal(1).label("one")).subquery("one_row")
    return Prepared(select(*end_columns()).select_from(join_end(one_row, bindparam("last_id", type_=Uuid))))


_END_OF_LOCKED_HEAD = _end_statement()
