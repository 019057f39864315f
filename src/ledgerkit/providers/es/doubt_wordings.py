"""Doubts in their two wordings: for programs, and for people at a screen."""

from ledgerkit.providers.api import TaxDoubt
from ledgerkit.providers.es.messages import ScreenMsg, SpainMsg
from ledgerkit.texts import text


def doubt(code: str, message: SpainMsg, **values: str) -> TaxDoubt:
    """Return a doubt; both wordings are filled with the values."""
    words = ScreenMsg(f"screen.{message.partition('.')[2]}")
    return TaxDoubt(code, text(message, **values), text(words, **values))
