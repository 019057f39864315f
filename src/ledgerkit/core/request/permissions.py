"""Who may do what: one table, guarding every channel alike (interface decisions R)."""

from collections.abc import Mapping
from enum import StrEnum


class Role(StrEnum):
    OWNER = "owner"
    ADMIN = "admin"
    FINANCE = "finance"
    OPERATIONS = "operations"
    MEMBER = "member"
    VIEWER = "viewer"


class Permission(StrEnum):
    """`noun:verb`. PUBLIC needs no credentials, ACCOUNT any, LOGIN the token of a person's login instead of a key."""

    PUBLIC = "public"
    ACCOUNT = "account:use"
    LOGIN = "login:use"
    TEAM_READ = "team:read"
    TEAM_WRITE = "team:write"
    TEAM_KEY = "team:key"
    ACTIVITY_READ = "activity:read"
    CONTEXT_READ = "context:read"
    CONTEXT_WRITE = "context:write"
    CLIENTS_READ = "clients:read"
    CLIENTS_WRITE = "clients:write"
    CLIENTS_DELETE = "clients:delete"
    INVOICES_READ = "invoices:read"
    INVOICES_DRAFT = "invoices:draft"
    INVOICES_DRAFT_ANY = "invoices:draft-any"
    INVOICES_ISSUE = "invoices:issue"
    INVOICES_DELETE = "invoices:delete"
    EINVOICE_READ = "einvoice:read"
    EINVOICE_EMIT = "einvoice:emit"
    EINVOICE_MANAGE = "einvoice:manage"
    EXPENSES_READ = "expenses:read"
    EXPENSES_WRITE = "expenses:write"
    EXPENSES_WRITE_ANY = "expenses:write-any"
    EXPENSES_DELETE = "expenses:delete"
    CATALOG_READ = "catalog:read"
    CATALOG_WRITE = "catalog:write"
    TASKS_READ = "tasks:read"
    TASKS_WRITE = "tasks:write"
    TASKS_DELETE_ANY = "tasks:delete-any"
    VENDORS_READ = "vendors:read"
    VENDORS_WRITE = "vendors:write"
    VENDORS_DELETE = "vendors:delete"
    SUPPLIER_INVOICES_READ = "supplier-invoices:read"
    SUPPLIER_INVOICES_WRITE = "supplier-invoices:write"
    SUPPLIER_INVOICES_PAY = "supplier-invoices:pay"
    DECLARATIONS_READ = "declarations:read"
    DECLARATIONS_WRITE = "declarations:write"
    CASH_REGISTER_USE = "cash-register:use"
    CASH_REGISTER_USE_ANY = "cash-register:use-any"
    CASH_REGISTER_READ = "cash-register:read"
    REPORTS_READ = "reports:read"


_P = Permission

_READING = {
    _P.ACCOUNT,
    _P.LOGIN,
    _P.TEAM_READ,
    _P.ACTIVITY_READ,
    _P.CONTEXT_READ,
    _P.CLIENTS_READ,
    _P.INVOICES_READ,
    _P.EXPENSES_READ,
    _P.CATALOG_READ,
    _P.TASKS_READ,
    _P.VENDORS_READ,
}
_MEMBER = _READING | {
    _P.CLIENTS_WRITE,
    _P.INVOICES_DRAFT,
    _P.EXPENSES_WRITE,
    _P.TASKS_WRITE,
    _P.CASH_REGISTER_USE,
}
_KEEPING = _MEMBER | {
    _P.INVOICES_DRAFT_ANY,
    _P.EXPENSES_WRITE_ANY,
    _P.TASKS_DELETE_ANY,
    _P.VENDORS_WRITE,
    _P.SUPPLIER_INVOICES_READ,
    _P.SUPPLIER_INVOICES_WRITE,
    _P.CASH_REGISTER_READ,
}
_FINANCE = _KEEPING | {
    _P.CLIENTS_DELETE,
    _P.INVOICES_ISSUE,
    _P.INVOICES_DELETE,
    _P.EINVOICE_READ,
    _P.EINVOICE_EMIT,
    _P.EXPENSES_DELETE,
    _P.VENDORS_DELETE,
    _P.SUPPLIER_INVOICES_PAY,
    _P.DECLARATIONS_READ,
    _P.DECLARATIONS_WRITE,
    _P.CASH_REGISTER_USE_ANY,
    _P.REPORTS_READ,
}
_ADMIN = _FINANCE | {_P.CATALOG_WRITE, _P.TEAM_WRITE, _P.CONTEXT_WRITE, _P.EINVOICE_MANAGE}
_VIEWER = _READING | {
    _P.EINVOICE_READ,
    _P.SUPPLIER_INVOICES_READ,
    _P.DECLARATIONS_READ,
    _P.CASH_REGISTER_READ,
    _P.REPORTS_READ,
}

ROLE_PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.OWNER: frozenset(_ADMIN | {_P.TEAM_KEY}),
    Role.ADMIN: frozenset(_ADMIN),
    Role.FINANCE: frozenset(_FINANCE),
    Role.OPERATIONS: frozenset(_KEEPING | {_P.CATALOG_WRITE}),
    Role.MEMBER: frozenset(_MEMBER),
    Role.VIEWER: frozenset(_VIEWER),
}


def roles_with(permission: Permission) -> list[Role]:
    """The roles that hold a permission, strongest first."""
    return [role for role in Role if permission in ROLE_PERMISSIONS[role]]
