"""Language of the commands: the operator's, by the environment variables of the locale."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

import typer

from ledgerkit.texts import ENGLISH, Message, MessageId, ProblemText, Text, languages
from ledgerkit.texts.catalogues import FOLDER, found

HELP = FOLDER / "help"
"""The folder of the catalogues of help, whose keys are the English words."""


def operators_language(environment: Mapping[str, str] = os.environ) -> str:
    """Return the locale's language where it has a catalogue, else English.

    The first variable that is set decides: LC_ALL, LC_MESSAGES, LANG (POSIX).
    """
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((value for name in names if (value := environment.get(name))), "")
    language = re.split(r"[-_.@]", locale.lower(), maxsplit=1)[0]
    return language if language in languages() else ENGLISH


def help_words(words: str) -> str:
    """Return the translation of English words of help for the operator; the English words where there is none."""
    return found(HELP, operators_language(), words) or words


def say(message: MessageId, /, *, err: bool = False, **values: object) -> None:
    """Print a message in the operator's language."""
    typer.echo(Message(message, values).in_language(operators_language()), err=err)


def sentence(text: str) -> str:
    """Return the text with a full stop, unless it already ends like a sentence."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


@dataclass(frozen=True)
class Sentences(Text):
    """Fault and remedy in one language, as two sentences."""

    problem: ProblemText

    @property
    def languages(self) -> tuple[str, ...]:
        return self.problem.languages

    def in_language(self, language: str) -> str:
        wording = self.problem.wording(language)
        return " ".join(sentence(entry) for entry in (wording.message, wording.remedy) if entry)
