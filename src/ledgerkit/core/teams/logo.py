"""A team's logo: a picture given as data URL is read and written anew, so that nothing but pixels is kept."""

import asyncio
import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from io import BytesIO

from PIL import Image, UnidentifiedImageError

from ledgerkit.problems import Invalid, bilingual_field

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
        raise _refused(
            "must be a base64 data URL of image/png, image/jpeg or image/webp",
            "debe ser una URL de datos en base64 de image/png, image/jpeg o image/webp",
        )
    return await asyncio.to_thread(_drawn_anew, found["data"])


def _drawn_anew(data: str) -> str:
    try:
        raw = b64decode(data, validate=False)
    except Base64Error:
        raise _refused("is not base64", "no es base64") from None
    if len(raw) > MAX_BYTES:
        raise _refused("is larger than 1 MiB", "ocupa más de 1 MiB")
    try:
        with Image.open(BytesIO(raw), formats=["PNG", "JPEG", "WEBP"]) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                raise _refused("has more than four million pixels", "tiene más de cuatro millones de píxeles")
            drawn = picture.convert("RGBA")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        raise _refused(
            "is not a readable PNG, JPEG or WebP picture", "no es una imagen PNG, JPEG o WebP que se pueda leer"
        ) from None
    drawn.thumbnail((MAX_SIDE, MAX_SIDE))
    out = BytesIO()
    drawn.save(out, "PNG", optimize=True)
    return f"data:image/png;base64,{b64encode(out.getvalue()).decode()}"


def _refused(english: str, spanish: str) -> Invalid:
    remedy = "Use a PNG, JPEG or WebP picture of at most 1 MiB and four million pixels."
    remedio = "Usa una imagen PNG, JPEG o WebP de 1 MiB y cuatro millones de píxeles como máximo."
    return bilingual_field("logo", (english, remedy), (spanish, remedio))
