"""Pages of lists: a bare array in the body, the rest in headers (interface decisions O)."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Text,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    null,
    select,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.database.row_types import Row
from ledgerkit.core.database.statements import Prepared

DEFAULT_SIZE = 50
MAX_SIZE = 100
UNPAGED_SIZE = 1000
"""Lists for which the interface has no page show up to this many, unless page or limit is given."""


@dataclass(frozen=True)
class PageRequest:
    """Page of a list: `number` from 1, `size` records."""

    number: int = 1
    size: int = DEFAULT_SIZE

    @property
    def offset(self) -> int:
        return (self.number - 1) * self.size


@dataclass(frozen=True)
class Page:
    """One page: `body` is the JSON array as the database rendered it, `total` counts all pages."""

    body: bytes
    total: int
    number: int
    size: int

    @property
    def last(self) -> int:
        return max(1, -(-self.total // self.size))

    def headers(self, url: str, query: Mapping[str, str]) -> dict[str, str]:
        """`X-Total-Count`, `X-Page`, `X-Page-Size` and `Link` (RFC 8288) for this page of `url`."""
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


class WatchedPageRow(Row):
    """A page as the database rendered it; without its body and total where the caller has seen these `changes`."""

    body: str | None
    total: int | Decimal | None
    changes: int | Decimal


def page_statement(query: Select[Any], total: ColumnElement[int]) -> Prepared[PageRow]:
    """The statement that gives a page of `query` (labelled with wire names, ordered), rendered, and the list's total.

    One round trip: rendering in SQL costs a fifth of building fifty objects here (docs/adr/0012). Keep it: it is
    compiled once.
    """
    return cut_statement(query.offset(OFFSET).limit(LIMIT), total)


def cut_statement(part: Select[Any], total: ColumnElement[int]) -> Prepared[PageRow]:
    """`page_statement` for a query that cuts its page by itself, by the parameters `OFFSET` and `LIMIT`."""
    return Prepared(select(_rendered(part).label("body"), total.label("total")), PageRow)


def watched_page_statement(
    query: Select[Any], total: ColumnElement[int], changes: ColumnElement[int]
) -> Prepared[WatchedPageRow]:
    """`page_statement` that renders the page, and counts the total, only when it has changed.

    `changes` counts the changes to what is listed; the parameter `seen` is the count that the caller knows.
    """
    body = _rendered(query.offset(OFFSET).limit(LIMIT))
    now = select(changes.label("changes")).cte("now")
    is_unchanged = now.c.changes == bindparam("seen", type_=BigInteger)
    page_columns = (
        case((is_unchanged, null()), else_=value).label(name) for name, value in (("body", body), ("total", total))
    )
    return Prepared(select(*page_columns, now.c.changes), WatchedPageRow)


def _rendered(part: Select[Any]) -> ColumnElement[str]:
    rows = func.coalesce(cast(func.json_agg(literal_column("part")), Text), "[]")
    return select(rows).select_from(part.subquery("part")).scalar_subquery()


async def fetch_page(
    db: AsyncConnection, statement: Prepared[PageRow], request: PageRequest, **parameters: object
) -> Page:
    """The page asked for; `parameters` are the values of the statement's own `bindparam`s."""
    row = await statement.one(db, offset=request.offset, limit=request.size, **parameters)
    return Page(body=row.body.encode(), total=int(row.total), number=request.number, size=request.size)


_ENTRY_BYTES = 2048
"""Overhead of an entry beside its body."""


class _Kept(NamedTuple):
    """A page as it was when so many changes had been counted."""

    changes: int
    body: bytes
    total: int


_NOTHING = _Kept(-1, b"", 0)


class KeptPages:
    """Rendered pages and their totals, given again while the database says that nothing they show has changed.

    The question is asked anew for every request, in the same statement that would render the page, so a page is
    never older than its answer. The least recently used are dropped beyond `room` bytes.
    """

    def __init__(self, room: int = 16 << 20) -> None:
        self._room = room
        self._taken = 0
        self._pages: OrderedDict[Hashable, _Kept] = OrderedDict()

    async def fetch(
        self,
        db: AsyncConnection,
        account_id: UUID,
        statement: Prepared[WatchedPageRow],
        request: PageRequest,
        **parameters: Hashable,
    ) -> Page:
        """`fetch_page` for a `watched_page_statement`."""
        key = (account_id, statement, request, *sorted(parameters.items()))
        kept_page = self._pages.get(key, _NOTHING)
        row = await statement.one(db, offset=request.offset, limit=request.size, seen=kept_page.changes, **parameters)
        if row.body is not None and row.total is not None:
            kept_page = _Kept(int(row.changes), row.body.encode(), int(row.total))
        self._keep(key, kept_page)
        return Page(body=kept_page.body, total=kept_page.total, number=request.number, size=request.size)

    def _keep(self, key: Hashable, kept_page: _Kept) -> None:
        old = self._pages.pop(key, _NOTHING)
        self._pages[key] = kept_page
        self._taken += len(kept_page.body) - len(old.body)
        while self._taken + len(self._pages) * _ENTRY_BYTES > self._room:
            _, dropped = self._pages.popitem(last=False)
            self._taken -= len(dropped.body)
