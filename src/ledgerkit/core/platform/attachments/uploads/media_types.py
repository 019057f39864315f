"""Media type of a file by its content, and a name that fits it; what the sender calls it does not count."""

import re
import unicodedata
from collections.abc import Sequence

JPEG, PNG, WEBP, GIF = "image/jpeg", "image/png", "image/webp", "image/gif"
PDF, XML, TEXT = "application/pdf", "application/xml", "text/plain"
SHOWN_INLINE = frozenset({JPEG, PNG, WEBP, GIF, PDF})
"""Types that a browser may show; all others are downloaded."""

SUFFIXES = {
    JPEG: (".jpg", ".jpeg"),
    PNG: (".png",),
    WEBP: (".webp",),
    GIF: (".gif",),
    PDF: (".pdf",),
    XML: (".xml", ".xsig"),
    TEXT: (".txt", ".csv", ".md"),
}
"""Endings of names by type; the first is added to a name that has none of them."""

_BEGINNINGS: Sequence[tuple[re.Pattern[bytes], str]] = (
    (re.compile(rb"\xff\xd8\xff"), JPEG),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), PNG),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), WEBP),
    (re.compile(rb"GIF8[79]a"), GIF),
    (re.compile(rb"%PDF-[12]\."), PDF),
)
_XML = re.compile(r"\s*<(\?xml\s|[A-Za-z_][\w.-]*:?[\w.-]*[\s/>])")
_HTML = re.compile(r"\s*<(!doctype\s+html|html|head|body|script|svg)\b", re.IGNORECASE)
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

MAX_LENGTH = 120
"""Longest name in characters, its ending included."""

_FOLDERS = re.compile(r"[/\\]")
_RESERVED = re.compile(r'[<>:"|?*;%]')


def media_type(content: bytes) -> str | None:
    """Return the media type of a content; None for one that is not accepted.

    Accepted are JPEG, PNG, WebP, GIF and PDF by their first bytes, and text in UTF-8 without control characters, which
    is XML when it begins with an element or a declaration. HTML and SVG, which can carry scripts, are not accepted.
    """
    for beginning, name in _BEGINNINGS:
        if beginning.match(content):
            return name
    try:
        decoded = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if not decoded.strip() or _NOT_TEXT.search(decoded) or _HTML.match(_without_prolog(decoded)):
        return None
    return XML if _XML.match(decoded) else TEXT


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


def _without_prolog(document: str) -> str:
    """Return a text without the XML declaration, comments and document type before its first element."""
    return re.sub(r"\A(\s+|<\?.*?\?>|<!--.*?-->|<!(?i:doctype)(?!\s+html)[^>\[]*>)+", "", document, flags=re.DOTALL)
