"""Test of a model server: a picture with an amount, which a model that sees reads without fault."""

from decimal import Decimal
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont
from pydantic import BaseModel

from ledgerkit.core.platform.ai.model.client import ModelClient

AMOUNT = Decimal("48.37")
"""Amount in the picture; nobody guesses it."""


class Probe(BaseModel):
    total: Decimal | None = None


async def reads_images(client: ModelClient) -> bool:
    """Return True when the model reads the amount in a picture. Raises ModelFailure."""
    result = await client.extract(Probe, instructions="Read the total of this receipt.", images=[sample_picture()])
    return result.value.total == AMOUNT


def sample_picture() -> bytes:
    """Return a PNG with the amount, drawn with the font that Pillow brings."""
    image = Image.new("RGB", (480, 160), "white")
    ImageDraw.Draw(image).text((40, 50), f"TOTAL  {AMOUNT}", fill="black", font=ImageFont.load_default(size=48))
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()
