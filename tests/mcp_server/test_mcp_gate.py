"""Checks on a request before MCP sees it."""

import asyncio
import json

import pytest

from ledgerkit.core.platform.request.bodies import MAX_VALUES
from support.api import PASSWORD, Api
from support.eras import MODERN

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
MODERN_META = {"protocolVersion": MODERN, "clientInfo": {"name": "t", "version": "1"}, "clientCapabilities": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}
METADATA = 'resource_metadata="http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp"'
NO_TOKEN = f'Bearer scope="read write", {METADATA}'
BAD_TOKEN = f'{NO_TOKEN}, error="invalid_token"'


def post(site, headers, **more):
    return site.client.post("/mcp", headers={**ACCEPT, **headers}, json=CALL, **more)


def assert_problem(answer, status, code):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert (body["status"], body["code"], body["instance"]) == (status, code, "/mcp")
    assert body["remedy"]
    assert body["requestId"] == answer.headers["x-request-id"]


@pytest.mark.parametrize("header", ["Authorization", "x-api-key"])
async def test_an_api_key_opens(site, header):
    ana = await site.person()
    value = f"Bearer {ana.api_key}" if header == "Authorization" else ana.api_key

    answer = await post(site, {header: value})

    assert answer.status_code == 200, answer.text
    assert "create_invoice" in answer.text


async def test_the_cookie_of_a_browser_opens_nothing(site):
    ana = await site.person()
    login = await site.client.post("/auth/session", json={"email": ana.email, "password": PASSWORD})

    answer = await post(site, {"Cookie": f"ledgerkit_session={login.cookies['ledgerkit_session']}"})

    assert_problem(answer, 401, "UNAUTHENTICATED")


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PUT"])
async def test_without_credentials_every_method_is_challenged(site, method):
    answer = await site.client.request(method, "/mcp")

    assert_problem(answer, 401, "UNAUTHENTICATED")
    assert answer.headers["www-authenticate"] == NO_TOKEN


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer lk_live_nonsense"},
        {"Authorization": f"Bearer lk_live_{'0' * 32}_{'A' * 43}"},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic YW5hOnNlY3JldA=="},
        {"Authorization": "Bearer lks_nonsense"},
        {"Authorization": f"Bearer lka_{'A' * 43}"},
        {"Authorization": f"Bearer lkr_{'A' * 43}"},
        {"x-api-key": f"lks_{'A' * 43}"},
        {"x-api-key": f"lka_{'A' * 43}"},
        {"x-api-key": "secret"},
        {"x-api-key": ""},
    ],
)
async def test_bad_credentials_are_called_invalid(site, headers):
    answer = await post(site, headers)

    assert_problem(answer, 401, "UNAUTHENTICATED")
    assert answer.headers["www-authenticate"] == BAD_TOKEN


@pytest.mark.parametrize("header", ["Authorization", "x-api-key"])
async def test_a_login_token_is_refused(site, header):
    ana = await site.person()
    token = ana.headers["Authorization"].removeprefix("Bearer ")

    answer = await post(site, {header: f"Bearer {token}" if header == "Authorization" else token})

    assert_problem(answer, 401, "UNAUTHENTICATED")
    assert "login tokens" in answer.json()["detail"]


async def test_authorization_is_preferred_to_the_key_header(site):
    ana = await site.person()

    answer = await post(site, {"Authorization": "Bearer lk_live_nonsense", "x-api-key": ana.api_key})

    assert_problem(answer, 401, "UNAUTHENTICATED")


async def test_credentials_in_the_address_are_not_looked_at(site):
    ana = await site.person()

    token = await site.access_token(ana, "read")

    for query in (f"api_key={ana.api_key}&x-api-key={ana.api_key}", f"access_token={token}&token={token}"):
        answer = await site.client.post(f"/mcp?{query}", json=CALL)

        assert_problem(answer, 401, "UNAUTHENTICATED")
        assert answer.headers["www-authenticate"] == NO_TOKEN


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
async def test_with_credentials_only_post_is_possible(site, method):
    ana = await site.person()

    answer = await site.client.request(method, "/mcp", headers={"x-api-key": ana.api_key})

    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST, OPTIONS"
    if method != "HEAD":
        assert_problem(answer, 405, "METHOD_NOT_ALLOWED")


