"""Shapes of users and logins (interface decisions A)."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ledgerkit.core.platform.api_types.fields import PRINTABLE, CountryCode, CurrencyCode, Email, Flag, ShortText
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.identity.table import UserRow

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


class Registration(Wire, row=UserRow):
    email: Email
    """Address to log in with; a mail is sent to verify it."""
    password: NewPassword
    """Password, 8 to 256 characters."""
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
    """Address to log in with."""
    password: TypedPassword
    """Password of the account."""
    invitation_token: InvitationToken = None


class User(Wire, row=UserRow):
    id: str
    email: str
    name: str
    country: str
    currency: str
    locale: str
    timezone: str
    """IANA time zone of the person, as Europe/Madrid."""
    active_team_id: str | None
    """Id of the team that the person works in; null in the personal workspace."""
    email_verified: bool
    created_at: Timestamp


class LoginToken(Wire):
    token: str
    """Bearer token of the login."""
    access_token: str
    """Copy of `token`, by the name that OAuth clients expect."""
    token_type: Literal["Bearer"]
    """Scheme of the token, which is sent as `Authorization: Bearer`."""
    expires_in: int
    """Seconds until the token ends."""


class CookieRenewed(Wire):
    """A login whose new token is in the browser's cookie, and nowhere else."""

    ok: Literal[True] = True
    """Always true: a failure is a problem."""
    expires_in: Annotated[int, Field(description="Seconds until the cookie ends")]


class PasswordProof(Wire):
    """The password of whoever is logged in, typed again."""

    password: TypedPassword
    """Password of whoever is logged in, typed again."""


class UserKey(Wire):
    api_key: Annotated[str, Field(description="The user's new key; the one before is void")]


class AuthResponse(LoginToken):
    api_key: str
    """The user's API key."""
    user: User
    """Person who has logged in."""
