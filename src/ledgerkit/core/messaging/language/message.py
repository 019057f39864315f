"""A message as the grammar reads it: its words as they were meant, its language, and the names in it."""

from collections.abc import Sequence
from functools import cached_property

from ledgerkit.core.messaging.language.amounts import Amount, amount_at
from ledgerkit.core.messaging.language.dates import day_at
from ledgerkit.core.messaging.language.invoice_numbers import InvoiceNumber, invoice_number_at
from ledgerkit.core.messaging.language.names import Mention, Named, Names
from ledgerkit.core.messaging.language.patterns import INNER, NAME, Phrases, Span
from ledgerkit.core.messaging.language.spelling import in_full, language_of, meant
from ledgerkit.core.messaging.language.vocabulary import Vocabulary
from ledgerkit.core.messaging.language.words import Word, normal, words_of, written

_VOCABULARY = Vocabulary("common")
_OPENERS = _VOCABULARY.phrases("openers")
_COURTESIES = _VOCABULARY.phrases("courtesies")
_ASKING = _VOCABULARY.phrases("asking")
_ASKING_ANYWHERE = _VOCABULARY.phrases("asking_anywhere")
_ASKING_AT_THE_END = _VOCABULARY.phrases("asking_at_the_end")
_INTERROGATIVES = _VOCABULARY.words("interrogatives")
_AMOUNTS = Vocabulary("amounts")
_ARTICLES = _AMOUNTS.words("articles")
_NO_MONEY = _AMOUNTS.words("no_money")
_NO_MONEY_AFTER = _AMOUNTS.words("no_money_after")
_BEFORE_A_PRICE = frozenset({"a", "at", "x", "@"})
_QUARTERS = frozenset({"trimestre", "q", "t", "quarter"})
_YEARS = range(1900, 2100)
_SPOKEN_YEARS = range(2015, 2036)
_WISHES = _VOCABULARY.phrases("polite_wishes")


