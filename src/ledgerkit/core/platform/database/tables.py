"""Tables of an account and tables of nobody: how each kind is keyed, stamped and guarded."""

from inspect import getdoc
from typing import Generic

from sqlalchemy import ForeignKeyConstraint, MetaData, PrimaryKeyConstraint, Table
from sqlalchemy.dialects.postgresql import JSON as PG_JSON
from sqlalchemy.dialects.postgresql import JSONB as PG_JSONB
from sqlalchemy.sql.schema import SchemaItem

from ledgerkit.core.platform.database.row_types import AppendOnlyRow, RowT, VersionedRow, declared_columns

JSONB = PG_JSONB(none_as_null=True)
JSON = PG_JSON(none_as_null=True)
"""Text that PostgreSQL checked: given back as it came, three times faster in a list than JSONB (docs/adr/0012)."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class TypedTable(Table, Generic[RowT]):
    """A table that carries the type of its rows (`Table.info["row"]`): what is fetched from it is of that type."""


def reference_table(name: str, row: type[RowT], *items: SchemaItem, append_only: bool = False) -> TypedTable[RowT]:
    """A table of no account (users, accounts, keys): no row-level security, looked up before one is known.

    `row` declares its columns; `append_only` as for an account's.
    """
    scope = "append_only_reference" if append_only else "reference"
    return _table(name, row, *items, scope=scope)


def account_table(name: str, row: type[RowT], *items: SchemaItem, erasable: bool = False) -> TypedTable[RowT]:
    """A table whose rows belong to one account: key `(account_id, id)`, stamped and guarded by the database.

    `row` declares its columns, and by its base what the table is. One that is not a `VersionedRow` is append-only:
    granted SELECT and INSERT only, and where it is `erasable` emptied by the database's function `erase_log`, once the
    account has been closed. One that is not an `AppendOnlyRow` has no `id` and brings its primary key itself, which
    begins with `account_id`.
    """
    append_only = not issubclass(row, VersionedRow)
    assert append_only or not erasable  # noqa: S101 - ours: all others are erasable anyway
    keys = [PrimaryKeyConstraint("account_id", "id")] if issubclass(row, AppendOnlyRow) else []
    scope = "erasable_log" if erasable else "append_only" if append_only else "account"
    return _table(name, row, *keys, *items, scope=scope)


def _table(name: str, row: type[RowT], *items: SchemaItem, scope: str) -> TypedTable[RowT]:
    info = {"scope": scope, "row": row}
    summary = (getdoc(row) or "").partition("\n\n")[0].replace("\n", " ")
    return TypedTable(name, metadata, *declared_columns(row), *items, info=info, comment=summary)


def account_key(column: str, table: str) -> ForeignKeyConstraint:
    """A foreign key that cannot point into another account: checks bypass row-level security, so the key must not."""
    return ForeignKeyConstraint(["account_id", column], [f"{table}.account_id", f"{table}.id"])
