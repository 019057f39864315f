"""Files by their content, without what they tell of the place and the telephone where they were made."""

import io
import struct
from dataclasses import dataclass

from PIL import Image

_JPEG, _PNG, _PDF, _RIFF, _WEBP = b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"%PDF-", b"RIFF", b"WEBP"
_ORIENTATION = 0x0112
_APP1, _APP13, _COMMENT, _SCAN = 0xE1, 0xED, 0xFE, 0xDA
_PNG_METADATA = frozenset({b"eXIf", b"tEXt", b"iTXt", b"zTXt", b"tIME"})
_WEBP_METADATA = frozenset({b"EXIF", b"XMP "})
_WEBP_FLAGS = ~0x0C
"""Bits of the header of WebP but for those that announce EXIF and XMP."""


@dataclass(frozen=True)
class Picture:
    media_type: str
    content: bytes


def without_metadata(content: bytes) -> Picture | None:
    """Return a picture without EXIF, XMP and comments, or a PDF as it is; None for any other content.

    Pixels stay as they are, and a JPEG keeps its orientation. Sources: JPEG ITU-T T.81 annex B, PNG (third edition) 11,
    WebP RFC 9649 §2.
    """
    try:
        if content.startswith(_JPEG):
            return Picture("image/jpeg", _jpeg(content))
        if content.startswith(_PNG):
            return Picture("image/png", _png(content))
        if content[:4] == _RIFF and content[8:12] == _WEBP:
            return Picture("image/webp", _webp(content))
    except (struct.error, IndexError):
        return None
    return Picture("application/pdf", content) if content.startswith(_PDF) else None


def _jpeg(content: bytes) -> bytes:
    """Drop the segments APP1, APP13 and comments before the first scan, and put back the orientation alone."""
    parts, place = [content[:2], _orientation(content)], 2
    while content[place] == 0xFF and content[place + 1] != _SCAN:
        (length,) = struct.unpack_from(">H", content, place + 2)
        end = place + 2 + length
        if content[place + 1] not in {_APP1, _APP13, _COMMENT}:
            parts.append(content[place:end])
        place = end
    return b"".join([*parts, content[place:]])


def _orientation(content: bytes) -> bytes:
    """Return a segment APP1 with the orientation of a JPEG; nothing where it is upright, or does not say."""
    try:
        with Image.open(io.BytesIO(content)) as image:
            orientation = image.getexif().get(_ORIENTATION, 1)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return b""
    if orientation not in range(2, 9):
        return b""
    exif = Image.Exif()
    exif[_ORIENTATION] = orientation
    data = exif.tobytes()
    return b"\xff\xe1" + struct.pack(">H", len(data) + 2) + data


def _png(content: bytes) -> bytes:
    parts, place = [content[:8]], 8
    while place < len(content):
        (length,) = struct.unpack_from(">I", content, place)
        end = place + 12 + length
        if content[place + 4 : place + 8] not in _PNG_METADATA:
            parts.append(content[place:end])
        place = end
    return b"".join(parts)


def _webp(content: bytes) -> bytes:
    parts, place = [], 12
    while place + 8 <= len(content):
        name = content[place : place + 4]
        (length,) = struct.unpack_from("<I", content, place + 4)
        end = place + 8 + length + length % 2
        chunk = content[place:end]
        if name == b"VP8X":
            chunk = chunk[:8] + bytes([chunk[8] & _WEBP_FLAGS]) + chunk[9:]
        if name not in _WEBP_METADATA:
            parts.append(chunk)
        place = end
    body = b"".join(parts)
    return _RIFF + struct.pack("<I", len(body) + 4) + _WEBP + body
