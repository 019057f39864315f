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
    """`noun:verb`. PUBLIC needs no login, ACCOUNT only a login."""

    PUBLIC = "public"
    ACCOUNT = "account:use"
    TEAM_READ = "team:read"
    TEAM_WRITE = "team:write"
    ACTIVITY_READ = "activity:read"
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
    REPORTS_READ = "reports:read"


_P = Permission

_READING = {_P.ACCOUNT, _P.TEAM_READ, _P.ACTIVITY_READ, _P.CLIENTS_READ, _P.INVOICES_READ}
_MEMBER = _READING | {_P.CLIENTS_WRITE, _P.INVOICES_DRAFT}
_OPERATIONS = _MEMBER | {_P.INVOICES_DRAFT_ANY}
_FINANCE = _OPERATIONS | {
    _P.CLIENTS_DELETE,
    _P.INVOICES_ISSUE,
    _P.INVOICES_DELETE,
    _P.EINVOICE_READ,
    _P.EINVOICE_EMIT,
    _P.REPORTS_READ,
}
_ADMIN = _FINANCE | {_P.TEAM_WRITE}

ROLE_PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.OWNER: frozenset(_ADMIN),
    Role.ADMIN: frozenset(_ADMIN),
    Role.FINANCE: frozenset(_FINANCE),
    Role.OPERATIONS: frozenset(_OPERATIONS),
    Role.MEMBER: frozenset(_MEMBER),
    Role.VIEWER: frozenset(_READING | {_P.EINVOICE_READ, _P.REPORTS_READ}),
}


def roles_with(permission: Permission) -> list[Role]:
    """The roles that hold a permission, strongest first."""
    return [role for role in Role if permission in ROLE_PERMISSIONS[role]]
