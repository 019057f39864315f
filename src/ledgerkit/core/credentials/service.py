"""Change a password, have a forgotten one replaced, and confirm an address: by a link that only its owner can read.

A request for a link does the same work whether or not anybody is registered: it leaves a job, which looks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal
from uuid import UUID

from ledgerkit import clock
from ledgerkit.core.api_types.wire import utc_text
from ledgerkit.core.credentials import links
from ledgerkit.core.credentials.letters import MAIL_PERSON, Letter
from ledgerkit.core.credentials.links import Purpose
from ledgerkit.core.credentials.schemas import AddressProof, ForgottenPassword, PasswordChange, PasswordReset
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.identity import guard, persons, sessions
from ledgerkit.core.identity.passwords import PASSWORD_ERRORS
from ledgerkit.core.identity.schemas import LoginToken
from ledgerkit.core.identity.tokens import Tokens
from ledgerkit.core.jobs import service as jobs
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, RateLimited

TRIED_FOR = timedelta(minutes=30)
"""Time for which a mail that the server refuses is tried again."""


@dataclass(frozen=True)
class Recipient:
    """Whom a link was mailed to, as its holder may see it."""

    email: str


@operation(
    Permission.LOGIN,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.INVALID_CREDENTIALS}), *PASSWORD_ERRORS],
    effects=Effect.DESTRUCTIVE,
    sealed=True,
)
async def change_password(ctx: Context, data: PasswordChange) -> LoginToken:
    """Replace one's password by another one, and end all logins: the answer holds the token of the only one left.

    Raises Unauthenticated for an API key; Invalid INVALID_CREDENTIALS for the old one, and for a new one that is
    refused; RateLimited, Unavailable BUSY.
    """
    user_id, _ = sessions.person(ctx)
    known = await guard.confirmed(ctx, user_id, data.old, "old")
    guard.check_new(data.new, known.email, "new")
    password_hash = await guard.hashed(ctx, data.new)

    async def attempt() -> int:
        async with ctx.transaction() as inner:
            row = await persons.lock(inner.db, user_id)
            if row is None or row.password_hash != known.password_hash:  # changed while it was being checked
                raise guard.wrong_password("old")
            version = await persons.set_password(inner.db, user_id, password_hash)
            await links.void(inner.db, user_id, Purpose.RESET)
            await _tell(inner, user_id, "password_changed")
            return version

    life = timedelta(hours=ctx.settings.token_hours)
    version = await retry_on_conflict(attempt)
    return sessions.as_login_token(ctx.kernel.service(Tokens).login_token(user_id, version, life))


@operation(Permission.PUBLIC, unit=Unit.OWN, errors=[(RateLimited, {Code.RATE_LIMITED})], effects=Effect.OPEN_WORLD)
async def forgot_password(ctx: Context, data: ForgottenPassword) -> None:
    """Have a link mailed to the person who is registered with an address, if there is one; nothing tells which.

    Raises RateLimited.
    """
    await guard.admit(ctx, "forgot", data.email)
    await _ask_for_letter(ctx, {"letter": "reset", "email": data.email}, key=data.email)


@operation(
    Permission.PUBLIC,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.LINK_INVALID}), *PASSWORD_ERRORS],
    effects=Effect.DESTRUCTIVE,
)
async def reset_password(ctx: Context, data: PasswordReset) -> None:
    """Set the password by a mailed link, which proves the address, and end whatever opened the account before.

    That is every login, the personal API key and every other link; where the address was not proven until now, the
    keys of the user's own teams too, since a stranger may have registered it.
    Raises Invalid LINK_INVALID, and for a password that is refused; RateLimited, Unavailable BUSY.
    """
    await guard.admit(ctx, "reset")
    known = await links.holder(ctx, data.token, Purpose.RESET)
    guard.check_new(data.password, known.email)
    password_hash = await guard.hashed(ctx, data.password)

    async def attempt() -> None:
        async with ctx.transaction() as inner:
            row = await persons.lock(inner.db, known.id)
            await links.use(inner, data.token, Purpose.RESET)
            await persons.set_password(inner.db, known.id, password_hash)
            await persons.renew_key(inner.db, known.id)
            if not row.email_verified:
                await persons.renew_team_keys(inner.db, known.id)
                await persons.verify(inner.db, known.id)
            await links.void(inner.db, known.id, *Purpose)
            await _tell(inner, known.id, "password_reset")

    await retry_on_conflict(attempt)


@operation(
    Permission.PUBLIC,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.LINK_INVALID, Code.INVALID_CREDENTIALS}), *PASSWORD_ERRORS],
    effects=Effect.IDEMPOTENT,
)
async def verify_address(ctx: Context, data: AddressProof) -> None:
    """Confirm an address by the link that was mailed to it, and by the account's password.

    Raises Invalid LINK_INVALID or INVALID_CREDENTIALS, which uses nothing up; RateLimited, Unavailable BUSY.
    """
    known = await links.holder(ctx, data.token, Purpose.VERIFICATION)
    await guard.admit(ctx, "login", known.email)
    if not await guard.matches(ctx, data.password, known.password_hash):
        raise guard.wrong_password()

    async def attempt() -> None:
        async with ctx.transaction() as inner:
            row = await persons.lock(inner.db, known.id)
            if row is None or row.token_version != known.token_version:
                raise links.invalid_link()
            await links.use(inner, data.token, Purpose.VERIFICATION)
            await persons.verify(inner.db, known.id)

    await retry_on_conflict(attempt)


@operation(Permission.LOGIN, unit=Unit.OWN, effects=Effect.OPEN_WORLD)
async def resend_verification(ctx: Context) -> None:
    """Mail the link that confirms one's address once more; nothing to do for who has. Raises Unauthenticated."""
    user_id, _ = sessions.person(ctx)
    await _ask_for_letter(ctx, {"letter": "verification", "userId": str(user_id)}, key=str(user_id))


@operation(Permission.PUBLIC, unit=Unit.OWN, effects=Effect.READ_ONLY)
async def recipient(ctx: Context, token: str, purpose: Literal["verification", "reset"]) -> Recipient:
    """Whom an open link was mailed to. Raises Invalid LINK_INVALID."""
    known = await links.holder(ctx, token, Purpose(purpose))
    return Recipient(known.email)


async def greet(ctx: Context, user_id: UUID) -> None:
    """Have a new user's address confirmed, where that is demanded; in the transaction that registers them."""
    if ctx.settings.demands_verified_email:
        await _enqueue(ctx, {"letter": "verification", "userId": str(user_id)}, key=str(user_id))


async def _ask_for_letter(ctx: Context, payload: Mapping[str, str], key: str) -> None:
    async def attempt() -> None:
        async with ctx.transaction() as inner:
            await _enqueue(inner, payload, key)

    await retry_on_conflict(attempt)


async def _tell(ctx: Context, user_id: UUID, letter: Letter) -> None:
    await _enqueue(ctx, {"letter": letter, "userId": str(user_id)}, key=None)


async def _enqueue(ctx: Context, payload: Mapping[str, str], key: str | None) -> None:
    until = utc_text(clock.now() + TRIED_FOR)
    dedupe_key = None if key is None else f"{payload['letter']}:{key}"
    await jobs.enqueue(ctx, MAIL_PERSON, {**payload, "until": until}, dedupe_key=dedupe_key)
