"""Shapes of requests that change a password or verify an address (interface decisions A9, A10)."""

from typing import Annotated

from pydantic import ConfigDict, Field

from ledgerkit.core.platform.api_types.fields import Email, ShortText
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.identity.api import NewPassword, TypedPassword

LinkToken = Annotated[ShortText, Field(description="The last part of the link that was mailed")]
_TOKEN = "Q2hhbmdlcyBlYWNoIHRpbWUgdGhhdCBvbmUgaXMgbWFk"  # noqa: S105 - the example of the documentation


class PasswordChange(Wire):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"old": "a long enough secret", "new": "three or four words"}]}
    )

    old: TypedPassword
    """Present password."""
    new: NewPassword
    """New password, 8 to 256 characters."""


class ForgottenPassword(Wire):
    email: Email
    """Address of the account whose password is forgotten."""


class PasswordReset(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"token": _TOKEN, "password": "three or four words"}]})

    token: LinkToken
    password: NewPassword
    """New password, 8 to 256 characters."""


class AddressProof(Wire):
    """Proof of an address: the password too, or people would confirm an account that a stranger registered for them."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"token": _TOKEN, "password": "a long enough secret"}]})

    token: LinkToken
    password: TypedPassword
    """Password of the account."""
