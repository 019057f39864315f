"""A question to the model server, which shows whether it answers and reads pictures."""

from decimal import Decimal
from io import BytesIO
from time import monotonic

from PIL import Image, ImageDraw, ImageFont
from pydantic import BaseModel

from ledgerkit.core.platform.ai.api import ModelProblem, ModelTried
from ledgerkit.core.platform.ai.model import ModelClient, ModelFailure, not_configured
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Problem

AMOUNT = Decimal("48.37")
"""Amount in the picture, which no model can guess."""


class Probe(BaseModel):
    total: Decimal | None = None


@operation(Permission.TEAM_WRITE, unit=Unit.OWN, effects=Effect.READ_ONLY | Effect.OPEN_WORLD)
async def ask_model(ctx: Context) -> ModelTried:
    """Let the model read an amount in a drawn picture. That costs no AI action. A failure is part of the answer."""
    client = ctx.kernel.service(ModelClient)
    if not client.configured:
        return _tried(ctx, None, problem=not_configured())
    begun_at = monotonic()
    try:
        sees = await reads_images(client)
    except ModelFailure as failure:
        return _tried(ctx, client.engine, milliseconds=_since(begun_at), problem=failure.problem())
    return _tried(ctx, client.engine, milliseconds=_since(begun_at), sees=sees)


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


def _since(begun_at: float) -> int:
    return round(1000 * (monotonic() - begun_at))


def _tried(
    ctx: Context,
    model: str | None,
    *,
    milliseconds: int = 0,
    sees: bool | None = None,
    problem: Problem | None = None,
) -> ModelTried:
    return ModelTried(
        ok=problem is None,
        model=model,
        reads_images=sees,
        milliseconds=milliseconds,
        problem=problem and _shown(problem, ctx.request_metadata.language),
    )


def _shown(problem: Problem, language: str) -> ModelProblem:
    wording = problem.text.wording(language)
    return ModelProblem(code=problem.code, message=wording.message, remedy=wording.remedy or None)
