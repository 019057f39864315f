"""Search for the right tool by words alone, beside one tool per operation made from the same registry."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ledgerkit.core.platform.request.operation import Operation
from ledgerkit.mcp_server.tools import TOOLS
from mcp_evaluation.bm25 import Bm25

REQUESTS = Path(__file__).with_name("requests.toml")


@dataclass(frozen=True)
class Request:
    """Words of somebody, and the tools of which any one is right."""

    text: str
    tools: frozenset[str]
    held_out: bool


@dataclass(frozen=True)
class Scores:
    """Shares of requests whose right tool is the first, among three, among five; and the mean reciprocal rank."""

    first: float
    of_three: float
    of_five: float
    reciprocal: float


def requests(*, held_out: bool) -> list[Request]:
    rows = tomllib.loads(REQUESTS.read_text())["requests"]
    every = [Request(row["text"], frozenset(row["tools"]), row["held_out"]) for row in rows]
    return [request for request in every if request.held_out is held_out]


def catalogue() -> Bm25:
    return Bm25({name: f"{name.replace('_', ' ')} {tool.title} {tool.description}" for name, tool in TOOLS.items()})


def one_per_operation() -> Bm25:
    """Index of the operations that tools call, each with its name and the first line of its docstring."""
    called = {operation.name: operation for tool in TOOLS.values() for operation in tool.declared}
    return Bm25({name: _words_of(operation) for name, operation in sorted(called.items())})


def scores(index: Bm25, asked: Sequence[Request], accepts: Callable[[Request], Mapping[str, bool]]) -> Scores:
    """Judge rankings; `accepts` says which names of the index are right for a request."""
    ranks = []
    for request in asked:
        right = accepts(request)
        ranks.append(next(rank for rank, name in enumerate(index.ranking(request.text), start=1) if right.get(name)))
    shares = [sum(rank <= most for rank in ranks) / len(ranks) for most in (1, 3, 5)]
    return Scores(*shares, sum(1 / rank for rank in ranks) / len(ranks))


def of_tools(request: Request) -> dict[str, bool]:
    return dict.fromkeys(request.tools, True)


def of_operations(request: Request) -> dict[str, bool]:
    """The operations of the right tools: each of them counts as right."""
    return {operation.name: True for tool in request.tools for operation in TOOLS[tool].declared}


def _words_of(operation: Operation) -> str:
    summary = (operation.function.__doc__ or "").partition("\n")[0]
    return f"{operation.name.replace('.', ' ').replace('_', ' ')} {summary}"


def measured() -> dict[str, Scores]:
    """Scores by half and catalogue."""
    tuned, held_out = requests(held_out=False), requests(held_out=True)
    ours, theirs = catalogue(), one_per_operation()
    return {
        "tuned half": scores(ours, tuned, of_tools),
        "held-out half": scores(ours, held_out, of_tools),
        "one per operation, tuned half": scores(theirs, tuned, of_operations),
        "one per operation, held-out half": scores(theirs, held_out, of_operations),
    }


def missed() -> list[tuple[int, Request]]:
    """Return the requests of the tuned half whose right tool is not among the first five, with its rank."""
    index = catalogue()
    rankings = [(index.ranking(request.text), request) for request in requests(held_out=False)]
    ranks = [(1 + min(map(ranking.index, request.tools)), request) for ranking, request in rankings]
    return [(rank, request) for rank, request in ranks if rank > 5]
