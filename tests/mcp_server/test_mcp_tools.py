"""The catalogue as agents read it: its rules, its budget, and no drift from the operations and from REST."""

import ast
import inspect
import json
import pkgutil
import re
from importlib import import_module
from itertools import chain
from textwrap import dedent

from mcp_tools_list import SNAPSHOT, compact, listing

from ledgerkit import core
from ledgerkit.core.platform.request.operation import OPERATIONS, Effect, declared
from ledgerkit.core.platform.request.scopes import Scope, scope_of
from ledgerkit.mcp_server.not_exposed import NOT_EXPOSED, reason
from ledgerkit.mcp_server.schemas import DETAIL, EXTRAS, OTHER
from ledgerkit.mcp_server.tool import Confirmed, Module
from ledgerkit.mcp_server.tools import TOOLS, required_scope
from ledgerkit.routers.invoices import update_invoice
from support.description import operations
from support.routes import served
from support.wrongness import alternatives, body_schema

CORE = [tool for tool in TOOLS.values() if tool.module is Module.CORE]
VIEWS = {"kind", "view", "revoke", "box", "complete", "id"}
"""Fields that choose between operations, or name the record that is in REST's path."""
OWN_FIELDS = {
    *EXTRAS,
    *VIEWS,
    OTHER,
    *(
        "application",
        "detail",
        "cursor",
        "limit",
        "delta",
        "variantIndex",
        "itemId",
        "invoiceId",
        "year",
        "type",
        "keepId",
    ),
}
LABELS = {"clients.get", "invoices.get", "supplier_invoices.get", "teams.members.list_members"}
"""Operations that also give the name of what a call is about."""
OTHER_WORDS = {"profit_loss", "low_stock", "declaration_file", "direct_debit", "payment_terms"}
"""Values that descriptions name."""

for package in pkgutil.walk_packages(core.__path__, f"{core.__name__}."):
    import_module(package.name)  # so that every operation is declared

READING = {name for name, operation in OPERATIONS.items() if Effect.READ_ONLY in operation.effects}


def named_by(tool):
    """Names of the operations that a tool says it calls."""
    return {operation.name for operation in tool.declared}


def is_operation(value):
    return callable(value) and any(one.function is inspect.unwrap(value) for one in OPERATIONS.values())


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
        Module.CORE: 34,
        Module.CATALOG: 6,
        Module.PAYABLES: 10,
        Module.TASKS: 4,
        Module.TAX: 5,
        Module.TEAM: 4,
        Module.POS: 4,
    }


def test_every_name_is_a_verb_and_a_noun():
    assert [
        name for name in TOOLS if len(name) > 40 or not re.fullmatch(r"[a-z]+(_[a-z]+)+|whoami|search|undo", name)
    ] == []


def test_every_description_says_what_its_tool_does_within_bounds():
    assert [tool.name for tool in TOOLS.values() if not is_description(tool.description, tool.title)] == []


def is_description(text, title):
    return 60 <= len(text) <= 400 and text[0].isupper() and text.endswith(".") and text != title


def test_descriptions_name_tools_that_exist():
    unknown = {tool.name: words_of_no_tool(tool) for tool in TOOLS.values()}

    assert {tool: words for tool, words in unknown.items() if words} == {}


def words_of_no_tool(tool):
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", tool.description + " ".join(tool.hints.values())))
    values = {value for field in tool.schema["properties"].values() for value in field.get("enum", ())}
    return named - TOOLS.keys() - values - {*EXTRAS, *OTHER_WORDS}


def test_the_arguments_of_every_tool_are_few_and_closed():
    schemas = {tool.name: tool.schema for tool in TOOLS.values()}

    assert [name for name, schema in schemas.items() if len(schema["properties"].keys() - {DETAIL}) > 12] == []
    assert [name for name, schema in schemas.items() if schema["additionalProperties"] is not False] == []
    assert [
        name for name, schema in schemas.items() if set(schema.get("required", ())) - set(schema["properties"])
    ] == []


