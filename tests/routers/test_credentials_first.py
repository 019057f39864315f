"""Nobody's body is taken before it is known who sends it: asked of every route that the application serves."""

import json
from dataclasses import dataclass, field
from uuid import uuid4

import pytest
from fastapi.routing import iter_route_contexts

from ledgerkit.app import create_app
from ledgerkit.routers.routing import ORDINARY, SMALL
from support.routes import served
from support.scopes import with_scoped_key

OF_THE_DOCUMENTATION = {"/docs", "/openapi.json", "/", "/docs/assets", "/mcp"}
"""Not guarded by the route: they take no body, or have a gate of their own."""

KNOWN = [one for one in served() if one.known]
WEBHOOK = "POST /messaging/{messenger}/{path}"
"""Takes a body only with the messenger's proof. To anybody else it does not exist: `test_webhooks.py`."""

ANONYMOUS = [one for one in served() if one.body_limit is not None and not one.known and one.row != WEBHOOK]
TWENTY_MIB = str(20 << 20)
STRANGERS = {
    "nobody": {},
    "an unknown key": {"x-api-key": f"lk_live_{uuid4().hex}_{'A' * 43}"},
    "a key of no form": {"x-api-key": "x" * 60_000},
    "an unknown token": {"authorization": "Bearer ey.ey.ey"},
    "a token of deep nesting": {"authorization": "Bearer " + "W1tb" * 12_000 + ".e30.x"},
}
WRONGS = {
    "twenty megabytes": {"content-length": TWENTY_MIB, "content-type": "application/json"},
    "pieces without end": {"transfer-encoding": "chunked", "content-type": "application/json"},
    "compressed": {"content-length": "9", "content-encoding": "gzip", "content-type": "application/json"},
    "no JSON": {"content-length": "9", "content-type": "text/plain"},
    "an impossible key": {"content-length": "2", "idempotency-key": "x" * 300},
}


@dataclass
class Asked:
    """One request to the application itself: what it did, in its order, and what it answered."""

    app: object
    events: list[str] = field(default_factory=list)
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    async def ask(self, method: str, path: str, headers: dict[str, str], query: str = "") -> "Asked":
        sent = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": method, "path": path, "headers": sent, "query_string": query.encode()}
        await self.app({**scope, "http_version": "1.1", "scheme": "http", "root_path": ""}, self._receive, self._send)
        return self

    async def _receive(self):
        self.events.append("taken")
        return {"type": "http.disconnect"} if len(self.events) > 20 else {"type": "http.request", "more_body": True}

    async def _send(self, message):
        self.events.append("answered")
        self.status = message.get("status", self.status)
        self.headers |= {name.decode(): value.decode() for name, value in message.get("headers", ())}
        self.body += message.get("body", b"")


@pytest.fixture
def asked(app_for, kernel):
    app = app_for(kernel.settings)
    app.state.kernel = kernel
    return lambda: Asked(app)


def test_every_route_is_guarded():
    unguarded = {one.path for one in served() if one.body_limit is None}

    assert unguarded <= OF_THE_DOCUMENTATION
    assert len(KNOWN) > 100
    assert {"/auth/login", "/auth/register", "/join/{token}", "/s/{token}"} <= {one.path for one in ANONYMOUS}


def test_no_unguarded_route_has_a_body():
    contexts = iter_route_contexts(create_app().routes)

    assert {one.path for one in contexts if getattr(one.original_route, "body_field", None)} <= {
        one.path for one in served() if one.body_limit is not None
    }


def test_strangers_may_send_little_and_known_callers_more():
    assert {one.body_limit for one in ANONYMOUS} == {SMALL}
    assert min(one.body_limit for one in KNOWN) == ORDINARY


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_a_strangers_body_is_never_taken_before_the_answer(asked, stranger):
    for one in KNOWN:
        for wrong, headers in WRONGS.items():
            answer = await asked().ask(one.method, one.address, {**headers, **STRANGERS[stranger]}, "page=x&limit=%00")

            assert (answer.status, answer.events[0]) == (401, "answered"), (one.row, wrong)
            assert json.loads(answer.body)["code"] == "UNAUTHENTICATED"


