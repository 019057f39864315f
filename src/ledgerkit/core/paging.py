"""Pages of lists: a bare array in the body, the rest in headers (interface decisions O)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import BigInteger, ColumnElement, Select, Text, bindparam, cast, func, literal_column, select
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


def page_statement(query: Select[Any], total: ColumnElement[int]) -> Prepared:
    """The statement that gives a page of `query` (labelled with wire names, ordered), rendered, and the list's total.

    One round trip: rendering in SQL costs a fifth of building fifty objects here (docs/adr/0012). Keep it: it is
    compiled once.
    """
    part = query.offset(bindparam("offset", type_=BigInteger)).limit(bindparam("limit", type_=BigInteger))
    body = func.coalesce(cast(func.json_agg(literal_column("part")), Text), "[]")
    rendered = select(body).select_from(part.subquery("part")).scalar_subquery()
    return Prepared(select(rendered.label("body"), total.label("total")))


async def fetch_page(db: AsyncConnection, statement: Prepared, request: PageRequest, **parameters: Any) -> Page:
    """The page asked for; `parameters` are the values of the statement's own `bindparam`s."""
    row = await statement.one(db, offset=request.offset, limit=request.size, **parameters)
    return Page(body=row.body.encode(), total=int(row.total), number=request.number, size=request.size)
