"""Row types: which columns the rows of a table or of a statement have, of which types, and what they mean.

A row type is a class of annotations. That of a table declares each column with `column`: the
SQLAlchemy table, the database's comments and the descriptions of the interface are made of it, and `Values` holds what
is written to it. That of a statement has the annotations only; the tests compare it with the statement. Whatever the
statement, the driver gives a `DriverRow`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from inspect import get_annotations
from operator import itemgetter
from types import NoneType, UnionType
from typing import Any, Generic, ParamSpec, TypeVar, Union, cast, dataclass_transform, get_args, get_origin
from uuid import UUID

import asyncpg
from sqlalchemy import (
    BindParameter,
    Boolean,
    Column,
    Date,
    DateTime,
    Integer,
    LargeBinary,
    Text,
    Uuid,
    bindparam,
    func,
    text,
)
from sqlalchemy.sql.schema import SchemaItem
from sqlalchemy.types import TypeEngine

ACCOUNT_SETTING = "ledgerkit.account_id"
"""Setting of a session or a transaction: the account whose rows it sees and writes."""

OWN_ACCOUNT: BindParameter[UUID] = bindparam("own_account", type_=Uuid, required=True)
"""The account that a statement on an account's tables names; its value comes from the connection (docs/adr/0048)."""

P = ParamSpec("P")
T = TypeVar("T")
SqlType = TypeEngine[Any] | type[TypeEngine[Any]]

_SQL_TYPES: Mapping[Any, SqlType] = {
    UUID: Uuid,
    bool: Boolean,
    bytes: LargeBinary,
    date: Date,
    datetime: DateTime(timezone=True),
    int: Integer,
    str: Text,
}
"""SQL types of the columns that declare none."""


@dataclass(frozen=True)
class _Declared:
    says: str
    sql_type: SqlType | None
    items: tuple[SchemaItem, ...]
    options: Mapping[str, Any]
    name: str = ""

    def __set_name__(self, row: type["Row"], name: str) -> None:
        object.__setattr__(self, "name", name)

    def column(self, annotation: Any) -> Column[Any]:
        """Return the SQLAlchemy column: nullable where the annotation says None, of the annotation's SQL type."""
        types = set(get_args(annotation)) if get_origin(annotation) in {Union, UnionType} else {annotation}
        [python_type] = types - {NoneType}
        sql_type = self.sql_type or _SQL_TYPES[python_type]
        return Column(self.name, sql_type, *self.items, nullable=NoneType in types, comment=self.says, **self.options)


def column(says: str, *items: SqlType | SchemaItem, **options: Any) -> Any:
    """Declare a column in the class of a table's rows.

    For example: `name: str = column("What it is called.")`.

    `says` is one sentence of its meaning, with unit and bounds. `items` are its SQL type, where the annotation does not
    say it (`Numeric`, `JSON`), and what else `sqlalchemy.Column` takes; so are `options`.
    """
    schema_items = tuple(item for item in items if isinstance(item, SchemaItem))
    sql_type = next((item for item in items if not isinstance(item, SchemaItem)), None)
    return _Declared(says, sql_type, schema_items, options)


@dataclass_transform(eq_default=False, kw_only_default=True)
class Row:
    """Base of all row types.

    Not a subclass of the driver's record: its `__getattr__` would accept every name, and its methods would refuse a
    column called `items`. To type checkers it is a dataclass, so that they know the keywords of `Values`.
    """

    def __init__(self, **values: Any) -> None:
        """Build a row that is not read from the database: with a value for each of its columns."""
        assert values.keys() == meanings(type(self)).keys()  # noqa: S101 - ours
        vars(self).update(values)


RowT = TypeVar("RowT", bound=Row)


class StampedRow(Row):
    """Row of an account's append-only table whose primary key has other columns than `id`."""

    account_id: UUID = column(
        "Account that the record belongs to, which each statement names and row-level security compares.",
        default=OWN_ACCOUNT,
        server_default=text(f"current_setting('{ACCOUNT_SETTING}')::uuid"),
    )
    created_at: datetime = column("Moment in UTC at which it was recorded.", server_default=func.now())


class AppendOnlyRow(StampedRow):
    """Row of an account's append-only table."""

    id: UUID = column("Id of the record, a UUID of version 7.")


