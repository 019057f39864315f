"""Change a password, replace a forgotten one, and verify an address by a link that only its owner can read.

A request for a link does the same work whether or not anybody is registered: it enqueues a job, which looks them up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal
from uuid import UUID

from ledgerkit import clock
from ledgerkit.core.platform.api_types.wire import utc_text
from ledgerkit.core.platform.credentials.api import AddressProof, ForgottenPassword, PasswordChange, PasswordReset
from ledgerkit.core.platform.credentials.mailed_links import links
from ledgerkit.core.platform.credentials.mailed_links.links import Purpose
from ledgerkit.core.platform.credentials.mailed_links.mails import MAIL_PERSON, PersonMail
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.identity.api import LoginToken
from ledgerkit.core.platform.identity.logins import sessions
from ledgerkit.core.platform.identity.logins.tokens import Tokens
from ledgerkit.core.platform.identity.persons import access as persons
from ledgerkit.core.platform.identity.persons import guard, scoped_keys
from ledgerkit.core.platform.identity.persons.passwords import PASSWORD_ERRORS
from ledgerkit.core.platform.jobs import operations as jobs
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, RateLimited

TRIED_FOR = timedelta(minutes=30)
"""Time for which a mail that the mail server refuses is tried again."""


@dataclass(frozen=True)
class Recipient:
    """Recipient of a link, as its holder may see them."""

    email: str


@operation(
    Permission.LOGIN,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.INVALID_CREDENTIALS}), *PASSWORD_ERRORS],
    effects=Effect.DESTRUCTIVE,
    sealed=True,
)
async def change_password(ctx: Context, data: PasswordChange) -> LoginToken:
    """Change the actor's password, end all logins, and return the token of a new one.

    Raises Unauthenticated for an API key; Invalid INVALID_CREDENTIALS for a wrong old password, Invalid for a new one
    that is refused; RateLimited, Unavailable BUSY.
    """
    user_id, _ = sessions.person(ctx)
    user = await guard.confirmed_user(ctx, user_id, data.old, "old")
    guard.check_new(data.new, user.email, user.name, "new")
    password_hash = await guard.hashed(ctx, data.new)

    async def attempt() -> int:
        async with ctx.transaction() as inner:
            locked_user = await persons.lock(inner.db, user_id)
            if locked_user is None or locked_user.password_hash != user.password_hash:  # changed during the check
                raise guard.wrong_password("old")
            version = await persons.set_password(inner.db, user_id, password_hash)
            await links.void(inner.db, user_id, Purpose.RESET)
            await _notify(inner, user_id, "password_changed")
            return version

    life = timedelta(hours=ctx.settings.token_hours)
    version = await retry_on_conflict(attempt)
    return sessions.as_login_token(ctx.kernel.service(Tokens).login_token(user_id, version, life))


@operation(Permission.PUBLIC, unit=Unit.OWN, errors=[(RateLimited, {Code.RATE_LIMITED})], effects=Effect.OPEN_WORLD)
async def forgot_password(ctx: Context, data: ForgottenPassword) -> None:
    """Mail a link to the person who is registered with an address; the answer does not reveal whether there is one.

    Raises RateLimited.
    """
    await guard.count_attempt(ctx, "forgot", data.email)
    await _enqueue_mail(ctx, {"letter": "reset", "email": data.email}, key=data.email)


@operation(
    Permission.PUBLIC,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.LINK_INVALID}), *PASSWORD_ERRORS],
    effects=Effect.DESTRUCTIVE,
)
async def reset_password(ctx: Context, data: PasswordReset) -> None:
    """Set the password by a mailed link, which verifies the address, and void all other access to the account.

    That is every login, the personal API key, the scoped keys and every other link; where the address was not verified
    until now, also the keys of the teams that the user owns, since a stranger may have registered it.
    Raises Invalid LINK_INVALID, Invalid for a password that is refused; RateLimited, Unavailable BUSY.
    """
    await guard.count_attempt(ctx, "reset")
    user = await links.holder(ctx, data.token, Purpose.RESET)
    guard.check_new(data.password, user.email, user.name)
    password_hash = await guard.hashed(ctx, data.password)

    async def attempt() -> None:
        async with ctx.transaction() as inner:
            locked_user = await persons.lock(inner.db, user.id)
            await links.use(inner, data.token, Purpose.RESET)
            assert locked_user is not None  # noqa: S101 - links are removed with their user
            await persons.set_password(inner.db, user.id, password_hash)
            await persons.renew_key(inner.db, user.id)
            await scoped_keys.remove_all(inner.db, user.id)
            if not locked_user.email_verified:
                await persons.renew_team_keys(inner.db, user.id)
                await persons.verify(inner.db, user.id)
            await links.void(inner.db, user.id, *Purpose)
            await _notify(inner, user.id, "password_reset")

    await retry_on_conflict(attempt)


@operation(
    Permission.PUBLIC,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.LINK_INVALID, Code.INVALID_CREDENTIALS}), *PASSWORD_ERRORS],
    effects=Effect.IDEMPOTENT,
)
async def verify_address(ctx: Context, data: AddressProof) -> None:
    """Verify an address by the link that was mailed to it and the account's password.

    Raises Invalid LINK_INVALID, or INVALID_CREDENTIALS, which leaves the link valid; RateLimited, Unavailable BUSY.
    """
    user = await links.holder(ctx, data.token, Purpose.VERIFICATION)
    await guard.count_attempt(ctx, "login", user.email)
    if not await guard.matches(ctx, data.password, user.password_hash):
        raise guard.wrong_password()

    async def attempt() -> None:
        async with ctx.transaction() as inner:
            locked_user = await persons.lock(inner.db, user.id)
            if locked_user is None or locked_user.token_version != user.token_version:
                raise links.invalid_link()
            await links.use(inner, data.token, Purpose.VERIFICATION)
            await persons.verify(inner.db, user.id)

    await retry_on_conflict(attempt)


@operation(Permission.LOGIN, unit=Unit.OWN, effects=Effect.OPEN_WORLD)
async def resend_verification(ctx: Context) -> None:
    """Mail the link that verifies the actor's address again, unless it is verified. Raises Unauthenticated."""
    user_id, _ = sessions.person(ctx)
    await _enqueue_mail(ctx, {"letter": "verification", "userId": str(user_id)}, key=str(user_id))


