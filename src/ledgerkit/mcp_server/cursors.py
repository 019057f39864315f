"""Cursors of lists: the place at which the next part of a list begins, for one list and its filters."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from struct import Struct
from zlib import crc32

from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.problems import Invalid
from ledgerkit.texts.refusals import refusal

_VERSION = 1
_FORM = Struct(">BII")
"""Version, records before the place, and a checksum of both and of the list. None of it is secret."""

_WRITTEN = re.compile("[A-Za-z0-9_-]{12}")


def cursor_at(place: int, of_list: bytes) -> str:
    """Return the cursor at which `place` records of a list have been read; `of_list` says which list it is."""
    return urlsafe_b64encode(_FORM.pack(_VERSION, place, _checksum(place, of_list))).decode()


def well_formed(cursor: str) -> str:
    """Return `cursor`. Raises PydanticCustomError where it does not have the form of one of ours."""
    if _WRITTEN.fullmatch(cursor) is None or _FORM.unpack(urlsafe_b64decode(cursor))[0] != _VERSION:
        raise refusal("cursor_invalid", McpMsg.CURSOR_UNREADABLE)
    return cursor


def place_of(cursor: str, of_list: bytes) -> int:
    """Return the records before a well-formed cursor. Raises Invalid where it is not a cursor of this list.

    Another list, or the same one with other filters, has other records before that place: some would be passed over.
    """
    _, place, checksum = _FORM.unpack(urlsafe_b64decode(cursor))
    if checksum != _checksum(place, of_list):
        raise Invalid.field("cursor", McpMsg.CURSOR_OF_ANOTHER_LIST)
    return int(place)


def _checksum(place: int, of_list: bytes) -> int:
    return crc32(of_list, crc32(place.to_bytes(4)))
