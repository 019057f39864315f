"""How many records of a kind an account has, at the same cost for a thousand and for a hundred thousand.

Counts lie in one row per kind and bucket, the bucket being chosen by the database connection: two writers at work
at the same time touch different rows, so counting never makes one wait for the other.
"""

from collections.abc import Mapping, Sequence

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    Column,
    PrimaryKeyConstraint,
    ScalarSelect,
    SmallInteger,
    Text,
    any_,
    bindparam,
    func,
    literal,
    literal_column,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.db import account_table
from ledgerkit.core.statements import Prepared

BUCKETS = 32

tally = account_table(
    "tally",
    Column("kind", Text, nullable=False),
    Column("bucket", SmallInteger, nullable=False),
    Column("count", BigInteger, nullable=False),
    PrimaryKeyConstraint("account_id", "kind", "bucket"),
    keyed=False,
)

_ADD = Prepared(
    text(
        "insert into tally (kind, bucket, count)"
        " select kind, pg_backend_pid() % :buckets, delta"
        " from unnest(cast(:kinds as text[]), cast(:deltas as bigint[])) as change(kind, delta) order by kind"
        " on conflict (account_id, kind, bucket) do update set count = tally.count + excluded.count"
    )
)


async def add(db: AsyncConnection, changes: Mapping[str, int]) -> None:
    """Count `changes` (kind to difference) with the transaction they belong to."""
    kept = {kind: delta for kind, delta in changes.items() if delta}
    if kept:
        await _ADD.run(db, kinds=list(kept), deltas=list(kept.values()), buckets=BUCKETS)


def touched(kind: str) -> CTE:
    """One more change of `kind`, as a part of the statement that makes it: nobody can forget to count it."""
    bucket = literal_column(f"pg_backend_pid() % {BUCKETS}", SmallInteger)
    new = insert(tally).values(kind=literal(kind, Text), bucket=bucket, count=literal(1, BigInteger))
    key = ["account_id", "kind", "bucket"]
    return new.on_conflict_do_update(index_elements=key, set_={"count": tally.c.count + 1}).cte("touched")


def total(kinds: Sequence[str]) -> ScalarSelect[int]:
    """The sum over `kinds`, as a value to select."""
    return (
        select(func.coalesce(func.sum(tally.c.count), 0))
        .where(tally.c.kind == any_(literal(list(kinds), ARRAY(Text))))
        .scalar_subquery()
    )


_READ = Prepared(
    select(tally.c.kind, func.sum(tally.c.count).label("count"))
    .where(tally.c.kind == any_(bindparam("kinds", type_=ARRAY(Text))))
    .group_by(tally.c.kind)
)


async def read(db: AsyncConnection, kinds: Sequence[str]) -> dict[str, int]:
    """The counts of `kinds`; those never counted are absent."""
    return {row.kind: int(row["count"]) for row in await _READ.rows(db, kinds=list(kinds))}