@operation(Permission.PUBLIC, unit=Unit.OWN, effects=Effect.READ_ONLY)
async def recipient(ctx: Context, token: str, purpose: Literal["verification", "reset"]) -> Recipient:
    """Return the recipient of a valid link. Raises Invalid LINK_INVALID."""
    user = await links.holder(ctx, token, Purpose(purpose))
    return Recipient(user.email)


async def greet(ctx: Context, user_id: UUID) -> None:
    """Ask a new user to verify their address, where that is required; in the transaction that registers them."""
    if ctx.settings.demands_verified_email:
        await _enqueue(ctx, {"letter": "verification", "userId": str(user_id)}, key=str(user_id))


async def _enqueue_mail(ctx: Context, payload: Mapping[str, str], key: str) -> None:
    async def attempt() -> None:
        async with ctx.transaction() as inner:
            await _enqueue(inner, payload, key)

    await retry_on_conflict(attempt)


async def _notify(ctx: Context, user_id: UUID, kind: PersonMail) -> None:
    await _enqueue(ctx, {"letter": kind, "userId": str(user_id)}, key=None)


async def _enqueue(ctx: Context, payload: Mapping[str, str], key: str | None) -> None:
    until = utc_text(clock.now() + TRIED_FOR)
    dedupe_key = None if key is None else f"{payload['letter']}:{key}"
    await jobs.enqueue(ctx, MAIL_PERSON, {**payload, "until": until}, dedupe_key=dedupe_key)
