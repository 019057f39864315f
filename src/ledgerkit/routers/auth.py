"""/auth: register, log in, who am I."""

from fastapi import APIRouter

from ledgerkit.core.identity.schemas import AuthResponse, Credentials, Registration
from ledgerkit.core.teams import joining
from ledgerkit.core.teams import service as teams
from ledgerkit.core.teams.schemas import Me
from ledgerkit.routers.deps import Anonymous, Ctx

router = APIRouter(prefix="/auth", tags=["Auth"])


@router.post("/register", operation_id="register")
async def register(ctx: Anonymous, data: Registration) -> AuthResponse:
    """Register a new user; the answer carries a token and an API key, so no login need follow."""
    return await joining.register(ctx, data)


@router.post("/login", operation_id="login")
async def login(ctx: Anonymous, data: Credentials) -> AuthResponse:
    """Log in: a token for 24 hours, and the API key."""
    return await joining.login(ctx, data)


@router.get("/me", operation_id="me")
async def me(ctx: Ctx) -> Me:
    """The user, the balance of AI actions, and the areas open to them."""
    return await teams.me(ctx)
