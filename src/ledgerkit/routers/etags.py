"""Entity tags as requests bring them (RFC 9110 §8.8.3, §13.1.1)."""

import re
from collections.abc import Sequence

from ledgerkit.problems import Invalid
from ledgerkit.routers.messages import RoutersMsg

_ELEMENT = re.compile(r'[ \t]*(?:(?P<weak>W/)?"(?P<tag>[\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)')
"""One element of a list, an empty one too."""


def strong_tags(lines: Sequence[str]) -> frozenset[str] | None:
    """Opaque tags of If-Match, of which one must be the record's; None for no condition: no header, or `*`.

    A weak tag matches nothing here: the comparison is strong (§8.8.3.2). Raises Invalid for what is no list of tags.
    """
    value = ",".join(lines).strip(" \t")
    if not lines or value == "*":
        return None
    tags, place = [], 0
    while place < len(value):
        element = _ELEMENT.match(value, place)
        if element is None:
            raise _malformed()
        tags.append((element["tag"], element["weak"]))
        place = element.end()
    if all(tag is None for tag, _ in tags):
        raise _malformed()
    return frozenset(tag for tag, weak in tags if tag is not None and weak is None)


def _malformed() -> Invalid:
    return Invalid.field("If-Match", RoutersMsg.IF_MATCH_UNUSABLE)