class ChatMessage:
    """A message and the clients that it mentions; `default_language` counts where its words do not tell."""

    def __init__(self, text: str, clients: Names, default_language: str) -> None:
        self.text = normal(text)
        as_written = words_of(self.text)
        self.language = language_of(as_written, default_language)
        whole = in_full(as_written, self.language)
        self.mentions: Sequence[Mention] = clients.mentions(whole)
        named = _places(self.mentions)
        # The words of a name tell no language.
        language = language_of([word for place, word in enumerate(whole) if place not in named], default_language)
        if language != self.language:
            self.language = language
            whole = in_full(as_written, language)
            self.mentions = clients.mentions(whole)
            named = _places(self.mentions)
        self.named = frozenset(named)
        """Places of the words that belong to names."""
        self.words: Sequence[Word] = [
            word if place in named else meant(whole, place, self.language) for place, word in enumerate(whole)
        ]
        self.line = [INNER if place in named else word.plain for place, word in enumerate(self.words)]
        """Words for patterns: a name is one word."""
        for mention in self.mentions:
            self.line[mention.start] = NAME
        for span in list(_COURTESIES.spans(self.line)):
            self.line[span.start : span.end] = [INNER] * (span.end - span.start)
        self._spans: dict[Phrases, Sequence[Span]] = {}

    def says(self, phrases: Phrases) -> bool:
        return bool(self.spans(phrases))

    def spans(self, phrases: Phrases) -> Sequence[Span]:
        """Return the words of each phrase of a list, for which they are looked through once."""
        if phrases not in self._spans:
            self._spans[phrases] = list(phrases.spans(self.line))
        return self._spans[phrases]

    def begins(self, phrases: Phrases) -> Span | None:
        """Return the words of a phrase with which the message begins, after a greeting and such."""
        end = phrases.end_at(self.line, self.start)
        return None if end is None else Span(self.start, end)

    @cached_property
    def start(self) -> int:
        """Place of the first word after a greeting, a courtesy or another opening."""
        place = next((place for place, word in enumerate(self.line) if word), len(self.line))
        while (end := _OPENERS.end_at(self.line, place)) is not None and end < len(self.line):
            place = end
        return place

    @cached_property
    def is_question(self) -> bool:
        """True where something is asked, with or without its mark; a wish in the form of a question is none."""
        if self.is_wish:
            return False
        ends = any(span.end >= len(self.line) - 1 for span in self.spans(_ASKING_AT_THE_END))
        return self.has_question_mark or self.asks_at_once or ends or self.says(_ASKING_ANYWHERE)

    @cached_property
    def asks_at_once(self) -> bool:
        """True where the message begins with a question."""
        return self.begins(_ASKING) is not None or self._begins_with_interrogative

    @property
    def has_question_mark(self) -> bool:
        return "?" in self.line or "¿" in self.line

    @property
    def is_wish(self) -> bool:
        """True for `can you make`, `podrías hacer` and such."""
        return self.says(_WISHES)

    @property
    def _begins_with_interrogative(self) -> bool:
        """True where the first word carries the accent of a Spanish interrogative, as in `qué debo`."""
        return self.start < len(self.words) and self.words[self.start].text.casefold() in _INTERROGATIVES

    @cached_property
    def client(self) -> Named | None:
        """The first client of whom the message leaves no doubt; None where it mentions none."""
        return next((mention.named[0] for mention in self.mentions if len(mention.named) == 1), None)

    @cached_property
    def money(self) -> Sequence[Amount]:
        """Amounts of money, beside names, days, rates and numbers of invoices."""
        amounts: list[Amount] = []
        place = 0
        while place < len(self.words):
            end = self._end_of_other(place)
            amount = None if end is not None else amount_at(self.words, place, self.language)
            if amount is not None and self._is_money(amount):
                amounts.append(amount)
            place = end or (place + 1 if amount is None else amount.end)
        return amounts

    def _end_of_other(self, place: int) -> int | None:
        """Return the place after a name, the number of an invoice or a day; None where none of them begins."""
        if place in self.named:
            return place + 1
        number = invoice_number_at(self.words, place) or day_at(self.words, place, self.language)
        return None if number is None else number.end

    def _is_money(self, amount: Amount) -> bool:
        if amount.has_currency:
            return True
        if amount.end - amount.start == 1 and self.words[amount.start].plain in _ARTICLES:
            return False
        following = self.words[amount.end].plain if amount.end < len(self.words) else ""
        before = self.words[amount.start - 1].plain if amount.start else ""
        is_beside_other = following in _NO_MONEY or before in _NO_MONEY_AFTER
        is_beside_other = is_beside_other or (before in _QUARTERS and amount.value in range(1, 5))
        return not is_beside_other and (amount.value not in _YEARS or self._is_price(amount))

    def _is_price(self, amount: Amount) -> bool:
        """Return True for a number that may be a year, and is a price: `a 2000`, `dos mil`."""
        before = self.words[amount.start - 1].plain if amount.start else ""
        is_spoken_year = amount.is_spelt and amount.value in _SPOKEN_YEARS
        is_written = amount.is_spelt or not self.words[amount.start].plain.isdigit()
        return before in _BEFORE_A_PRICE or (is_written and not is_spoken_year)

    @cached_property
    def invoice_numbers(self) -> Sequence[InvoiceNumber]:
        """Numbers of invoices."""
        numbers: list[InvoiceNumber] = []
        place = 0
        while place < len(self.words):
            number = None if place in self.named else invoice_number_at(self.words, place)
            if number is not None and self.named.isdisjoint(range(place, number.end)):
                numbers.append(number)
                place = number.end
                continue
            day = None if place in self.named else day_at(self.words, place, self.language)
            place = place + 1 if day is None else day.end
        return numbers

    def said(self, span: Span | Mention) -> str:
        """Return the words as they were written."""
        return written(self.text, self.words[span.start : span.end])


def _places(mentions: Sequence[Mention]) -> set[int]:
    return {place for mention in mentions for place in range(mention.start, mention.end)}
