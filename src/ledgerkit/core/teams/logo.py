"""A team's logo: a picture given as data URL is read and written anew, so that nothing but pixels is kept."""

import asyncio
import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from io import BytesIO

from PIL import Image, UnidentifiedImageError

from ledgerkit.problems import Invalid

MAX_BYTES = 1 << 20
MAX_PIXELS = 4_000_000
MAX_SIDE = 1000
_DATA_URL = re.compile(r"data:image/(png|jpeg|webp);base64,(?P<data>[A-Za-z0-9+/=\s]+)")


async def cleaned(logo: str | None) -> str | None:
    """A PNG data URL of at most 1000 x 1000 pixels. Another string is kept as it is and never fetched.

    Raises Invalid for a picture that cannot be read, above 1 MiB or above four million pixels.
    """
    if not logo or not logo.startswith("data:"):
        return logo or None
    found = _DATA_URL.fullmatch(logo.strip())
    if found is None:
        raise Invalid.field("logo", "must be a base64 data URL of image/png, image/jpeg or image/webp")
    return await asyncio.to_thread(_drawn_anew, found["data"])


def _drawn_anew(data: str) -> str:
    try:
        raw = b64decode(data, validate=False)
    except Base64Error:
        raise Invalid.field("logo", "is not base64") from None
    if len(raw) > MAX_BYTES:
        raise Invalid.field("logo", "is larger than 1 MiB", remedy="Use a smaller picture.")
    try:
        with Image.open(BytesIO(raw), formats=["PNG", "JPEG", "WEBP"]) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                raise Invalid.field("logo", "has more than four million pixels", remedy="Use a smaller picture.")
            drawn = picture.convert("RGBA")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        raise Invalid.field("logo", "is not a readable PNG, JPEG or WebP picture") from None
    drawn.thumbnail((MAX_SIDE, MAX_SIDE))
    out = BytesIO()
    drawn.save(out, "PNG", optimize=True)
    return f"data:image/png;base64,{b64encode(out.getvalue()).decode()}"
