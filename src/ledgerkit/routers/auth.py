"""/auth: register, log in, refresh and end logins, passwords, and the current user."""

from fastapi import Request, Response

from ledgerkit.core.platform.credentials import operations as credentials
from ledgerkit.core.platform.credentials.api import AddressProof, ForgottenPassword, PasswordChange, PasswordReset
from ledgerkit.core.platform.identity.api import (
    AuthResponse,
    CookieRenewed,
    Credentials,
    LoginToken,
    Registration,
    UserKey,
)
from ledgerkit.core.platform.identity.logins import sessions
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.core.teams import operations as teams
from ledgerkit.core.teams.api import Me
from ledgerkit.core.teams.invitations import acceptance
from ledgerkit.routers import session_cookie
from ledgerkit.routers.deps import Anonymous, Ctx
from ledgerkit.routers.routing import Router

router = Router(
    prefix="/auth",
    tags=["Auth"],
    about="Register, log in and out, read the current user, export all data, delete the account.",
)


@router.post("/register", operation=acceptance.register, operation_id="register")
async def register(ctx: Anonymous, data: Registration) -> AuthResponse:
    """Register a new user; the answer has a token and an API key, so that no login is necessary.

    The answer is never stored: a repetition with the same `Idempotency-Key` within 24 hours is a login.
    """
    return await acceptance.register(ctx, data)


@router.post("/login", operation=acceptance.login, operation_id="login")
async def login(ctx: Anonymous, data: Credentials) -> AuthResponse:
    """Log in and get a token for 24 hours and the API key.

    It may be repeated: each answer has a token of its own, even with an `Idempotency-Key`, and no answer is stored.
    """
    return await acceptance.login(ctx, data)


@router.post("/refresh", operation=sessions.refresh, operation_id="refreshToken")
async def refresh(request: Request, response: Response, ctx: Ctx) -> LoginToken | CookieRenewed:
    """Get another token of the same login, for 24 hours from now, at most until 30 days after the login.

    It needs a token that is still valid; API keys are refused. A request with a browser's cookie gets the token in the
    cookie and not in the answer, so that no script can read it.
    """
    return _in_cookie(request, response, await sessions.refresh(ctx))


@router.post("/logout", operation=sessions.logout, operation_id="logout")
async def logout(ctx: Ctx) -> Ok:
    """End the login whose token is sent, at once, with every token that was refreshed from it.

    Other logins and the API keys stay; API keys are refused here.
    """
    await sessions.logout(ctx)
    return Ok()


@router.post("/logout-everywhere", operation=sessions.logout_everywhere, operation_id="logoutEverywhere")
async def logout_everywhere(ctx: Ctx) -> Ok:
    """End all logins of the user at once, this one too. The API keys stay; API keys are refused here."""
    await sessions.logout_everywhere(ctx)
    return Ok()


@router.post("/regenerate-key", operation=sessions.regenerate_key, operation_id="regenerateUserKey")
async def regenerate_key(ctx: Ctx) -> UserKey:
    """Replace the user's API key; the one before is void at once. API keys are refused here."""
    return await sessions.regenerate_key(ctx)


@router.post("/password", operation=credentials.change_password, operation_id="changePassword")
async def change_password(
    request: Request, response: Response, ctx: Ctx, data: PasswordChange
) -> LoginToken | CookieRenewed:
    """Change the password and end all logins; the answer has the token of a new one. API keys are refused here.

    A request with a browser's cookie gets that token in the cookie and not in the answer.
    """
    return _in_cookie(request, response, await credentials.change_password(ctx, data))


@router.post("/password/forgot", operation=credentials.forgot_password, operation_id="forgotPassword", status_code=202)
async def forgot_password(ctx: Anonymous, data: ForgottenPassword) -> Ok:
    """Mail a link that replaces the password and is valid for an hour.

    The answer is the same whether or not somebody is registered with the address.
    """
    await credentials.forgot_password(ctx, data)
    return Ok()


@router.post("/password/reset", operation=credentials.reset_password, operation_id="resetPassword")
async def reset_password(ctx: Anonymous, data: PasswordReset) -> Ok:
    """Replace the password with the token of a mailed link, which works once.

    It ends all logins and replaces the user's API key; log in afterwards.
    """
    await credentials.reset_password(ctx, data)
    return Ok()


@router.post("/verify", operation=credentials.verify_address, operation_id="verifyAddress")
async def verify_address(ctx: Anonymous, data: AddressProof) -> Ok:
    """Verify the user's e-mail address with the token of the link that was mailed to it, and the password."""
    await credentials.verify_address(ctx, data)
    return Ok()


@router.post(
    "/verify/resend", operation=credentials.resend_verification, operation_id="resendVerification", status_code=202
)
async def resend_verification(ctx: Ctx) -> Ok:
    """Mail the link that verifies the user's address again. API keys are refused here."""
    await credentials.resend_verification(ctx)
    return Ok()


@router.get("/me", operation=teams.me, operation_id="me")
async def me(ctx: Ctx) -> Me:
    """Return the user, the balance of AI actions, and the areas open to them."""
    return await teams.me(ctx)


def _in_cookie(request: Request, response: Response, login: LoginToken) -> LoginToken | CookieRenewed:
    """Put the token into the browser's cookie if the request has one; return it in the answer otherwise."""
    if session_cookie.sent(request) is None:
        return login
    session_cookie.put(request, response, login.token, login.expires_in)
    return CookieRenewed(expires_in=login.expires_in)
