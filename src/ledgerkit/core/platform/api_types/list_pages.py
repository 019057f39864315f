"""Pages of lists: a bare array in the body, the rest in headers (interface decisions O)."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Subquery,
    Text,
    bindparam,
    cast,
    func,
    literal_column,
    null,
    select,
)
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.expression import ClauseElement

from ledgerkit.core.platform.database.row_types import Row, RowT
from ledgerkit.core.platform.database.statements import Prepared, constant

DEFAULT_SIZE = 50
MAX_SIZE = 100
UNPAGED_SIZE = 1000
"""Lists for which the interface has no page show up to this many, unless page or limit is given."""


class BriefField(NamedTuple):
    """A field of a record in brief: its `label` there, the field of the whole record, and the field within or ""."""

    label: str
    outer: str
    inner: str


@cache
def brief_fields(names: tuple[str, ...]) -> list[BriefField]:
    """Return the fields that `names` ask for; `a.b` is the field b of a, under the name of both: `aB`."""
    parts = [name.partition(".") for name in names]
    return [BriefField(outer + inner[:1].upper() + inner[1:], outer, inner) for outer, _, inner in parts]


@dataclass(frozen=True)
class PageRequest:
    """Page of a list: `number` from 1, `size` records, in brief where `fields` names some (as `brief_fields` does).

    `first` is the place of its first record in the list, from 0, where pages of this size do not say it.
    """

    number: int = 1
    size: int = DEFAULT_SIZE
    fields: tuple[str, ...] = ()
    first: int | None = None

    @property
    def offset(self) -> int:
        return (self.number - 1) * self.size if self.first is None else self.first


@dataclass(frozen=True)
class Page:
    """One page: `body` is the JSON array as the database rendered it, `total` counts all pages.

    `fields` are those that its records have in brief; none where they are whole, whatever was asked for.
    """

    body: bytes
    total: int
    number: int
    size: int
    fields: tuple[str, ...] = ()

    @property
    def last(self) -> int:
        return max(1, -(-self.total // self.size))

    def headers(self, url: str, query: Mapping[str, str]) -> dict[str, str]:
        """Return `X-Total-Count`, `X-Page`, `X-Page-Size` and `Link` (RFC 8288) for this page of `url`."""
        return {
            "X-Total-Count": str(self.total),
            "X-Page": str(self.number),
            "X-Page-Size": str(self.size),
            "Link": ", ".join(_links(self, url, query)),
        }


def _links(page: Page, url: str, query: Mapping[str, str]) -> list[str]:
    targets = {"first": 1, "last": page.last}
    if page.number > 1:
        targets["prev"] = min(page.number - 1, page.last)
    if page.number < page.last:
        targets["next"] = page.number + 1
    other_parameters = {key: value for key, value in query.items() if key not in {"page", "limit"}}
    addresses = {rel: urlencode({**other_parameters, "page": n, "limit": page.size}) for rel, n in targets.items()}
    return [f'<{url}?{address}>; rel="{rel}"' for rel, address in addresses.items()]


OFFSET, LIMIT = bindparam("offset", type_=BigInteger), bindparam("limit", type_=BigInteger)


class PageRow(Row):
    """A page as the database rendered it: a JSON array, and the number of records on all pages."""

    body: str
    total: int | Decimal
    """Decimal where it is a sum of counters: PostgreSQL adds BIGINTs to a NUMERIC."""


class ChangesRow(Row):
    """Number of changes to what is listed that have been counted."""

    changes: int | Decimal


class WatchedPageRow(Row):
    """A page as the database rendered it, and the changes that had been counted then."""

    body: str
    total: int | Decimal
    changes: int | Decimal


class PageStatement(Prepared[RowT]):
    """Statement of a list's pages, and the one for records with only some of their fields.

    `rows` selects the records, labelled with wire names and ordered. `body` of a `row` is the page as JSON, `beside`
    are its other columns.
    """

    def __init__(self, rows: Select[Any], row: type[RowT], **beside: ColumnElement[int]) -> None:
        self._rows = rows
        self._row = row
        self._beside = [value.label(name) for name, value in beside.items()]
        self._in_brief: dict[tuple[str, ...], Prepared[RowT]] = {}
        super().__init__(self._around(rows), row)

    def of_fields(self, names: tuple[str, ...]) -> Prepared[RowT]:
        """Return the statement for records of these fields, compiled once for each choice; itself for none."""
        if not names:
            return self
        if names not in self._in_brief:
            self._in_brief[names] = Prepared(self._around(_in_brief(self._rows, names)), self._row)
        return self._in_brief[names]

    def _around(self, rows: Select[Any]) -> ClauseElement:
        return select(_rendered(rows).label("body"), *self._beside)


def page_statement(query: Select[Any], total: ColumnElement[int]) -> PageStatement[PageRow]:
    """Return the statement that gives a page of `query` (labelled with wire names, ordered), and the list's total.

    One round trip: rendering in SQL costs a fifth of building fifty objects here (docs/adr/0012). Store the statement:
    it is compiled once.
    """
    return cut_statement(query.offset(OFFSET).limit(LIMIT), total)


def cut_statement(part: Select[Any], total: ColumnElement[int]) -> PageStatement[PageRow]:
    """Return a `page_statement` for a query that cuts its page by itself, by the parameters `OFFSET` and `LIMIT`."""
    return PageStatement(part, PageRow, total=total)


class WatchedPageStatement(PageStatement[WatchedPageRow]):
    """A `cut_statement` that also says how many changes to what is listed had been counted when it was rendered.

    `changes` is that count alone: planning the statement of a page costs more than everything else for a cached one.
    """

    def __init__(self, part: Select[Any], total: ColumnElement[int], changes: ColumnElement[int]) -> None:
        super().__init__(part, WatchedPageRow, total=total, changes=changes)
        self.changes = Prepared(select(changes.label("changes")), ChangesRow)


def _rendered(part: Select[Any]) -> ColumnElement[str]:
    rows = func.coalesce(cast(func.json_agg(literal_column("part")), Text), "[]")
    return select(rows).select_from(part.subquery("part")).scalar_subquery()


def _in_brief(rows: Select[Any], names: tuple[str, ...]) -> Select[Any]:
    """Select rows with these fields only, null for a field that the list does not have; no others are computed."""
    whole = rows.subquery("whole")
    return select(*[_brief_column(whole, field).label(field.label) for field in brief_fields(names)])


def _brief_column(whole: Subquery, field: BriefField) -> ColumnElement[Any]:
    if field.outer not in whole.c:
        return null()
    column: ColumnElement[Any] = whole.c[field.outer]
    return column.op("->")(constant(field.inner)) if field.inner else column


async def fetch_page(
    db: AsyncConnection, statement: PageStatement[PageRow], request: PageRequest, **parameters: object
) -> Page:
    """Return the requested page; `parameters` are the values of the statement's own `bindparam`s."""
    prepared = statement.of_fields(request.fields)
    row = await prepared.one(db, offset=request.offset, limit=request.size, **parameters)
    return _page(request, row.body.encode(), int(row.total))


