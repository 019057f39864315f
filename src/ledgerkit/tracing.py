"""Start and stop OpenTelemetry traces, where the standard variables ask for them and the extra is installed."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec

import structlog

EXPORTER = "opentelemetry.exporter.otlp.proto.http"
PROTOCOL = "http/protobuf"

log = structlog.get_logger()


@asynccontextmanager
async def tracing(environment: Mapping[str, str] = os.environ) -> AsyncIterator[None]:
    """Send the spans of the block's time to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names.

    Without that variable there is nothing to do. Asked for what cannot be, it says so in the log and sends nothing: a
    server without traces is better than none.
    """
    endpoint = _endpoint(environment)
    if endpoint is None or not _possible(environment):
        yield
        return
    exporting = import_module("ledgerkit.span_export")
    exporter = exporting.start()
    log.info("traces are sent", to=endpoint.rpartition("@")[2])  # without a user and password
    try:
        yield
    finally:
        await asyncio.to_thread(exporter.stop)


def _endpoint(environment: Mapping[str, str]) -> str | None:
    """Where to, by the names and meanings of the OpenTelemetry specification; None when it is switched off."""
    disabled = environment.get("OTEL_SDK_DISABLED", "").lower() == "true"
    if disabled or environment.get("OTEL_TRACES_EXPORTER", "otlp").lower() == "none":
        return None
    own, shared = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"
    return environment.get(own) or environment.get(shared) or None


def _possible(environment: Mapping[str, str]) -> bool:
    own, shared = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"
    protocol = environment.get(own) or environment.get(shared) or PROTOCOL
    if protocol != PROTOCOL:
        log.warning("traces are not sent: only one protocol is spoken", asked=protocol, remedy=f"{shared}={PROTOCOL}")
        return False
    if not _installed():
        log.warning(
            "traces are not sent: the extra [otel] is not installed",
            remedy=f"{sys.executable} -m pip install 'ledgerkit[otel]'",
        )
        return False
    return True


def _installed() -> bool:
    try:
        return find_spec(EXPORTER) is not None
    except ModuleNotFoundError:  # nor the packages around it
        return False
