"""Pages of a document as pictures of bounded size, drawn in a confined process."""

from io import BytesIO

from PIL import Image, ImageOps

from ledgerkit.core.confined.calls import CallFailedError, ConfinedCalls
from ledgerkit.core.intake.messages import IntakeMsg
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Invalid

MAX_PIXELS = 40_000_000
MAX_SIDE = 1600


async def pages_of(ctx: Context, field: str, content: bytes) -> list[bytes]:
    """Return the pages as PNG. Raises Invalid naming `field`."""
    try:
        return [await ctx.kernel.service(ConfinedCalls).call(draw_page, ctx.account.id, content)]
    except CallFailedError:
        raise Invalid.field(field, IntakeMsg.UNREADABLE) from None


def draw_page(raw: bytes) -> bytes:
    """Return a picture, upright, as PNG."""
    with Image.open(BytesIO(raw), formats=["PNG", "JPEG", "WEBP", "GIF"]) as picture:
        if picture.width * picture.height > MAX_PIXELS:
            raise ValueError
        drawn = ImageOps.exif_transpose(picture).convert("RGB")
    drawn.thumbnail((MAX_SIDE, MAX_SIDE))
    buffer = BytesIO()
    drawn.save(buffer, "PNG")
    return buffer.getvalue()
