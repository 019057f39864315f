"""Scopes of tables: the owner of their rows, and the rights of the server."""

from sqlalchemy import Table

_RIGHTS = {
    "account": {"SELECT", "INSERT", "UPDATE", "DELETE"},
    "append_only": {"SELECT", "INSERT"},
    "erasable_log": {"SELECT", "INSERT"},
    "reference": {"SELECT", "INSERT", "UPDATE", "DELETE"},
    "append_only_reference": {"SELECT", "INSERT"},
}


def rights_of(scope: str) -> set[str]:
    """Rights of the application's role on a table of `scope`; granted after each migration."""
    return _RIGHTS[scope]


def is_erasable(scope: str) -> bool:
    """Return True for a log that the database's function `erase_log` empties when its account is closed."""
    return scope == "erasable_log"


def is_shared(scope: str) -> bool:
    """Return True when the rows belong to no account."""
    return scope.endswith("reference")


def scope_of(table: Table) -> str:
    return str(table.info["scope"])