def test_every_field_has_a_type_and_dates_say_that_they_are():
    fields = [(tool.name, name, field) for tool in TOOLS.values() for name, field in tool.schema["properties"].items()]
    dates = re.compile(r"(Date|paidAt|dueBefore|^from|^to|dateFrom|dateTo)$")

    assert [(tool, name) for tool, name, field in fields if "type" not in field] == []
    assert [(tool, name) for tool, name, field in fields if dates.search(name) and field.get("format") != "date"] == []


def test_the_fields_of_rest_that_are_not_described_are_named_as_others():
    described = TOOLS["create_invoice"].schema["properties"]
    others = described[OTHER]["description"].split(", ")

    assert {*described, *others} - {OTHER} == TOOLS["create_invoice"].full_schema["properties"].keys()
    assert {"fiscalDetails", "exchangeRate", "operationDate"} <= set(others)


def test_a_tool_whose_other_fields_are_those_of_another_takes_no_more_than_it():
    for name, other in (("update_invoice", "create_invoice"), ("update_expense", "create_expense")):
        schema = TOOLS[name].schema["properties"]
        assert schema[OTHER]["description"] == f"As of {other}"
        assert TOOLS[name].full_schema["properties"].keys() - {"id"} <= TOOLS[other].full_schema["properties"].keys()


def test_amounts_are_numbers():
    item = TOOLS["create_invoice"].schema["properties"]["items"]["items"]

    assert (item["properties"]["unitPrice"]["type"], item["required"]) == ("number", ["description", "unitPrice"])


# ---------------------------------------------------------------- annotations


def test_every_hint_follows_from_the_operations():
    """The protocol's defaults are left out: each byte of the listing is paid in every conversation."""
    wrong = {tool.name: wrong_hints(tool) for tool in TOOLS.values()}

    assert {tool: hints for tool, hints in wrong.items() if hints} == {}


def wrong_hints(tool):
    hints = tool.published.annotations
    effects = [operation.effects for operation in tool.declared]
    reads = hints.read_only_hint is True
    destructive = not reads and hints.destructive_hint is not False
    agreeing = {
        "read only": reads == all(Effect.READ_ONLY in one for one in effects),
        "idempotent": (hints.idempotent_hint is True or reads) == all(Effect.IDEMPOTENT in one for one in effects),
        "open world": (hints.open_world_hint is not False) == any(Effect.OPEN_WORLD in one for one in effects),
        "destructive": destructive >= any(Effect.DESTRUCTIVE in one for one in effects),
        "destructive is unsaid": reads or hints.destructive_hint is not None,
    }
    return [hint for hint, agrees in agreeing.items() if not agrees]


OF_BANK_ACCOUNTS = {"save_vendor", "update_tax_declaration", "save_company"}
"""Tools that ask for a confirmation where the bank account would be another one."""


def test_what_is_destructive_is_confirmed():
    """Payments and sales, which are final only where they seal a record, are confirmed then."""
    destructive = {name for name, tool in TOOLS.items() if Effect.DESTRUCTIVE in tool.effects}
    confirmed = {name for name, tool in TOOLS.items() if tool.confirmed is not Confirmed.NEVER}
    has_field = {name for name, tool in TOOLS.items() if "confirmation_token" in tool.schema["properties"]}
    sometimes = {name for name, tool in TOOLS.items() if tool.confirmed is Confirmed.SOMETIMES}

    assert confirmed - destructive == OF_BANK_ACCOUNTS
    assert destructive - confirmed == set()
    assert has_field == confirmed
    assert sometimes == {"add_cash_movement", "mark_invoice_paid", "undo", *OF_BANK_ACCOUNTS}


