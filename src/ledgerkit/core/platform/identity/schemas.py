"""Shapes of users and logins (interface decisions A)."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ledgerkit.core.platform.api_types.fields import PRINTABLE, CountryCode, CurrencyCode, Email, Flag, ShortText
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire

PASSWORD_MIN = 8
PASSWORD_MAX = 256
PASSWORD_TYPED_MAX = 1024
"""Longest password that is compared: passwords set before the limit was 256 still open their accounts."""

NewPassword = Annotated[str, StringConstraints(min_length=PASSWORD_MIN, max_length=PASSWORD_MAX), PRINTABLE]
TypedPassword = Annotated[str, StringConstraints(max_length=PASSWORD_TYPED_MAX), PRINTABLE]


InvitationToken = Annotated[
    ShortText | None,
    Field(description="Token of an invitation mailed to this address; the user joins the teams that invited it"),
]


class Registration(Wire):
    email: Email
    password: NewPassword
    name: ShortText | None = None
    country: CountryCode = "ES"
    currency: CurrencyCode = "EUR"
    invitation_token: InvitationToken = None
    replace_unverified: Annotated[
        Flag,
        Field(
            description="With an invitation's token: where somebody registered this address and never confirmed it,"
            " leave that account behind and begin a new one"
        ),
    ] = False


class Credentials(Wire):
    email: Annotated[str, StringConstraints(max_length=254), PRINTABLE]
    password: TypedPassword
    invitation_token: InvitationToken = None


class User(Wire):
    id: str
    email: str
    name: str
    country: str
    currency: str
    locale: str
    timezone: str
    active_team_id: str | None
    email_verified: bool
    created_at: Timestamp


class LoginToken(Wire):
    token: str
    access_token: str
    token_type: Literal["Bearer"]
    expires_in: int


class CookieRenewed(Wire):
    """A login whose new token is in the browser's cookie, and nowhere else."""

    ok: Literal[True] = True
    expires_in: Annotated[int, Field(description="Seconds until the cookie ends")]


class PasswordProof(Wire):
    """The password of whoever is logged in, typed again."""

    password: TypedPassword


class UserKey(Wire):
    api_key: Annotated[str, Field(description="The user's new key; the one before is void")]


class AuthResponse(LoginToken):
    api_key: str
    user: User
