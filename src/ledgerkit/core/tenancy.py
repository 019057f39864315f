"""The account wall as SQL: what a migration says for each new table, and what tests compare with the models."""

from collections.abc import Iterator

from sqlalchemy import Table

from ledgerkit.core.db import ACCOUNT_SETTING, APP_ROLE

GRANTS = {
    "account": "select, insert, update, delete",
    "append_only": "select, insert",
    "reference": "select, insert, update, delete",
    "append_only_reference": "select, insert",
}


def policy_statements(table: str, scope: str) -> Iterator[str]:
    """SQL that shuts a table of `scope` (`Table.info["scope"]`) to everything but what its scope allows.

    An account's table is invisible without an account, whoever owns it (FORCE); an append-only one cannot be
    updated or deleted from, since the application's role has no grant to do so.
    """
    yield f"grant {GRANTS[scope]} on {table} to {APP_ROLE}"
    if is_shared(scope):
        return
    own = f"account_id = current_setting('{ACCOUNT_SETTING}')::uuid"
    yield f"alter table {table} enable row level security"
    yield f"alter table {table} force row level security"
    yield f"create policy own_account on {table} to {APP_ROLE} using ({own}) with check ({own})"


def is_shared(scope: str) -> bool:
    """Whether the rows belong to no account."""
    return scope.endswith("reference")


def scope_of(table: Table) -> str:
    return str(table.info["scope"])
