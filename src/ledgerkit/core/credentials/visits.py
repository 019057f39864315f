"""The operations behind mailed links as pages need them: what people can mend is told to them, not raised."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import ValidationError

from ledgerkit.core.api_types.validation import invalid
from ledgerkit.core.credentials import service
from ledgerkit.core.credentials.schemas import AddressProof, ForgottenPassword, PasswordReset
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, Problem, RateLimited, Unavailable


@dataclass(frozen=True)
class Visit:
    """A form that was sent: whom its link was mailed to, and why it was refused, None when it was not."""

    email: str
    refusal: Problem | None


@operation(Permission.PUBLIC, name="credentials.visits.verify", unit=Unit.OWN, effects=Effect.IDEMPOTENT)
async def verify(ctx: Context, token: str, password: str) -> Visit:
    """`service.verify_address` by its page. Raises Invalid LINK_INVALID."""
    email = (await service.recipient(ctx, token, "verification")).email

    async def work() -> None:
        await service.verify_address(ctx, AddressProof(token=token, password=password))

    return await _visited(email, work)


@operation(Permission.PUBLIC, name="credentials.visits.reset", unit=Unit.OWN, effects=Effect.DESTRUCTIVE)
async def reset(ctx: Context, token: str, password: str) -> Visit:
    """`service.reset_password` by its page. Raises Invalid LINK_INVALID."""
    email = (await service.recipient(ctx, token, "reset")).email

    async def work() -> None:
        await service.reset_password(ctx, PasswordReset(token=token, password=password))

    return await _visited(email, work)


@operation(Permission.PUBLIC, name="credentials.visits.forgot", unit=Unit.OWN, effects=Effect.OPEN_WORLD)
async def forgot(ctx: Context, email: str) -> Visit:
    """`service.forgot_password` by its page."""

    async def work() -> None:
        await service.forgot_password(ctx, ForgottenPassword(email=email))

    return await _visited(email, work)


async def _visited(email: str, work: Callable[[], Awaitable[None]]) -> Visit:
    try:
        await work()
    except ValidationError as error:
        return Visit(email, invalid(error.errors()))
    except (Invalid, RateLimited, Unavailable) as refusal:
        if refusal.code not in {Code.LINK_INVALID, Code.DATABASE_UNAVAILABLE}:
            return Visit(email, refusal)
        raise
    return Visit(email, None)
