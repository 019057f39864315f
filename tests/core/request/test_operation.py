"""Every operation carries a permission, and the service modules offer nothing else."""

from itertools import pairwise

from ledgerkit.core.request.context import Actor
from ledgerkit.core.request.operation import OPERATIONS
from ledgerkit.core.request.permissions import ROLE_PERMISSIONS, Permission, Role, roles_with

PUBLIC = {
    "identity.register",
    "identity.login",
    "credentials.forgot_password",
    "credentials.recipient",
    "credentials.reset_password",
    "credentials.verify_address",
    "credentials.visits.forgot",
    "credentials.visits.reset",
    "credentials.visits.verify",
    "invoices.sharing.shared_document",
    "invoices.sharing.shared_pdf",
    "teams.joining.register",
    "teams.joining.login",
    "teams.joining.welcome",
    "teams.joining.accept",
}
"""What needs no login."""


def test_only_these_operations_need_no_login():
    assert {name for name, one in OPERATIONS.items() if one.permission is Permission.PUBLIC} == PUBLIC


ASKED_WITHIN = {
    Permission.INVOICES_DRAFT_ANY,
    Permission.EXPENSES_WRITE_ANY,
    Permission.TASKS_DELETE_ANY,
    Permission.CASH_REGISTER_USE_ANY,
}
"""Permissions that operations ask for beyond their own."""

TO_COME = {Permission.DECLARATIONS_READ, Permission.DECLARATIONS_WRITE}
"""Of the tax declarations, which are not built yet."""


def test_every_permission_is_used_or_reserved():
    used = {one.permission for one in OPERATIONS.values()}

    assert set(Permission) - used == ASKED_WITHIN | TO_COME


def test_roles_grow_from_member_to_owner():
    ladder = [Role.MEMBER, Role.OPERATIONS, Role.FINANCE, Role.ADMIN, Role.OWNER]

    for lower, upper in pairwise(ladder):
        assert ROLE_PERMISSIONS[lower] - {Permission.CATALOG_WRITE} <= ROLE_PERMISSIONS[upper]
    assert roles_with(Permission.CATALOG_WRITE) == [Role.OWNER, Role.ADMIN, Role.OPERATIONS]
    writing = {"write", "delete", "issue", "emit", "draft", "pay", "use", "key"}
    assert {
        permission.rpartition(":")[2] for permission in ROLE_PERMISSIONS[Role.VIEWER] - {Permission.ACCOUNT}
    } & writing == set()


def test_nobody_holds_public_and_everybody_an_account():
    assert roles_with(Permission.PUBLIC) == []
    assert roles_with(Permission.ACCOUNT) == list(Role)


def test_an_actor_is_no_more_than_its_role():
    assert "role" in Actor.__dataclass_fields__
    assert "permissions" not in Actor.__dataclass_fields__
