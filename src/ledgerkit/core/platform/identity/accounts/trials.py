"""Trials: accounts with records of the sandbox or of a test authority, and the archives of these records.

An archive is an account of its own, so nothing that works in an account can meet what it holds (docs/adr/0039).
"""

from collections.abc import Mapping
from uuid import UUID

from sqlalchemy import Uuid, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.accounts import issuer_series
from ledgerkit.core.platform.identity.table import MembershipRow, StoredAccountRow, account, membership
from ledgerkit.core.platform.request.context import AccountProfile, Kernel
from ledgerkit.core.platform.request.permissions import Role
from ledgerkit.settings import EInvoiceEnvironment

ARCHIVE = "archive"
"""Kind of the account that holds another one's trial."""

_OWNER = Role.OWNER.value
_REAL = EInvoiceEnvironment.PRODUCTION.value


class TriedAccountRow(Row):
    """An account that has only tried out so far, described so that an operator can tell it from others."""

    id: UUID
    name: str
    tax_id: str | None


class _ArchiveRow(Row):
    id: UUID


class _CopiedRow(Row):
    """Columns of an archive that are its account's. The tax identifier stays with the account: that is the issuer."""

    company: str | None
    country: str
    currency: str
    address: str | None
    postal_code: str | None
    city: str | None
    province: str | None
    email: str | None
    phone: str | None
    time_zone: str
    payment_term_days: int
    series: Mapping[str, str]
    einvoicing: str
    logo: str | None


_SHOWN = select(
    account.c.id, func.coalesce(account.c.company, account.c.name).label("name"), account.c.tax_id
).order_by(account.c.id)
_IS_OPEN = account.c.closed_at.is_(None), account.c.archive_of.is_(None)
_HAS_REAL = account.c.recorded_in.contains([_REAL])
_RECORDED = func.cardinality(account.c.recorded_in)
_TRIED = Prepared(_SHOWN.where(*_IS_OPEN, _RECORDED > 0, ~_HAS_REAL), TriedAccountRow)
_MIXED = Prepared(_SHOWN.where(*_IS_OPEN, _RECORDED > 1, _HAS_REAL), TriedAccountRow)
_IS_ACCOUNT = account.c.id == bindparam("account", type_=Uuid)
_COPY = Prepared(select(*(account.c[name] for name in _CopiedRow.__annotations__)).where(_IS_ACCOUNT), _CopiedRow)
_ARCHIVE = Prepared(select(account.c.id).where(account.c.archive_of == bindparam("account", type_=Uuid)), _ArchiveRow)


def has_real_records(profile: AccountProfile) -> bool:
    """Return True when the account has a fiscal record of production: that is never taken back."""
    return _REAL in profile.recorded_in


def is_live(kernel: Kernel, profile: AccountProfile) -> bool:
    """Return True when what the account does is real: it went live, has real records, or began in production."""
    if profile.live_since is not None or has_real_records(profile):
        return True
    return kernel.settings.einvoice_env is EInvoiceEnvironment.PRODUCTION and not profile.recorded_in


def may_record(kernel: Kernel, profile: AccountProfile) -> bool:
    """Return False if a record of this server would be a trial's, in a live account that has real records."""
    is_real = kernel.settings.einvoice_env is EInvoiceEnvironment.PRODUCTION
    return is_real or not (profile.live_since is not None or has_real_records(profile))


async def tried_accounts(kernel: Kernel) -> list[TriedAccountRow]:
    """Return the open accounts of this server that have only tried out so far."""
    return await identity_queries.fetch_rows(kernel, _TRIED)


async def mixed_accounts(kernel: Kernel) -> list[TriedAccountRow]:
    """Return the open accounts with real records and with those of a trial, which an earlier version permitted."""
    return await identity_queries.fetch_rows(kernel, _MIXED)


async def archive_of(db: AsyncConnection, account_id: UUID) -> UUID | None:
    """Return the id of the account's archive; None where it has none."""
    row = await _ARCHIVE.row(db, account=account_id)
    return None if row is None else row.id


async def make_archive(db: AsyncConnection, account_id: UUID, name: str) -> UUID:
    """Return the id of the account's archive, called `name`, and make an empty one where there is none."""
    made_before = await archive_of(db, account_id)
    if made_before is not None:
        return made_before
    profile = await _COPY.one(db, account=account_id)
    copied = Values.copied(StoredAccountRow, profile, _CopiedRow.__annotations__)
    archive = Values(StoredAccountRow, id=new_id(), kind=ARCHIVE, name=name, archive_of=account_id)
    await db.execute(insert(account).values(copied | archive))
    return archive.of(StoredAccountRow.id)


async def go_live(db: AsyncConnection, account_id: UUID, archive_id: UUID) -> None:
    """Note that the account is live and has no record yet, and give the archive to the account's owner.

    The account holds the same series as before; their numbers begin anew.
    """
    owner = select(membership.c.user_id).where(membership.c.account_id == account_id, membership.c.role == _OWNER)
    owning_user = await db.scalar(owner)
    if owning_user is not None:
        owned = Values(MembershipRow, id=new_id(), account_id=archive_id, user_id=owning_user, role=_OWNER)
        await db.execute(delete(membership).where(membership.c.account_id == archive_id))
        await db.execute(insert(membership).values(owned))
    recorded = select(account.c.recorded_in).where(account.c.id == account_id).scalar_subquery()
    await db.execute(update(account).where(account.c.id == archive_id).values(recorded_in=recorded))
    live = {"recorded_in": [], "live_since": clock.now(), "version": account.c.version + 1, "updated_at": func.now()}
    await db.execute(update(account).where(account.c.id == account_id).values(live))
    await issuer_series.begin_anew(db, account_id)
