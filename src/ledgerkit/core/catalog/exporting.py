"""The catalog as a CSV file that a spreadsheet opens without running anything."""

import csv
from collections.abc import AsyncIterator, Iterable
from decimal import Decimal
from io import StringIO
from typing import Any, Literal
from uuid import UUID

from pydantic.alias_generators import to_camel
from sqlalchemy import Uuid, bindparam, select

from ledgerkit.core.catalog.models import catalog_item
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.money import dumps_exact

_COLUMNS = (
    "id",
    "type",
    "name",
    "sku",
    "category",
    "unit",
    "unit_price",
    "cost",
    "tax_rate",
    "stock",
    "low_stock_threshold",
    "variants",
    "is_active",
)
_CHUNK = 1000
_AFTER = Prepared(
    select(*(catalog_item.c[name] for name in _COLUMNS))
    .where(catalog_item.c.id > bindparam("after", type_=Uuid))
    .order_by(catalog_item.c.id)
    .limit(_CHUNK)
)
_BOM = "\ufeff"
FORMULA_STARTS = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
"""What a cell that a spreadsheet would compute begins with, the wide forms too (OWASP, CSV Injection)."""


@operation(Permission.CATALOG_READ, name="catalog.exporting.as_csv", unit=Unit.READING)
async def as_csv(ctx: Context, delimiter: Literal[",", ";"]) -> bytes:
    """All items as they were made, inactive ones too: UTF-8 with BOM, CRLF, one header line. Variants are JSON.

    Texts that a spreadsheet would take for a formula begin with an apostrophe. With a semicolon numbers have a decimal
    comma, as a spreadsheet that expects the one expects the other.
    """
    text = StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(to_camel(name) for name in _COLUMNS)
    comma = delimiter == ";"
    async for rows in _chunks(ctx):
        writer.writerows(_cells(row, comma=comma) for row in rows)
    return (_BOM + text.getvalue()).encode()


async def _chunks(ctx: Context) -> AsyncIterator[list[Any]]:
    """All items, some at a time, so that others are served in between."""
    after = UUID(int=0)
    while rows := await _AFTER.rows(ctx.db, after=after):
        yield rows
        after = rows[-1].id


def _cells(row: Iterable[Any], *, comma: bool) -> list[str]:
    return [cell(value, comma=comma) for value in row]


def cell(value: Any, *, comma: bool = False) -> str:
    """A value as a cell of CSV that no spreadsheet computes; nested ones are JSON."""
    if value is None or value == []:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        number = f"{value:f}".rstrip("0").rstrip(".")  # columns have decimals, so no whole number loses a zero
        return number.replace(".", ",") if comma else number
    return _harmless(dumps_exact(value) if isinstance(value, list | dict) else str(value))


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
