"""The catalogue as agents read it: its rules, its budget, and no drift from the operations and from REST."""

import ast
import inspect
import json
import pkgutil
import re
from importlib import import_module
from itertools import chain
from textwrap import dedent

import pytest
from mcp_tools_list import SNAPSHOT, compact, listing

from ledgerkit import core
from ledgerkit.core.request.operation import OPERATIONS, Effect, declared
from ledgerkit.core.request.scopes import Scope, scope_of
from ledgerkit.mcp_server.not_exposed import NOT_EXPOSED, reason
from ledgerkit.mcp_server.schemas import EXTRAS, OTHER
from ledgerkit.mcp_server.tool import Confirmed, Module
from ledgerkit.mcp_server.tools import TOOLS, required_scope
from ledgerkit.routers.invoices import update_invoice
from support.description import operations
from support.routes import served
from support.wrongness import alternatives, body_schema

ALL = pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
CORE = [tool for tool in TOOLS.values() if tool.module is Module.CORE]
VIEWS = {"kind", "view", "revoke", "box", "complete", "id"}
"""Fields that choose between operations, or name the record that is in REST's path."""
OTHER_WORDS = {"profit_loss", "low_stock", "declaration_file", "direct_debit", "payment_terms"}
"""Values that descriptions name."""

for package in pkgutil.walk_packages(core.__path__, f"{core.__name__}."):
    import_module(package.name)  # so that every operation is declared

READING = {name for name, operation in OPERATIONS.items() if Effect.READ_ONLY in operation.effects}


# ---------------------------------------------------------------- what is published


def test_the_listing_is_the_reviewed_one():
    assert listing() == SNAPSHOT.read_text(encoding="utf-8")


def test_all_definitions_stay_within_their_budget():
    """Names, descriptions and schemas of arguments and answers cost every conversation."""
    assert len(compact(CORE)) <= 30_000
    assert len(compact(TOOLS.values())) <= 55_000


def test_the_tools_are_those_of_the_decision_in_alphabetical_order():
    sizes = {module: sum(tool.module is module for tool in TOOLS.values()) for module in Module}

    assert list(TOOLS) == sorted(TOOLS)
    assert sizes == {
        Module.CORE: 33,
        Module.CATALOG: 6,
        Module.PAYABLES: 10,
        Module.TASKS: 4,
        Module.TEAM: 5,
        Module.POS: 4,
    }


@ALL
def test_a_name_is_a_verb_and_a_noun(tool):
    assert re.fullmatch(r"[a-z]+(_[a-z]+)+|whoami", tool.name)
    assert len(tool.name) <= 40


@ALL
def test_a_description_says_what_it_does_within_bounds(tool):
    first_word = tool.description.partition(" ")[0]

    assert 60 <= len(tool.description) <= 400
    assert first_word[0].isupper()
    assert tool.description.endswith(".")
    assert tool.title != tool.description


@ALL
def test_a_description_names_tools_that_exist(tool):
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", tool.description + " ".join(tool.hints.values())))
    values = {value for field in tool.schema["properties"].values() for value in field.get("enum", ())}

    assert named - TOOLS.keys() - values - {*EXTRAS, *OTHER_WORDS} == set()


@ALL
def test_arguments_are_few_and_closed(tool):
    assert len(tool.schema["properties"]) <= 12
    assert tool.schema["additionalProperties"] is False
    assert set(tool.schema.get("required", ())) <= tool.schema["properties"].keys()


@ALL
def test_every_field_has_a_type_and_dates_say_that_they_are(tool):
    for name, field in tool.schema["properties"].items():
        assert "type" in field, name
        if re.search(r"(Date|paidAt|dueBefore|^from|^to|dateFrom|dateTo)$", name):
            assert field["format"] == "date", name


def test_the_fields_of_rest_that_are_not_described_are_named_as_others():
    described = TOOLS["create_invoice"].schema["properties"]
    others = described[OTHER]["description"].split(", ")

    assert {*described, *others} - {OTHER} == TOOLS["create_invoice"].full_schema["properties"].keys()
    assert {"fiscalDetails", "exchangeRate", "operationDate"} <= set(others)


def test_amounts_are_numbers():
    item = TOOLS["create_invoice"].schema["properties"]["items"]["items"]

    assert (item["properties"]["unitPrice"]["type"], item["required"]) == ("number", ["description", "unitPrice"])


# ---------------------------------------------------------------- annotations


@ALL
def test_every_hint_follows_from_the_operations(tool):
    """Explicit, as hosts want them, but for that of repetition where the protocol's default says it."""
    hints = tool.published.annotations
    effects = [operation.effects for operation in tool.declared]

    assert hints.read_only_hint == all(Effect.READ_ONLY in one for one in effects)
    assert (hints.idempotent_hint is True or hints.read_only_hint) == all(Effect.IDEMPOTENT in one for one in effects)
    assert hints.open_world_hint == any(Effect.OPEN_WORLD in one for one in effects)
    assert hints.destructive_hint >= any(Effect.DESTRUCTIVE in one for one in effects)
    assert not (hints.read_only_hint and hints.destructive_hint)


@ALL
def test_what_is_destructive_is_confirmed(tool):
    """Payments and sales, which are final only where they seal a record, are confirmed then."""
    has_field = "confirmation_token" in tool.schema["properties"]

    assert (tool.confirmed is not Confirmed.NEVER) == (Effect.DESTRUCTIVE in tool.effects) == has_field
    assert (tool.confirmed is Confirmed.IF_IT_SEALS) == (tool.name in {"add_cash_movement", "mark_invoice_paid"})


@ALL
def test_what_creates_or_pays_may_be_repeated_with_a_key(tool):
    creates = tool.name.startswith(("create_", "duplicate_", "record_", "mark_", "add_", "open_"))

    assert ("idempotency_key" in tool.schema["properties"]) >= creates


