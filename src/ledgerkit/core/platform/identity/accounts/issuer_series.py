"""Series of an issuer, and the account that gives the numbers of a series under one tax identifier.

The authority knows the numbers of an issuer by tax identifier alone. So accounts with the same tax identifier, which do
not see each other, need series of their own. The first account that uses a series holds it, and no other one can give a
number in it. Nobody is told which account that is.

Within an account, a series belongs to one tax identifier. Under another one the account is another issuer, whose
numbers must be correlative from the first on (RD 1619/2012 art. 6.1.a), and an account has one count for each series.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ARRAY, Text, Uuid, and_, any_, bindparam, cast, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.documents.series import other_names
from ledgerkit.core.platform.identity.table import issuer_series


@dataclass(frozen=True, kw_only=True)
class SeriesIssuer:
    """An account under one of its tax identifiers."""

    account_id: UUID
    country: str
    tax_id: str


class _HolderRow(Row):
    account_id: UUID
    used_at: datetime | None
    retired_at: datetime | None


class _SeriesRow(Row):
    series: str


_table = issuer_series.c
_of_issuer = (
    _table.country == bindparam("country", type_=Text),
    _table.tax_id == bindparam("tax_id", type_=Text),
)
_is_series = _table.series == bindparam("series", type_=Text)
_is_account = _table.account_id == bindparam("account_id", type_=Uuid)
_HOLDER = Prepared(
    select(_table.account_id, _table.used_at, _table.retired_at).where(*_of_issuer, _is_series), _HolderRow
)
_HOLD = Prepared(
    insert(issuer_series).on_conflict_do_nothing(index_elements=["country", "tax_id", "series"]),
    columns=["country", "tax_id", "series", "account_id"],
)
_USE = Prepared(
    update(issuer_series)
    .where(*_of_issuer, _is_series, _is_account, _table.used_at.is_(None))
    .values(used_at=func.now())
)
_RETIRE = Prepared(  # in use, so that it is never released
    update(issuer_series)
    .where(*_of_issuer, _is_series, _is_account)
    .values(retired_at=func.now(), used_at=func.coalesce(_table.used_at, func.now()))
)
_is_named = _table.series == any_(bindparam("names", type_=ARRAY(Text)))
_SHARED = Prepared(select(_table.series).where(*_of_issuer, _is_named, ~_is_account), _SeriesRow)
_OF_OTHER_IDENTIFIERS = Prepared(
    select(_table.series).where(~and_(*_of_issuer), _is_named, _is_account, _table.used_at.is_not(None)), _SeriesRow
)
_USED = Prepared(
    select(_table.series).where(*_of_issuer, _is_account, _table.used_at.is_not(None), _table.retired_at.is_(None)),
    _SeriesRow,
)
_FIRST_USE = Prepared(  # one tax identifier of an account waits for another one
    select(func.pg_advisory_xact_lock(func.hashtextextended(cast(bindparam("lock", type_=Text), Text), 0)))
)


async def hold(db: AsyncConnection, issuer: SeriesIssuer, series: str) -> bool:
    """Hold a series for the account until it is released, and return True.

    Return False if another account holds the series, if it was retired, or if the account has given numbers in it under
    another identifier. Waits for another transaction that is about to hold it.
    """
    holder = await _HOLDER.row(db, **_key(issuer, series))
    is_begun = holder is not None and holder.used_at is not None
    if not is_begun and await of_other_identifiers(db, issuer, [series]):
        return False
    while holder is None:
        await _HOLD.run(db, **_key(issuer, series), account_id=issuer.account_id)
        holder = await _HOLDER.row(db, **_key(issuer, series))
    return holder.account_id == issuer.account_id and holder.retired_at is None


async def use(db: AsyncConnection, issuer: SeriesIssuer, series: str) -> bool:
    """Hold a series and note that a number is given in it, so that it is not released any more; False as `hold`."""
    holder = await _HOLDER.row(db, **_key(issuer, series))
    if holder is None or holder.account_id != issuer.account_id:
        if not await hold(db, issuer, series):
            return False
    elif holder.retired_at is not None:
        return False
    elif holder.used_at is not None:
        return True
    await _FIRST_USE.run(db, lock=f"{issuer.account_id}:{series}")
    if await of_other_identifiers(db, issuer, [series]):
        return False
    await _USE.run(db, **_key(issuer, series), account_id=issuer.account_id)
    return True


async def hold_another(db: AsyncConnection, issuer: SeriesIssuer, name: str, avoided: Collection[str]) -> str:
    """Hold another series in place of `name`, none of `avoided`; return its name."""
    for other_name in other_names(name):
        if other_name not in avoided and await hold(db, issuer, other_name):
            return other_name
    msg = f"no name is left for the series {name}"
    raise AssertionError(msg)


async def retire(db: AsyncConnection, issuer: SeriesIssuer, series: str) -> None:
    """Let the account give no more numbers in a series that it holds."""
    await hold(db, issuer, series)
    await _RETIRE.run(db, **_key(issuer, series), account_id=issuer.account_id)


async def held_by_others(db: AsyncConnection, issuer: SeriesIssuer, names: Collection[str]) -> set[str]:
    """Return those of the series that another account holds."""
    rows = await _SHARED.rows(db, **_issuer(issuer), account_id=issuer.account_id, names=list(names))
    return {row.series for row in rows}


async def of_other_identifiers(db: AsyncConnection, issuer: SeriesIssuer, names: Collection[str]) -> set[str]:
    """Return those of the series in which the account has given numbers under another of its tax identifiers."""
    rows = await _OF_OTHER_IDENTIFIERS.rows(db, **_issuer(issuer), account_id=issuer.account_id, names=list(names))
    return {row.series for row in rows}


async def used(db: AsyncConnection, issuer: SeriesIssuer) -> set[str]:
    """Return the series in which the issuer has given numbers and may give more."""
    return {row.series for row in await _USED.rows(db, **_issuer(issuer), account_id=issuer.account_id)}


async def release_unused(
    db: AsyncConnection, account_id: UUID, issuer: SeriesIssuer | None, names: Collection[str]
) -> None:
    """Release the account's series in which it has given no number, except `names` under the `issuer`."""
    unused = delete(issuer_series).where(_table.account_id == account_id, _table.used_at.is_(None))
    if issuer is not None:
        is_excepted = _table.series.in_(names) & (_table.country == issuer.country) & (_table.tax_id == issuer.tax_id)
        unused = unused.where(~is_excepted)
    await db.execute(unused)


async def begin_anew(db: AsyncConnection, account_id: UUID) -> None:
    """Note that no number has been given in the series that the account holds, and that none is lost."""
    anew = {"used_at": None, "retired_at": None}
    await db.execute(update(issuer_series).where(_table.account_id == account_id).values(anew))


async def forget(db: AsyncConnection, account_id: UUID) -> None:
    """Forget all series of a closed account whose books need not be kept any more."""
    await db.execute(delete(issuer_series).where(_table.account_id == account_id))


def _key(issuer: SeriesIssuer, series: str) -> dict[str, object]:
    return {**_issuer(issuer), "series": series}


def _issuer(issuer: SeriesIssuer) -> dict[str, object]:
    return {"country": issuer.country, "tax_id": issuer.tax_id}