WRITES = [one for one in KNOWN if "/import" in one.row or one.row in {"POST /api/invoices", "PUT /api/clients/{id}"}]


@pytest.mark.parametrize("one", WRITES, ids=lambda one: one.row)
async def test_a_body_is_never_taken_of_a_caller_who_may_not_do_it(asked, ana, one):
    reader = await with_scoped_key(ana, "read")

    for kind in ("text/csv", "application/json"):
        headers = {"content-length": str(4 << 20), "content-type": kind, **reader.headers}
        answer = await asked().ask(one.method, one.address, {name.lower(): value for name, value in headers.items()})

        assert (answer.status, answer.events[0]) == (403, "answered")
        assert json.loads(answer.body)["code"] == "INSUFFICIENT_SCOPE"


async def test_a_stranger_at_a_path_that_no_record_has_is_asked_who_they_are(asked):
    answer = await asked().ask("DELETE", "/api/context/entry/\x00", {})

    assert answer.status == 401


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/api/nothing", 404),
        ("PUT", "/nothing", 404),
        ("POST", "/api/invoices/x/y/z", 404),
        ("DELETE", "/api/invoices", 405),
        ("POST", "/health", 405),
        ("PUT", "/auth/login", 405),
        ("PATCH", "/join/x", 405),
        ("POST", "/docs", 405),
        ("POST", "/docs/assets/swagger-ui.css", 405),
    ],
)
@pytest.mark.parametrize("wrong", WRONGS)
async def test_unknown_paths_and_wrong_methods_take_no_body(asked, method, path, status, wrong):
    answer = await asked().ask(method, path, WRONGS[wrong])

    assert (answer.status, answer.events[0]) == (status, "answered")


@pytest.mark.parametrize("one", ANONYMOUS, ids=lambda one: one.row)
async def test_more_than_a_stranger_may_send_is_not_even_begun(asked, one):
    headers = {"content-length": str(SMALL + 1), "content-type": "application/json"}

    answer = await asked().ask(one.method, one.address, headers)

    assert answer.events[0] == "answered"
    if one.method == "POST":
        assert answer.status == 413
        assert "16 KiB" in str(json.loads(answer.body))


async def test_a_refused_callers_body_is_read_for_a_moment_before_the_connection_ends(asked):
    answer = await asked().ask("POST", "/api/invoices", WRONGS["twenty megabytes"])

    assert answer.headers["connection"] == "close"
    assert answer.events[:2] == ["answered", "answered"]
    assert set(answer.events[2:-1]) == {"taken"}
    assert answer.events[-1] == "answered"


async def test_a_refused_caller_who_expects_100_continue_gets_the_refusal(asked):
    answer = await asked().ask("POST", "/api/invoices", {**WRONGS["twenty megabytes"], "expect": "100-continue"})

    assert "taken" not in answer.events
    assert (answer.status, answer.headers["connection"]) == (401, "close")


@pytest.mark.parametrize("encoding", ["gzip", "br", "x-unknown"])
async def test_compressed_bodies_are_refused_in_words(ana, encoding):
    headers = {**ana.headers, "Content-Type": "application/json", "Content-Encoding": encoding}

    answer = await ana.client.post("/api/clients", content=b"\x1f\x8b", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
    assert answer.headers["accept-encoding"] == "identity"


async def test_a_body_that_is_read_keeps_the_connection(ana):
    for path, body in (("/api/clients", {"name": "x"}), ("/api/clients", {}), ("/api/invoices/x/duplicate", {})):
        answer = await ana.client.post(path, json=body, headers=ana.headers)

        assert "connection" not in answer.headers, (path, answer.status_code)


async def test_an_operation_without_a_body_takes_no_large_one_either(ana):
    headers = {**ana.headers, "Content-Type": "application/json"}

    answer = await ana.client.post("/api/invoices/x/duplicate", content=b" " * (ORDINARY + 1), headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (413, "BODY_TOO_LARGE")
