"""Numbers of an account's records by kind, at the same cost for a thousand and for a hundred thousand.

Counts lie in one row per kind and bucket, the bucket being chosen by the database connection: two writers at work
at the same time touch different rows, so counting never makes one wait for the other. What is counted by `counting`
takes any row that nobody holds instead, for it comes in the middle of transactions that hold other locks.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from sqlalchemy import (
    ARRAY,
    BigInteger,
    PrimaryKeyConstraint,
    ScalarSelect,
    SmallInteger,
    Text,
    any_,
    bindparam,
    func,
    literal,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.database.row_types import Row, VersionedRow, column
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.database.tables import account_table

BUCKETS = 32
SPARE_BUCKETS = 32_768
"""Bound of the buckets that a connection takes when all are held, by its process id: no two at a time have the same."""


class CounterRow(VersionedRow):
    """Part of one count of an account, so that no writer waits for another; the count is the sum over its buckets."""

    kind: str = column("Name of what is counted, as invoice.draft, client or, with an id, client.balance.")
    bucket: int = column(
        "Number of the part, chosen by the database connection; its own value means nothing.",
        SmallInteger,
    )
    count: int = column(
        "Part of the count, may be below zero; amounts of money are counted in cents of the account's currency.",
        BigInteger,
    )


counter = account_table(
    "tally",
    CounterRow,
    PrimaryKeyConstraint("account_id", "kind", "bucket"),
)

_ADD = Prepared(
    text(
        "insert into tally (account_id, kind, bucket, count)"
        " select :own_account, kind, pg_backend_pid() % :buckets, delta"
        " from unnest(cast(:kinds as text[]), cast(:deltas as bigint[])) as change(kind, delta) order by kind"
        " on conflict (account_id, kind, bucket) do update set count = tally.count + excluded.count"
    )
)


async def add(db: AsyncConnection, changes: Mapping[str, int]) -> None:
    """Count `changes` (kind to difference) with the transaction they belong to, in the order of their kinds.

    Call it before the number's lock is taken, and once: two writers that share a bucket must lock in one order.
    """
    nonzero = {kind: delta for kind, delta in changes.items() if delta}
    if nonzero:
        await _ADD.run(db, kinds=list(nonzero), deltas=list(nonzero.values()), buckets=BUCKETS)


def counting(written: Insert, kind: str) -> Insert:
    """The INSERT `written`, counting its rows as `kind` in the same round trip; a kind that `add` never counts.

    It never waits for another writer, so it may come under any lock: it counts in a row that nobody holds, and makes a
    new one only when all are held. An account has as many rows as it has had writers of this kind at the same time.
    """
    rows = written.returning(literal(1).label("one")).cte("written")
    of_kind = counter.c.kind == constant(kind)
    free = select(counter.c.bucket).where(of_kind).limit(1).with_for_update(skip_locked=True).cte("free")
    bucket = func.coalesce(select(free.c.bucket).scalar_subquery(), func.pg_backend_pid() % SPARE_BUCKETS)
    new = insert(counter).from_select(
        ["kind", "bucket", "count"], select(constant(kind), bucket, func.count()).select_from(rows)
    )
    key_columns = [counter.c.account_id, counter.c.kind, counter.c.bucket]
    return new.on_conflict_do_update(index_elements=key_columns, set_={"count": counter.c.count + new.excluded.count})


def total(kinds: Sequence[str]) -> ScalarSelect[int]:
    """The sum over `kinds`, as a value to select."""
    return (
        select(func.coalesce(func.sum(counter.c.count), 0))
        .where(counter.c.kind == any_(literal(list(kinds), ARRAY(Text))))
        .scalar_subquery()
    )


def total_of(parameter: str) -> ScalarSelect[int]:
    """The count of the kind that the statement is given under the name `parameter`."""
    of_kind = counter.c.kind == bindparam(parameter, type_=Text)
    return select(func.coalesce(func.sum(counter.c.count), 0)).where(of_kind).scalar_subquery()


class CountRow(Row):
    """Row of the statement that adds up the buckets of each kind."""

    kind: str
    count: Decimal


_READ = Prepared(
    select(counter.c.kind, func.sum(counter.c.count).label("count"))
    .where(counter.c.kind == any_(bindparam("kinds", type_=ARRAY(Text))))
    .group_by(counter.c.kind),
    CountRow,
)


async def read(db: AsyncConnection, kinds: Sequence[str]) -> dict[str, int]:
    """The counts of `kinds`; those never counted are absent."""
    return {row.kind: int(row.count) for row in await _READ.rows(db, kinds=list(kinds))}
