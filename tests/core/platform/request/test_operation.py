"""Every operation carries a permission, and the service modules offer nothing else."""

from itertools import pairwise

import pytest

from ledgerkit.core import WINGS_OF_DOMAINS
from ledgerkit.core.einvoice.issuance import annulment
from ledgerkit.core.operation.personal_data.export import operations as export
from ledgerkit.core.platform.request.operation import OPERATIONS, Effect, Unit, declared, operation
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Permission, Role, roles_with
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.core.sales.invoices.pdf import printed_invoice
from ledgerkit.core.sales.invoices.public_links import operations as public_links
from ledgerkit.core.tasks import operations as tasks
from support import callgraph

PUBLIC = {
    "identity.register",
    "identity.login",
    "credentials.forgot_password",
    "credentials.recipient",
    "credentials.reset_password",
    "credentials.verify_address",
    "credentials.pages.ask_for_link",
    "credentials.pages.use_link",
    "downloads.opened",
    "messaging.delivery.receive",
    "oauth.authorize",
    "oauth.pages.show_consent",
    "oauth.pages.answer_consent",
    "oauth.exchange_grant",
    "oauth.register",
    "oauth.revoke",
    "invoices.public_links.shared_document",
    "invoices.public_links.shared_pdf",
    "teams.invitations.register",
    "teams.invitations.login",
    "teams.invitations.welcome",
    "teams.invitations.accept_invitation",
    "teams.web_sessions.open_session",
    "teams.web_sessions.current_session",
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


def test_a_name_is_made_of_the_folders_below_the_wing_and_the_function():
    names = {function: declared(function).name for function in NAMED}

    assert names == NAMED


NAMED = {
    vendors.create: "vendors.create",
    tasks.create: "tasks.create",
    public_links.share: "invoices.public_links.share",
    annulment.annul: "einvoice.issuance.annul",
    printed_invoice.pdf: "invoices.pdf.pdf",
    export.ask_for_export: "personal_data.export.ask_for_export",
}


def test_a_name_begins_with_a_domain_and_not_with_its_wing():
    callgraph.modules()  # loads them all, those of the command line too
    below = {path.name for wing in WINGS_OF_DOMAINS for path in (callgraph.CORE / wing).iterdir()}
    beside = {path.name for path in callgraph.CORE.iterdir()} - WINGS_OF_DOMAINS

    assert {name for name in OPERATIONS if name.partition(".")[0] not in below | beside} == set()


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


def test_what_is_no_operation_has_no_declaration():
    with pytest.raises(KeyError, match="match_or_create"):
        declared(vendors.match_or_create)
