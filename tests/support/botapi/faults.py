"""Faults that a test plants: how the next calls of a method, or the next downloads, go wrong."""

from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from typing import Any


class Kind(Enum):
    """Way in which a call goes wrong.

    REFUSED and CUT do nothing, LOST does what it was asked for and does not say so, HALF breaks off in the middle of
    the body. DUPLICATED and REVERSED are right but for the updates in them.
    """

    REFUSED = "refused"
    HANGS = "hangs"
    CUT = "cut"
    LOST = "lost"
    HALF = "half"
    GARBLED = "garbled"
    HUGE = "huge"
    REDIRECTED = "redirected"
    ANSWERED = "answered"
    DUPLICATED = "duplicated"
    REVERSED = "reversed"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault of one call; code, description and parameters are those of an answer that refuses."""

    kind: Kind = Kind.REFUSED
    code: int = 0
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    result: Any = None


class ApiError(Exception):
    """Refusal of a call, in the form of the Bot API."""

    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.code = code
        self.body = {"ok": False, "error_code": code, "description": description}
        if parameters:
            self.body["parameters"] = parameters


def bad_request(description: str) -> ApiError:
    return ApiError(400, f"Bad Request: {description}")


def busy(retry_after: float | None = 3) -> Fault:
    """429, with the seconds to wait."""
    parameters = {} if retry_after is None else {"retry_after": retry_after}
    return Fault(code=429, description=f"Too Many Requests: retry after {retry_after}", parameters=parameters)


def fails(code: int, description: str | None = None) -> Fault:
    """An answer with this code: `fails(500)`, `fails(400, "Bad Request: chat not found")`."""
    return Fault(code=code, description=description or HTTPStatus(code).phrase)


def redirects() -> Fault:
    """A redirect to the same address, as a web server before a Bot API may give it; it repeats the token."""
    return Fault(kind=Kind.REDIRECTED, code=301)


def answers(result: Any) -> Fault:
    """A result of the test's own, of another form than it should have; nothing is done."""
    return Fault(kind=Kind.ANSWERED, result=result)


HANGS = Fault(kind=Kind.HANGS)
"""Silence until the server ends or the caller goes."""
CUT = Fault(kind=Kind.CUT)
LOST = Fault(kind=Kind.LOST)
HALF = Fault(kind=Kind.HALF)
GARBLED = Fault(kind=Kind.GARBLED)
HUGE = Fault(kind=Kind.HUGE)
"""A well-formed answer of 9 MiB."""
DUPLICATED = Fault(kind=Kind.DUPLICATED)
"""Every update twice, in one answer."""
REVERSED = Fault(kind=Kind.REVERSED)
"""Updates in the opposite order."""
OTHER_POLLER = fails(
    409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
)
