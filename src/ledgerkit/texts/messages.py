"""Message ids, and texts that are put into words when the language of the reader is known."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar, Self

from ledgerkit.texts.catalogues import ENGLISH, FOLDER, catalogue, found, has, languages

REMEDY = ".remedy"
"""Suffix of a message's id in the key of its remedy."""


class MessageId(StrEnum):
    """Ids of the messages of one domain: a subclass stands in the domain's `texts.py`, its texts in the catalogues.

    `folder` holds the catalogues. A country names its own: `class TaxMsg(MessageId, folder=...)`. A text with plurals
    names the value that counts, as `counted`: `FILES = "backup.files", "count"`; a third name is the one that counts
    in the remedy.
    """

    folder: ClassVar[Path]
    counted: str
    counted_in_remedy: str

    def __new__(cls, value: str, counted: str = "", counted_in_remedy: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.counted = counted
        member.counted_in_remedy = counted_in_remedy
        return member

    def __init_subclass__(cls, *, folder: Path = FOLDER) -> None:
        super().__init_subclass__()
        cls.folder = folder


@dataclass(frozen=True)
class KeyedId:
    """Id of a text that ends in a key of a table, as the number of a box: `tax_form.303.box_27`."""

    folder: Path
    key: str
    counted: ClassVar[str] = ""
    counted_in_remedy: ClassVar[str] = ""

    def __str__(self) -> str:
        return self.key


class Text(ABC):
    """A text that is put into words for a reader."""

    @property
    @abstractmethod
    def languages(self) -> tuple[str, ...]:
        """Languages that the text is translated into; none where it stands in English only."""

    @abstractmethod
    def in_language(self, language: str) -> str:
        """Return the words in `language`, or in English where the text lacks it."""

    def __str__(self) -> str:
        """Return the English words, for logs."""
        return self.in_language(ENGLISH)


@dataclass(frozen=True)
class Message(Text):
    """A text of a catalogue with its values. `part` is empty, or REMEDY for the message's remedy.

    A value that is a text or a message id is put into the same language; any other stands as `str` makes it. The value
    that counts is a whole number, which chooses the form of the text.
    """

    id: MessageId | KeyedId
    values: Mapping[str, object] = field(default_factory=dict)
    part: str = ""

    @property
    def languages(self) -> tuple[str, ...]:
        folder = self.id.folder
        return tuple(language for language in languages(folder) if has(folder, language, self._key))

    def in_language(self, language: str) -> str:
        for candidate in (language, ENGLISH):
            template = found(self.id.folder, candidate, self._key, self._count)
            if template is not None:
                return template.format_map(
                    _Shown({name: shown(value, candidate) for name, value in self.values.items()})
                )
        return self._key

    @property
    def _key(self) -> str:
        return f"{self.id}{self.part}"

    @property
    def _count(self) -> int | None:
        count = self.values.get(self.id.counted_in_remedy if self.part else self.id.counted)
        return count if isinstance(count, int) else None


@dataclass(frozen=True)
class FixedText(Text):
    """A text whose words are known in each of its languages already, as those of a stored problem are."""

    english: str
    translations: Mapping[str, str] = field(default_factory=dict)

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.translations)

    def in_language(self, language: str) -> str:
        return self.translations.get(language, self.english)


@dataclass(frozen=True)
class Joined(Text):
    """Texts or values one after the other; between the last two stands the word `last`, where it is given.

    A `separator` that is a message id is a word, and stands between spaces.
    """

    parts: Sequence[object]
    separator: str = ", "
    last: MessageId | None = None

    @property
    def languages(self) -> tuple[str, ...]:
        return _common([*self.parts, self.separator, self.last])

    def in_language(self, language: str) -> str:
        texts = [shown(part, language) for part in self.parts]
        separator = self.separator
        if isinstance(separator, MessageId):
            separator = f" {shown(separator, language)} "
        if self.last is None or len(texts) < 2:
            return separator.join(texts)
        return f"{separator.join(texts[:-1])} {shown(self.last, language)} {texts[-1]}"


class _Shown(dict[str, str]):
    """Values of a text. One that a translation misspells shows its name: the reader still gets the rest."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


@dataclass(frozen=True, kw_only=True)
class Wording:
    """Fault and remedy in one language; the remedy is empty where there is none."""

    message: str
    remedy: str


@dataclass(frozen=True)
class ProblemText:
    """Fault and remedy in all languages."""

    message: Text
    remedy: Text | None = None

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages that the message is translated into."""
        return self.message.languages

    def wording(self, language: str = ENGLISH) -> Wording:
        """Return both texts in `language`, or in English where they lack it."""
        remedy = self.remedy.in_language(language) if self.remedy else ""
        return Wording(message=self.message.in_language(language), remedy=remedy)

    def translations(self) -> dict[str, Wording]:
        """Return both texts by language, English first."""
        return {language: self.wording(language) for language in self.languages}

    def about(self, field: str) -> "ProblemText":
        """Return the problem with a message that begins with the field that it is about."""
        return ProblemText(Joined((field, self.message), ": "), self.remedy)


def text(message: MessageId, /, **values: object) -> Message:
    """Return the text of a message with its values."""
    return Message(message, values)


def keyed(folder: Path, key: str, /, **values: object) -> Message:
    """Return the text of a table's key, in the catalogues of `folder`."""
    return Message(KeyedId(folder, key), values)


def read_catalogues() -> None:
    """Read all catalogues now, so that no request waits for it, nor fails when no file can be opened any more."""
    for folder in {kind.folder for kind in MessageId.__subclasses__()}:
        for language in languages(folder):
            catalogue(folder, language)


def shown(value: object, language: str) -> str:
    """Return a value as it stands in a text: a text or a message id in words, any other as `str` makes it."""
    if isinstance(value, MessageId):
        return Message(value).in_language(language)
    return value.in_language(language) if isinstance(value, Text) else str(value)


def problem_text(
    message: MessageId | KeyedId, values: Mapping[str, object], remedy: MessageId | Text | None = None
) -> ProblemText:
    """Return the texts of a message: with its own remedy (`<id>.remedy`, if the catalogue has it), or another `remedy`.

    A remedy that is a message id is filled with the same values.
    """
    if isinstance(remedy, MessageId):
        return ProblemText(Message(message, values), Message(remedy, values))
    if remedy is not None:
        return ProblemText(Message(message, values), remedy)
    usual = Message(message, values, REMEDY)
    return ProblemText(Message(message, values), usual if usual.languages else None)


def fixed(message: str, remedy: str | None, translations: Mapping[str, Wording] | None) -> ProblemText:
    """Return the texts of a problem that brings its own translations."""
    wordings = dict(translations or {})
    remedies = FixedText(remedy or "", {language: wording.remedy for language, wording in wordings.items()})
    messages = FixedText(message, {language: wording.message for language, wording in wordings.items()})
    return ProblemText(messages, remedies if remedy or wordings else None)


def _common(parts: Sequence[object]) -> tuple[str, ...]:
    """Return the languages that all translated parts have, in the order of the first; plain values have every one."""
    messages = [Message(part) if isinstance(part, MessageId) else part for part in parts]
    translated = [part.languages for part in messages if isinstance(part, Text) and part.languages]
    first, *others = translated or [languages()]
    return tuple(part for part in first if all(part in other for other in others))
