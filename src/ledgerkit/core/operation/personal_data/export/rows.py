"""All tables of an account as JSON and CSV, row by row; a new table is exported without further code."""

import csv
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from io import StringIO

from pydantic.alias_generators import to_camel
from sqlalchemy import RowMapping, Select, Table, func, select, tuple_

from ledgerkit.core.catalog.files.exports import cell
from ledgerkit.core.platform.api_types.wire import utc_text
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.database.tenancy import is_shared, scope_of
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Context
from ledgerkit.money import dumps_exact

BATCH = 500
_BOM = "\ufeff"

LEFT_OUT: Mapping[str, str] = {
    "attachment_removal": "contents that were removed within the last day",
    "attachment_usage": "sum of the sizes of attachments",
    "idempotency_key": "answers that are stored for a day, in case a request is repeated",
    "search_word": "words of the records, by which they are found",
    "tally": "counts of the records",
    "task_board": "a lock",
}
"""Tables without data of their own, each with its content."""

SECRET = {("fiscal_certificate", "content"), ("invoice", "share_seed")}
"""Columns that give access to something, left out because nobody controls where an export ends up."""


def tables() -> list[Table]:
    """Return the tables of an account that are exported, by name."""
    exported = [
        table for table in metadata.tables.values() if not is_shared(scope_of(table)) and table.name not in LEFT_OUT
    ]
    return sorted(exported, key=lambda table: table.name)


async def batches(ctx: Context, table: Table) -> AsyncIterator[Sequence[RowMapping]]:
    """Read all rows of the account in batches, in the order of their keys."""
    key = [column for column in table.primary_key.columns if column.name != "account_id"]
    exported = [column for column in table.columns if (table.name, column.name) not in SECRET]
    query = select(*exported).order_by(*key).limit(BATCH)
    last_key: tuple[object, ...] | None = None
    while True:
        batch_query = query if last_key is None else query.where(tuple_(*key) > tuple_(*last_key))

        async def read(batch_query: Select[tuple[object, ...]] = batch_query) -> Sequence[RowMapping]:
            async with ctx.reading() as inner:
                return (await inner.db.execute(batch_query)).mappings().all()

        rows = await retry_on_conflict(read)
        if rows:
            yield rows
        if len(rows) < BATCH or not key:
            return
        last_key = tuple(rows[-1][column.name] for column in key)


async def is_empty(ctx: Context, table: Table) -> bool:
    """Return True when the account has no row in the table."""
    query = select(func.count()).select_from(table.select().limit(1).subquery())

    async def read(inner: Context) -> bool:
        return await inner.db.scalar(query) == 0

    return await ctx.read(read)


async def as_json(ctx: Context, table: Table) -> AsyncIterator[bytes]:
    """Render a table as an array of objects, one on each line, with the names of the interface."""
    opening = b"[\n"
    async for rows in batches(ctx, table):
        lines = [dumps_exact({to_camel(name): plain(value) for name, value in row.items()}) for row in rows]
        yield opening + ",\n".join(lines).encode()
        opening = b",\n"
    yield (b"[" if opening == b"[\n" else b"\n") + b"]\n"


async def as_csv(ctx: Context, table: Table) -> AsyncIterator[bytes]:
    """Render a table as CSV: UTF-8 with BOM, CRLF, one header line; an apostrophe before what would be a formula."""
    names = [to_camel(column.name) for column in table.columns if (table.name, column.name) not in SECRET]
    yield _lines([names], _BOM)
    async for rows in batches(ctx, table):
        yield _lines([[cell(plain(value)) for value in row.values()] for row in rows])


def plain(value: object) -> object:
    """Return a column's value as JSON has it; bytes as text where they are valid UTF-8, else in base64."""
    if isinstance(value, datetime):
        return utc_text(value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return b64encode(value).decode()
    return value


def _lines(rows: Sequence[Sequence[str]], before: str = "") -> bytes:
    text = StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return (before + text.getvalue()).encode()
