"""Reading of one message as an invoice: each part takes its words, and what is left describes the lines."""

from collections.abc import Iterator
from datetime import date

from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.names import Mention
from ledgerkit.core.messaging.language.patterns import Phrases, Span


class DraftReading:
    """A message and which of its words are still free."""

    def __init__(self, message: ChatMessage, today: date) -> None:
        self.message = message
        self.today = today
        self.free = [bool(word) or place in message.named for place, word in enumerate(message.line)]
        self._passed = {place for place, word in enumerate(message.line) if not word and place not in message.named}
        self.take(Span(0, message.start))

    def take(self, span: Span | Mention) -> None:
        for place in range(span.start, min(span.end, len(self.free))):
            self.free[place] = False

    def is_free(self, span: Span | Mention) -> bool:
        return all(self.free[place] or place in self._passed for place in range(span.start, span.end))

    def spans(self, phrases: Phrases) -> Iterator[Span]:
        """Yield the phrases of a list whose words are all free."""
        return (span for span in self.message.spans(phrases) if self.is_free(span))

    def takes(self, phrases: Phrases) -> bool:
        """Take the words of all phrases of a list that are free; return whether there were any."""
        spans = list(self.spans(phrases))
        for span in spans:
            self.take(span)
        return bool(spans)

    def plain(self, place: int) -> str:
        """Return a plain word, empty outside of the message."""
        return self.message.words[place].plain if 0 <= place < len(self.message.words) else ""
