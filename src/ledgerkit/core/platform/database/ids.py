"""Ids of records: made in order of time, read from text, and missing."""

import hashlib
import os
import threading
import time
from datetime import datetime
from uuid import UUID

from ledgerkit.core.platform.database.texts import DatabaseMsg
from ledgerkit.problems import NotFound

_last = (0, 0)
_lock = threading.Lock()


def new_id() -> UUID:
    """A UUIDv7 (RFC 9562 §5.7): ordered by time, and within one process strictly increasing."""
    global _last  # noqa: PLW0603 - one process-wide counter keeps ids of the same millisecond in order
    with _lock:
        milliseconds = time.time_ns() // 1_000_000
        then, count = _last
        if milliseconds > then:
            count = int.from_bytes(os.urandom(2)) & 0x3FF
        else:
            milliseconds, count = (then, count + 1) if count < 0xFFF else (then + 1, 0)
        _last = (milliseconds, count)
    tail = int.from_bytes(os.urandom(8)) & (2**62 - 1)
    return UUID(int=(milliseconds << 80) | (0x7 << 76) | (count << 64) | (0b10 << 62) | tail)


def id_of(moment: datetime, source: str) -> UUID:
    """A UUIDv7 of this moment whose other bits are of the source: whoever makes it again makes the same one."""
    digest = int.from_bytes(hashlib.sha256(source.encode()).digest())
    head = (int(moment.timestamp() * 1000) << 80) | (0x7 << 76) | ((digest >> 62 & 0xFFF) << 64)
    return UUID(int=head | (0b10 << 62) | (digest & (2**62 - 1)))


def first_id_at(moment: datetime) -> UUID:
    """Return an id below all that are made from this moment on."""
    return UUID(int=max(0, int(moment.timestamp() * 1000)) << 80)


NO_ID = UUID(int=0)
"""An id that no record has."""


def as_id(value: str, what: str) -> UUID:
    """The id in `value`; a malformed one is a record that does not exist."""
    try:
        return UUID(value)
    except ValueError:
        raise missing(what, value) from None


def id_sought(value: str) -> UUID:
    """Return the id in a filter; for a malformed one an id that no record has, so that the filter finds nothing."""
    try:
        return UUID(value)
    except ValueError:
        return NO_ID


def missing(what: str, value: object) -> NotFound:
    return NotFound(DatabaseMsg.RECORD_MISSING, what=what, value=value)
