"""Client of an invoice in a message: the one to whom it goes, or the question who that is."""

from ledgerkit.core.messaging.language.dates import MONTHS, WEEKDAYS
from ledgerkit.core.messaging.language.drafting.reading import DraftReading
from ledgerkit.core.messaging.language.names import Mention, Named
from ledgerkit.core.messaging.language.numbers import NUMBER_WORDS, number_at
from ledgerkit.core.messaging.language.patterns import Span
from ledgerkit.core.messaging.language.requests import Ask, RequestLack
from ledgerkit.core.messaging.language.spelling import is_known
from ledgerkit.core.messaging.language.vocabulary import Vocabulary
from ledgerkit.core.messaging.language.words import Word, written

_NAMES = Vocabulary("names")
_BEFORE_A_NAME = _NAMES.words("before_a_name")
_PREPOSITIONS = _NAMES.words("prepositions")
_DIFFERENCES = _NAMES.words("differences", "surnames")
_KINDS = _NAMES.words("kinds")
_DRAFTS = Vocabulary("drafts")
_WANTED = _DRAFTS.phrases("wanted")
_VERB = _DRAFTS.phrases("verb")
_SEVERAL = _DRAFTS.phrases("several")
_ENDS_OF_A_NAME = _NAMES.words("ends_of_a_name")
_ARTICLES = _NAMES.words("articles")
_ANNOUNCING = _NAMES.words("announcing")
_JOINED = _NAMES.words("joined")
_NO_NAMES = _NAMES.words("no_names")
_NOT = frozenset({"no", "not", "ni", "nor"})
_COUNTS = NUMBER_WORDS - {"un", "una", "one"}
_HALF = 0.5
_WORDS_BEFORE_A_NAME = 4
_MOST_WORDS_OF_A_NAME = 6


