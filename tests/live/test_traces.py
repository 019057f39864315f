"""Spans of a real server as an OpenTelemetry collector gets them, and secrets that it must never get."""

import sys

import httpx2
import pytest
from structlog.testing import capture_logs

from ledgerkit.telemetry.span_export import without_literals
from ledgerkit.telemetry.tracing import tracing
from support.api import Api
from support.collector import attributes, collecting
from support.office import cloned, emit, eventually, nif
from support.serving import served

EXTRA = "opentelemetry.exporter.otlp.proto.http"
CLIENT = "Cliente que nadie debe ver"


ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}


@pytest.fixture(scope="module")
async def traced(postgres, tmp_path_factory):
    """Everything that a server of some work has sent, what it kept for itself, and what it said."""
    data = tmp_path_factory.mktemp("traced") / "data"
    with collecting() as collector, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.replace("//", "//user:password@"))
        async with (
            cloned(postgres) as url,
            served(data, DATABASE_URL=url) as server,
            httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
        ):
            secrets = await work(client)

            async def mailed():
                return list((data / "mail").glob("*.eml"))

            await eventually(mailed)
            await server.stop()  # which sends what is left
        yield collector, secrets, server.said


async def work(client: httpx2.AsyncClient) -> list[str]:
    """Some of everything; returns what no span may hold."""
    ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", nif(20_000_101))
    customer = await ana.post("/api/clients", {"name": CLIENT, "email": "cliente@example.com"})
    await ana.get(f"/api/clients?search={CLIENT.replace(' ', '%20')}")
    invoice = await ana.invoice()
    await emit(ana, invoice)
    await client.post("/auth/password/forgot", json={"email": ana.email})
    shared = await ana.post(f"/api/invoices/{invoice['id']}/share")
    token = shared["shareToken"]
    assert (await client.get(f"/s/{token}")).status_code == 200
    await ana.refused(400, "POST", "/api/clients", {"name": 7, "email": "cliente@example.com"})
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get my secret", "arguments": {}}}
    headers = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {ana.api_key}"}
    await client.post("/mcp", json=call, headers={**headers, "Host": "127.0.0.1"})
    bearer = ana.headers["Authorization"].split()[1]
    owned = [ana.team["id"], customer["id"], invoice["id"]]
    return [token, bearer, ana.api_key, ana.email, ana.team["taxId"], "nadie", "cliente@", "get my secret", *owned]


def test_a_request_is_one_span_by_its_template_with_its_status(traced):
    collector, _, _ = traced

    (page,) = collector.named("GET /s/{token}")

    span_attributes = attributes(page)
    assert (span_attributes["http.route"], span_attributes["http.response.status_code"]) == ("/s/{token}", 200)


def test_the_operation_and_its_statements_lie_within_the_request(traced):
    collector, _, _ = traced
    operation = collector.named("clients.create")[0]

    (request,) = [one for one in collector.spans if one.span_id == operation.parent_span_id]
    statements = [one for one in collector.spans if one.parent_span_id == operation.span_id]

    assert request.name == "POST /api/clients"
    assert attributes(operation) == {"ledgerkit.channel": "api", "ledgerkit.outcome": "done"}
    assert {one.trace_id for one in statements} == {request.trace_id}
    assert {"BEGIN", "COMMIT"} <= {one.name for one in statements}
    assert any("insert into client" in attributes(one)["db.query.text"].lower() for one in statements)


def test_statements_of_both_ways_to_the_driver_are_spans(traced):
    """SQLAlchemy's execution, and the driver's own."""
    collector, _, _ = traced
    texts = [attributes(one)["db.query.text"] for one in collector.spans if "db.query.text" in attributes(one)]

    assert [one for one in texts if one.startswith("SELECT app_user.")]
    assert [one for one in texts if one.startswith("insert into job")]


def test_jobs_are_traced(traced):
    collector, _, _ = traced

    assert [one.parent_span_id for one in collector.named("job mail-person")] == [b""]


def test_no_span_holds_personal_data_or_credentials(traced):
    collector, secrets, _ = traced
    sent = collector.everything

    assert "POST /mcp" in sent
    assert [secret for secret in secrets if secret in sent] == []


def test_the_service_and_its_version_are_named(traced):
    collector, _, _ = traced

    resource = {one.key: one.value.string_value for one in collector.requests[0].resource_spans[0].resource.attributes}

    assert resource["service.name"] == "ledgerkit"
    assert resource["service.version"]


def test_where_traces_go_is_said_at_the_start(traced):
    collector, _, output = traced

    assert "traces are sent" in output
    assert collector.url.removeprefix("http://") in output
    assert "password" not in output


async def test_asked_for_without_the_extra_it_says_what_to_type_and_goes_on(monkeypatch):
    monkeypatch.setitem(sys.modules, EXTRA, None)  # as where it is not installed

    with capture_logs() as log_lines:
        async with tracing(ENDPOINT):
            pass

    (line,) = log_lines
    assert (line["event"], line["why"]) == ("traces are not sent", "the extra [otel] is not installed")
    assert line["remedy"] == f"{sys.executable} -m pip install 'ledgerkit-server[otel]'"


async def test_a_protocol_that_is_not_spoken_is_named():
    with capture_logs() as log_lines:
        async with tracing({**ENDPOINT, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}):
            pass

    assert [line["remedy"] for line in log_lines] == ["OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"]


@pytest.mark.parametrize(
    "off", [{}, {**ENDPOINT, "OTEL_SDK_DISABLED": "true"}, {**ENDPOINT, "OTEL_TRACES_EXPORTER": "none"}]
)
async def test_nothing_is_traced_unless_it_is_asked_for(off):
    with capture_logs() as log_lines:
        async with tracing(off):
            pass

    assert log_lines == []


def test_a_statements_text_loses_what_is_in_quotes():
    assert without_literals("set local a = 'b''c';\n  select  'x'") == "set local a = ?; select ?"
