"""Descriptions of the tools as agents read them: reviewed whenever they change."""

import json

import pytest
from mcp_tools_list import SNAPSHOT, listing

from ledgerkit.core.einvoice.schemas import AnnulInput, CreditNoteInput, EmitInput
from ledgerkit.core.invoices.schemas import InvoiceInput
from ledgerkit.mcp_server.tools import TOOLS

ALL = pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)


def objects(schema):
    """Every object of a schema that has properties of its own."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


def test_the_listing_is_the_reviewed_one():
    assert listing() == SNAPSHOT.read_text(encoding="utf-8")


def test_the_tools_are_listed_in_alphabetical_order():
    assert list(TOOLS) == sorted(TOOLS)


@ALL
def test_names_and_descriptions_are_fit_for_agents(tool):
    assert len(tool.name) <= 40
    assert tool.name.replace("_", "").isalpha()
    assert 60 <= len(tool.description) <= 400


@ALL
def test_every_hint_is_explicit(tool):
    hints = tool.published.annotations

    given = (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)
    assert None not in given
    assert not (hints.read_only_hint and hints.destructive_hint)


def test_only_what_is_reported_is_destructive_and_leaves_the_system():
    told = {name: tool.published.annotations for name, tool in TOOLS.items()}

    fiscal = ["annul_einvoice", "create_credit_note", "emit_einvoice"]
    assert [name for name, hints in told.items() if hints.destructive_hint] == fiscal
    assert [name for name, hints in told.items() if hints.open_world_hint] == fiscal
    assert [name for name, hints in told.items() if hints.read_only_hint] == ["get_invoice", "list_invoices", "whoami"]


@ALL
def test_arguments_are_closed_at_every_level(tool):
    found = list(objects(tool.published.input_schema))

    assert found
    assert all(one["additionalProperties"] is False for one in found)


@pytest.mark.parametrize(("name", "shape"), [("create_invoice", InvoiceInput), ("create_credit_note", CreditNoteInput)])
def test_what_creates_takes_exactly_the_fields_of_rest_and_a_key(name, shape):
    fields = TOOLS[name].schema["properties"].keys()

    assert fields == shape.model_json_schema()["properties"].keys() | {"idempotency_key"}


@pytest.mark.parametrize(("name", "shape"), [("emit_einvoice", EmitInput), ("annul_einvoice", AnnulInput)])
def test_a_fiscal_tool_takes_fields_of_rest(name, shape):
    assert TOOLS[name].schema["properties"].keys() <= shape.model_json_schema()["properties"].keys()


def test_amounts_are_numbers_and_dates_say_that_they_are():
    listed = TOOLS["create_invoice"].schema
    item = listed["$defs"]["InvoiceItemInput"]["properties"]

    assert (item["unitPrice"]["type"], item["quantity"]["type"], item["quantity"]["default"]) == ("number", "number", 1)
    assert {"type": "string", "format": "date"} in listed["properties"]["dueDate"]["anyOf"]


def test_the_definitions_stay_small():
    """Names, descriptions and arguments cost every conversation; a budget of 16 KB."""
    told = [[tool.name, tool.description, tool.schema] for tool in TOOLS.values()]

    assert len(json.dumps(told, separators=(",", ":"))) < 16 * 1024
