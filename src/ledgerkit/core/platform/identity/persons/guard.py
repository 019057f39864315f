"""Checks around every use of a password: limits on attempts, the fair queue, and rules for new passwords."""

from datetime import timedelta
from uuid import UUID

from ledgerkit import clock
from ledgerkit.core.platform.identity.limits.throttle import ADDRESSES, LOGINS, Throttle, origin
from ledgerkit.core.platform.identity.persons import access as persons
from ledgerkit.core.platform.identity.persons import commonplace
from ledgerkit.core.platform.identity.persons.passwords import Passwords
from ledgerkit.core.platform.identity.table import UserRow
from ledgerkit.core.platform.identity.texts import IdentityMsg
from ledgerkit.core.platform.request.context import Channel, Context
from ledgerkit.core.platform.request.operation import Errors
from ledgerkit.problems import Code, FieldError, Invalid, PasswordNeeded

PROOF_LIFE = timedelta(minutes=10)
"""Time for which a typed password proves that its owner sits before the browser."""

PROOF_ERRORS: Errors = [(PasswordNeeded, {Code.PASSWORD_NEEDED})]
"""Refusals of every operation that demands a recent password."""


def require_recent_password(ctx: Context) -> None:
    """Refuse a browser's session whose password was typed longer than ten minutes ago.

    Protects new keys, the certificate and the IBAN from a script in a page and from a person at an unlocked screen, who
    have a session and no password. Tokens and keys of programs are no sessions. Raises PasswordNeeded. Source: ASVS 5.0
    §7.5.1.
    """
    login = ctx.actor.login
    if ctx.actor.channel is not Channel.WEB or login is None:
        return
    if (login.proved_at or login.began_at) + PROOF_LIFE < clock.now():
        raise PasswordNeeded(IdentityMsg.PASSWORD_NEEDED)


async def count_attempt(ctx: Context, action: str, email: str = "") -> None:
    """Count an attempt from the caller's network address: at `action` with the address `email`, and in total.

    Raises RateLimited after ten attempts a minute at the one, or sixty in total.
    """
    throttle, caller = ctx.kernel.service(Throttle), origin(ctx.request_metadata.client_address)
    await throttle.spend(ADDRESSES, caller)
    await throttle.spend(LOGINS, action, caller, email)


async def hashed(ctx: Context, password: str) -> str:
    """Return the hash of a password. Raises Unavailable BUSY."""
    return await ctx.kernel.service(Passwords).hashed(password, origin(ctx.request_metadata.client_address))


async def matches(ctx: Context, password: str, password_hash: str | None) -> bool:
    """Return True when `password` belongs to `password_hash`. Raises Unavailable BUSY."""
    passwords = ctx.kernel.service(Passwords)
    return await passwords.matches(password, password_hash, origin(ctx.request_metadata.client_address))


async def confirmed_user(ctx: Context, user_id: UUID, password: str, field: str = "password") -> UserRow:
    """Return the user, who has typed their password again into `field`.

    Raises Invalid INVALID_CREDENTIALS, RateLimited, Unavailable BUSY.
    """
    await count_attempt(ctx, "login", ctx.actor.email or "")
    user = await persons.by_id(ctx.kernel, user_id)
    if user is None or not await matches(ctx, password, user.password_hash):
        raise wrong_password(field)
    return user


def check_new(password: str, email: str, name: str, field: str = "password") -> None:
    """Refuse a new password that is blank, a commonplace, or the person's own name or e-mail address or a part of it.

    Its length is checked by the schema. Raises Invalid, naming `field`. Source: NIST SP 800-63B §3.1.1.2 (2025).
    """
    if not password.strip():
        raise _refused(field, "password_blank", IdentityMsg.PASSWORD_BLANK)
    if password.strip().casefold() == email.casefold():
        raise _refused(field, "password_is_email", IdentityMsg.PASSWORD_IS_EMAIL)
    if commonplace.is_word_of(password, email, name):
        raise _refused(field, "password_is_own_name", IdentityMsg.PASSWORD_IS_OWN_NAME)
    if commonplace.is_commonplace(password):
        raise _refused(field, "password_common", IdentityMsg.PASSWORD_COMMON)


def wrong_password(field: str = "password") -> Invalid:
    """Return the refusal of a logged-in person's password: a 400, since a 401 would say that their login has ended."""
    return Invalid.field(field, IdentityMsg.WRONG_PASSWORD, code=Code.INVALID_CREDENTIALS)


def _refused(field: str, code: str, message: IdentityMsg) -> Invalid:
    error = FieldError.of(field, code, message)
    return Invalid(error.text.about(field), errors=[error])
