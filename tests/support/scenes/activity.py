"""The history, and taking back one's own writes."""

from uuid import uuid4

from support.scenes.ask import EVERYBODY, MEMBERS, Ask, Failing

ASKS: dict[str, Ask] = {
    "GET /api/activity/history": Ask(query={"mine": "true", "search": "a"}, allowed=EVERYBODY),
    "POST /api/activity/undo": Ask(body={"count": 1}, allowed=MEMBERS),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /api/activity/undo", 404): Failing("POST", "/api/activity/undo", {"entryIds": [str(uuid4())]}),
}
