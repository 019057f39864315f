"""Spans on their way out of the process: without personal data, credentials and paths. Needs the extra `[otel]`."""

import re
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import asyncpg
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind, Status
from sqlalchemy import Connection, Engine, ExceptionContext, event
from sqlalchemy.pool import Pool

from ledgerkit import __version__

NAMED_BY_US = {"ledgerkit", "fastapi"}
"""Libraries whose spans are named by a route's template or an operation. MCP's carry names that callers invent."""

HARMLESS = {
    "db.operation.name",
    "db.query.text",
    "db.system.name",
    "error.type",
    "http.request.method",
    "http.response.status_code",
    "http.route",
    "ledgerkit.channel",
    "ledgerkit.outcome",
    "network.protocol.version",
    "url.scheme",
}
"""The attributes that leave the process. Paths, queries and addresses stay: they hold tokens, names and hosts."""

_LITERAL = re.compile(r"'(?:[^']|'')*'")


class TraceExport:
    """The process's spans, sent in batches by a thread; when the collector is away they are dropped in the end."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._statements = Statements(trace.get_tracer("ledgerkit", tracer_provider=provider))

    def start(self) -> None:
        trace.set_tracer_provider(self._provider)
        self._statements.listen()

    def stop(self) -> None:
        """Send what is left, for some seconds at most."""
        self._statements.ignore()
        self._provider.shutdown()


def start() -> TraceExport:
    """Start to trace. The standard variables name the collector and the sampling."""
    trace_export = TraceExport(provider(OTLPSpanExporter()))
    trace_export.start()
    return trace_export


def provider(exporter: SpanExporter) -> TracerProvider:
    """Make spans that reach `exporter` bare; their resource is ledgerkit and what the environment adds to it."""
    ours = Resource({SERVICE_NAME: "ledgerkit", SERVICE_VERSION: __version__})
    tracer_provider = TracerProvider(resource=Resource.create().merge(ours).merge(OTELResourceDetector().detect()))
    tracer_provider.add_span_processor(BatchSpanProcessor(BareExporter(exporter)))
    return tracer_provider


class BareExporter(SpanExporter):
    """Passes on names, times and harmless attributes. Exceptions, whose texts quote what was sent, are left out."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self._exporter.export([_bare(span) for span in spans])

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


def _bare(span: ReadableSpan) -> ReadableSpan:
    scope = span.instrumentation_scope
    library = "" if scope is None else scope.name
    return ReadableSpan(
        name=span.name if library in NAMED_BY_US else library,
        context=span.get_span_context(),
        parent=span.parent,
        resource=span.resource,
        attributes={name: value for name, value in (span.attributes or {}).items() if name in HARMLESS},
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=scope,
    )


class Statements:
    """A span for each statement that PostgreSQL is given within another span, without its parameters.

    Statements reach the driver in two ways: through SQLAlchemy, which has events, and past it
    (core/platform/database/statements.py), which the driver's own log of queries sees. Neither sees the other's.
    """

    def __init__(self, tracer: trace.Tracer) -> None:
        self._tracer = tracer
        self._listeners: list[tuple[type[Engine | Pool], str, Any]] = [
            (Pool, "connect", self._connected),
            (Engine, "before_cursor_execute", self._begins),
            (Engine, "after_cursor_execute", self._ends),
            (Engine, "handle_error", self._fails),
        ]

    def listen(self) -> None:
        for target, name, listener in self._listeners:
            event.listen(target, name, listener)

    def ignore(self) -> None:
        for target, name, listener in self._listeners:
            event.remove(target, name, listener)

    def _connected(self, connection: Any, _: object) -> None:
        raw: asyncpg.Connection[Any] = connection.driver_connection
        raw.add_query_logger(self._logged)

    def _logged(self, query: Any) -> None:
        """Called by the driver when it is done, in the context of the caller."""
        self._record(query.query, time.time_ns() - round(query.elapsed * 1e9), query.exception)

    def _begins(self, connection: Connection, *_: object) -> None:
        connection.info["began"] = time.time_ns()

    def _ends(self, connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        self._record(statement, connection.info.pop("began"), None)

    def _fails(self, failure: ExceptionContext) -> None:
        began = failure.connection.info.pop("began", None) if failure.connection is not None else None
        if began is not None:
            self._record(failure.statement or "", began, failure.original_exception)

    def _record(self, statement: str, began: int, error: BaseException | None) -> None:
        """Record a statement as a span. Drop it outside of a span, such as the worker's look for work twice a second.

        The span that it belongs to may have ended: the driver's log comes a moment late.
        """
        if not trace.get_current_span().get_span_context().trace_flags.sampled:
            return
        text = without_literals(statement)
        operation = text.partition(" ")[0].rstrip(";").upper()
        attributes = {"db.system.name": "postgresql", "db.operation.name": operation, "db.query.text": text}
        if error is not None:
            attributes["error.type"] = type(error).__name__
        span = self._tracer.start_span(operation, kind=SpanKind.CLIENT, attributes=attributes, start_time=began)
        span.end()


@lru_cache(maxsize=1024)
def without_literals(statement: str) -> str:
    """Return the statement on one line, with a question mark for each quoted text: it may be an account's id."""
    return " ".join(_LITERAL.sub("?", statement).split())
