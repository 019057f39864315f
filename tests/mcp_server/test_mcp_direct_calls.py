"""Calls that are answered directly: no byte tells them from those that the SDK has answered."""

import json
import random
import re
from collections import Counter

import pytest

from ledgerkit.mcp_server import direct_calls
from ledgerkit.mcp_server.tools import TOOLS

MODERN = "2026-07-28"
VERSIONS = [None, "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN]
VERSION_KEY, CAPABILITIES_KEY = "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"
ENVELOPE = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}
FORMS = {CAPABILITIES_KEY: {"elicitation": {"form": {}}}}
VALUES = [
    None,
    "",
    "x",
    "ñ 🧾 \u2028",
    "2026-03-02",
    "1,5",
    0,
    -3,
    12.345,
    1e30,
    10**30,
    True,
    [],
    ["x"],
    {},
    {"a": "ñ"},
]

_OF_THE_MOMENT = re.compile(
    rb'(requestState|confirmationToken|url)(\\?":\\?")[^"\\]+'
    rb"|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-Fa-f]{32,}|T[0-9:.]{8,}(Z|[+-][0-9:]{5})"
)
"""Tokens, signatures, new ids, fingerprints and moments, which differ in any two answers."""


@pytest.fixture
def ways(monkeypatch):
    """Count of the calls that were answered directly, and a switch to have none."""
    plain_call, counts = direct_calls._plain_call, Counter(allowed=1)

    def counted(request, body):
        call = plain_call(request, body) if counts["allowed"] else None
        counts["direct"] += call is not None
        return call

    monkeypatch.setattr(direct_calls, "_plain_call", counted)
    return counts


@pytest.fixture
async def ana(site):
    ana = await site.person("Ana «Ñandú» 🧾")
    customer = {"name": 'Señor 🧾 "x" \\ \u2028', "taxId": "B12345674", "country": "ES"}
    await ana.invoice(client=customer, notes='{"text":0} "\\u00f1"')
    await ana.post("/api/expenses", {"description": "Tinta ñ", "amount": 0.01, "date": "2026-03-02"})
    return ana


def call(version, name, arguments, meta=None, **fields):
    params = {"name": name, "arguments": arguments}
    if version == MODERN:
        params["_meta"] = {**ENVELOPE, **(meta or {})}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params, **fields}


def headers_of(api, version, name, changes):
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "x-api-key": api.api_key,
        "X-Request-Id": "r1",
        "Accept-Language": "es",
    }
    if version is not None:
        headers["MCP-Protocol-Version"] = version
    if version == MODERN:
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": name}
    return [(name, value) for name, value in (headers | changes).items() if value is not None]


async def answered(site, api, version, body, *, name="whoami", changes=None, more=()):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = [*headers_of(api, version, name, changes or {}), *more]
    answer = await site.client.post("/mcp", content=content, headers=headers)
    lasting_headers = {key: value for key, value in answer.headers.items() if key != "date"}
    return answer.status_code, lasting_headers, _OF_THE_MOMENT.sub(rb"\1\2", answer.content)


async def same(ways, *request, **options):
    """Return the answer that is the same directly and by the SDK."""
    direct = await answered(*request, **options)
    ways["allowed"] = 0
    by_sdk = await answered(*request, **options)
    ways["allowed"] = 1
    assert by_sdk == direct
    return direct


@pytest.mark.parametrize("version", VERSIONS)
async def test_results_and_problems_are_the_same(site, ways, ana, version):
    (invoice,) = await ana.get("/api/invoices")
    of_invoice = {"id": invoice["id"]}
    calls = [
        ("get_invoice", of_invoice),
        ("get_invoice", {"id": "nobody"}),
        ("get_invoice", {"ide": "ñ"}),
        ("get_invoice", None),
        ("list_invoices", {}),
        ("list_invoices", {"detail": "full"}),
        ("list_expenses", {}),
        ("get_document", {"kind": "invoice_pdf", **of_invoice}),
        ("emit_einvoice", {"invoiceId": invoice["id"]}),
        ("whoami", {}),
        ("delete_everything", {}),
        ("", {}),
    ]

    for name, arguments in calls:
        status, _, content = await same(ways, site, ana, version, call(version, name, arguments), name=name)
        assert (status, "result" in json.loads(content)) == (200, True)

    assert ways["direct"] == len(calls)


