"""The language that commands speak: the operator's, as the environment tells it."""

import os
from collections.abc import Mapping

from ledgerkit.problems import ENGLISH

SPANISH = "es"


def operators_language(environment: Mapping[str, str] = os.environ) -> str:
    """`es` where the locale is Spanish, else `en`. The first that is set counts: LC_ALL, LC_MESSAGES, LANG (POSIX)."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((found for name in names if (found := environment.get(name))), "")
    return SPANISH if locale.lower().startswith(SPANISH) else ENGLISH


def sentence(text: str) -> str:
    """The text with a full stop, unless it ends like a sentence already."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