def test_the_words_of_the_agents_are_those_of_the_catalogue():
    destructive = [name for name, tool in TOOLS.items() if tool.published.annotations.destructive_hint]

    assert destructive == [
        "add_cash_movement",
        "annul_einvoice",
        "cancel_supplier_invoice",
        "close_cash_register",
        "create_credit_note",
        "delete_record",
        "emit_einvoice",
        "invite_member",
        "mark_invoice_paid",
        "remove_member",
        "send_invoice",
        "set_member_role",
        "share_invoice",
        "submit_tax_declaration",
    ]


# ---------------------------------------------------------------- no drift


def test_every_operation_is_called_by_a_tool_or_left_out_for_a_reason():
    mapped = set(chain.from_iterable(tool.operations for tool in TOOLS.values()))
    left_out = {name for name in OPERATIONS if reason(name)}

    assert mapped <= OPERATIONS.keys()
    assert OPERATIONS.keys() - mapped - left_out == set()


def test_reasons_are_about_operations_that_no_tool_is_for():
    mapped = set(chain.from_iterable(tool.operations for tool in TOOLS.values()))
    auxiliary = {"teams.members.listing"}
    without = {name for name in NOT_EXPOSED if not any(one == name or one.startswith(name) for one in OPERATIONS)}

    assert without == set()
    assert {name for name in mapped if reason(name)} == auxiliary


def test_every_operation_of_rest_is_called_or_left_out():
    of_rest = {route.operation.name for route in served() if route.operation is not None}
    mapped = set(chain.from_iterable(tool.operations for tool in TOOLS.values()))

    assert len(of_rest) >= 112
    assert {name for name in of_rest - mapped if not reason(name)} == set()


def called(function, depth=0):
    """Names of the operations that a function names, and those of our functions and tables that it uses."""
    module = inspect.getmodule(function)
    for value in inspect.getclosurevars(function).nonlocals.values():
        yield from operations_in(value, depth)
    for node in ast.walk(ast.parse(dedent(inspect.getsource(function)))):
        value = named(node, module)
        yield from operations_in(value, depth)


def operations_in(value, depth):
    if operation := declared(value):
        yield operation.name
    elif inspect.isfunction(value) and value.__module__.startswith("ledgerkit.mcp_server") and depth < 3:
        yield from called(value, depth + 1)
    elif isinstance(value, dict) and depth < 3:
        for inner in value.values():
            yield from operations_in(inner, depth + 1)


def named(node, module):
    if isinstance(node, ast.Name):
        return getattr(module, node.id, None)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        owner = getattr(module, node.value.id, None)
        return getattr(owner, node.attr, None) if inspect.ismodule(owner) else None
    return None


def code_of(tool):
    """The functions of a tool: its own, or the names that its lambda loads."""
    if operation := declared(tool.run):
        return {operation.name}
    code, module = tool.run.__code__, inspect.getmodule(tool.run)
    if tool.run.__name__ != "<lambda>":
        return set(called(tool.run))
    names, owners = code.co_names, [getattr(module, name, None) for name in code.co_names]
    attributes = [getattr(owner, name, None) for owner in owners if inspect.ismodule(owner) for name in names]
    return {operation.name for value in attributes if (operation := declared(value))}


@ALL
def test_a_tool_calls_the_operations_that_it_declares(tool):
    of_documents = set(tool.operations) - {"downloads.link"} if tool.name == "get_document" else set()
    found = code_of(tool)
    labels = {"clients.get", "invoices.get", "supplier_invoices.get", "teams.members.listing"}

    assert found - set(tool.operations) <= labels
    assert set(tool.operations) - of_documents - labels <= found


@ALL
def test_its_fields_are_those_of_its_operations(tool):
    """Names as REST has them in bodies, queries and paths, and the few that the call itself needs."""
    rows = {route.row for route in served() if route.operation is not None and route.operation.name in tool.operations}
    fields = set(chain.from_iterable(fields_of(row) for row in rows))
    extras = {
        *EXTRAS,
        *VIEWS,
        OTHER,
        "detail",
        "cursor",
        "limit",
        "delta",
        "variantIndex",
        "itemId",
        "invoiceId",
        "year",
    }

    assert set(tool.full_schema.get("properties", {})) - fields - extras == set()


def fields_of(row):
    """Names in the path, the query and the body of an operation of REST."""
    parameters = {one["name"] for one in operations()[row].get("parameters", ())}
    body = body_schema(row)
    return parameters.union(*(kind.get("properties", {}) for kind in alternatives(body))) if body else parameters


@ALL
def test_the_scope_covers_what_the_tool_is_for(tool):
    """Reading is for all credentials; an operation beyond the tool's scope is refused by its own gate."""
    scopes = {scope_of(operation.permission) for operation in tool.declared}

    assert required_scope(tool.name) is tool.scope
    if tool.scope is Scope.READ:
        assert set(tool.operations) <= READING
    elif tool.name != "remove_member":  # whose operation also lets people leave
        assert tool.scope in scopes


def test_no_tool_has_no_scope():
    assert required_scope("delete_everything") is None


def test_secrets_and_pictures_are_in_no_schema():
    assert not re.search(r'"(apiKey|logo|password|qr)":', json.dumps(listing()))


def test_what_repairs_a_rejected_invoice_is_not_denied():
    """As docs/einvoice.md has it: client, descriptions and categories, and then another emission."""
    description = TOOLS["update_invoice"].description
    over_rest = " ".join((update_invoice.__doc__ or "").split())

    for words in (description, over_rest):
        assert "rejected" in words
        assert "client" in words
        assert "categories" in words
        assert "only" not in words
