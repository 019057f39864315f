"""A team's logo: a picture given as data URL is read and written anew, so that nothing but pixels is kept."""

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error

from ledgerkit.core.confined.calls import CallFailedError, ConfinedCalls
from ledgerkit.core.request.context import Context
from ledgerkit.core.teams.drawing import MAX_PIXELS, TooManyPixelsError, draw_anew
from ledgerkit.problems import Invalid, Words, bilingual_field

MAX_BYTES = 1 << 20
_DATA_URL = re.compile(r"data:image/(png|jpeg|webp);base64,(?P<data>[A-Za-z0-9+/=\s]+)")
_SMALLER, _MENOR = "Use a smaller picture.", "Usa una imagen más pequeña."


async def cleaned(ctx: Context, logo: str | None) -> str | None:
    """A PNG data URL of at most 1000 x 1000 pixels. Another string is kept as it is and never fetched.

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
    found = _DATA_URL.fullmatch(logo.strip())
    if found is None:
        raise _wrong(
            ("must be a base64 data URL of image/png, image/jpeg or image/webp", "Send a picture of these kinds."),
            ("debe ser una data URL en base64 de image/png, image/jpeg o image/webp", "Envía una de estas imágenes."),
        )
    try:
        raw = b64decode(found["data"], validate=False)
    except Base64Error:
        raise _wrong(
            ("is not base64", "Encode the picture anew."), ("no es base64", "Codifica la imagen otra vez.")
        ) from None
    if len(raw) > MAX_BYTES:
        raise _wrong(("is larger than 1 MiB", _SMALLER), ("ocupa más de 1 MiB", _MENOR))
    return raw


def _refused(reason: str) -> Invalid:
    if reason == TooManyPixelsError.__name__:
        return _wrong((f"has more than {MAX_PIXELS} pixels", _SMALLER), (f"tiene más de {MAX_PIXELS} píxeles", _MENOR))
    return _wrong(
        ("is not a readable PNG, JPEG or WebP picture", "Save it anew with another program, and send that."),
        ("no es una imagen PNG, JPEG o WebP legible", "Guárdala de nuevo con otro programa y envía esa."),
    )


def _wrong(english: Words, spanish: Words) -> Invalid:
    return bilingual_field("logo", english, spanish)
