"""Failures of a model server, and the problems that callers are told of them."""

from enum import StrEnum

from ledgerkit.problems import Problem


class FailureKind(StrEnum):
    """Kind of a failure of the model server.

    BUSY (429, 503, or all places for calls taken here) passes by itself, as TIMEOUT, UNREACHABLE and SERVER_ERROR may;
    CREDENTIALS, ADDRESS (no such path or model), TLS and REFUSED (any other 4xx) are the operator's to mend; UNREADABLE
    is an answer without the data asked for, also after it was asked to repair it, or one that is too long.
    """

    BUSY = "busy"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    SERVER_ERROR = "server-error"
    CREDENTIALS = "credentials"
    ADDRESS = "address"
    TLS = "tls"
    REFUSED = "refused"
    UNREADABLE = "unreadable"


class ModelFailure(Exception):  # noqa: N818 - a failure of the server, as mail and transport have theirs
    """The model server gave no usable answer; `retry_after` in seconds, where a later attempt may succeed."""

    def __init__(self, kind: FailureKind, detail: str, retry_after: int | None = None) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.retry_after = retry_after

    def problem(self) -> Problem:
        """Return the problem for the caller: Unavailable (AI_BUSY, with Retry-After) or BadGateway (AI_FAILED)."""
        raise NotImplementedError
