"""Recognition of characters without a network, where it is installed and the country has rules to read with."""

from collections.abc import Sequence

from ledgerkit.core.platform.confined.lanes import BusyError, CannotStartError
from ledgerkit.core.platform.confined.process import ProcessDiedError, TimeLimitError
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.reading.ocr.recogniser import Recogniser, UnreadablePageError
from ledgerkit.core.purchases.reading.texts import IntakeMsg
from ledgerkit.problems import BadGateway, Code, Unavailable
from ledgerkit.providers.api import DocumentReader, TextLine

ENGINE = "rapidocr"

_BUSY_SECONDS = 10


def reader(ctx: Context) -> DocumentReader | None:
    """Return the country's rules for the lines that are recognised; None where nothing is installed."""
    return ctx.country.readings if ctx.country and ctx.kernel.service(Recogniser).installed() else None


async def lines(ctx: Context, pages: Sequence[bytes]) -> list[TextLine]:
    """Return the lines of text on the pages. Raises Unavailable SERVER_BUSY, BadGateway AI_FAILED."""
    recogniser = ctx.kernel.service(Recogniser)
    recognised: list[TextLine] = []
    try:
        for number, page in enumerate(pages):
            recognised += await recogniser.lines(ctx.account.id, page, number)
    except BusyError:
        headers = {"Retry-After": str(_BUSY_SECONDS)}
        raise Unavailable(IntakeMsg.RECOGNITION_BUSY, code=Code.SERVER_BUSY, headers=headers) from None
    except (UnreadablePageError, TimeLimitError, ProcessDiedError, CannotStartError):
        raise BadGateway(IntakeMsg.RECOGNITION_FAILED, code=Code.AI_FAILED) from None
    return recognised