async def test_the_address_is_exactly_mcp(site):
    ana = await site.person()

    assert (await post(site, {"x-api-key": ana.api_key}, follow_redirects=False)).status_code == 200
    assert (await site.client.post("/mcp/", json=CALL)).status_code == 404
    assert (await site.client.get("/mcpx")).headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "[", ""])
async def test_a_foreign_host_is_misdirected(site, host):
    ana = await site.person()

    assert_problem(await post(site, {"Host": host, "x-api-key": ana.api_key}), 421, "HOST_UNKNOWN")


@pytest.mark.parametrize("host", ["localhost", "localhost:9", "127.0.0.1:1234", "[::1]:80"])
async def test_the_machine_itself_is_a_known_host_on_any_port(site, host):
    ana = await site.person()

    assert (await post(site, {"Host": host, "x-api-key": ana.api_key})).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example", "http://["])
async def test_pages_of_other_sites_are_refused(site, origin):
    ana = await site.person()

    answer = await post(site, {"Origin": origin, "x-api-key": ana.api_key})

    assert_problem(answer, 403, "ORIGIN_REFUSED")
    assert "access-control-allow-origin" not in answer.headers


async def test_a_page_on_this_machine_may_ask_and_read_the_challenge(site):
    answer = await post(site, {"Origin": "http://localhost:6274"})

    assert_problem(answer, 401, "UNAUTHENTICATED")
    assert answer.headers["access-control-allow-origin"] == "*"
    exposed = answer.headers["access-control-expose-headers"]
    assert {"Mcp-Session-Id", "WWW-Authenticate", "MCP-Protocol-Version"} <= set(exposed.split(", "))


async def test_a_preflight_needs_no_credentials_and_allows_every_header(site):
    asked = {
        "Origin": "http://localhost:6274",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,mcp-method,mcp-name,x-team-id",
    }

    answer = await site.client.options("/mcp", headers=asked)

    assert answer.status_code == 200, answer.text
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "mcp-name" in answer.headers["access-control-allow-headers"]


