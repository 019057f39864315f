"""Pages of lists: a bare array in the body, the rest in headers (interface decisions O)."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any
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

from ledgerkit.core.statements import Prepared

DEFAULT_SIZE = 50
MAX_SIZE = 100
UNPAGED_SIZE = 1000
"""Lists for which the interface has no page show up to this many, unless page or limit is given."""


@dataclass(frozen=True)
class PageRequest:
    """Which part of a list: `number` from 1, `size` records."""

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
    kept = {key: value for key, value in query.items() if key not in {"page", "limit"}}
    addresses = {rel: urlencode({**kept, "page": n, "limit": page.size}) for rel, n in targets.items()}
    return [f'<{url}?{address}>; rel="{rel}"' for rel, address in addresses.items()]


OFFSET, LIMIT = bindparam("offset", type_=BigInteger), bindparam("limit", type_=BigInteger)


def page_statement(
    query: Select[Any], total: ColumnElement[int], changes: ColumnElement[int] | None = None
) -> Prepared:
    """The statement that gives a page of `query` (labelled with wire names, ordered), rendered, and the list's total.

    One round trip: rendering in SQL costs a fifth of building fifty objects here (docs/adr/0012). Keep it: it is
    compiled once. `changes` counts the changes to what is listed: the page is rendered only when that differs from
    the parameter `seen`.
    """
    return cut_statement(query.offset(OFFSET).limit(LIMIT), total, changes)


def cut_statement(part: Select[Any], total: ColumnElement[int], changes: ColumnElement[int] | None = None) -> Prepared:
    """`page_statement` for a query that cuts its page by itself, by the parameters `OFFSET` and `LIMIT`."""
    rows = func.coalesce(cast(func.json_agg(literal_column("part")), Text), "[]")
    body: ColumnElement[Any] = select(rows).select_from(part.subquery("part")).scalar_subquery()
    if changes is None:
        return Prepared(select(body.label("body"), total.label("total")))
    body = case((changes == bindparam("seen", type_=BigInteger), null()), else_=body)
    return Prepared(select(body.label("body"), total.label("total"), changes.label("changes")))


async def fetch_page(db: AsyncConnection, statement: Prepared, request: PageRequest, **parameters: Any) -> Page:
    """The page asked for; `parameters` are the values of the statement's own `bindparam`s."""
    row = await statement.one(db, offset=request.offset, limit=request.size, **parameters)
    return Page(body=row.body.encode(), total=int(row.total), number=request.number, size=request.size)


_ENTRY_BYTES = 2048
"""What an entry costs beside its body."""


class KeptPages:
    """Rendered pages, given again while the database says that nothing they show has changed.

    The question is asked anew for every request, in the same statement that would render the page, so a page is
    never older than its answer. The least recently used are dropped beyond `room` bytes.
    """

    def __init__(self, room: int = 16 << 20) -> None:
        self._room = room
        self._taken = 0
        self._pages: OrderedDict[Hashable, tuple[int, bytes]] = OrderedDict()

    async def fetch(
        self, db: AsyncConnection, account_id: UUID, statement: Prepared, request: PageRequest, **parameters: Any
    ) -> Page:
        """`fetch_page` for a statement made with `changes`."""
        key = (account_id, statement, request, *sorted(parameters.items()))
        seen, body = self._pages.get(key, (-1, b""))
        row = await statement.one(db, offset=request.offset, limit=request.size, seen=seen, **parameters)
        if row.body is not None:
            body = row.body.encode()
        self._keep(key, int(row.changes), body)
        return Page(body=body, total=int(row.total), number=request.number, size=request.size)

    def _keep(self, key: Hashable, changes: int, body: bytes) -> None:
        _, old = self._pages.pop(key, (0, b""))
        self._pages[key] = (changes, body)
        self._taken += len(body) - len(old)
        while self._taken + len(self._pages) * _ENTRY_BYTES > self._room:
            _, (_, dropped) = self._pages.popitem(last=False)
            self._taken -= len(dropped)
