"""The sentences of docs/messaging.md are understood as its table says, in both languages; and it names all flows."""

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import get_args

from ledgerkit.core.messaging.language.grammar import Speaker, understood
from ledgerkit.core.messaging.language.names import Names
from ledgerkit.core.messaging.language.requests import Act, Question, Topic

PAGE = Path(__file__).parents[3] / "docs" / "messaging.md"
ROWS = re.findall(r"^\| [^|`]+ \| `([^`]+)` \| `([^`]+)` \| `(\w+)` \|$", PAGE.read_text(), re.MULTILINE)


@dataclass(frozen=True)
class Known:
    name: str


CLIENTS = Names([Known("Acme Consulting, S.L."), Known("Talleres Norte, S.L."), Known("Lola Marín")])
TASKS = {"es": "Llamar al gestor", "en": "Call the accountant"}


def heard(sentence: str, language: str) -> str:
    """The name of the request that a sentence is, or of the topic of a question."""
    tasks = Names([Known(TASKS[language])])
    request = understood(sentence, Speaker(today=date(2026, 11, 27), language=language, clients=CLIENTS, tasks=tasks))
    return request.topic.name if isinstance(request, Question) else type(request).__name__


def test_documented_sentences_are_understood():
    wrong = [
        (sentence, name, found)
        for spanish, english, name in ROWS
        for sentence, language in ((spanish, "es"), (english, "en"))
        if (found := heard(sentence, language)) != name
    ]

    assert wrong == []


def test_every_flow_is_documented():
    flows = {kind.__name__ for kind in get_args(Act)} | {topic.name for topic in Topic}

    assert {name for _, _, name in ROWS} == flows
