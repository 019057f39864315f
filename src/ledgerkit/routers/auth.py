"""/auth: register, log in, stay so, log out, who am I."""

from ledgerkit.core.credentials import service as credentials
from ledgerkit.core.credentials.schemas import AddressProof, ForgottenPassword, PasswordChange, PasswordReset
from ledgerkit.core.identity import sessions
from ledgerkit.core.identity.schemas import AuthResponse, Credentials, LoginToken, Registration, UserKey
from ledgerkit.core.invoices.schemas import Ok
from ledgerkit.core.teams import joining
from ledgerkit.core.teams import service as teams
from ledgerkit.core.teams.schemas import Me
from ledgerkit.routers.deps import Anonymous, Ctx
from ledgerkit.routers.routing import Router

router = Router(prefix="/auth", tags=["Auth"])


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
    """Another token of the same login, for 24 hours from now and 30 days after the login at the most.

    Needs a token that is still good; API keys are refused.
    """
    return await sessions.refresh(ctx)


@router.post("/logout", operation_id="logout")
async def logout(ctx: Ctx) -> Ok:
    """End the login whose token is sent, at once, with every token that was refreshed from it.

    Other logins and the API keys stay; API keys are refused here.
    """
    await sessions.logout(ctx)
    return Ok()


@router.post("/logout-everywhere", operation_id="logoutEverywhere")
async def logout_everywhere(ctx: Ctx) -> Ok:
    """End all of one's logins at once, this one too. The API keys stay; API keys are refused here."""
    await sessions.logout_everywhere(ctx)
    return Ok()


@router.post("/regenerate-key", operation_id="regenerateUserKey")
async def regenerate_key(ctx: Ctx) -> UserKey:
    """Replace one's own API key; the one before is dead at once. API keys are refused here."""
    return await sessions.regenerate_key(ctx)


@router.post("/password", operation_id="changePassword")
async def change_password(ctx: Ctx, data: PasswordChange) -> LoginToken:
    """Change one's password. It ends all logins: the answer has the token to go on with. API keys are refused here."""
    return await credentials.change_password(ctx, data)


@router.post("/password/forgot", operation_id="forgotPassword", status_code=202)
async def forgot_password(ctx: Anonymous, data: ForgottenPassword) -> Ok:
    """Have a link mailed by which the password can be replaced, for an hour.

    The answer is the same whether or not somebody is registered with the address.
    """
    await credentials.forgot_password(ctx, data)
    return Ok()


@router.post("/password/reset", operation_id="resetPassword")
async def reset_password(ctx: Anonymous, data: PasswordReset) -> Ok:
    """Replace the password with a mailed link's token; the link works once.

    It ends all logins and replaces the user's API key. Then log in.
    """
    await credentials.reset_password(ctx, data)
    return Ok()


@router.post("/verify", operation_id="verifyAddress")
async def verify_address(ctx: Anonymous, data: AddressProof) -> Ok:
    """Confirm one's e-mail address with the token of the link that was mailed to it, and the password."""
    await credentials.verify_address(ctx, data)
    return Ok()


@router.post("/verify/resend", operation_id="resendVerification", status_code=202)
async def resend_verification(ctx: Ctx) -> Ok:
    """Have the link mailed again that confirms one's address. API keys are refused here."""
    await credentials.resend_verification(ctx)
    return Ok()


@router.get("/me", operation_id="me")
async def me(ctx: Ctx) -> Me:
    """The user, the balance of AI actions, and the areas open to them."""
    return await teams.me(ctx)