@pytest.mark.parametrize("version", VERSIONS)
async def test_generated_calls_are_the_same(site, ways, ana, version):
    chance = random.Random(2026)
    reading = [tool for tool in TOOLS.values() if tool.name.startswith(("get_", "list_"))]

    for _ in range(40):
        tool = chance.choice(reading)
        names = [name for name in (*tool.schema["properties"], "ñ") if chance.random() < 0.3]
        arguments = {name: chance.choice(VALUES) for name in names}
        request_id = chance.choice([0, -1, 7, "ñ\u2028", ""])
        await same(ways, site, ana, version, call(version, tool.name, arguments, id=request_id), name=tool.name)

    assert ways["direct"] == 40


async def test_a_question_to_the_user_is_the_same(site, ways, ana):
    (invoice,) = await ana.get("/api/invoices")
    asking = call(MODERN, "emit_einvoice", {"invoiceId": invoice["id"]}, meta=FORMS)

    _, _, content = await same(ways, site, ana, MODERN, asking, name="emit_einvoice")

    assert json.loads(content)["result"]["resultType"] == "input_required"
    assert ways["direct"] == 1


@pytest.mark.parametrize("version", VERSIONS)
async def test_the_sdk_refuses_what_is_wrong(site, ways, ana, version):
    right = call(version, "whoami", {})
    params = right["params"]
    wrong = [
        *(b"", b"{", b"[]", b"nul", b'"x"', b"\xff", b"[" * 5000),
        [right],
        *({**right, "jsonrpc": version} for version in ("1.0", 2, None)),
        *({**right, "id": value} for value in (None, 1.5, [1])),
        *({**right, "method": method} for method in ("tools/calls", "tools/list", 7)),
        *({**right, "params": value} for value in (None, [], {}, {**params, "name": 7}, {**params, "arguments": "x"})),
        {**right, "params": {**params, "_meta": {}, "name": 7}},
        {**right, "params": {**params, "_meta": {**ENVELOPE, "progressToken": []}}},
        {name: value for name, value in right.items() if name != "id"},
    ]

    for body in wrong:
        await same(ways, site, ana, version, body)
    await same(ways, site, ana, version, right, changes={"Accept": "text/event-stream"})

    assert ways["direct"] == 0


@pytest.mark.parametrize("version", VERSIONS)
async def test_odd_headers_and_members_are_judged_as_by_the_sdk(site, ways, ana, version):
    right = call(version, "whoami", {})
    params = right["params"]

    for name, value in {
        "Accept": None,
        "Mcp-Name": "other",
        "Mcp-Method": "other",
        "MCP-Protocol-Version": "1999-01-01",
        "Mcp-Session-Id": "x",
        "Mcp-Param-Id": "x",
    }.items():
        await same(ways, site, ana, version, right, changes={name: value})
    await same(ways, site, ana, version, right, more=[("Mcp-Name", "whoami"), ("Mcp-Name", "whoami")])
    for meta in ({}, {VERSION_KEY: MODERN}, {**ENVELOPE, CAPABILITIES_KEY: 7}, {**ENVELOPE, "progressToken": 1}):
        await same(ways, site, ana, version, {**right, "params": {**params, "_meta": meta}})
    for body in ({**right, "result": {}}, {**right, "more": 1}, {**right, "params": {**params, "task": {"ttl": 1}}}):
        await same(ways, site, ana, version, body)


def test_no_tool_takes_arguments_as_headers():
    """The SDK is told of no schema, in which it would look for such arguments."""
    assert "x-mcp-header" not in json.dumps([tool.schema for tool in TOOLS.values()])
