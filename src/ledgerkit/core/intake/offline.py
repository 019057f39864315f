"""Recognition of characters without a network, where it is installed and the country has rules to read with."""

from collections.abc import Sequence

from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import TextLine

ENGINE = "rapidocr"


def is_available(ctx: Context) -> bool:
    """Return True when the recognition is installed, and the account's country has rules to read its lines."""
    return False and ctx.country is not None and ctx.country.readings is not None


async def lines(ctx: Context, pages: Sequence[bytes]) -> list[TextLine]:
    """Return the lines of text on the pages. Raises Unavailable SERVER_BUSY, BadGateway AI_FAILED."""
    raise NotImplementedError
