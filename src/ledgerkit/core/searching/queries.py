"""Statements of the search: one for all types that are searched, each type with its own conditions and limit.

Clients, vendors, items and documents are found by the words that are stored of them (`records.search`). Tasks and
context entries are few: the newest are folded and compared in the statement itself.
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from enum import Enum, auto
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Date,
    Numeric,
    Select,
    String,
    Table,
    Text,
    all_,
    any_,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    not_,
    null,
    select,
    union_all,
)

from ledgerkit.core.business_context.table import context_entry
from ledgerkit.core.catalog.table import catalog_item
from ledgerkit.core.declarations.table import tax_declaration
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.records import search
from ledgerkit.core.purchases.expenses.table import expense
from ledgerkit.core.purchases.supplier_invoices import output as supplier_invoices
from ledgerkit.core.purchases.supplier_invoices.table import supplier_invoice
from ledgerkit.core.purchases.vendors.table import vendor
from ledgerkit.core.sales.clients.table import client
from ledgerkit.core.sales.invoices import output as invoices
from ledgerkit.core.sales.invoices.dates.issue_and_due import TODAY
from ledgerkit.core.sales.invoices.posting import standing
from ledgerkit.core.sales.invoices.posting.standing import Standing
from ledgerkit.core.sales.invoices.table import invoice
from ledgerkit.core.searching.api import RecordType
from ledgerkit.core.tasks.table import task

_MOST_TASKS = 2_000
"""Most tasks that are looked at, the newest."""

_MOST_DECLARATIONS = 400
"""Most declarations that are looked at, the newest."""

_LONGEST_TEXT = 2_000
"""Most characters of a task or a note that are looked at."""

_MARKS = "[\u0300-\u036f]"
"""Accents, once they stand apart from their letters."""

_LETTERS = {letter: plain for letter, plain in search.LETTERS.items() if len(plain) == 1}


class By(Enum):
    """Condition of a search: the words of the query, an amount, or an amount beside other words."""

    WORDS = auto()
    AMOUNT = auto()
    BOTH = auto()


class HitRow(Row):
    """A record that meets the conditions; `is_exact`: its number, name or amount is the query."""

    type: str
    id: str
    label: str | None
    note: str | None
    day: date | None
    amount: Decimal | None
    currency: str | None
    status: str | None
    is_exact: bool


class DeclarationHitRow(Row):
    id: str
    country: str
    form: str
    year: int
    period: str
    status: str
    result: Decimal


class _Source(NamedTuple):
    """Records of one type: columns of the hit, whether the query is its number or name, and the order."""

    table: Table
    label: ColumnElement[Any]
    note: ColumnElement[Any]
    exact: ColumnElement[bool]
    order: Sequence[ColumnElement[Any]]
    day: ColumnElement[Any] | None = None
    amount: ColumnElement[Any] | None = None
    currency: ColumnElement[Any] | None = None
    status: ColumnElement[Any] | None = None
    is_listed: ColumnElement[bool] | None = None
    is_searched: ColumnElement[bool] | None = None
    """Condition on the query's words, where they are not stored."""
    key: ColumnElement[Any] | None = None


def _joined(*parts: ColumnElement[Any]) -> ColumnElement[str]:
    return func.concat_ws(" · ", *(func.nullif(part, "") for part in parts), type_=Text)


def _folded(*parts: ColumnElement[Any]) -> ColumnElement[str]:
    """Return SQL for `search.searchable`, for texts of which no folded copy is stored."""
    joined = func.left(func.concat_ws(" ", *parts), _LONGEST_TEXT)
    plain = func.regexp_replace(func.normalize(func.lower(joined), literal_column("NFKD")), _MARKS, "", "g")
    letters = "".join(map(chr, _LETTERS))
    return func.replace(func.translate(plain, letters, "".join(_LETTERS.values())), "ß", "ss", type_=Text)