def _page(request: PageRequest, body: bytes, total: int) -> Page:
    return Page(body=body, total=total, number=request.number, size=request.size, fields=request.fields)


_ENTRY_BYTES = 2048
"""Overhead of an entry beside its body."""


class _CachedPage(NamedTuple):
    """A rendered page, and the number of changes that had been counted before it."""

    changes: int
    body: bytes
    total: int


class PageCache:
    """Rendered pages and their totals, given again while the database says that nothing they show has changed.

    The question is asked anew for every request, so a page is never older than its answer; a page that is rendered
    comes with the count of its own moment. The least recently used are dropped beyond `room` bytes.
    """

    def __init__(self, room: int = 16 << 20) -> None:
        self._room = room
        self._taken = 0
        self._pages: OrderedDict[Hashable, _CachedPage] = OrderedDict()

    async def fetch(
        self,
        db: AsyncConnection,
        account_id: UUID,
        statement: WatchedPageStatement,
        request: PageRequest,
        **parameters: Hashable,
    ) -> Page:
        """Return the requested page like `fetch_page`, from the cache while nothing has changed."""
        key = (account_id, statement, request, *sorted(parameters.items()))
        page = self._pages.get(key)
        if page is None or page.changes != (await statement.changes.one(db)).changes:
            prepared = statement.of_fields(request.fields)
            row = await prepared.one(db, offset=request.offset, limit=request.size, **parameters)
            page = _CachedPage(int(row.changes), row.body.encode(), int(row.total))
        self._store(key, page)
        return _page(request, page.body, page.total)

    def in_dry_run(self, _dry_run: object) -> "PageCache":
        """Return an empty one: pages of a dry run may show what is never committed."""
        return PageCache()

    def _store(self, key: Hashable, page: _CachedPage) -> None:
        old = self._pages.pop(key, None)
        self._pages[key] = page
        self._taken += len(page.body) - (0 if old is None else len(old.body))
        while self._taken + len(self._pages) * _ENTRY_BYTES > self._room:
            _, dropped = self._pages.popitem(last=False)
            self._taken -= len(dropped.body)
