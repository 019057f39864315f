"""Names of files that can be shown, stored and sent in a header."""

import re
import unicodedata

from ledgerkit.core.platform.attachments.files.media_types import SUFFIXES

MAX_LENGTH = 120
"""Longest name in characters, its ending included."""

_FOLDERS = re.compile(r"[/\\]")
_RESERVED = re.compile(r'[<>:"|?*;%]')


def cleaned(name: str, media_type: str) -> str:
    """Return the last part of a path, without control, bidirectional and reserved characters.

    It ends as its media type does, so that no program takes it for something else, and never begins with a dot.
    """
    last = _FOLDERS.split(unicodedata.normalize("NFC", name))[-1]
    printable = "".join(character for character in last if unicodedata.category(character)[0] != "C")
    plain = " ".join(_RESERVED.sub("_", printable).split()).rstrip(". ")
    suffixes = SUFFIXES[media_type]
    ending = next((suffix for suffix in suffixes if plain.lower().endswith(suffix)), None)
    stem = (plain if ending is None else plain[: -len(ending)]).strip(". ") or "file"
    shown_ending = suffixes[0] if ending is None else plain[-len(ending) :]
    return stem[: MAX_LENGTH - len(shown_ending)].strip(". ") + shown_ending
