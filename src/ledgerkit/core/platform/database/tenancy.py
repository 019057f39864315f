"""Scopes of tables: whose rows they hold, and what the server may do with them."""

from sqlalchemy import Table

_RIGHTS = {
    "account": {"SELECT", "INSERT", "UPDATE", "DELETE"},
    "append_only": {"SELECT", "INSERT"},
    "erasable_log": {"SELECT", "INSERT", "DELETE"},
    "reference": {"SELECT", "INSERT", "UPDATE", "DELETE"},
    "append_only_reference": {"SELECT", "INSERT"},
}


def rights_of(scope: str) -> set[str]:
    """Rights of the application's role on a table of `scope`; granted after each migration."""
    return _RIGHTS[scope]


def is_shared(scope: str) -> bool:
    """Return True when the rows belong to no account."""
    return scope.endswith("reference")


def scope_of(table: Table) -> str:
    return str(table.info["scope"])
