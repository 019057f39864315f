"""Start and stop OpenTelemetry traces, where the standard variables ask for them and the extra is installed."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

import structlog

from ledgerkit.settings.messages import ServerMsg
from ledgerkit.texts import ENGLISH, Text, text

EXPORTER = "opentelemetry.exporter.otlp.proto.http"
PROTOCOL = "http/protobuf"

log = structlog.get_logger()


@dataclass(frozen=True)
class Lack:
    """Reason why requested traces are not sent, and the command that helps."""

    reason: Text
    remedy: str


@asynccontextmanager
async def tracing(environment: Mapping[str, str] = os.environ) -> AsyncIterator[None]:
    """Send the spans of the block's time to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names.

    Without that variable there is nothing to do. If traces cannot be sent, the log says so and none are sent: a server
    without traces is better than none.
    """
    endpoint, lack = _endpoint(environment), lacking(environment)
    if lack is not None:
        log.warning("traces are not sent", why=lack.reason.in_language(ENGLISH), remedy=lack.remedy)
    if endpoint is None or lack is not None:
        yield
        return
    exporting = import_module("ledgerkit.telemetry.span_export")
    exporter = exporting.start()
    log.info("traces are sent", to=endpoint.rpartition("@")[2])  # without a user and password
    try:
        yield
    finally:
        await asyncio.to_thread(exporter.stop)


def _endpoint(environment: Mapping[str, str]) -> str | None:
    """Return the endpoint by the names and meanings of the OpenTelemetry specification; None when switched off."""
    disabled = environment.get("OTEL_SDK_DISABLED", "").lower() == "true"
    if disabled or environment.get("OTEL_TRACES_EXPORTER", "otlp").lower() == "none":
        return None
    traces_variable, common_variable = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"
    return environment.get(traces_variable) or environment.get(common_variable) or None


def lacking(environment: Mapping[str, str] = os.environ) -> Lack | None:
    """Explain why traces that the environment asks for are not sent; None where all is well or none are wanted."""
    if _endpoint(environment) is None:
        return None
    traces_variable, common_variable = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"
    protocol = environment.get(traces_variable) or environment.get(common_variable) or PROTOCOL
    if protocol != PROTOCOL:
        return Lack(text(ServerMsg.TRACES_PROTOCOL, protocol=protocol), f"{common_variable}={PROTOCOL}")
    if not _installed():
        return Lack(text(ServerMsg.TRACES_EXTRA_MISSING), f"{sys.executable} -m pip install 'ledgerkit-server[otel]'")
    return None


def _installed() -> bool:
    try:
        return find_spec(EXPORTER) is not None
    except ModuleNotFoundError:  # nor the packages around it
        return False
