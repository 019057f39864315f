"""A message as the grammar reads it: its words, its language, and its line of plain words, slips mended."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ledgerkit.core.messaging.language.names import Mention, Names, distance
from ledgerkit.core.messaging.language.vocabulary import COMMANDS, FUNCTION_WORDS, SHORT_FORMS
from ledgerkit.core.messaging.language.words import Word, words_of

_SHORTEST_SLIP = 6


@dataclass(frozen=True)
class Span:
    """Words from `start` up to `end`."""

    start: int
    end: int


class Message:
    """A message and what it mentions; `default_language` counts where the words do not tell."""

    def __init__(self, text: str, names: Names, default_language: str) -> None:
        self.text = text
        written_words = words_of(text)
        self.names = names
        self.mentions: Sequence[Mention] = names.mentions(written_words)
        named = {place for mention in self.mentions for place in range(mention.start, mention.end)}
        self.words = [
            word if place in named else replace(word, plain=_whole(written_words, place))
            for place, word in enumerate(written_words)
        ]
        self.language = language_of(self.words, default_language)
        self.line = " ".join(word.plain for word in self.words)
        self._offsets = [0]
        for word in self.words:
            self._offsets.append(self._offsets[-1] + len(word.plain) + 1)

    def says(self, pattern: re.Pattern[str]) -> bool:
        return pattern.search(self.line) is not None

    def spans(self, pattern: re.Pattern[str], group: int = 0) -> list[Span]:
        """Return the words of each match of a pattern in the line."""
        return [self.span(*match.span(group)) for match in pattern.finditer(self.line) if match.group(group)]

    def span(self, first: int, last: int) -> Span:
        """Return the words that begin between two places of the line."""
        return Span(self.word_at(first), self.word_at(last))

    def word_at(self, offset: int) -> int:
        """Return the place of the first word that begins at a place of the line or after it."""
        return sum(1 for each in self._offsets[:-1] if each < offset)

    @property
    def is_question(self) -> bool:
        return (
            "?" in self.line
            or re.match(
                r"(?:(?:pues|oye|a ver|eh|hey|hi|ok|y|and|so|dime|digame|please|tell me|show me|me dices|,) )*(¿ )?(que|cual|cuales|cuando|cuanto|cuanta|cuantos|cuantas|quien|quienes|como|sabes si|ha|han|me ha|esta|hay|"
                r"what|which|who|whos|who's|when|how|has|have|did|does|do|is|are|was|am)\b",
                self.line,
            )
            is not None
        )


def _whole(words: Sequence[Word], place: int) -> str:
    """Return a word in full and without slips; `x` after a number and the `q` of a quarter are none."""
    word = words[place].plain
    before = words[place - 1].plain[:1] if place else ""
    after = words[place + 1].plain[:1] if place + 1 < len(words) else ""
    is_sign = (word == "x" and before.isdigit()) or (word == "q" and after.isdigit())
    if word in {"k", "ke", "kien"} and not before.isdigit():
        return "quien" if word == "kien" else "que"
    if word in SHORT_FORMS and not is_sign:
        return SHORT_FORMS[word]
    return mended(word)


def mended(word: str) -> str:
    """Return the one known word that sounds the same, or differs by a slip; the word itself where none or several do."""
    if word in _KNOWN or not word.isalpha() or len(word) < 3:  # noqa: PLR2004
        return word
    same = _BY_SOUND.get(sound(word), ())
    if len(same) == 1:
        return same[0]
    if len(word) < _SHORTEST_SLIP:
        return word
    near = [
        other
        for other in COMMANDS
        if len(other) >= _SHORTEST_SLIP and other[0] == word[0] and distance(word, other, 1) == 1
    ]
    return near[0] if len(near) == 1 else word


_SOUNDS = (
    ("qu", "k"),
    ("ce", "se"),
    ("ci", "si"),
    ("ch", "x"),
    ("c", "k"),
    ("ll", "y"),
    ("h", ""),
    ("v", "b"),
    ("z", "s"),
    ("ge", "je"),
    ("gi", "ji"),
)


def sound(word: str) -> str:
    """Return a key of how a Spanish word sounds: `aser` and `hacer` have one, `biernes` and `viernes` too."""
    for letters, heard in _SOUNDS:
        word = word.replace(letters, heard)
    return re.sub(r"(.)\1", r"\1", word.removesuffix("d"))


_KNOWN = COMMANDS | FUNCTION_WORDS["es"] | FUNCTION_WORDS["en"]
_BY_SOUND: dict[str, list[str]] = {}
for _word in sorted(COMMANDS):
    _BY_SOUND.setdefault(sound(_word), []).append(_word)


def language_of(words: Sequence[Word], default: str) -> str:
    """Return the language of which a message has more small words."""
    plain_words = [word.plain for word in words]
    counts = {language: sum(word in known for word in plain_words) for language, known in FUNCTION_WORDS.items()}
    if any(sign in word.text for word in words for sign in "ñ¿¡áéíóú"):
        counts["es"] += 1
    if counts["es"] == counts["en"]:
        return default
    return max(counts, key=lambda language: counts[language])
