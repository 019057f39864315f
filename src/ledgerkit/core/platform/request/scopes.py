"""Scopes of credentials: the five rights that a person hands to an assistant or a key, each a set of permissions."""

from collections.abc import Collection
from enum import StrEnum
from typing import Self

from ledgerkit.core.platform.request.permissions import Permission

_FISCAL = {
    Permission.EINVOICE_EMIT,
    Permission.EINVOICE_MANAGE,
    Permission.EINVOICE_REPLACE,
    Permission.EINVOICE_GO_LIVE,
    Permission.DECLARATIONS_SUBMIT,
}
_PROPOSE = {Permission.APPROVALS_PROPOSE}
_NONE = {Permission.LOGIN, Permission.TEAM_KEY}
_READ = {Permission.PUBLIC, Permission.ACCOUNT} | {
    permission for permission in Permission if permission.value.endswith(":read")
}


class Scope(StrEnum):
    """Right that credentials carry, with its permissions. A person's role decides which of these they hold.

    LOGIN is in no scope, because only a person does what needs a person's password. TEAM_KEY is in none either, because
    a team's key has no limits and would bypass every scope. Every other permission is in exactly one.
    """

    def __new__(cls, value: str, permissions: Collection[Permission]) -> Self:
        scope = str.__new__(cls, value)
        scope._value_ = value
        scope.permissions = frozenset(permissions)
        return scope

    permissions: frozenset[Permission]

    READ = "read", _READ
    PROPOSE = "propose", _PROPOSE
    WRITE = "write", set(Permission) - _READ - _PROPOSE - _FISCAL - {Permission.TEAM_WRITE} - _NONE
    FISCAL = "fiscal", _FISCAL
    TEAM = "team", {Permission.TEAM_WRITE}


def permissions_of(scopes: Collection[Scope]) -> frozenset[Permission]:
    """Return the permissions that any of these scopes covers."""
    return frozenset().union(*(scope.permissions for scope in scopes))


def scope_of(permission: Permission) -> Scope | None:
    """Return the scope that covers a permission; None for LOGIN and TEAM_KEY."""
    return next((scope for scope in Scope if permission in scope.permissions), None)


def scopes_named(names: Collection[str]) -> list[Scope]:
    """Return the scopes with these names, from reading to the team; a name of none is left out."""
    return [scope for scope in Scope if scope.value in names]


def scopes_within(permissions: Collection[Permission]) -> list[Scope]:
    """Return the scopes that `permissions` cover wholly, from reading to the team."""
    return [scope for scope in Scope if scope.permissions <= set(permissions)]
