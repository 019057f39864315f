"""The end of an account: every way in is closed at once, and what no law wants kept is erased."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import delete

from ledgerkit import clock
from ledgerkit.core.api_types.wire import utc_text
from ledgerkit.core.credentials.letters import deliver, notice_for
from ledgerkit.core.database.transactions import enter, retry_on_conflict
from ledgerkit.core.identity import closing, guard, persons, sessions
from ledgerkit.core.identity.passwords import PASSWORD_ERRORS
from ledgerkit.core.invoices import sharing
from ledgerkit.core.jobs import service as jobs
from ledgerkit.core.mail import account_deleted_mail
from ledgerkit.core.personal_data import exporting, retention
from ledgerkit.core.personal_data.messages import PersonalDataMsg
from ledgerkit.core.personal_data.room import ExportRoom
from ledgerkit.core.personal_data.schemas import AccountDeleted, Goodbye, KeptTeam
from ledgerkit.core.request.context import Context, Kernel
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.core.teams import departing
from ledgerkit.problems import Code, Conflict, Invalid

ERASE = "erase-account"
FAREWELL = "mail-farewell"
TRIED_FOR = timedelta(minutes=30)
LOOKED_AFTER = timedelta(days=3)
"""Time for which a closed account is looked at again: a request may have been under way when it was closed."""


@operation(
    Permission.LOGIN,
    name="personal_data.erasing.delete_account",
    unit=Unit.OWN,
    errors=[(Invalid, {Code.INVALID_CREDENTIALS}), (Conflict, {Code.TEAM_HAS_MEMBERS}), *PASSWORD_ERRORS],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT | Effect.OPEN_WORLD,
)
async def delete_account(ctx: Context, data: Goodbye) -> AccountDeleted:
    """Delete oneself and the accounts one owns; books that the law wants kept are locked until their day.

    Raises Unauthenticated for an API key; Invalid INVALID_CREDENTIALS, RateLimited, Unavailable BUSY; Conflict
    TEAM_HAS_MEMBERS while somebody else is a member of a team of one's own.
    """
    user_id, _ = sessions.person(ctx)
    known = await guard.confirmed(ctx, user_id, data.password)

    async def attempt() -> tuple[AccountDeleted, UUID | None]:
        async with Context(kernel=ctx.kernel, request_metadata=ctx.request_metadata).transaction() as inner:
            export_id = await exporting.drop(inner.db, user_id)
            return await _deleted(inner, known), export_id

    done, export_id = await retry_on_conflict(attempt)
    if export_id is not None:
        await asyncio.to_thread(ExportRoom(ctx.settings).clear, export_id)
    return done


async def erase(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Empty a closed account of what need not be kept; again and again does no harm."""
    account_id = UUID(str(payload["accountId"]))

    async def attempt() -> None:
        async with kernel.database.transaction(account_id) as db:
            closed = await closing.closing_of(db, account_id)
            if closed is None:
                return
            for table in retention.erased(kept=closed.kept_until is not None):
                await db.execute(delete(table))
            if closed.kept_until is None:
                await closing.blank(db, account_id)

    await retry_on_conflict(attempt)


async def erase_again(kernel: Kernel) -> None:
    """Empty the accounts that were closed within the last days once more."""
    for account_id in await closing.closed_since(kernel, clock.now() - LOOKED_AFTER):
        await erase(kernel, {"accountId": str(account_id)})


async def say_farewell(kernel: Kernel, payload: Mapping[str, Any]) -> None:
    """Mail whoever has gone what has become of their data."""
    kept = payload["keptUntil"]
    notice = notice_for(kernel, payload["email"], payload["locale"], "")
    mail = account_deleted_mail(notice, payload["teams"], None if kept is None else date.fromisoformat(kept))
    await deliver(kernel, mail, datetime.fromisoformat(payload["until"]))


async def _deleted(ctx: Context, known: Any) -> AccountDeleted:
    """Delete all in one transaction, under the lock of the person: who would add them to a team waits for it."""
    person = await persons.lock(ctx.db, known.id)
    if person is None or person.password_hash != known.password_hash:  # changed while it was being checked
        raise guard.wrong_password()
    owned = [await closing.lock_account(ctx.db, one) for one in await closing.owned(ctx.db, person.id)]
    crowded = await closing.owned_with_others(ctx.db, person.id)
    if crowded:
        raise _has_members(crowded)
    await departing.leave_teams_of_others(ctx, person)
    kept = [team for one in owned if (team := await _closed(ctx, one)) is not None]
    await closing.remove_person(ctx.db, person.id)
    last = max((one.kept_until for one in kept), default=None)
    await _have_mailed(ctx, person, kept, last)
    return AccountDeleted(kept_until=last, kept=kept)


async def _closed(ctx: Context, account: Any) -> KeptTeam | None:
    """Close an account that nobody else belongs to; told of if its books have to be kept."""
    await enter(ctx.db, account.id)
    until = await retention.kept_until(ctx.db)
    await sharing.revoke_all(ctx.db, account.id)
    await closing.close(ctx.db, account.id, until)
    await jobs.enqueue(ctx, ERASE, {"accountId": str(account.id)})
    await enter(ctx.db, None)
    return None if until is None else KeptTeam(id=str(account.id), name=account.name, kept_until=until)


async def _have_mailed(ctx: Context, person: Any, kept: Sequence[KeptTeam], last: date | None) -> None:
    payload = {
        "email": person.email,
        "locale": person.locale,
        "teams": [one.name for one in kept],
        "keptUntil": None if last is None else last.isoformat(),
        "until": utc_text(clock.now() + TRIED_FOR),
    }
    await jobs.enqueue(ctx, FAREWELL, payload)


def _has_members(teams: Sequence[Any]) -> Conflict:
    names = ", ".join(one.name for one in teams)
    return Conflict(
        PersonalDataMsg.OTHER_MEMBERS,
        code=Code.TEAM_HAS_MEMBERS,
        extra={"teams": [{"id": str(one.id), "name": one.name} for one in teams]},
        names=names,
    )
