"""Records as callers see them: lists rendered by the database, single ones built from a row."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, DateTime, ScalarSelect, Table, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.api_types.list_pages import (
    Page,
    PageRequest,
    PageRow,
    PageStatement,
    fetch_page,
    page_statement,
)
from ledgerkit.core.platform.api_types.wire import Wire, wire_column, wire_time
from ledgerkit.core.platform.database.row_types import Row

Shape = TypeVar("Shape", bound=Wire)


class Listing(Generic[Shape]):
    """A table shown in the fields of a schema, in their order: the one declaration of its lists and single records.

    A field shows the column of its name, moments in the wire's form; `computed` has the expressions of all others, and
    `left_out` the fields that lists do not have. Hidden records (`deleted_at`) are not listed. `filters` are the
    conditions that a parameter of their name brings in; `totals` has, by the filters given, the totals that counters
    hold: the others are counted in the statement.
    """

    def __init__(
        self,
        table: Table,
        schema: type[Shape],
        *,
        order: Sequence[ColumnElement[Any]],
        computed: Mapping[str, ColumnElement[Any]] | None = None,
        left_out: Collection[str] = (),
        filters: Mapping[str, ColumnElement[bool]] | None = None,
        totals: Mapping[frozenset[str], ColumnElement[int]] | None = None,
    ) -> None:
        self._table = table
        self._schema = schema
        self.order = order
        """The usual order of a list."""
        self._filters = filters or {}
        self._totals = totals or {}
        self._statements: dict[frozenset[str], PageStatement[PageRow]] = {}
        self.columns = tuple(
            wire_column(name, computed[name] if computed and name in computed else _shown(table, name))
            for name, field in schema.model_fields.items()
            if not field.exclude and name not in left_out
        )
        """The columns of a list, labelled with their names on the wire."""

    async def page(
        self, db: AsyncConnection, request: PageRequest, filters: Collection[str] = (), **parameters: object
    ) -> Page:
        """The page asked for. The `filters` named hold, and those whose names are among the `parameters`."""
        filter_names = frozenset(filters) | frozenset(parameters) & self._filters.keys()
        if filter_names not in self._statements:
            conditions = [self._filters[name] for name in sorted(filter_names)]
            self._statements[filter_names] = self.statement(*conditions, total=self._totals.get(filter_names))
        return await fetch_page(db, self._statements[filter_names], request, **parameters)

    def statement(
        self,
        *conditions: ColumnElement[bool],
        order: Sequence[ColumnElement[Any]] = (),
        total: ColumnElement[int] | None = None,
        hidden: bool = False,
    ) -> PageStatement[PageRow]:
        """The statement of a page of the records that meet the conditions; keep it: it is compiled once.

        `total` is what counters hold, else the records are counted. `hidden`: deleted records too.
        """
        if "deleted_at" in self._table.c and not hidden:
            conditions = (self._table.c.deleted_at.is_(None), *conditions)
        rows = select(*self.columns).where(*conditions).order_by(*(order or self.order))
        return page_statement(rows, self.count(*conditions) if total is None else total)

    def count(self, *conditions: ColumnElement[bool]) -> ScalarSelect[int]:
        """The number of records that meet the conditions, as a value to select."""
        return select(func.count()).select_from(self._table).where(*conditions).scalar_subquery()

    def shape(self, row: Row, **computed: object) -> Shape:
        """The record of a row of the table; `computed` are the fields that are not its columns, or not as they are."""
        columns = {name: getattr(row, name) for name in self._schema.model_fields if name not in computed}
        texts = {name: str(value) for name, value in columns.items() if isinstance(value, UUID)}
        return self._schema.model_validate(columns | texts | computed)


def _shown(table: Table, name: str) -> ColumnElement[Any]:
    column: ColumnElement[Any] = table.c[name]
    return wire_time(column) if isinstance(column.type, DateTime) else column
