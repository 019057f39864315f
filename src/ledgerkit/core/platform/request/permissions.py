"""Permissions by role: one table, guarding every channel alike (interface decisions R)."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Self


class Role(StrEnum):
    OWNER = "owner"
    ADMIN = "admin"
    FINANCE = "finance"
    OPERATIONS = "operations"
    MEMBER = "member"
    VIEWER = "viewer"


_NOBODY: frozenset[Role] = frozenset()
_EVERYBODY = frozenset(Role)
_MEMBERS = _EVERYBODY - {Role.VIEWER}
_BOOKKEEPERS = _MEMBERS - {Role.MEMBER}
_FINANCE = _BOOKKEEPERS - {Role.OPERATIONS}
_ADMINS = _FINANCE - {Role.FINANCE}


class Permission(StrEnum):
    """Rights as `noun:verb`, each with the roles that grant it.

    PUBLIC needs no credentials, ACCOUNT any, LOGIN the token of a person's login instead of a key.
    """

    def __new__(cls, value: str, roles: Collection[Role]) -> Self:
        permission = str.__new__(cls, value)
        permission._value_ = value
        permission.roles = frozenset(roles)
        return permission

    roles: frozenset[Role]

    PUBLIC = "public", _NOBODY
    ACCOUNT = "account:use", _EVERYBODY
    LOGIN = "login:use", _EVERYBODY
    TEAM_READ = "team:read", _EVERYBODY
    TEAM_WRITE = "team:write", _ADMINS
    TEAM_KEY = "team:key", {Role.OWNER}
    INVITATIONS_READ = "invitations:read", _ADMINS
    ACTIVITY_READ = "activity:read", _EVERYBODY
    ACTIVITY_UNDO = "activity:undo", _MEMBERS
    CONTEXT_READ = "context:read", _EVERYBODY
    CONTEXT_WRITE = "context:write", _ADMINS
    CLIENTS_READ = "clients:read", _EVERYBODY
    CLIENTS_WRITE = "clients:write", _MEMBERS
    CLIENTS_DELETE = "clients:delete", _FINANCE
    INVOICES_READ = "invoices:read", _EVERYBODY
    INVOICES_DRAFT = "invoices:draft", _MEMBERS
    INVOICES_DRAFT_ANY = "invoices:draft-any", _BOOKKEEPERS
    INVOICES_ISSUE = "invoices:issue", _FINANCE
    INVOICES_DELETE = "invoices:delete", _FINANCE
    EINVOICE_READ = "einvoice:read", _FINANCE | {Role.VIEWER}
    EINVOICE_EMIT = "einvoice:emit", _FINANCE
    EINVOICE_MANAGE = "einvoice:manage", _ADMINS
    EINVOICE_REPLACE = "einvoice:replace", {Role.OWNER}
    EINVOICE_GO_LIVE = "einvoice:go-live", {Role.OWNER}
    EXPENSES_READ = "expenses:read", _EVERYBODY
    EXPENSES_WRITE = "expenses:write", _MEMBERS
    EXPENSES_WRITE_ANY = "expenses:write-any", _BOOKKEEPERS
    EXPENSES_DELETE = "expenses:delete", _FINANCE
    ATTACHMENTS_READ = "attachments:read", _EVERYBODY
    ATTACHMENTS_WRITE = "attachments:write", _MEMBERS
    CATALOG_READ = "catalog:read", _EVERYBODY
    CATALOG_WRITE = "catalog:write", _ADMINS | {Role.OPERATIONS}
    TASKS_READ = "tasks:read", _EVERYBODY
    TASKS_WRITE = "tasks:write", _MEMBERS
    TASKS_DELETE_ANY = "tasks:delete-any", _BOOKKEEPERS
    VENDORS_READ = "vendors:read", _EVERYBODY
    VENDORS_WRITE = "vendors:write", _BOOKKEEPERS
    VENDORS_DELETE = "vendors:delete", _FINANCE
    SUPPLIER_INVOICES_READ = "supplier-invoices:read", _BOOKKEEPERS | {Role.VIEWER}
    SUPPLIER_INVOICES_WRITE = "supplier-invoices:write", _BOOKKEEPERS
    SUPPLIER_INVOICES_PAY = "supplier-invoices:pay", _FINANCE
    DECLARATIONS_READ = "declarations:read", _FINANCE | {Role.VIEWER}
    DECLARATIONS_WRITE = "declarations:write", _FINANCE
    DECLARATIONS_SUBMIT = "declarations:submit", _FINANCE
    CASH_REGISTER_USE = "cash-register:use", _MEMBERS
    CASH_REGISTER_USE_ANY = "cash-register:use-any", _FINANCE
    CASH_REGISTER_READ = "cash-register:read", _BOOKKEEPERS | {Role.VIEWER}
    REPORTS_READ = "reports:read", _FINANCE | {Role.VIEWER}
    APPROVALS_READ = "approvals:read", _MEMBERS
    APPROVALS_PROPOSE = "approvals:propose", _MEMBERS
    APPROVALS_DECIDE = "approvals:decide", _MEMBERS


ROLE_PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    role: frozenset(permission for permission in Permission if role in permission.roles) for role in Role
}


def roles_with(permission: Permission) -> list[Role]:
    """Return the roles that hold a permission, the strongest first."""
    return [role for role in Role if role in permission.roles]
