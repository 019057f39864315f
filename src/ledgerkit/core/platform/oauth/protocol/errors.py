"""Refusals of the authorization server: problems with an error code, in the form that clients compare."""

import re
from enum import StrEnum

from ledgerkit.core.platform.oauth.texts import OAuthMsg
from ledgerkit.problems import Invalid, Problem, Unauthenticated
from ledgerkit.texts import problem_text


class OAuthErrorCode(StrEnum):
    """Error codes of RFC 6749 §4.1.2.1 and §5.2, RFC 7591 §3.2.2, RFC 8707 §2."""

    INVALID_REQUEST = "invalid_request"
    INVALID_CLIENT = "invalid_client"
    INVALID_GRANT = "invalid_grant"
    INVALID_SCOPE = "invalid_scope"
    INVALID_TARGET = "invalid_target"
    UNAUTHORIZED_CLIENT = "unauthorized_client"
    UNSUPPORTED_GRANT_TYPE = "unsupported_grant_type"
    UNSUPPORTED_RESPONSE_TYPE = "unsupported_response_type"
    INVALID_REDIRECT_URI = "invalid_redirect_uri"
    INVALID_CLIENT_METADATA = "invalid_client_metadata"
    TEMPORARILY_UNAVAILABLE = "temporarily_unavailable"


_FORBIDDEN = re.compile(r"[^\x20-\x21\x23-\x5b\x5d-\x7e]")


def refused(message: OAuthMsg, error: OAuthErrorCode = OAuthErrorCode.INVALID_REQUEST, /, **values: object) -> Invalid:
    """Return the refusal of a request by the protocol; `error` is the code that the client is answered with."""
    return Invalid(problem_text(message, values), extra={"error": error.value})


def client_refused(message: OAuthMsg) -> Unauthenticated:
    """Return the refusal of a client that is unknown or has not proved to be the one it names (RFC 6749 §5.2)."""
    error = {"error": OAuthErrorCode.INVALID_CLIENT.value}
    return Unauthenticated(message, headers={"WWW-Authenticate": 'Basic realm="oauth"'}, extra=error)


def parameters(problem: Problem) -> dict[str, str]:
    """Return a problem as parameters of a redirect or members of an answer.

    A problem without a code of the protocol gets `temporarily_unavailable` for the statuses 429 and 5xx, else
    `invalid_request`. The description is fault and remedy in English; a character that it may not have (RFC 6749 §5.2)
    becomes a question mark.
    """
    is_ours = problem.status >= 500 or problem.status == 429
    otherwise = OAuthErrorCode.TEMPORARILY_UNAVAILABLE if is_ours else OAuthErrorCode.INVALID_REQUEST
    words = " ".join(part for part in (problem.detail, problem.remedy) if part)
    return {
        "error": str(problem.extra.get("error", otherwise.value)),
        "error_description": _FORBIDDEN.sub("?", words),
    }
