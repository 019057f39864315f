"""Declarations of operations agree with the methods of HTTP and with each other."""

import re

from ledgerkit.core.platform.request.operation import Effect
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.mcp_server.tools import TOOLS
from support.description import operations
from support.interface import OF_LOGINS
from support.routes import served

ROUTES = [route for route in served() if route.operation is not None]

PREPARING = {"GET /api/einvoice/declaration"}
"""The declaration is kept as it was shown, and so only the first of these requests stores anything."""

RECORDED = {"GET /api/einvoice/chain", "GET /api/einvoice/export"}
"""A check of the chain and an export change nothing that is read, but the law has the event log record each of them."""

OPENING = {"GET /s/{token}", "GET /s/{token}/pdf"}
"""The first of these is noted, which its reader neither asks for nor sees (RFC 9110 §9.2.1)."""

AUTHORIZING = {"GET /oauth/authorize", "GET /authorize"}
"""Each stores a request that a person answers; that this is a GET is the protocol's choice (RFC 6749 §3.1)."""


def rows(method: str) -> list[str]:
    return [route.row for route in ROUTES if route.method == method]


def effects(row: str) -> Effect:
    return next(route.operation.effects for route in ROUTES if route.row == row)


def test_get_is_safe():
    not_read_only = {row for row in rows("GET") if Effect.READ_ONLY not in effects(row)}

    assert not_read_only - AUTHORIZING == PREPARING | RECORDED | OPENING


def test_a_get_that_leaves_a_record_says_so():
    assert {row: effects(row) for row in RECORDED} == dict.fromkeys(RECORDED, Effect.NONE)


def test_put_and_delete_may_be_repeated():
    found = {row: effects(row) for row in {*rows("PUT"), *rows("DELETE"), *PREPARING, *OPENING}}

    assert {
        row for row, effect in found.items() if Effect.IDEMPOTENT not in effect or Effect.READ_ONLY in effect
    } == set()


def test_delete_takes_something_away():
    assert [row for row in rows("DELETE") if Effect.DESTRUCTIVE not in effects(row)] == []


def test_what_is_read_only_destroys_nothing():
    assert [one.row for one in ROUTES if Effect.READ_ONLY | Effect.DESTRUCTIVE in one.operation.effects] == []


def test_a_route_asks_for_credentials_where_its_operation_does():
    assert {route.row for route in ROUTES if route.known == (route.operation.permission is Permission.PUBLIC)} == set()


def test_operations_for_logins_are_those_of_a_persons_own_account():
    assert {route.row for route in ROUTES if route.operation.permission is Permission.LOGIN} == OF_LOGINS


def test_described_operations_are_declared_but_for_the_probes():
    assert operations().keys() - {route.row for route in ROUTES} == {"GET /health", "GET /ready"}


def test_a_tool_of_one_operation_has_its_name_in_rest():
    """Those that do not: an agent's words for several operations, or for one that REST names after its path."""
    ids = {route.row: route.operation for route in ROUTES}
    by_id = {snake_case(operation["operationId"]): ids.get(row) for row, operation in operations().items()}
    tools = {name: tool for name, tool in TOOLS.items() if len(tool.operations) == 1}
    others = {name for name, tool in tools.items() if by_id.get(name) is not tool.declared[0]}

    assert others == {
        "lock_tax_declaration",
        "mark_invoice_paid",
        "read_supplier_invoice_image",
        "record_supplier_payment",
        "set_member_role",
        "update_context_summary",
        "whoami",
    }


def snake_case(operation_id: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", operation_id.replace("EInvoice", "Einvoice")).lower()
