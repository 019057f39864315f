"""The account wall as SQL: what a migration says for each new table, and what tests compare with the models."""

from collections.abc import Iterator

from sqlalchemy import Table

from ledgerkit.core.database.tables import ACCOUNT_SETTING

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


def policy_statements(table: str, scope: str) -> Iterator[str]:
    """SQL by which a table of `scope` (`Table.info["scope"]`) shows and takes rows of the bound account only.

    It binds every role but the table's owner, who migrates and backs up and is never what the server works as. No
    role is named, so that a dump can be restored where the roles have other names.
    """
    if is_shared(scope):
        return
    of_account = f"account_id = current_setting('{ACCOUNT_SETTING}')::uuid"
    yield f"alter table {table} enable row level security"
    yield f"create policy own_account on {table} using ({of_account}) with check ({of_account})"


def erasure_statements(table: str) -> Iterator[str]:
    """SQL that lets the rows of an append-only table go with their account: once that is closed, and not before."""
    closed = "exists (select from account where account.id = account_id and account.closed_at is not null)"
    yield f"create policy closed_account on {table} as restrictive for delete using ({closed})"


def is_shared(scope: str) -> bool:
    """Return True when the rows belong to no account."""
    return scope.endswith("reference")


def scope_of(table: Table) -> str:
    return str(table.info["scope"])
