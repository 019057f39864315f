"""Generated bodies through both faces: equal records where they are accepted, equal problems where they are not.

Numbers as text are the exception: `1,5` is read over MCP, as imports read it (test_mcp_arguments). `1,500` is refused
through both.
"""

import random

import pytest

from support.api import invoice_body, item

OWN = {"id", "channel", "createdAt", "updatedAt", "instance", "requestId", "clientId", "position"}
"""Fields that differ in two records of the same content: a task comes after the one before."""
VALUES = [
    None,
    "",
    "x",
    "ñ 🧾",
    "x" * 300,
    "ES",
    "2026-03-02",
    "2026-02-30",
    "1,500",
    0,
    1,
    -3,
    21,
    12.345,
    1e12,
    True,
    [],
    {},
]

TARGETS = {
    "create_expense": (
        "/api/expenses",
        {"description": "x", "amount": 121, "date": "2026-03-02"},
        ["taxRate", "category", "retentionRate", "status", "deductiblePercent", "operationDate", "amount", "notes"],
    ),
    "create_invoice": (
        "/api/invoices",
        invoice_body(items=[item()]),
        [
            "taxRate",
            "retentionRate",
            "issueDate",
            "dueDate",
            "currency",
            "notes",
            "docType",
            "iban",
            "pricesIncludeTax",
        ],
    ),
    "save_task": ("/api/tasks", {"title": "x"}, ["status", "priority", "dueDate", "tags", "position", "description"]),
    "save_catalog_item": ("/api/catalog", {"name": "x"}, ["type", "unitPrice", "stock", "taxRate", "unit", "isActive"]),
}


def content(record):
    return {name: value for name, value in record.items() if name not in OWN}


@pytest.mark.parametrize("tool", TARGETS)
@pytest.mark.parametrize("seed", range(3))
async def test_generated_bodies_are_answered_alike(site, tool, seed):
    path, body, fields = TARGETS[tool]
    ana = await site.person()
    agent, chance = site.agent(ana).in_full, random.Random(f"{tool} {seed}")
    outcomes = set()

    for _ in range(12):
        changed = {name: chance.choice(VALUES) for name in chance.sample(fields, chance.randint(0, 3))}
        by_rest = await ana.request("POST", path, {**body, **changed})
        by_agent = await agent.call(tool, **{**body, **changed})
        outcomes.add(by_agent.failed)
        assert by_agent.failed == (by_rest.status_code >= 400), changed
        assert content(by_agent.body) == content(by_rest.json()), changed

    assert outcomes == {True, False}
