"""docs/es/impuestos.md: a freelancer's year, request after request, compared with what the page says of each answer.

The figures are the page's, which states beside each one how it is computed.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.api import Api

PAGE = Path(__file__).parents[3] / "docs" / "es" / "impuestos.md"
BLOCK = re.compile(r"```(http|json) impuestos\n(.*?)```", re.DOTALL)
REQUEST = re.compile(r"(?m)^(GET|POST|PUT|PATCH|DELETE) (\S+)(?: → (\w+))?$")


@dataclass
class Reader:
    """Sender of the page's requests; `$name` stands for the id of an answer that was called so."""

    api: Api
    ids: dict[str, str] = field(default_factory=dict)
    answer: Any = None

    async def follow(self, page: str) -> int:
        requests = 0
        for kind, text in BLOCK.findall(page):
            if kind == "json":
                assert differences(json.loads(self._named(text)), self.answer) == []
                continue
            beginnings = [match.start() for match in REQUEST.finditer(text)]
            for first, last in zip(beginnings, [*beginnings[1:], len(text)], strict=True):
                await self._send(text[first:last])
                requests += 1
        return requests

    async def _send(self, text: str) -> None:
        line, _, body = text.partition("\n")
        method, path, name = REQUEST.match(line).groups()
        given = json.loads(self._named(body)) if body.strip() else None
        answer = await self.api.request(method, self._named(path), given)
        assert answer.is_success, f"{text}\n{answer.text}"
        is_json = answer.headers["content-type"].startswith("application/json")
        self.answer = answer.json() if is_json else answer.content
        if name:
            self.ids[name] = self.answer.get("declaration", self.answer)["id"]

    def _named(self, text: str) -> str:
        return re.sub(r"\$(\w+)", lambda match: self.ids[match[1]], text)


def differences(told: Any, answer: Any, where: str = "") -> list[str]:
    """Statements of the page that the answer lacks: fields that it leaves out may hold anything."""
    if isinstance(told, dict) and isinstance(answer, dict):
        found = [differences(value, answer.get(key), f"{where}/{key}") for key, value in told.items()]
        return [one for some in found for one in some]
    if isinstance(told, list) and isinstance(answer, list) and len(told) == len(answer):
        found = [
            differences(one, other, f"{where}/{at}") for at, (one, other) in enumerate(zip(told, answer, strict=True))
        ]
        return [one for some in found for one in some]
    return [] if told == answer else [f"{where}: {told!r} is told, {answer!r} answered"]


async def test_the_year_of_the_page_gives_the_boxes_that_it_states(ana):
    reader = Reader(ana)

    assert await reader.follow(PAGE.read_text())