def test_what_creates_or_pays_may_be_repeated_with_a_key():
    verbs = ("create_", "duplicate_", "record_", "mark_", "add_", "open_")
    creating = [tool for name, tool in TOOLS.items() if name.startswith(verbs)]

    assert [tool.name for tool in creating if "idempotency_key" not in tool.schema["properties"]] == []


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
        "lock_tax_declaration",
        "mark_invoice_paid",
        "merge_records",
        "remove_member",
        "send_invoice",
        "set_member_role",
        "share_invoice",
        "undo",
    ]


# ---------------------------------------------------------------- no drift


def test_every_operation_is_called_by_a_tool_or_left_out_for_a_reason():
    mapped = set(chain.from_iterable(named_by(tool) for tool in TOOLS.values()))
    left_out = {name for name in OPERATIONS if reason(name)}

    assert OPERATIONS.keys() - mapped - left_out == set()


def test_reasons_are_about_operations_that_no_tool_is_for():
    mapped = set(chain.from_iterable(named_by(tool) for tool in TOOLS.values()))
    auxiliary = {"teams.members.list_members"}
    without = {name for name in NOT_EXPOSED if not any(one == name or one.startswith(name) for one in OPERATIONS)}

    assert without == set()
    assert {name for name in mapped if reason(name)} == auxiliary


def test_every_operation_of_rest_is_called_or_left_out():
    of_rest = {route.operation.name for route in served() if route.operation is not None}
    mapped = set(chain.from_iterable(named_by(tool) for tool in TOOLS.values()))

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
    if is_operation(value):
        yield declared(value).name
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
    if is_operation(tool.run):
        return {declared(tool.run).name}
    code, module = tool.run.__code__, inspect.getmodule(tool.run)
    if tool.run.__name__ != "<lambda>":
        return set(called(tool.run))
    names = list(names_in(code))
    owners = [getattr(module, name, None) for name in names]
    attributes = [getattr(owner, name, None) for owner in owners if inspect.ismodule(owner) for name in names]
    return {declared(value).name for value in attributes if is_operation(value)}


def names_in(code):
    """Names that a function loads, and the lambdas within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from names_in(constant)


def test_every_tool_calls_the_operations_that_it_declares():
    differences = {tool.name: calls_differing(tool) for tool in TOOLS.values()}

    assert {tool: names for tool, names in differences.items() if names} == {}


def calls_differing(tool):
    """Names of operations that are called or declared only; those that give a label are declared by no tool."""
    of_documents = named_by(tool) - {"downloads.link"} if tool.name == "get_document" else set()
    return (code_of(tool) ^ named_by(tool)) - LABELS - (of_documents - code_of(tool))


def test_the_fields_of_every_tool_are_those_of_its_operations():
    """Names as REST has them in bodies, queries and paths, and the few that the call itself needs."""
    own = {tool.name: set(tool.full_schema.get("properties", {})) for tool in TOOLS.values()}

    differences = {name: fields - fields_in_rest(TOOLS[name]) - OWN_FIELDS for name, fields in own.items()}

    assert {tool: fields for tool, fields in differences.items() if fields} == {}


def fields_in_rest(tool):
    rows = {route.row for route in served() if route.operation is not None and route.operation.name in named_by(tool)}
    return set(chain.from_iterable(fields_of(row) for row in rows))


def fields_of(row):
    """Names in the path, the query and the body of an operation of REST."""
    parameters = {one["name"] for one in operations()[row].get("parameters", ())}
    body = body_schema(row)
    return parameters.union(*(kind.get("properties", {}) for kind in alternatives(body))) if body else parameters


def test_the_scope_of_every_tool_covers_what_it_is_for():
    """Reading is for all credentials; an operation beyond the tool's scope is refused by its own gate."""
    tools = TOOLS.values()

    assert [tool.name for tool in tools if required_scope(tool.name) is not tool.scope] == []
    assert [tool.name for tool in tools if not is_covered(tool)] == ["remove_member"]  # which also lets people leave


def is_covered(tool):
    if tool.scope is Scope.READ:
        return named_by(tool) <= READING
    return tool.scope in {scope_of(operation.permission) for operation in tool.declared}


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