class VersionedRow(StampedRow):
    """Row of an account's table whose primary key has other columns than `id`."""

    updated_at: datetime = column("Moment in UTC of the last change.", server_default=func.now())
    version: int = column(
        "Number of the last change, from 1: what ETag and If-Match compare.", server_default=text("1")
    )


class AccountRow(AppendOnlyRow, VersionedRow):
    """Row of an account's table."""


class AuthoredRow(Row):
    """Row that says who recorded it, and in which way."""

    created_by: UUID | None = column(
        "Id of the user who recorded it; null where a team's API key or the server itself did.",
    )
    channel: str = column("Way by which it was recorded: api, web, mcp, messaging, or system for the server itself.")


_FIRST = ("account_id", "id", "created_at", "updated_at", "version")


def declared_columns(row: type[Row]) -> list[Column[Any]]:
    """Return the columns that a row type and its bases declare, those of every table first."""
    annotations = {name: hint for base in reversed(row.__mro__) for name, hint in get_annotations(base).items()}
    inherited = [name for name in _FIRST if name in annotations and name not in get_annotations(row)]
    names = dict.fromkeys([*inherited, *annotations])
    return [getattr(row, name).column(annotations[name]) for name in names]


def meanings(row: type[Row]) -> Mapping[str, str]:
    """Return what each column of a row type means, by its name."""
    if row not in _MEANINGS:
        _MEANINGS[row] = {
            name: declared.says
            for base in reversed(row.__mro__)
            for name, declared in vars(base).items()
            if isinstance(declared, _Declared)
        }
    return _MEANINGS[row]


_MEANINGS: dict[type[Row], Mapping[str, str]] = {}


class Values(Mapping[str, object], Generic[RowT]):
    """Values to write to some columns of a row type, by their names: `Values(TaskRow, status="done", position=3)`.

    A type checker refuses a column that the row type does not have, and a value of another type.
    """

    __slots__ = ("_values",)

    def __init__(self, _row: Callable[P, RowT], /, *_: P.args, **values: P.kwargs) -> None:
        self._values: Mapping[str, object] = values

    @classmethod
    def copied(cls, row: type[RowT], source: object, names: Iterable[str] | None = None) -> "Values[RowT]":
        """Return the attributes `names` of `source` (all, for a dataclass) as values of the columns of those names.

        No type of Python says that the fields of one class are some of another's, so names are compared when it runs.
        """
        return cls.named(row, {name: getattr(source, name) for name in (vars(source) if names is None else names)})

    @classmethod
    def named(cls, row: type[RowT], values: Mapping[str, object]) -> "Values[RowT]":
        """Return values by the names of columns that only the run knows; they are checked then."""
        assert values.keys() <= meanings(row).keys(), values.keys() - meanings(row).keys()  # noqa: S101 - ours
        return cls._of(values)

    @classmethod
    def _of(cls, values: Mapping[str, object]) -> "Values[RowT]":
        instance: Values[RowT] = cls.__new__(cls)
        instance._values = values
        return instance

    def of(self, column: T, *default: T) -> T:
        """Return the value of a column, as `values.of(TaskRow.status)`, else `default`. Raises KeyError without one."""
        name = cast("_Declared", column).name
        return cast("T", self._values.get(name, *default) if default else self._values[name])

    def __getitem__(self, name: str) -> object:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __or__(self, others: "Values[RowT]") -> "Values[RowT]":
        """Return these values with `others`, which win."""
        return self._of({**self._values, **others._values})


def _column_or_method(name: str) -> property:
    """Attribute of a record that is the column of that name or, where there is none, the record's own method."""
    method: Callable[..., Any] = getattr(asyncpg.Record, name)

    def value(record: asyncpg.Record) -> Any:
        return record[name] if name in record else method.__get__(record, type(record))

    return property(value)


class DriverRow(asyncpg.Record):
    """Record class of every connection: a row whose columns are attributes too."""

    __slots__ = ()

    get = _column_or_method("get")
    items = _column_or_method("items")
    keys = _column_or_method("keys")
    values = _column_or_method("values")

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def record_class(row: type[Row]) -> type[DriverRow]:
    """Return the class of records that hold the columns of `row`: reading one of them is eight times as fast."""
    names = {name for base in row.__mro__ for name in vars(base).get("__annotations__", ())}
    columns = {name: property(itemgetter(name)) for name in names}
    return cast("type[DriverRow]", type(row.__name__, (DriverRow,), {"__slots__": (), **columns}))