async def test_a_body_that_is_not_json_is_refused(site):
    ana = await site.person()

    answer = await site.client.post("/mcp", headers={"x-api-key": ana.api_key}, content=b"<xml/>")

    assert_problem(answer, 415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_above_the_limit_is_refused(site, chunked):
    ana = await site.person()
    size = site.kernel.settings.max_body_mib << 20
    headers = {"x-api-key": ana.api_key, "Content-Type": "application/json"}

    async def parts():
        for _ in range(17):
            yield b" " * (size // 16)

    answer = await site.client.post("/mcp", headers=headers, content=parts() if chunked else b" " * (size + 1))

    assert_problem(answer, 413, "BODY_TOO_LARGE")


async def test_a_strangers_body_is_not_looked_at(site):
    for headers in ({"Content-Length": "9"}, {"Content-Type": "application/json"}, {"Content-Encoding": "gzip"}):
        answer = await site.client.post("/mcp", headers=headers, content=b"<no JSON>")

        assert_problem(answer, 401, "UNAUTHENTICATED")


@pytest.mark.parametrize(
    ("content", "headers", "status", "code"),
    [
        (b"[" + b"0," * MAX_VALUES + b"0]", {}, 400, "VALIDATION_ERROR"),
        ('{"jsonrpc": "2.0"}'.encode("utf-16"), {}, 400, "VALIDATION_ERROR"),
        (b"\x1f\x8b", {"Content-Encoding": "gzip"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
    ],
    ids=["many values", "UTF-16", "compressed"],
)
async def test_a_body_is_measured_before_it_is_parsed(site, content, headers, status, code):
    ana = await site.person()
    own = {"x-api-key": ana.api_key, "Content-Type": "application/json", **headers}

    assert_problem(await site.client.post("/mcp", headers=own, content=content), status, code)


async def test_a_receipt_of_ten_megabytes_gets_through(site):
    ana = await site.person()
    params = {"name": "scan_receipt", "arguments": {"image": "x" * 14_000_000}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

    answer = await site.client.post("/mcp", headers={**ACCEPT, "x-api-key": ana.api_key}, json=call)

    assert answer.status_code == 200
    assert answer.json()["result"]["structuredContent"]["errors"][0]["field"] == "image"


async def test_one_request_may_be_pinned_to_another_team(site):
    ana = await site.person()
    vera = await site.colleague(ana, "viewer")
    own = await vera.post("/api/teams", {"name": "Vera Sola", "country": "ES"})

    here = await site.agent(vera).ok("whoami")
    there = await site.agent(vera, **{"X-Team-Id": ana.team["id"]}).ok("whoami")

    assert (here["team"]["id"], here["role"]) == (own["id"], "owner")
    assert (there["team"]["id"], there["role"]) == (ana.team["id"], "viewer")


async def test_a_team_one_does_not_belong_to_is_refused(site):
    ana, berta = await site.person(), await site.person("Berta Gil", "87654321X")

    answer = await post(site, {"x-api-key": berta.api_key, "X-Team-Id": ana.team["id"]})

    assert_problem(answer, 403, "NOT_TEAM_MEMBER")


async def test_a_teams_key_works_for_its_team(site):
    ana = await site.person()
    key = (await ana.get("/api/teams/current"))["team"]["apiKey"]

    known = await site.agent(Api(site.client, {}, api_key=key)).ok("whoami")

    assert (known["team"]["id"], known["role"]) == (ana.team["id"], "admin")


@pytest.mark.parametrize("headers", [{}, ACCEPT])
async def test_no_answer_is_kept(site, headers):
    ana = await site.person()
    agent = {"x-api-key": ana.api_key, "MCP-Protocol-Version": "2025-06-18", **headers}

    for sent in ({}, agent):
        answer = await site.client.post("/mcp", headers=sent, json=CALL)

        assert "no-store" in answer.headers["cache-control"]


async def test_blanks_around_the_value_of_a_header_are_no_part_of_it(site):
    ana = await site.person()
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in MODERN_META.items()}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}})
    headers = (
        f"Host: 127.0.0.1 \t\r\nx-api-key: {ana.api_key} \r\nContent-Type: application/json\r\n"
        f"Accept: {ACCEPT['Accept']}\r\n"
        f"MCP-Protocol-Version: {MODERN}  \r\nMcp-Method: tools/list\t \r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n"
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", site.client.base_url.port)
    writer.write(f"POST /mcp HTTP/1.1\r\n{headers}\r\n{body}".encode())  # a client library would refuse to send it
    answer = await reader.read()
    writer.close()

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b'"create_invoice"' in answer


# ---------------------------------------------------------------- large bodies

MIB = 1 << 20
TEXT = "x" * (2 * MIB)


def message(method, **params):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        ([TEXT], 400, "VALIDATION_ERROR"),
        ({"a": TEXT}, 400, "VALIDATION_ERROR"),
        (TEXT, 400, "VALIDATION_ERROR"),
        (message("resources/read", uri=TEXT), 413, "BODY_TOO_LARGE"),
        (message("tools/call", name="nothing", arguments={"a": "x" * (5 * MIB)}), 413, "BODY_TOO_LARGE"),
        (message("tools/call", name="save_client", arguments={"name": "x" * (5 * MIB)}), 413, "BODY_TOO_LARGE"),
    ],
    ids=["list", "object", "text", "no call", "no tool", "no file"],
)
async def test_a_large_body_is_a_call_of_a_tool_or_refused_before_the_protocol_looks_at_it(site, content, status, code):
    ana = await site.person()

    answer = await site.client.post("/mcp", headers={**ACCEPT, "x-api-key": ana.api_key}, json=content)

    assert_problem(answer, status, code)


@pytest.mark.parametrize(("name", "argument"), [("save_client", "name"), ("scan_receipt", "image")])
async def test_a_large_call_of_a_tool_reaches_it(site, name, argument):
    ana = await site.person()
    size = 5 * MIB if argument == "image" else 2 * MIB
    content = message("tools/call", name=name, arguments={argument: "x" * size})

    answer = await site.client.post("/mcp", headers={**ACCEPT, "x-api-key": ana.api_key}, json=content)

    assert answer.status_code == 200
    assert answer.json()["result"]["structuredContent"]["errors"][0]["field"] == argument
