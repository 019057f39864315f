"""Every operation carries a permission, and the service modules offer nothing else."""

from itertools import pairwise
from pathlib import Path

import pytest

from ledgerkit.core.platform.request.calls import operation_called_by
from ledgerkit.core.platform.request.operation import OPERATIONS, Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Permission, Role, roles_with
from ledgerkit.core.purchases.vendors import service as vendors
from ledgerkit.core.purchases.vendors.service import get
from support import callgraph

PUBLIC = {
    "identity.register",
    "identity.login",
    "credentials.forgot_password",
    "credentials.recipient",
    "credentials.reset_password",
    "credentials.verify_address",
    "credentials.visits.forgot",
    "credentials.visits.use_link",
    "downloads.opened",
    "oauth.authorize",
    "oauth.consent.show",
    "oauth.consent.submit",
    "oauth.exchange",
    "oauth.register",
    "oauth.revoke",
    "invoices.sharing.shared_paper",
    "invoices.sharing.shared_pdf",
    "teams.joining.register",
    "teams.joining.login",
    "teams.joining.welcome",
    "teams.joining.accept",
    "teams.web_sessions.open_session",
    "teams.web_sessions.current",
}
"""Operations that need no login."""


def test_only_these_operations_need_no_login():
    assert {name for name, one in OPERATIONS.items() if one.permission is Permission.PUBLIC} == PUBLIC


ASKED_WITHIN = {
    Permission.INVOICES_DRAFT_ANY,
    Permission.EXPENSES_WRITE_ANY,
    Permission.TASKS_DELETE_ANY,
    Permission.CASH_REGISTER_USE_ANY,
    Permission.EINVOICE_REPLACE,
}
"""Permissions that operations ask for beyond their own."""


def test_every_permission_is_used():
    used = {one.permission for one in OPERATIONS.values()}

    assert set(Permission) - used == ASKED_WITHIN


def test_roles_grow_from_member_to_owner():
    ladder = [Role.MEMBER, Role.OPERATIONS, Role.FINANCE, Role.ADMIN, Role.OWNER]

    for lower, upper in pairwise(ladder):
        assert ROLE_PERMISSIONS[lower] - {Permission.CATALOG_WRITE} <= ROLE_PERMISSIONS[upper]
    assert roles_with(Permission.CATALOG_WRITE) == [Role.OWNER, Role.ADMIN, Role.OPERATIONS]
    writing = {"write", "delete", "issue", "emit", "draft", "pay", "use", "key"}
    assert {
        permission.rpartition(":")[2]
        for permission in ROLE_PERMISSIONS[Role.VIEWER] - {Permission.ACCOUNT, Permission.LOGIN}
    } & writing == set()


def test_nobody_holds_public_and_everybody_an_account():
    assert roles_with(Permission.PUBLIC) == []
    assert roles_with(Permission.ACCOUNT) == list(Role)


NAMES = Path(__file__).with_name("operation_names.txt")
"""Names that servers have stored with idempotency keys and counted under, so far: none may change or go."""


def test_names_outlive_moves_and_renamings_of_the_code():
    callgraph.modules()  # loads them all, those of the command line too

    assert set(NAMES.read_text().split()) - OPERATIONS.keys() == set()


MOVED = {"catalog.confirming.confirm": "reading"}
"""Operations that moved to another domain and kept their names, with that domain."""


def test_a_name_begins_with_the_domain_that_the_function_lies_in():
    strange = {
        name: one.function.__module__
        for name, one in OPERATIONS.items()
        if f".{MOVED.get(name) or name.partition('.')[0]}." not in one.function.__module__
    }

    assert strange == {}


def test_what_is_kept_as_a_result_is_declared_as_a_refusal():
    undeclared = {
        (name, code)
        for name, one in OPERATIONS.items()
        for code in one.final
        if code not in {declared for _, codes in one.errors for declared in codes}
    }

    assert undeclared == set()


def test_what_only_reads_is_read_only_and_may_be_repeated():
    reading = [one for one in OPERATIONS.values() if one.unit is Unit.READING]

    assert reading
    assert all(Effect.READ_ONLY | Effect.IDEMPOTENT in one.effects for one in reading)


def test_an_operation_is_declared_once():
    one = OPERATIONS["vendors.create"]

    with pytest.raises(AssertionError, match=r"vendors\.create"):
        operation(one.permission)(one.function)


class TestTheOperationThatAFunctionCalls:
    def test_is_read_from_its_code(self):
        async def route(ctx, page):
            return listed(await vendors.listing(ctx, page))

        assert operation_called_by(route) is OPERATIONS["vendors.listing"]

    def test_may_be_imported_by_itself(self):
        async def route(ctx):
            return await get(ctx, "x")

        assert operation_called_by(route) is OPERATIONS["vendors.get"]

    def test_is_none_where_there_is_none(self):
        async def route(ctx):
            return listed(ctx)

        assert operation_called_by(route) is None

    def test_is_one_alone(self):
        async def route(ctx):
            await vendors.get(ctx, "x")
            return await vendors.listing(ctx, None)

        with pytest.raises(AssertionError, match=r"route calls vendors\.get, vendors\.listing"):
            operation_called_by(route)


def listed(found):
    return found
