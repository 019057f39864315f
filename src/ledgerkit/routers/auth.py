"""/auth: register, log in, stay so, log out, who am I."""

from fastapi import APIRouter

from ledgerkit.core.identity import sessions
from ledgerkit.core.identity.schemas import AuthResponse, Credentials, LoginToken, Registration
from ledgerkit.core.invoices.schemas import Ok
from ledgerkit.core.teams import joining
from ledgerkit.core.teams import service as teams
from ledgerkit.core.teams.schemas import Me
from ledgerkit.routers.deps import Anonymous, Ctx

router = APIRouter(prefix="/auth", tags=["Auth"])


@router.post("/register", operation_id="register")
async def register(ctx: Anonymous, data: Registration) -> AuthResponse:
    """Register a new user; the answer carries a token and an API key, so no login need follow.

    The answer is never stored: the same request with the same `Idempotency-Key` is a login, for 24 hours.
    """
    return await joining.register(ctx, data)


@router.post("/login", operation_id="login")
async def login(ctx: Anonymous, data: Credentials) -> AuthResponse:
    """Log in: a token for 24 hours, and the API key.

    It may be repeated as it is: with an `Idempotency-Key` too each answer has a token of its own, and none is stored.
    """
    return await joining.login(ctx, data)


@router.post("/refresh", operation_id="refreshToken")
async def refresh(ctx: Ctx) -> LoginToken:
    """Another token, for 24 hours from now. Needs a token that is still good; API keys are refused."""
    return await sessions.refresh(ctx)


@router.post("/logout", operation_id="logout")
async def logout(ctx: Ctx) -> Ok:
    """End the token that is sent, at once. Other tokens and the API keys stay; API keys are refused here."""
    await sessions.logout(ctx)
    return Ok()


@router.get("/me", operation_id="me")
async def me(ctx: Ctx) -> Me:
    """The user, the balance of AI actions, and the areas open to them."""
    return await teams.me(ctx)
