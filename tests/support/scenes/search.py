"""The search over all records."""

from support.scenes.ask import EVERYBODY, Ask, Failing

ASKS: dict[str, Ask] = {"GET /api/search": Ask(query={"q": "norte"}, allowed=EVERYBODY)}

FAILURES: dict[tuple[str, int], Failing] = {
    ("GET /api/search", 400): Failing("GET", "/api/search?q=norte&types=nothing"),
}
