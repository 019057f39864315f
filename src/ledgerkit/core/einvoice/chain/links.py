"""A chain's end: what the next record is linked to, and one look at what is stored there before it is made."""

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
class Surroundings:
    """What is known where a record is about to be made: whether its user bills for several, and what is wrong."""

    several_issuers: bool
    anomaly: Anomaly | None


def previous(head: Any) -> ChainLink | None:
    """What the next record is linked to: the last one, or the last one of other software; None begins a chain."""
    return _link(head, "last", head.position)


def origin(head: Any) -> ChainLink | None:
    """The last record of other software, from which the chain goes on; None where it begins here."""
    return _link(head, "origin", 0)


def _link(head: Any, which: str, position: int) -> ChainLink | None:
    fingerprint = getattr(head, f"{which}_fingerprint")
    if fingerprint is None:
        return None
    return ChainLink(
        issuer_tax_id=head.issuer_tax_id,
        number=getattr(head, f"{which}_number"),
        issue_date=getattr(head, f"{which}_issue_date"),
        fingerprint=fingerprint,
        position=position,
        generated_at=getattr(head, f"{which}_generated_at"),
    )


def digest(before: bytes | None, content: bytes) -> bytes:
    """SHA-256 over the digest before and a record's bytes: no byte of any record can change without a trace."""
    return sha256((before or b"") + content).digest()


def kept(row: Any, before: bytes | None, *, signed: bool = False) -> KeptRecord:
    """A row of fiscal_record for an audit; `before` is the digest of the one before it."""
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
        altered=row.digest != digest(before, row.content),
        signed=signed,
    )


# ---------------------------------------------------------------- before each record


async def look(ctx: Context, head: Any, channel: FiscalChannel, environment: Environment) -> Surroundings:
    """One look before a record is made: the last record against the one before it, and against the clock.

    Source: Orden HAC/1177/2024 arts. 6.d and 7.h, by which invoicing goes on whatever is found.
    """
    known = head if "end_id" in head and head.end_id == head.last_record_id else None
    mine = billings.about(ctx, channel.id, environment, head.issuer_tax_id)
    found = known or await _AROUND.one(ctx.db, **mine, last_id=head.last_record_id)
    return Surroundings(several_issuers=found.several_issuers, anomaly=_last_link(found, head, channel))


def _last_link(found: Any, head: Any, channel: FiscalChannel) -> Anomaly | None:
    if channel.audits is None or not head.position or _is_ours(found, head):
        return None
    end = SimpleNamespace(**{name: found[f"end_{name}"] for name in _LOOKED_AT})
    stored = [] if end.id is None else [kept(end, found.before_digest)]
    before = origin(head)
    if found.before_position is not None:
        before = ChainLink(
            issuer_tax_id=found.before_issuer_tax_id,
            number=found.before_number,
            issue_date=found.before_issue_date,
            fingerprint=found.before_fingerprint,
            position=found.before_position,
            generated_at=found.before_generated_at,
        )
    return next(channel.audits.audit(stored, before, clock.now(), previous(head)), None)


def _is_ours(found: Any, head: Any) -> bool:
    """Whether the very record is stored that this process has put there last, byte for byte: no need to read it.

    One from the future is read all the same: the clock has been put back.
    """
    if found.end_content is None or found.end_generated_at > clock.now():
        return False
    whole = found.end_digest == digest(found.before_digest, found.end_content)
    return whole and _remembered.get(head.id) == (_AT_HEAD(head), _AT_END(found), _BEFORE_IT(found))


def remember(head: Any, record: Any) -> None:
    """`record` is put at the end of the chain whose locked head is `head`; if that fails, nothing like it is found."""
    begins = head.last_record_id is None
    before = (None,) * len(_LINKED_TO) if begins else (head.issuer_tax_id, *_AT_HEAD(head)[1:])
    _remembered[head.id] = (record.id, *_LINK_OF(record)[1:]), _RECORD(record), before
    _remembered.move_to_end(head.id)
    if len(_remembered) > _MOST_REMEMBERED:
        _remembered.popitem(last=False)


_MOST_REMEMBERED = 2000
_remembered: OrderedDict[UUID, tuple[tuple[Any, ...], ...]] = OrderedDict()
"""By chain: how its head names the record that was put there last, that record, and the one that it follows."""

_LOOKED_AT = (
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
_LINKED_TO = ("issuer_tax_id", "position", "number", "issue_date", "fingerprint", "generated_at", "digest")
_LAST = ("position", "last_number", "last_issue_date", "last_fingerprint", "last_generated_at", "last_digest")

_AT_HEAD = itemgetter("last_record_id", *_LAST)
_LINK_OF = attrgetter(*_LINKED_TO)
_SMALL = [name for name in _LOOKED_AT if name != "content"]
_RECORD, _AT_END = attrgetter(*_SMALL), itemgetter(*(f"end_{name}" for name in _SMALL))
_BEFORE_IT = itemgetter(*(f"before_{name}" for name in _LINKED_TO))

_END, _BEFORE = fiscal_record.alias("end"), fiscal_record.alias("before")


def columns() -> list[ColumnElement[Any]]:
    """Whether its user bills for several (`billings.about`), a chain's last record, and what the one before that is."""
    several = billings.several().label("several_issuers")
    end = [_END.c[name].label(f"end_{name}") for name in _LOOKED_AT]
    return [several, *end, *(_BEFORE.c[name].label(f"before_{name}") for name in _LINKED_TO)]


def joined(origin: FromClause, last_record: ColumnElement[Any]) -> Join:
    """`origin` with what `columns` are of."""
    ended = origin.outerjoin(_END, _END.c.id == last_record)
    return ended.outerjoin(_BEFORE, _BEFORE.c.id == _END.c.previous_id)


def _around() -> Prepared[Any]:
    """The same for a head that is locked already."""
    nothing = select(literal(1).label("one")).subquery("nothing")
    return Prepared(select(*columns()).select_from(joined(nothing, bindparam("last_id", type_=Uuid))))


_AROUND = _around()
