"""The two texts of a problem: what is wrong, and what to do about it."""

from collections.abc import Mapping
from dataclasses import dataclass

from ledgerkit.texts.catalogues import ENGLISH
from ledgerkit.texts.messages import REMEDY, FixedText, Joined, KeyedId, Message, MessageId, Text


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
        """Both texts in `language`, or in English where they lack it."""
        remedy = self.remedy.in_language(language) if self.remedy else ""
        return Wording(message=self.message.in_language(language), remedy=remedy)

    def translations(self) -> dict[str, Wording]:
        """Both texts by language, English first."""
        return {language: self.wording(language) for language in self.languages}

    def about(self, field: str) -> "ProblemText":
        """Return the problem with a message that begins with the field that it is about."""
        return ProblemText(Joined((field, self.message), ": "), self.remedy)


def problem_text(
    message: MessageId | KeyedId, values: Mapping[str, object], remedy: MessageId | Text | None = None
) -> ProblemText:
    """The texts of a message: its own remedy (`<id>.remedy`, where the catalogue has one), or another `remedy`.

    A remedy that is a message id is filled with the same values.
    """
    if isinstance(remedy, MessageId):
        return ProblemText(Message(message, values), Message(remedy, values))
    if remedy is not None:
        return ProblemText(Message(message, values), remedy)
    usual = Message(message, values, REMEDY)
    return ProblemText(Message(message, values), usual if usual.languages else None)


def fixed(message: str, remedy: str | None, translations: Mapping[str, Wording] | None) -> ProblemText:
    """The texts of a problem that brings its own translations."""
    wordings = dict(translations or {})
    remedies = FixedText(remedy or "", {language: wording.remedy for language, wording in wordings.items()})
    messages = FixedText(message, {language: wording.message for language, wording in wordings.items()})
    return ProblemText(messages, remedies if remedy or wordings else None)
