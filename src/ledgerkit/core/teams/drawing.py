"""Draw a picture anew, so that nothing but its pixels is kept: a confined call, since pictures can be made to explode.

Nothing but what this needs is imported here: the process begins with it.
"""

from io import BytesIO

from PIL import Image

MAX_PIXELS = 4_000_000
MAX_SIDE = 1000


class TooManyPixelsError(Exception):
    """More than MAX_PIXELS."""


def draw_anew(raw: bytes) -> bytes:
    """The first picture of a PNG, JPEG or WebP, as PNG of at most MAX_SIDE pixels either way.

    Raises TooManyPixelsError before anything of it is decoded, and whatever Pillow raises for what it cannot read.
    """
    Image.MAX_IMAGE_PIXELS = None  # ours is lower
    with Image.open(BytesIO(raw), formats=["PNG", "JPEG", "WEBP"]) as picture:
        if picture.width * picture.height > MAX_PIXELS:
            raise TooManyPixelsError
        drawn = picture.convert("RGBA")
    drawn.info.clear()  # colour profiles and the like would be kept as they came
    drawn.thumbnail((MAX_SIDE, MAX_SIDE))
    out = BytesIO()
    drawn.save(out, "PNG", optimize=True)
    return out.getvalue()
