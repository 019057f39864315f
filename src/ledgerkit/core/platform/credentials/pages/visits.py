"""The operations behind mailed links, for pages: an error that the visitor can correct is returned, not raised."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from ledgerkit.core.platform.api_types.validation import invalid
from ledgerkit.core.platform.credentials import operations as credentials
from ledgerkit.core.platform.credentials.api import AddressProof, ForgottenPassword, PasswordReset
from ledgerkit.core.platform.mail import Delivery, Mailer
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, Problem, RateLimited, Unavailable


@dataclass(frozen=True)
class Visit:
    """Result of a form: the link's recipient, and the reason why it was refused, None when it was accepted.

    `delivered_to`: where this server's mails go, to a mail server or into files.
    """

    email: str
    refusal: Problem | None
    delivered_to: Delivery


@operation(Permission.PUBLIC, unit=Unit.OWN, effects=Effect.DESTRUCTIVE)
async def use_link(ctx: Context, token: str, password: str, purpose: Literal["verification", "reset"]) -> Visit:
    """Verify an address or replace a password as the link's page does. Raises Invalid LINK_INVALID."""
    email = (await credentials.recipient(ctx, token, purpose)).email

    async def work() -> None:
        if purpose == "verification":
            await credentials.verify_address(ctx, AddressProof(token=token, password=password))
        else:
            await credentials.reset_password(ctx, PasswordReset(token=token, password=password))

    return await _visited(ctx, email, work)


@operation(Permission.PUBLIC, unit=Unit.OWN, effects=Effect.OPEN_WORLD)
async def ask_for_link(ctx: Context, email: str) -> Visit:
    """Ask for a link as `operations.forgot_password` does."""

    async def work() -> None:
        await credentials.forgot_password(ctx, ForgottenPassword(email=email))

    return await _visited(ctx, email, work)


async def _visited(ctx: Context, email: str, work: Callable[[], Awaitable[None]]) -> Visit:
    delivered_to = ctx.kernel.service(Mailer).transport
    try:
        await work()
    except ValidationError as error:
        return Visit(email, invalid(error.errors()), delivered_to)
    except (Invalid, RateLimited, Unavailable) as refusal:
        if refusal.code not in {Code.LINK_INVALID, Code.DATABASE_UNAVAILABLE}:
            return Visit(email, refusal, delivered_to)
        raise
    return Visit(email, None, delivered_to)
