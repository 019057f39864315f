"""The language that commands speak: the operator's, as the environment tells it."""

import os
import re
from collections.abc import Mapping

from ledgerkit.texts import ENGLISH, languages

SPANISH = "es"


def operators_language(environment: Mapping[str, str] = os.environ) -> str:
    """The locale's language where it has a catalogue, else English.

    The first that is set counts: LC_ALL, LC_MESSAGES, LANG (POSIX).
    """
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((found for name in names if (found := environment.get(name))), "")
    language = re.split(r"[-_.@]", locale.lower(), maxsplit=1)[0]
    return language if language in languages() else ENGLISH


def sentence(text: str) -> str:
    """The text with a full stop, unless it ends like a sentence already."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