def _has_terms(*parts: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return SQL for texts that have all words of the query, each at a word's beginning. Parameter: `starts`."""
    starts = all_(bindparam("starts", type_=ARRAY(Text)))
    return _folded(*parts).op("~", is_comparison=True)(starts)


_WHOLE = bindparam("whole", type_=Text)
"""The whole query, folded."""

_client_name = invoice.c.client.op("->>")(literal_column("'name'"))
_recent = task.alias("recent")
_RECENT_TASKS = (
    select(_recent.c.id).where(_recent.c.deleted_at.is_(None)).order_by(_recent.c.id.desc()).limit(_MOST_TASKS)
)
_SOURCES: dict[RecordType, _Source] = {
    RecordType.CLIENT: _Source(
        client,
        label=client.c.name,
        note=_joined(client.c.tax_id, client.c.city),
        exact=client.c.name_key == _WHOLE,
        order=(client.c.name_key, client.c.id),
        is_listed=client.c.deleted_at.is_(None),
    ),
    RecordType.INVOICE: _Source(
        invoice,
        label=func.coalesce(invoice.c.number, _client_name, ""),
        note=case((invoice.c.number.is_(None), ""), else_=_client_name),
        exact=func.right(func.lower(invoice.c.number), func.length(_WHOLE)) == _WHOLE,
        order=(invoice.c.created_at.desc(), invoice.c.id.desc()),
        day=invoice.c.issue_date,
        amount=invoice.c.total,
        currency=invoice.c.currency,
        status=case(
            (not_(standing.not_annulled()), constant("annulled")),
            (invoice.c.fiscal_standing == constant(Standing.REFUSED.value), constant("rejected")),
            (invoices.overdue(TODAY), constant("overdue")),
            else_=invoice.c.status,
        ),
        is_listed=invoice.c.deleted_at.is_(None),
    ),
    RecordType.VENDOR: _Source(
        vendor,
        label=vendor.c.name,
        note=_joined(vendor.c.tax_id, vendor.c.city),
        exact=vendor.c.name_key == _WHOLE,
        order=(vendor.c.name_key, vendor.c.id),
    ),
    RecordType.SUPPLIER_INVOICE: _Source(
        supplier_invoice,
        label=func.coalesce(supplier_invoice.c.invoice_number, supplier_invoice.c.vendor_name),
        note=supplier_invoice.c.vendor_name,
        exact=func.lower(supplier_invoice.c.invoice_number) == _WHOLE,
        order=(supplier_invoice.c.invoice_date.desc(), supplier_invoice.c.id.desc()),
        day=supplier_invoice.c.invoice_date,
        amount=supplier_invoice.c.total,
        currency=supplier_invoice.c.currency,
        status=supplier_invoices.status,
    ),
    RecordType.EXPENSE: _Source(
        expense,
        label=expense.c.description,
        note=_joined(expense.c.vendor, expense.c.invoice_number),
        exact=func.lower(expense.c.invoice_number) == _WHOLE,
        order=(expense.c.date.desc(), expense.c.id.desc()),
        day=expense.c.date,
        amount=expense.c.amount,
        currency=expense.c.currency,
        status=case((expense.c.paid_at.is_(None), constant("pending")), else_=constant("paid")),
        is_listed=expense.c.deleted_at.is_(None),
    ),
    RecordType.CATALOG_ITEM: _Source(
        catalog_item,
        label=catalog_item.c.name,
        note=_joined(catalog_item.c.sku, catalog_item.c.category),
        exact=catalog_item.c.name_key == _WHOLE,
        order=(catalog_item.c.name_key, catalog_item.c.id),
        amount=catalog_item.c.unit_price,
        currency=catalog_item.c.currency,
        is_listed=catalog_item.c.is_active,
    ),
    RecordType.TASK: _Source(
        task,
        label=task.c.title,
        note=cast(null(), Text),
        exact=func.lower(task.c.title) == _WHOLE,
        order=(task.c.id.desc(),),
        day=task.c.due_date,
        status=task.c.status,
        is_listed=task.c.id.in_(_RECENT_TASKS),
        is_searched=_has_terms(task.c.title, task.c.description),
    ),
    RecordType.CONTEXT_ENTRY: _Source(
        context_entry,
        label=func.coalesce(context_entry.c.title, context_entry.c.key),
        note=_joined(context_entry.c.category, func.left(context_entry.c.content, _LONGEST_TEXT)),
        exact=context_entry.c.key == _WHOLE,
        order=(context_entry.c.key,),
        is_searched=_has_terms(
            context_entry.c.key, context_entry.c.title, context_entry.c.category, context_entry.c.content
        ),
        key=context_entry.c.key,
    ),
}
WITH_AMOUNTS = frozenset({RecordType.INVOICE, RecordType.SUPPLIER_INVOICE, RecordType.EXPENSE})
"""Types that are found by an amount."""

_DECLARATION = tax_declaration.c
DECLARATIONS = Prepared(
    select(
        cast(_DECLARATION.id, String).label("id"),
        _DECLARATION.country,
        _DECLARATION.form,
        _DECLARATION.year,
        _DECLARATION.period,
        _DECLARATION.status,
        _DECLARATION.result,
    )
    .order_by(_DECLARATION.period_end.desc(), _DECLARATION.form, _DECLARATION.amendment.desc())
    .limit(_MOST_DECLARATIONS),
    DeclarationHitRow,
)
"""Headings of the newest declarations, whose names come from the countries."""


@cache
def hits(types: frozenset[RecordType], by: By) -> Prepared[HitRow]:
    """Return the statement of the hits of these types.

    Its parameters are `most`, `today`, `amounts`, and for words `whole`, `starts` and those of `search.sought`.
    """
    parts = [_part(record_type, _SOURCES[record_type], by) for record_type in RecordType if record_type in types]
    return Prepared(union_all(*parts) if len(parts) > 1 else parts[0], HitRow)


SEARCHED = frozenset(_SOURCES)
"""Types that `hits` searches."""


def _part(record_type: RecordType, source: _Source, by: By) -> Select[Any]:
    is_exact: ColumnElement[bool] = literal_column("true")
    order = list(source.order)
    if by is By.WORDS:
        is_exact = func.coalesce(source.exact, literal_column("false"))
        order.insert(0, is_exact.desc())
    conditions = [] if source.is_listed is None else [source.is_listed]
    if by is not By.AMOUNT:
        conditions.append(search.contains(source.table) if source.is_searched is None else source.is_searched)
    if by is not By.WORDS and source.amount is not None:
        conditions.append(func.abs(source.amount) == any_(bindparam("amounts", type_=ARRAY(Numeric))))
    return (
        select(
            literal_column(f"'{record_type.value}'", Text).label("type"),
            cast(source.table.c.id if source.key is None else source.key, Text).label("id"),
            cast(source.label, Text).label("label"),
            cast(source.note, Text).label("note"),
            _or_null(source.day, Date).label("day"),
            _or_null(source.amount, Numeric).label("amount"),
            _or_null(source.currency, Text).label("currency"),
            _or_null(source.status, Text).label("status"),
            is_exact.label("is_exact"),
        )
        .where(*conditions)
        .order_by(*order)
        .limit(bindparam("most", type_=BigInteger))
    )


def _or_null(value: ColumnElement[Any] | None, kind: type[Any]) -> ColumnElement[Any]:
    return cast(null() if value is None else value, kind)
