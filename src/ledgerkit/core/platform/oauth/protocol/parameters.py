"""Parameters of a request to the authorization server, from a query or a form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from ledgerkit.core.platform.api_types.fields import is_storable
from ledgerkit.core.platform.oauth.protocol import errors
from ledgerkit.core.platform.oauth.texts import OAuthMsg

FORM = "application/x-www-form-urlencoded"
MAX_LENGTH = 4096
"""Characters of one value."""

_MOST = 100


@dataclass(frozen=True)
class Parameters:
    """Values by name. One without a value counts as not sent (RFC 6749 §3.1); names that mean nothing are ignored."""

    values: Mapping[str, Sequence[str]]

    def optional(self, name: str) -> str | None:
        """Return the value of a parameter, None when it was not sent. Raises Invalid for one sent twice."""
        values = self.several(name)
        if len(values) > 1:
            raise errors.refused(OAuthMsg.PARAMETER_REPEATED, name=name)
        return values[0] if values else None

    def required(self, name: str) -> str:
        """Return the value of a parameter. Raises Invalid for one that was not sent, or was sent twice."""
        value = self.optional(name)
        if value is None:
            raise errors.refused(OAuthMsg.PARAMETER_MISSING, name=name)
        return value

    def several(self, name: str) -> Sequence[str]:
        """Return all values of a parameter that may be sent several times. Raises Invalid for an unusable one."""
        values = self.values.get(name, ())
        if not all(len(value) <= MAX_LENGTH and is_storable(value) for value in values):
            raise errors.refused(OAuthMsg.PARAMETER_UNUSABLE, name=name, longest=MAX_LENGTH)
        return values


def of_query(query: str) -> Parameters:
    """Return the parameters of a query, percent-encoded. Raises Invalid for more than a hundred."""
    try:
        pairs = parse_qsl(query, max_num_fields=_MOST)
    except ValueError:
        raise errors.refused(OAuthMsg.TOO_MANY_PARAMETERS, most=_MOST) from None
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return Parameters(values)


def of_form(content_type: str, body: bytes) -> Parameters:
    """Return the parameters of a form's body. Raises Invalid for a body of another type (RFC 6749 §3.2)."""
    if content_type.partition(";")[0].strip().lower() != FORM:
        raise errors.refused(OAuthMsg.FORM_EXPECTED, form=FORM)
    return of_query(body.decode("utf-8", "replace"))
