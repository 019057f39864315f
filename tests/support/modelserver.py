"""A real model server on loopback: it speaks OpenAI's chat completions, and answers as a test wants."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

FOREVER = 3600.0


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One answer: after `delay` seconds, with `status`, `headers` and `body`."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0


Reply = Callable[[Mapping[str, Any]], Answer]
"""Answer that depends on the request."""


def completion(content: str | None, *, finish_reason: str = "stop", delay: float = 0, **message: Any) -> Answer:
    """A completion with the given content."""
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": content, **message},
    }
    body = {"id": "c-1", "object": "chat.completion", "created": 1, "model": "seer", "choices": [choice]}
    body["usage"] = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}
    return Answer(body=json.dumps(body).encode(), delay=delay)


BILL = {
    "kind": "invoice",
    "vendor_name": "Ferretería Sur, S.L.",
    "vendor_tax_id": "B12345674",
    "document_number": "2026/118",
    "issue_date": "2026-11-02",
    "currency": "EUR",
    "total": 24.2,
    "subtotal": 20,
    "tax_total": 4.2,
    "taxes": [{"rate": 21, "base": 20, "amount": 4.2}],
    "lines": [{"description": "Martillo", "quantity": 1, "unit_price": 20, "tax_rate": 21, "total": 20}],
}
"""A supplier's invoice, as a model reads it."""


def reads(fields: Mapping[str, Any] | Sequence[Any], *, delay: float = 0) -> Answer:
    """A well-formed answer: the JSON of `fields`."""
    return completion(json.dumps(fields), delay=delay)


def fenced(fields: Mapping[str, Any]) -> Answer:
    """JSON as chatty models give it: in fences, between words."""
    return completion(f"Here is what I read:\n\n```json\n{json.dumps(fields)}\n```\nAnything else?")


def fails(status: int, *, headers: Mapping[str, str] | None = None, message: str = "no") -> Answer:
    """An error in OpenAI's form."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": None}}).encode()
    return Answer(status=status, body=body, headers=headers or {})


def calls_tool(name: str = "delete_all_invoices", arguments: str = '{"confirm": true}') -> Answer:
    """A completion that wants a tool called; by default as an instruction in an image may have it."""
    call = {"id": "t-1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return completion(None, finish_reason="tool_calls", tool_calls=[call])


MALFORMED = completion('{"total": 12,')
"""JSON that breaks off."""
WEB_PAGE = Answer(body=b"<!doctype html><title>It works</title>", headers={"Content-Type": "text/html"})
HANGS = Answer(delay=FOREVER)
"""Silence: the request is taken, and nothing more is said."""


def huge(size: int = 8 << 20) -> Answer:
    """A completion of `size` bytes."""
    return completion("x" * size)


@dataclass
class ModelServer:
    """Answers in the order of `script`; the last of it again and again. `requests` are the bodies that came.

    `refused_formats` are the kinds of `response_format` that it does not know, `refused_options` further members of
    requests; `models` what it offers; `key` what it asks for.
    """

    port: int = 0
    script: list[Answer | Reply] = field(default_factory=lambda: [reads({})])
    requests: list[dict[str, Any]] = field(default_factory=list)
    refused_formats: frozenset[str] = frozenset()
    refused_options: frozenset[str] = frozenset()
    models: list[str] = field(default_factory=lambda: ["seer"])
    key: str | None = None
    words: str = ""
    """Words of every voice note; `heard` are the forms that came with one."""
    heard: list[bytes] = field(default_factory=list)
    answers_speech: Answer | None = None
    """Answer to every voice note in place of its words."""
    at_work: int = 0
    most_at_work: int = 0

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/v1"

    def says(self, *answers: Answer | Reply) -> None:
        self.script = list(answers)

    def answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        if self.key is not None and headers.get("authorization") != f"Bearer {self.key}":
            return fails(401, message="Incorrect API key provided")
        if (method, path) == ("GET", "/v1/models"):
            offered = [{"id": name, "object": "model", "created": 1, "owned_by": "us"} for name in self.models]
            return Answer(body=json.dumps({"object": "list", "data": offered}).encode())
        if (method, path) == ("POST", "/v1/audio/transcriptions"):
            self.heard.append(body)
            return self.answers_speech or Answer(body=json.dumps({"text": self.words}).encode())
        completes = (method, path) == ("POST", "/v1/chat/completions")
        return self._completed(body) if completes else fails(404, message="no such path")

    def _completed(self, body: bytes) -> Answer:
        request = json.loads(body)
        self.requests.append(request)
        if request["model"] not in self.models:
            return fails(404, message="no such model")
        if (refusal := self._refusal(request)) is not None:
            return refusal
        answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return answer if isinstance(answer, Answer) else answer(request)

    def _refusal(self, request: Mapping[str, Any]) -> Answer | None:
        if request.get("response_format", {}).get("type") in self.refused_formats:
            return fails(400, message="'response_format.type' is not supported")
        refused = self.refused_options & set(request)
        reason = {"max_tokens": "Use 'max_completion_tokens' instead.", "temperature": "Only the default temperature."}
        return fails(400, message=reason[min(refused)]) if refused else None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until the caller closes it."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                method, path, headers = _head(await reader.readuntil(b"\r\n\r\n"))
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                self.at_work += 1
                self.most_at_work = max(self.most_at_work, self.at_work)
                try:
                    answer = self.answer(method, path, headers, body)
                    await asyncio.sleep(answer.delay)
                finally:
                    self.at_work -= 1
                writer.write(_written(answer))
                await writer.drain()


def _head(head: bytes) -> tuple[str, str, dict[str, str]]:
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    method, path, _ = first.split(" ")
    pairs = (line.partition(":") for line in lines)
    return method, path, {name.strip().lower(): value.strip() for name, _, value in pairs}


def _written(answer: Answer) -> bytes:
    headers = {"Content-Type": "application/json", "Content-Length": str(len(answer.body)), **answer.headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {answer.status} Said\r\n{lines}\r\n".encode() + answer.body


@asynccontextmanager
async def model_server(**wanted: Any) -> AsyncIterator[ModelServer]:
    """A model server on a free port, until the block ends; its connections are closed then."""
    model, connections = ModelServer(**wanted), set[asyncio.Task[None]]()

    async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        connections.add(task)
        try:
            await model.serve(reader, writer)
        except asyncio.CancelledError:
            pass
        finally:
            connections.discard(task)
            writer.close()

    server = await asyncio.start_server(accepted, "127.0.0.1", model.port)
    model.port = server.sockets[0].getsockname()[1]
    try:
        yield model
    finally:
        server.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await server.wait_closed()
