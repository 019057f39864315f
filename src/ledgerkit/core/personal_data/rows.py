"""Every table of an account as JSON and CSV, row by row: new tables come along by themselves."""

import csv
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from io import StringIO
from typing import Any

from pydantic.alias_generators import to_camel
from sqlalchemy import Column, Table, func, select, tuple_

from ledgerkit.core.api_types.wire import utc_text
from ledgerkit.core.catalog.exporting import cell
from ledgerkit.core.database.tables import metadata
from ledgerkit.core.database.tenancy import is_shared, scope_of
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.request.context import Context
from ledgerkit.money import dumps_exact

BATCH = 500
_BOM = "\ufeff"

LEFT_OUT: Mapping[str, str] = {
    "idempotency_key": "answers that are kept for a day, in case a request is repeated",
    "search_word": "words of the records, by which they are found",
    "tally": "counts of the records",
    "task_board": "a lock",
}
"""Tables that say nothing of their own, each with what is in it."""

SECRET = {("fiscal_certificate", "content"), ("invoice", "share_seed")}
"""Columns that open something: an export may end up anywhere."""


def tables() -> list[Table]:
    """The tables of an account that are exported, by name."""
    found = [one for one in metadata.tables.values() if not is_shared(scope_of(one)) and one.name not in LEFT_OUT]
    return sorted(found, key=lambda one: one.name)


async def batches(ctx: Context, table: Table) -> AsyncIterator[Sequence[Any]]:
    """All rows of the account, some at a time, in the order of their keys."""
    key: list[Column[Any]] = [column for column in table.primary_key.columns if column.name != "account_id"]
    shown = [column for column in table.columns if (table.name, column.name) not in SECRET]
    query = select(*shown).order_by(*key).limit(BATCH)
    last: tuple[Any, ...] | None = None
    while True:
        asked = query if last is None else query.where(tuple_(*key) > tuple_(*last))

        async def ask(asked: Any = asked) -> Sequence[Any]:
            async with ctx.reading() as inner:
                return (await inner.db.execute(asked)).all()

        found = await retry_on_conflict(ask)
        if found:
            yield found
        if len(found) < BATCH or not key:
            return
        last = tuple(getattr(found[-1], column.name) for column in key)


async def is_empty(ctx: Context, table: Table) -> bool:
    async def ask() -> bool:
        async with ctx.reading() as inner:
            return (
                await inner.db.execute(select(func.count()).select_from(table.select().limit(1).subquery()))
            ).scalar_one() == 0

    return await retry_on_conflict(ask)


async def as_json(ctx: Context, table: Table) -> AsyncIterator[bytes]:
    """An array of objects, one on each line, in the names of the interface."""
    opening = b"[\n"
    async for found in batches(ctx, table):
        lines = [dumps_exact({to_camel(name): plain(value) for name, value in row._mapping.items()}) for row in found]  # noqa: SLF001 - the documented way to a row's names
        yield opening + ",\n".join(lines).encode()
        opening = b",\n"
    yield (b"[" if opening == b"[\n" else b"\n") + b"]\n"


async def as_csv(ctx: Context, table: Table) -> AsyncIterator[bytes]:
    """UTF-8 with BOM, CRLF, one header line; what a spreadsheet would compute begins with an apostrophe."""
    names = [to_camel(column.name) for column in table.columns if (table.name, column.name) not in SECRET]
    yield _lines([names], _BOM)
    async for found in batches(ctx, table):
        yield _lines([[cell(plain(value)) for value in row] for row in found])


def plain(value: Any) -> Any:
    """A value of a column as JSON has it; bytes as text where they are some, else in base64."""
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
