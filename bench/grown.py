"""Accounts that have grown: one record of a kind copied until there are as many as wanted, all a little different."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

import asyncpg
from database import Party
from sqlalchemy import Table

from ledgerkit.core.catalog.table import catalog_item
from ledgerkit.core.platform.approvals.table import approval
from ledgerkit.core.platform.records.search import LONGEST_WORD, search_word
from ledgerkit.core.purchases.expenses.table import expense
from ledgerkit.core.purchases.supplier_invoices.table import supplier_invoice
from ledgerkit.core.sales.invoices.table import invoice

_SPREAD = "date_trunc($3, {0})::date + (({0} - date_trunc($3, {0})::date) * (g::bigint - 1) / $2)::int"
"""Days of this year or quarter up to the first record's, evenly."""


@dataclass(frozen=True, eq=False)
class Kind:
    """A table, which of its rows is copied, what varies, and which counts of the tally (as LIKE) grow along."""

    table: Table
    first: str
    varied: Mapping[str, str]
    counted: tuple[str, ...]


INVOICES = Kind(
    invoice,
    "ordinal = 1",
    {
        "id": "uuidv7()",
        "ordinal": "g",
        "number": "left(number, -4) || lpad(g::text, greatest(4, length(g::text)), '0')",
        "client": "jsonb_set(client::jsonb, '{name}', to_jsonb('Cliente ' || 1000 + g / 2))",
        "issue_date": _SPREAD.format("issue_date"),
        "search_text": "lower(left(number, -4)) || lpad(g::text, greatest(4, length(g::text)), '0') || ' cliente ' ||"
        " 1000 + g / 2 || substr(search_text, position(' ' in search_text))",
    },
    ("invoice.paid",),
)
EXPENSES = Kind(
    expense,
    "true",
    {
        "id": "uuidv7()",
        "description": "'Compra ' || 1000 + g / 2",
        "date": _SPREAD.format("date"),
        "reception_date": _SPREAD.format("reception_date"),
        "deduction_date": _SPREAD.format("deduction_date"),
        "paid_at": _SPREAD.format("paid_at"),
        "search_text": "'compra ' || 1000 + g / 2 || ' ' || search_text",
    },
    ("expense", "expense.category:%"),
)
BILLS = Kind(
    supplier_invoice,
    "true",
    {
        "id": "uuidv7()",
        "invoice_number": "'B' || g",
        "number_key": "'b' || g",
        "invoice_date": _SPREAD.format("invoice_date"),
        "reception_date": _SPREAD.format("reception_date"),
        "deduction_date": _SPREAD.format("deduction_date"),
        "search_text": "'b' || g || ' ' || search_text",
    },
    ("payable.open",),
)
ITEMS = Kind(
    catalog_item,
    "true",
    {
        "id": "uuidv7()",
        "name": "'Producto ' || g",
        "name_key": "'producto ' || g",
        "sku": "'P' || g",
        "sku_key": "'p' || g",
        "search_text": "'producto ' || g || ' p' || g || ' familia ' || 1000 + g / 2",
    },
    ("catalog.product",),
)
APPROVALS = Kind(approval, "true", {"id": "uuidv7()"}, ())


async def multiply(db: asyncpg.Connection, party: Party, kind: Kind, number: int, span: str) -> None:
    """Let the one record of an account be `number` of them; words, counters and tally too.

    `span` is "year" or "quarter": their days are those of the present one.

    The activity log stays as it is: no list reads it.
    """
    account = UUID(party.account_id)
    table = kind.table.name
    columns = [column.name for column in kind.table.c if column.computed is None]
    values = ", ".join(kind.varied.get(name, name) for name in columns)
    await db.execute(
        f"insert into {table} ({', '.join(columns)}) select {values}"
        f" from {table}, generate_series(2, $2::int) g where account_id = $1 and {kind.first}",
        account,
        number,
        *([span] if "$3" in values else []),
    )
    if "search_text" in columns:
        await db.execute(
            f"insert into {search_word.name} (account_id, kind, word, entity_id)"
            f" select distinct account_id, '{table}', left(word, {LONGEST_WORD}), id"
            f" from {table}, regexp_split_to_table(search_text, '[^[:alnum:]]+') word"
            " where account_id = $1 and word <> '' on conflict do nothing",
            account,
        )
    await db.execute(
        "update tally set count = count * $3 where account_id = $1 and kind like any($2)",
        account,
        list(kind.counted),
        number,
    )
    if kind is INVOICES:
        await db.execute("update invoice_counter set next = $2 + 1 where account_id = $1", account, number)
