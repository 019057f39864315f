"""Series of an issuer: which account gives the numbers of a series under one tax identifier.

The authority knows an issuer's numbers by tax identifier alone. So accounts with the same one, which do not see each
other, need series of their own. The first account that uses a series holds it, and no other one can give a number in
it. Nobody is told which account that is.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ARRAY, Text, Uuid, any_, bindparam, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.database.row_types import Row
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.documents.series import other_names
from ledgerkit.core.identity.models import issuer_series


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
_SHARED = Prepared(
    select(_table.series).where(
        *_of_issuer, _table.series == any_(bindparam("names", type_=ARRAY(Text))), ~_is_account
    ),
    _SeriesRow,
)


async def hold(db: AsyncConnection, issuer: SeriesIssuer, series: str) -> bool:
    """Hold a series for the account until it is released; False when another account holds it, or it was retired.

    Waits for another transaction that is about to hold it.
    """
    holder = await _HOLDER.row(db, **_key(issuer, series))
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
    values = {"country": issuer.country, "tax_id": issuer.tax_id, "account_id": issuer.account_id}
    return {row.series for row in await _SHARED.rows(db, **values, names=list(names))}


async def release_unused(
    db: AsyncConnection, account_id: UUID, issuer: SeriesIssuer | None, names: Collection[str]
) -> None:
    """Release what the account holds and has given no number in, but for `names` under the `issuer`."""
    unused = delete(issuer_series).where(_table.account_id == account_id, _table.used_at.is_(None))
    if issuer is not None:
        is_kept = _table.series.in_(names) & (_table.country == issuer.country) & (_table.tax_id == issuer.tax_id)
        unused = unused.where(~is_kept)
    await db.execute(unused)


async def forget(db: AsyncConnection, account_id: UUID) -> None:
    """Forget all series of a closed account whose books need not be kept any more."""
    await db.execute(delete(issuer_series).where(_table.account_id == account_id))


def _key(issuer: SeriesIssuer, series: str) -> dict[str, object]:
    return {"country": issuer.country, "tax_id": issuer.tax_id, "series": series}