class RecipientChoice:
    """Choice of the client among the names of a message."""

    def __init__(self, reading: DraftReading) -> None:
        self._reading = reading
        self._message = reading.message
        self._first_number = next(
            (
                place
                for place, word in enumerate(self._message.words)
                if word.plain[:1].isdigit() or word.plain in _COUNTS
            ),
            len(self._message.words),
        )
        nouns = list(self._message.spans(_WANTED))
        self._wanted_starts = {span.start for span in nouns}
        self._wanted_ends = {span.end for span in nouns}
        self._command_ends = self._wanted_ends | {span.end for span in self._message.spans(_VERB)}
        self._mentions = [
            mention
            for mention in self._message.mentions
            if not self._describes(mention) and self._before(mention) not in _NOT
        ]

    def client(self) -> Named | Ask | None:
        """Take the client; return a question where several or none of that name are, None where none was said."""
        chosen = self._chosen()
        unknown = self._unknown()
        if chosen is None or (unknown is not None and not self._is_introduced(chosen)):
            return unknown
        if self._is_of_another_name(chosen):
            return Ask(lack=RequestLack.UNKNOWN_CLIENT, candidates=chosen.named, said=self._message.said(chosen))
        self._take(chosen)
        if len(chosen.named) > 1:
            return Ask(lack=RequestLack.WHICH_CLIENT, candidates=chosen.named, said=self._message.said(chosen))
        return chosen.named[0]

    @property
    def are_several(self) -> bool:
        """True where several clients are to get an invoice."""
        introduced = [mention for mention in self._mentions if self._is_introduced(mention)]
        others = [
            mention
            for mention in self._mentions
            if self._before(mention) in _JOINED and (mention.share > _HALF or mention.start - 2 in self._message.named)
        ]
        different = {id(mention.named[0]) for mention in (*introduced, *others)}
        is_joined = bool(others) or self._message.says(_SEVERAL)
        return len(different) > 1 and is_joined

    def _chosen(self) -> Mention | None:
        introduced = [mention for mention in self._mentions if self._is_introduced(mention)]
        ranked = introduced or self._mentions
        return max(ranked, key=lambda mention: (mention.is_whole, -mention.start), default=None)

    def _take(self, chosen: Mention) -> None:
        """Take a name and the small words before it."""
        start = chosen.start
        while start > max(0, chosen.start - _WORDS_BEFORE_A_NAME) and self._reading.plain(start - 1) in _BEFORE_A_NAME:
            start -= 1
        self._reading.take(Span(start, chosen.end))

    def _before(self, mention: Mention) -> str:
        return self._reading.plain(mention.start - 1)

    def _describes(self, mention: Mention) -> bool:
        """Return True for part of a name after the amount, as in `1,000 for consulting`: it says what was done."""
        if mention.is_whole or mention.end - mention.start > 1 or self._is_only_name(mention):
            return False
        before = [word.plain for word in self._message.words[: mention.start]]
        while before and before[-1] in _ARTICLES - {"a"}:
            before.pop()
        is_after_amount = len(before) > self._first_number
        is_proper = self._message.words[mention.start].is_capitalised or before[-1:] in (["con"], ["with"])
        if before[-2:] == ["nombre", "de"] or (is_proper and before[-1:] != ["por"]):
            return False
        introduces = {"a", "para", "to", "al"} if is_after_amount else {*_BEFORE_A_NAME, ""}
        return before[-1:] == ["por"] or (is_after_amount and not (before and before[-1] in introduces))

    def _is_only_name(self, mention: Mention) -> bool:
        """Return True for the first word of a name that is no word of any work, as in `500 for acme`."""
        word = self._reading.plain(mention.start)
        is_common = is_known(word) or word in _KINDS or self._before(mention) in {"por", "de", "of"}
        return mention.begins_name and not is_common and len(self._message.mentions) == 1

    def _is_introduced(self, mention: Mention) -> bool:
        """Return True for a name behind `a`, `para`, `to` or `for`, behind the command, or at the beginning."""
        place = mention.start
        while place > 0 and self._reading.plain(place - 1) in _BEFORE_A_NAME - _PREPOSITIONS - {"de", "del"}:
            place -= 1
        if place <= self._message.start or place in self._command_ends or mention.end in self._wanted_starts:
            return True
        before = self._reading.plain(place - 1)
        return before in _PREPOSITIONS or (before in {"de", "del"} and place - 1 in self._wanted_ends)

    def _is_of_another_name(self, mention: Mention) -> bool:
        """Return True where a part of a name stands in another one, as in `Talleres Sur` and `Hotel Sol`."""
        return not mention.is_whole and (self._goes_on_otherwise(mention) or self._begins_otherwise(mention))

    def _goes_on_otherwise(self, mention: Mention) -> bool:
        if any(other.start == mention.end and not other.is_whole for other in self._message.mentions):
            return True
        words = self._message.words
        return mention.end < len(words) and mention.end not in self._message.named and self._differs(words[mention.end])

    def _begins_otherwise(self, mention: Mention) -> bool:
        before = self._message.words[mention.start - 1] if mention.start else None
        if before is None or not before.is_alphabetic:
            return False
        if before.plain in _KINDS:
            return True
        if mention.begins_name or is_known(before.plain) or before.plain in _BEFORE_A_NAME:
            return False
        return before.is_capitalised or self._is_introduced_before(mention)

    def _is_introduced_before(self, mention: Mention) -> bool:
        return self._reading.plain(mention.start - 2) in _PREPOSITIONS | {"factura", "invoice", "fra"}

    def _differs(self, word: Word) -> bool:
        if word.plain in _DIFFERENCES:
            return True
        is_shouted = self._message.text.isupper()
        return word.is_capitalised and not is_shouted and not is_known(word.plain) and len(word.text) > 1

    def _unknown(self) -> Ask | None:
        """Return the question about a name that no client has: the words after `a`, `para`, `to` or `for`."""
        words = self._message.words
        for place, word in enumerate(words[:-1]):
            if not self._may_announce(place):
                continue
            name = self._name_after(place)
            is_name = bool(name) and not all(self._is_common(each) for each in name)
            if is_name and (word.plain not in {"for", "para"} or self._looks_like_name(place, name)):
                return Ask(lack=RequestLack.UNKNOWN_CLIENT, said=written(self._message.text, name))
        return None

    def _may_announce(self, place: int) -> bool:
        words = self._message.words
        word = words[place].plain
        is_article = word == "a" and self._message.language == "en"
        if word in _ANNOUNCING and not is_article and self._reading.free[place]:
            is_behind_amount = any(before.plain[:1].isdigit() for before in words[:place])
            return word != "for" or not is_behind_amount
        return place + 1 in self._wanted_ends and words[place + 1].is_capitalised

    def _name_after(self, place: int) -> list[Word]:
        name: list[Word] = []
        for inner in range(place + 1, min(place + 1 + _MOST_WORDS_OF_A_NAME, len(self._message.words))):
            following = self._message.words[inner]
            is_number = number_at(self._message.words, inner, self._message.language) is not None
            if not self._reading.free[inner] or is_number or following.plain in _ENDS_OF_A_NAME:
                break
            name.append(following)
        while name and name[0].plain in _ARTICLES:
            name = name[1:]
        return name

    def _looks_like_name(self, place: int, name: list[Word]) -> bool:
        """Return True for a name behind `for`, and no thing that is charged: `for the website`."""
        has_article = self._reading.plain(place + 1) in _ARTICLES
        if name[0].plain in MONTHS or name[0].plain in WEEKDAYS:
            return False
        return name[0].is_capitalised or not has_article

    def _is_common(self, word: Word) -> bool:
        """Return True for a word that begins no name."""
        is_known_word = is_known(word.plain) and not word.is_capitalised
        return is_known_word or word.plain in _NO_NAMES or not word.plain[:1].isalpha()
