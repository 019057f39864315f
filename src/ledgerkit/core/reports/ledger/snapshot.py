"""Read the ledger of a span of days in one snapshot."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TypeVar

from ledgerkit.core.platform.database.row_types import RowT
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import snapshot
from ledgerkit.core.platform.event_loop.garbage import collection_paused
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.reports.ledger import expenses, sales, supplier_invoices
from ledgerkit.core.reports.ledger.selection import OmittedRow
from ledgerkit.providers.api import DateSpan, Ledger, Omission, OmittedDocument

T = TypeVar("T")

CHUNK = 1_000
"""Rows that are held beside the documents made of them; other requests are served between two chunks."""

_in_order = attrgetter("issue_date", "document_id")


async def read(ctx: Context, span: DateSpan) -> Ledger:
    """Return all documents of which any date lies in the span: issue, operation, reception, deduction or payment.

    All are read in one snapshot; within a transaction of another isolation than REPEATABLE READ, each kind of document
    is, and every document with its payments.
    """
    with collection_paused():
        return await _ledger(ctx, span)


async def _ledger(ctx: Context, span: DateSpan) -> Ledger:
    country = ctx.account.country
    async with ctx.reading() as inner, snapshot(inner.db):
        sold = await _all(inner, span, sales.COUNTED, sales.Conversion(ctx.account.tax_id).sale)
        spent, spent_earlier = [
            await _all(inner, span, statement, lambda row: expenses.purchase(row, country))
            for statement in (expenses.COUNTED, expenses.EARLIER_INVESTMENTS)
        ]
        supplied, supplied_earlier = [
            await _all(inner, span, statement, supplier_invoices.purchase)
            for statement in (supplier_invoices.COUNTED, supplier_invoices.EARLIER_INVESTMENTS)
        ]
        omitted = [
            document
            for statement in (sales.OMITTED, supplier_invoices.OMITTED)
            for document in await _all(inner, span, statement, _in_another_currency)
        ]
    return Ledger(
        span=span,
        currency=ctx.account.currency,
        owner=ctx.account.party(),
        sales=sorted(sold, key=_in_order),
        purchases=sorted([*spent, *supplied], key=_in_order),
        omitted=omitted,
        earlier_investments=sorted([*spent_earlier, *supplied_earlier], key=_in_order),
    )


async def _all(ctx: Context, span: DateSpan, statement: Prepared[RowT], converted: Callable[[RowT], T]) -> list[T]:
    """Return what the rows of a statement are converted to; the rows themselves are not held."""
    values = {"first": span.first, "last": span.last, "currency": ctx.account.currency}
    documents = list[T]()

    def convert(rows: Sequence[RowT]) -> None:
        with collection_paused():
            documents.extend([converted(row) for row in rows])

    await statement.in_chunks(ctx.db, CHUNK, convert, **values)
    return documents


def _in_another_currency(row: OmittedRow) -> OmittedDocument:
    return OmittedDocument(
        document_id=str(row.id), number=row.number, reason=Omission.FOREIGN_CURRENCY, issue_date=row.issue_date
    )
