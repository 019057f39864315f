"""A team's logo: a picture sent as data URL is read and written anew, so that nothing but pixels is stored."""

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error

from ledgerkit.core.platform.confined.calls import CallFailedError, ConfinedCalls
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.teams.logo.picture import MAX_PIXELS, TooManyPixelsError, draw_anew
from ledgerkit.core.teams.texts import TeamsMsg
from ledgerkit.problems import Invalid

MAX_BYTES = 1 << 20
_DATA_URL = re.compile(r"data:image/(png|jpeg|webp);base64,(?P<data>[A-Za-z0-9+/=\s]+)")


async def cleaned(ctx: Context, logo: str | None) -> str | None:
    """Return a picture as PNG data URL of at most 1000 x 1000 pixels, and another string unchanged; none is fetched.

    Raises Invalid for a picture that cannot be read, above 1 MiB or above four million pixels; Unavailable when too
    many wait to be read.
    """
    if not logo or not logo.startswith("data:"):
        return logo or None
    try:
        drawn = await ctx.kernel.service(ConfinedCalls).call(draw_anew, ctx.account.id, _picture(logo))
    except CallFailedError as error:
        raise _refused(str(error)) from None
    return f"data:image/png;base64,{b64encode(drawn).decode()}"


def _picture(logo: str) -> bytes:
    """Return the bytes of a data URL. Raises Invalid."""
    data_url = _DATA_URL.fullmatch(logo.strip())
    if data_url is None:
        raise Invalid.field("logo", TeamsMsg.LOGO_NOT_A_DATA_URL)
    try:
        picture = b64decode(data_url["data"], validate=False)
    except Base64Error:
        raise Invalid.field("logo", TeamsMsg.LOGO_NOT_BASE64) from None
    if len(picture) > MAX_BYTES:
        raise Invalid.field("logo", TeamsMsg.LOGO_TOO_LARGE, remedy=TeamsMsg.USE_A_SMALLER_PICTURE)
    return picture


def _refused(reason: str) -> Invalid:
    if reason == TooManyPixelsError.__name__:
        return Invalid.field(
            "logo", TeamsMsg.LOGO_TOO_MANY_PIXELS, remedy=TeamsMsg.USE_A_SMALLER_PICTURE, max_pixels=MAX_PIXELS
        )
    return Invalid.field("logo", TeamsMsg.LOGO_UNREADABLE)
