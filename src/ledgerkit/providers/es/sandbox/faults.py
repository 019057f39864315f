"""Faults on demand: queued by tests with `Faults`, or asked for by the text of a record.

A record of which the DescripcionOperacion contains a marker makes the authority behave so, through the real
product, without access to the sandbox itself:

- `[sandbox:reject 1124]`: this record is refused with the code;
- `[sandbox:warn 2001]`: this record is accepted with errors, with the code;
- `[sandbox:fault 4102]`: the whole message is answered with a SOAP fault, always;
- `[sandbox:wait 120]`: the answer asks for this pause, in seconds, before the next message;
- `[sandbox:delay 8]`: the answer comes this many seconds late (at most 300), when the record is first seen;
- `[sandbox:lost]`: the record is judged and stored, and the connection closed without an answer, when first seen;
- `[sandbox:taken 605000]`: other software has reported a document under the record's number, of so many cents; for the
  first such record of an issuer.

`delay` and `lost` act once per record, so that a second attempt succeeds (or finds the duplicate).
"""

import re
from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock

_MARKER = re.compile(r"\[sandbox:(reject|warn|fault|wait|delay|taken) ([0-9]{1,9})\]|\[sandbox:(lost)\]")
MAX_DELAY = 300


class Spoil(StrEnum):
    """Ways in which the answer to a processed message is lost or damaged. RESET: the connection is reset instead.

    CUT: the connection is reset in the middle of the answer. TYPE: its content type is that of a picture. DTD: it has a
    document type of its own, with an entity.
    """

    LOST = "lost"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    GARBAGE = "garbage"
    DRIP = "drip"
    RESET = "reset"
    CUT = "cut"
    TYPE = "type"
    DTD = "dtd"


@dataclass(frozen=True, kw_only=True)
class HttpAnswer:
    """An answer that comes instead of the authority's: the message is not even looked at."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Faults of one message; the parts may be combined.

    `soap_code`: a SOAP fault, nothing stored. `http`: this answer, nothing stored. `close_before_reading`: the
    connection is cut when the request has just begun. `reject` and `warn`: every record of the message gets this code.
    `wait_seconds`: what the answer asks for. `delay_seconds`: between storing and answering; for DRIP, the time
    over which the answer is spread. `spoil`: what becomes of the answer once the records are stored.
    """

    soap_code: int | None = None
    http: HttpAnswer | None = None
    close_before_reading: bool = False
    reject: int | None = None
    warn: int | None = None
    wait_seconds: int | None = None
    delay_seconds: float = 0
    spoil: Spoil | None = None


TOO_MANY_REQUESTS = Fault(http=HttpAnswer(status=429, headers=(("Retry-After", "60"),)))
SERVER_ERROR = Fault(http=HttpAnswer(status=500, headers=(("Content-Type", "text/plain"),), body=b"Internal error"))
REDIRECT = Fault(http=HttpAnswer(status=302, headers=(("Location", "/wlpl/error/certificado.html"),)))
HTML_PAGE = Fault(
    http=HttpAnswer(
        status=200,
        headers=(("Content-Type", "text/html; charset=utf-8"),),
        body=b"<!DOCTYPE html><html><head><title>Aviso</title></head><body>Servicio no disponible</body></html>",
    )
)
CLOSE_BEFORE_READING = Fault(close_before_reading=True)
LOST_ANSWER = Fault(spoil=Spoil.LOST)


class Faults:
    """A queue of faults; each message takes the first. Safe to fill from any thread or task at any time."""

    def __init__(self) -> None:
        self._queue: deque[Fault] = deque()
        self._lock = Lock()

    def add(self, fault: Fault, times: int = 1) -> None:
        """The next `times` messages not yet spoken for suffer this fault."""
        with self._lock:
            self._queue.extend([fault] * times)

    def take(self, start: bytes) -> Fault:  # noqa: ARG002 - for those who choose by who sends
        """The fault of the message that begins with `start`; one without effect when none is queued."""
        with self._lock:
            return self._queue.popleft() if self._queue else Fault()

    def clear(self) -> None:
        with self._lock:
            self._queue.clear()

    def __len__(self) -> int:
        with self._lock:
            return len(self._queue)


def markers(description: str) -> dict[str, int]:
    """The markers in a description, by name; `lost` has the value 1. Of equal ones the last counts."""
    marks = {match[1] or match[3]: int(match[2] or 1) for match in _MARKER.finditer(description)}
    if "delay" in marks:
        marks["delay"] = min(marks["delay"], MAX_DELAY)
    return marks
