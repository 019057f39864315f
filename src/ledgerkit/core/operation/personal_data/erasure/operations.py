"""Deletion of an account: all access ends at once, and data that no law requires to be kept is erased."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from uuid import UUID

from sqlalchemy import Table, delete, text
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.operation.personal_data.api import AccountDeleted, Goodbye, KeptTeam
from ledgerkit.core.operation.personal_data.erasure import retention
from ledgerkit.core.operation.personal_data.export import operations as export
from ledgerkit.core.operation.personal_data.export.directory import ExportDirectory
from ledgerkit.core.operation.personal_data.texts import PersonalDataMsg
from ledgerkit.core.platform.api_types.wire import utc_text
from ledgerkit.core.platform.attachments.removal import contents as removal
from ledgerkit.core.platform.credentials.mailed_links.mails import deliver, notice_for
from ledgerkit.core.platform.database.stored_json import StoredObject
from ledgerkit.core.platform.database.tenancy import is_erasable, scope_of
from ledgerkit.core.platform.database.transactions import enter, retry_on_conflict
from ledgerkit.core.platform.identity.accounts import closure
from ledgerkit.core.platform.identity.accounts.closure import NamedAccountRow
from ledgerkit.core.platform.identity.logins import sessions
from ledgerkit.core.platform.identity.persons import access as persons
from ledgerkit.core.platform.identity.persons import guard
from ledgerkit.core.platform.identity.persons.access import StoredUser
from ledgerkit.core.platform.identity.persons.passwords import PASSWORD_ERRORS
from ledgerkit.core.platform.jobs import operations as jobs
from ledgerkit.core.platform.mail import account_deleted_mail
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices.public_links import operations as public_links
from ledgerkit.core.teams.members import departures
from ledgerkit.problems import Code, Conflict, Invalid

_ERASE_LOG = text("select erase_log(:log)")

ERASE = "erase-account"
FAREWELL = "mail-farewell"
TRIED_FOR = timedelta(minutes=30)
ERASED_AGAIN_FOR = timedelta(days=3)
"""Time for which a closed account is erased again: a request may have been under way when it was closed."""


class Farewell(StoredObject):
    """Payload of the job that mails a person after the deletion of their account."""

    email: str
    locale: str
    teams: tuple[str, ...]
    kept_until: date | None
    until: datetime


@operation(
    Permission.LOGIN,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.INVALID_CREDENTIALS}), (Conflict, {Code.TEAM_HAS_MEMBERS}), *PASSWORD_ERRORS],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT | Effect.OPEN_WORLD,
)
async def delete_account(ctx: Context, data: Goodbye) -> AccountDeleted:
    """Delete the actor and the accounts that they own; books that the law requires are locked until their last day.

    Raises Unauthenticated for an API key; Invalid INVALID_CREDENTIALS, RateLimited, Unavailable BUSY; Conflict
    TEAM_HAS_MEMBERS while a team that they own has other members.
    """
    user_id, _ = sessions.person(ctx)
    user = await guard.confirmed_user(ctx, user_id, data.password)

    async def attempt(inner: Context) -> tuple[AccountDeleted, UUID | None]:
        export_id = await export.drop(inner.db, user_id)
        return await _deleted(inner, user), export_id

    answer, export_id = await Context(kernel=ctx.kernel, request_metadata=ctx.request_metadata).transact(attempt)
    if export_id is not None:
        await asyncio.to_thread(ctx.kernel.service(ExportDirectory).clear, export_id)
    return answer


async def erase(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Erase the data of a closed account that need not be kept; the job may be repeated."""
    account_id = UUID(str(payload["accountId"]))

    async def attempt() -> None:
        async with kernel.database.transaction(account_id) as db:
            closed = await closure.closed_account(db, account_id)
            if closed is None:
                return
            for table in retention.erased(retained=closed.kept_until is not None):
                await _empty(db, table)
            await removal.erase_unretained(db)
            if closed.kept_until is None:
                await closure.erase_identity(db, account_id)

    await retry_on_conflict(attempt)
    await removal.remove_unnamed(kernel, account_id, before=clock.now())


async def _empty(db: AsyncConnection, table: Table) -> None:
    """Delete all that the account has in a table; of a log the server's role cannot, but the database's function."""
    if is_erasable(scope_of(table)):
        await db.execute(_ERASE_LOG, {"log": table.name})
    else:
        await db.execute(delete(table))


async def erase_again(kernel: Kernel) -> None:
    """Erase again the data of accounts that were closed within the last days."""
    for account_id in await closure.closed_since(kernel, clock.now() - ERASED_AGAIN_FOR):
        await erase(kernel, {"accountId": str(account_id)})


async def say_farewell(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Mail a person whose account was deleted what happens to their data."""
    farewell = Farewell.model_validate(payload)
    notice = notice_for(kernel, farewell.email, farewell.locale, "")
    await deliver(kernel, account_deleted_mail(notice, farewell.teams, farewell.kept_until), farewell.until)


async def _deleted(ctx: Context, user: StoredUser) -> AccountDeleted:
    """Delete everything in one transaction, under a lock on the user, for which an invitation of them waits."""
    person = await persons.lock(ctx.db, user.id)
    if person is None or person.password_hash != user.password_hash:  # changed during the check
        raise guard.wrong_password()
    owned_ids = await closure.owned(ctx.db, person.id)
    owned = [await closure.lock_account(ctx.db, account_id) for account_id in owned_ids]
    shared_teams = await closure.owned_with_others(ctx.db, person.id)
    if shared_teams:
        raise _has_members(shared_teams)
    await departures.leave_teams_of_others(ctx, person)
    kept_teams = [team for account in owned if (team := await _closed(ctx, account)) is not None]
    await closure.remove_person(ctx.db, person.id)
    kept_until = max((team.kept_until for team in kept_teams), default=None)
    await _enqueue_farewell(ctx, person, kept_teams, kept_until)
    return AccountDeleted(kept_until=kept_until, kept=kept_teams)


async def _closed(ctx: Context, account: NamedAccountRow) -> KeptTeam | None:
    """Close an account without other members, and return it if its books have to be kept."""
    await enter(ctx.db, account.id)
    kept_until = await retention.kept_until(ctx.db)
    await public_links.revoke_all(ctx.db, account.id)
    await closure.close(ctx.db, account.id, kept_until)
    await jobs.enqueue(ctx, ERASE, {"accountId": str(account.id)})
    await enter(ctx.db, None)
    return None if kept_until is None else KeptTeam(id=str(account.id), name=account.name, kept_until=kept_until)


async def _enqueue_farewell(
    ctx: Context, person: StoredUser, kept_teams: Sequence[KeptTeam], kept_until: date | None
) -> None:
    payload = {
        "email": person.email,
        "locale": person.locale,
        "teams": [team.name for team in kept_teams],
        "keptUntil": None if kept_until is None else kept_until.isoformat(),
        "until": utc_text(clock.now() + TRIED_FOR),
    }
    await jobs.enqueue(ctx, FAREWELL, payload)


def _has_members(teams: Sequence[NamedAccountRow]) -> Conflict:
    names = ", ".join(team.name for team in teams)
    return Conflict(
        PersonalDataMsg.OTHER_MEMBERS,
        code=Code.TEAM_HAS_MEMBERS,
        extra={"teams": [{"id": str(team.id), "name": team.name} for team in teams]},
        names=names,
    )
