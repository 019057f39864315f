"""Guards before every use of a password: limits on tries, the fair queue, and rules for new passwords."""

from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from ledgerkit.core.identity import persons
from ledgerkit.core.identity.messages import IdentityMsg
from ledgerkit.core.identity.passwords import Passwords
from ledgerkit.core.identity.throttle import ADDRESSES, LOGINS, Throttle, origin
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Code, Invalid, Words, bilingual, bilingual_error

_COMMON = Path(__file__).with_name("common_passwords.txt")


async def admit(ctx: Context, what: str, email: str = "") -> None:
    """Count a try at `what` with the e-mail address `email`, and at anything, from the caller's network address.

    Raises RateLimited after ten tries a minute at the one, sixty at the other.
    """
    throttle, who = ctx.kernel.service(Throttle), origin(ctx.request_metadata.client_address)
    await throttle.spend(ADDRESSES, who)
    await throttle.spend(LOGINS, what, who, email)


async def hashed(ctx: Context, password: str) -> str:
    """The hash of a password. Raises Unavailable BUSY."""
    return await ctx.kernel.service(Passwords).hashed(password, origin(ctx.request_metadata.client_address))


async def matches(ctx: Context, password: str, known: str | None) -> bool:
    """Tell whether `password` belongs to the hash `known`. Raises Unavailable BUSY."""
    return await ctx.kernel.service(Passwords).matches(password, known, origin(ctx.request_metadata.client_address))


async def confirmed(ctx: Context, user_id: UUID, password: str, field: str = "password") -> Any:
    """The user, who has typed their password again into `field`.

    Raises Invalid INVALID_CREDENTIALS, RateLimited, Unavailable BUSY.
    """
    await admit(ctx, "login", ctx.actor.email or "")
    known = await persons.by_id(ctx.kernel, user_id)
    if known is None or not await matches(ctx, password, known.password_hash):
        raise wrong_password(field)
    return known


def check_new(password: str, email: str, field: str = "password") -> None:
    """Raises Invalid, naming `field`, for a new password that is blank, the address, or among the commonest.

    Its length is the schema's. Source: NIST SP 800-63B §3.1.1.2 (2025).
    """
    folded = password.strip().casefold()
    if not folded:
        raise _refused(
            field,
            "password_blank",
            ("is blank", "Choose a password with letters or digits."),
            ("está en blanco", "Elige una contraseña con letras o cifras."),
        )
    if folded == email.casefold():
        raise _refused(
            field,
            "password_is_email",
            ("is the e-mail address", "Choose a password that is not your address."),
            ("es la dirección de correo", "Elige una contraseña que no sea tu dirección."),
        )
    if folded in _common():
        raise _refused(
            field,
            "password_common",
            ("is one of the 10,000 commonest passwords", "Choose another one; three or four words do well."),
            ("es una de las 10 000 contraseñas más comunes", "Elige otra; tres o cuatro palabras van bien."),
        )


def wrong_password(field: str = "password") -> Invalid:
    """The refusal of a logged-in person's password: not a 401, which would say that their login has ended."""
    return Invalid.field(field, IdentityMsg.WRONG_PASSWORD, code=Code.INVALID_CREDENTIALS)


def _refused(field: str, code: str, english: Words, spanish: Words) -> Invalid:
    whole = [(f"{field}: {what}", remedy) for what, remedy in (english, spanish)]
    return bilingual(Invalid, *whole, errors=[bilingual_error(field, code, english, spanish)])


@cache
def _common() -> frozenset[str]:
    return frozenset(_COMMON.read_text(encoding="utf-8").split())
