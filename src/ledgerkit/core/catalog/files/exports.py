"""The catalog as a CSV file that a spreadsheet opens without running anything."""

import csv
from collections.abc import AsyncIterator
from decimal import Decimal
from io import StringIO
from typing import Literal, get_type_hints
from uuid import UUID

from pydantic.alias_generators import to_camel
from sqlalchemy import Uuid, bindparam, select

from ledgerkit.core.catalog.table import StoredVariant, catalog_item
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.money import dumps_exact

_CHUNK = 1000


class _ExportedRow(Row):
    id: UUID
    type: str
    name: str
    sku: str | None
    category: str | None
    unit: str | None
    unit_price: Decimal
    cost: Decimal | None
    tax_rate: Decimal | None
    stock: Decimal | None
    low_stock_threshold: Decimal | None
    variants: StoredJson[tuple[StoredVariant, ...]]
    is_active: bool


_COLUMNS = tuple(get_type_hints(_ExportedRow))
_AFTER = Prepared(
    select(*(catalog_item.c[name] for name in _COLUMNS))
    .where(catalog_item.c.id > bindparam("after", type_=Uuid))
    .order_by(catalog_item.c.id)
    .limit(_CHUNK),
    _ExportedRow,
)
_BOM = "\ufeff"
FORMULA_STARTS = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
"""First characters of cells that a spreadsheet would compute, full-width forms included (OWASP, CSV Injection)."""


@operation(Permission.CATALOG_READ, unit=Unit.READING)
async def as_csv(ctx: Context, delimiter: Literal[",", ";"]) -> bytes:
    """Export all items in the order of their creation, inactive ones too: UTF-8 with BOM, CRLF, one header line.

    Variants are JSON. Texts that a spreadsheet would take for a formula begin with an apostrophe. With a semicolon,
    numbers have a decimal comma: spreadsheets that expect the one expect the other.
    """
    text = StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(to_camel(name) for name in _COLUMNS)
    comma = delimiter == ";"
    async for rows in _chunks(ctx):
        writer.writerows([cell(getattr(row, name), comma=comma) for name in _COLUMNS] for row in rows)
    return (_BOM + text.getvalue()).encode()


async def _chunks(ctx: Context) -> AsyncIterator[list[_ExportedRow]]:
    """Yield all items in chunks, so that other requests are served in between."""
    after = UUID(int=0)
    while rows := await _AFTER.rows(ctx.db, after=after):
        yield rows
        after = rows[-1].id


def cell(value: object, *, comma: bool = False) -> str:
    """Return a value as a CSV cell that no spreadsheet computes; lists and objects are JSON."""
    if value is None or value == []:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        number = f"{value:f}".rstrip("0").rstrip(".")  # columns have decimals, so no whole number loses a zero
        return number.replace(".", ",") if comma else number
    content = dumps_exact(value) if isinstance(value, list | dict) else str(value)
    return f"'{content}" if content.startswith(FORMULA_STARTS) else content
