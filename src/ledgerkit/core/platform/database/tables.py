"""Tables of an account and tables of nobody: how each kind is keyed, stamped and guarded."""

from typing import Generic

from sqlalchemy import (
    Column,
    DateTime,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSON as PG_JSON
from sqlalchemy.dialects.postgresql import JSONB as PG_JSONB
from sqlalchemy.sql.schema import SchemaItem

from ledgerkit.core.platform.database.row_types import RowT

ACCOUNT_SETTING = "ledgerkit.account_id"
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

    `row` is the type of its rows; `append_only` as for an account's.
    """
    scope = "append_only_reference" if append_only else "reference"
    return TypedTable(name, metadata, *items, info={"scope": scope, "row": row})


def account_table(
    name: str,
    row: type[RowT],
    *items: SchemaItem,
    append_only: bool = False,
    erasable: bool = False,
    keyed: bool = True,
) -> TypedTable[RowT]:
    """A table whose rows belong to one account: key `(account_id, id)`, stamped and guarded by the database.

    `row` is the type of its rows. `append_only` tables are granted SELECT and INSERT only; an `erasable` one of them
    DELETE too, of accounts that have been closed (its policy `closed_account`). `keyed=False` leaves the primary key
    to the caller, who must begin it with `account_id`.
    """
    stamp = text(f"current_setting('{ACCOUNT_SETTING}')::uuid")
    standard_items: list[SchemaItem] = [Column("account_id", Uuid, nullable=False, server_default=stamp)]
    if keyed:
        standard_items += [Column("id", Uuid, nullable=False), PrimaryKeyConstraint("account_id", "id")]
    standard_items.append(Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()))
    if not append_only:
        standard_items += [
            Column("updated_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
            Column("version", Integer, nullable=False, server_default=text("1")),
        ]
    assert append_only or not erasable  # noqa: S101 - ours: all others are erasable anyway
    scope = "erasable_log" if erasable else "append_only" if append_only else "account"
    return TypedTable(name, metadata, *standard_items, *items, info={"scope": scope, "row": row})


def account_key(column: str, table: str) -> ForeignKeyConstraint:
    """A foreign key that cannot point into another account: checks bypass row-level security, so the key must not."""
    return ForeignKeyConstraint(["account_id", column], [f"{table}.account_id", f"{table}.id"])
