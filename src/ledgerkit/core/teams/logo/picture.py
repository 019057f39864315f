"""Draw a picture anew, so that nothing but its pixels is stored; a confined call, since a picture can be an attack.

This module imports as little as it can, because the confined process loads it first.
"""

from io import BytesIO

from PIL import Image

MAX_PIXELS = 4_000_000
MAX_SIDE = 1000


class TooManyPixelsError(Exception):
    """Raised for a picture with more than MAX_PIXELS."""


def draw_anew(raw: bytes) -> bytes:
    """Return the first picture of a PNG, JPEG or WebP file as a PNG of at most MAX_SIDE pixels on each side.

    Raises TooManyPixelsError before anything is decoded, and Pillow's errors for a file that it cannot read.
    """
    Image.MAX_IMAGE_PIXELS = None  # MAX_PIXELS is lower
    with Image.open(BytesIO(raw), formats=["PNG", "JPEG", "WEBP"]) as picture:
        if picture.width * picture.height > MAX_PIXELS:
            raise TooManyPixelsError
        drawn = picture.convert("RGBA")
    drawn.info.clear()  # colour profiles and comments would be stored unchanged
    drawn.thumbnail((MAX_SIDE, MAX_SIDE))
    buffer = BytesIO()
    drawn.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
