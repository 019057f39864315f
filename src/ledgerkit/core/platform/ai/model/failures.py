"""Failures of a model server, and the problems that callers are told of them."""

from collections.abc import Mapping
from enum import StrEnum

from ledgerkit.core.platform.ai.texts import AiMsg
from ledgerkit.problems import BadGateway, Code, Problem, Unavailable

RETRY_AFTER = 30
"""Seconds after which a caller may try again where the server names none."""
_LONGEST_RETRY_AFTER = 3600


class FailureKind(StrEnum):
    """Kind of a failure of the model server.

    BUSY (429, 503, or no free place for a call in this process) passes by itself. TIMEOUT, UNREACHABLE and SERVER_ERROR
    may pass. The operator must mend CREDENTIALS, ADDRESS (no such path or model), TLS and REFUSED (any other 4xx).
    UNREADABLE is an answer that is too long, or that lacks the requested data even after a request to repair it.
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


_PASSING: Mapping[FailureKind, AiMsg] = {
    FailureKind.BUSY: AiMsg.MODEL_BUSY,
    FailureKind.TIMEOUT: AiMsg.MODEL_TIMEOUT,
    FailureKind.UNREACHABLE: AiMsg.MODEL_UNREACHABLE,
}
_LASTING: Mapping[FailureKind, AiMsg] = {
    FailureKind.SERVER_ERROR: AiMsg.MODEL_FAILED,
    FailureKind.CREDENTIALS: AiMsg.MODEL_MISCONFIGURED,
    FailureKind.ADDRESS: AiMsg.MODEL_MISCONFIGURED,
    FailureKind.TLS: AiMsg.MODEL_MISCONFIGURED,
    FailureKind.REFUSED: AiMsg.MODEL_MISCONFIGURED,
    FailureKind.UNREADABLE: AiMsg.MODEL_UNREADABLE,
}


class ModelFailure(Exception):  # noqa: N818 - a failure of another server, none of ours
    """The model server gave no usable answer; `retry_after` in seconds, where the server named it.

    `detail` is for logs and operators: it holds no secret and no answer of the server.
    """

    def __init__(self, kind: FailureKind, detail: str, retry_after: int | None = None) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.retry_after = retry_after

    def problem(self) -> Problem:
        """Return the problem for the caller: Unavailable (AI_BUSY, with Retry-After) or BadGateway (AI_FAILED)."""
        if self.kind in _PASSING:
            headers = {"Retry-After": str(self.retry_after or RETRY_AFTER)}
            return Unavailable(_PASSING[self.kind], code=Code.AI_BUSY, headers=headers)
        return BadGateway(_LASTING[self.kind], code=Code.AI_FAILED)


def not_configured() -> Unavailable:
    """Return the problem of an installation without any engine: neither a model server nor OCR."""
    return Unavailable(AiMsg.NOT_CONFIGURED, code=Code.AI_NOT_CONFIGURED)


class RefusedError(Exception):
    """The server does not understand the form of a request (400, 422); `words` are its reasons."""

    def __init__(self, words: str) -> None:
        super().__init__("refused")
        self.words = words


class AnswerTooLongError(Exception):
    """The server sends more than an answer of this kind can be."""


def failure_of_status(status: int, retry_after: str | None) -> ModelFailure:
    """Return the failure that the status of an answer stands for, with its Retry-After."""
    detail = f"HTTP {status}"
    if status in {429, 503}:
        return ModelFailure(FailureKind.BUSY, detail, _seconds(retry_after))
    if status in {401, 403}:
        return ModelFailure(FailureKind.CREDENTIALS, detail)
    if status in {404, 405} or 300 <= status < 400:
        return ModelFailure(FailureKind.ADDRESS, detail)
    return ModelFailure(FailureKind.SERVER_ERROR if status >= 500 else FailureKind.REFUSED, detail)


def _seconds(retry_after: str | None) -> int | None:
    """Return the seconds of Retry-After, an hour at most; None where it is a date or nonsense (RFC 9110 §10.2.3)."""
    if retry_after is None or not retry_after.strip().isascii() or not retry_after.strip().isdigit():
        return None
    return max(1, min(int(retry_after), _LONGEST_RETRY_AFTER))
