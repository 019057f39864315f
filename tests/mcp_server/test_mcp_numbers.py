"""Numbers that are none, over MCP: named as REST names them."""

import json

import pytest

CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {
        "name": "create_invoice",
        "arguments": {
            "client": {"name": "Norte"},
            "items": [{"description": "x", "unitPrice": "@"}],
            "fiscalDetails": {"x": ["@"]},
        },
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    },
}


ERAS = [{}, {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "create_invoice"}]


@pytest.mark.parametrize("era", ERAS, ids=["sessions", "modern"])
@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999"])
async def test_a_number_that_is_none_is_named(site, era, literal):
    ana = await site.person()
    headers = {
        "x-api-key": ana.api_key,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Accept-Language": "es",
        **era,
    }
    content = json.dumps(CALL).replace('"@"', literal)

    answer = await site.client.post("/mcp", content=content, headers=headers)

    (message,) = [line for line in answer.text.splitlines() if line.removeprefix("data: ").startswith("{")]
    problem = json.loads(message.removeprefix("data: "))["result"]["structuredContent"]
    assert problem["code"] == "VALIDATION_ERROR"
    assert [error["field"] for error in problem["errors"]] == ["items[0].unitPrice", "fiscalDetails.x[0]"]
    assert problem["errors"][0]["message"].startswith("debe ser un número finito")
    assert await ana.get("/api/invoices") == []


async def test_a_nan_inside_of_text_that_holds_a_list_is_named_too(site):
    ana = await site.person()

    done = await site.agent(ana).call(
        "create_invoice", client={"name": "Norte"}, items='[{"description": "x", "unitPrice": NaN}]'
    )

    assert [error["field"] for error in done.body["errors"]] == ["items[0].unitPrice"]
