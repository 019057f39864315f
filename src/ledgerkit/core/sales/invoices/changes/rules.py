"""Rules for changes to an issued invoice that has been reported to the authority, or that has to be.

A credit note corrects what the holder can see on the invoice. Data that only the fiscal record contains can be changed,
and the record corrected (POST /api/einvoice/emit with `correct`). While the authority has refused the record, the
refused data can be corrected; all amounts, the number and the date stay. Source: RD 1619/2012 art. 15 (what takes a
corrective invoice); RRSIF and the tax agency's FAQ (what takes a record).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ledgerkit.core.platform.documents import einvoicing_state
from ledgerkit.core.platform.documents.einvoicing_state import Off
from ledgerkit.core.platform.documents.exchange_rates import Exchange
from ledgerkit.core.platform.documents.origin import EXTERNAL
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.content.fields import InvoiceContent
from ledgerkit.core.sales.invoices.documents.origins import check_rate
from ledgerkit.core.sales.invoices.json_columns.codecs import StoredLine
from ledgerkit.core.sales.invoices.pdf import PrintedDocument, printed_invoice
from ledgerkit.core.sales.invoices.posting import effects, standing
from ledgerkit.core.sales.invoices.posting.standing import Standing
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Code, Invalid

_EXCHANGE = {"exchange_rate", "exchange_rate_source"}
_ALWAYS = {"notes", "due_date", "term_days", "search_text"}
_IN_THE_RECORD_ONLY = {*_ALWAYS, "items", "tax_breakdown", "converted", "operation_description", "fiscal_details"}
_AMOUNTS = {
    "issue_date",
    "currency",
    *_EXCHANGE,
    "tax_rate",
    "retention_rate",
    "prices_include_tax",
    "subtotal",
    "tax_amount",
    "surcharge_amount",
    "retention_amount",
    "total",
    "correction_method",
}
_AMOUNTS_OF_LINE = ("quantity", "unit_price", "discount", "tax_rate", "surcharge_rate", "purchase_cost", "line_total")
_GOODS_OF_LINE = ("catalog_item_id", "variant_index", "unit")


async def check(ctx: Context, row: InvoiceRow, new: InvoiceContent, columns: Iterable[str]) -> None:
    """Raise Invalid unless an emitted invoice may get the content `new`, which differs in `columns`.

    Raises Invalid INVOICE_LOCKED with the call to use instead, INVOICE_ANNULLED.
    """
    standing.check_in_force(row)
    changed = set(columns)
    if changed <= _ALWAYS:
        return
    old = InvoiceContent.of(row, ctx.account.today())
    match row.fiscal_standing:
        case Standing.OPEN:
            raise _locked(InvoicesMsg.LOCKED_UNTIL_ANSWER, row)
        case Standing.REFUSED:
            if not _amounts_stay(old, new, changed):
                raise _locked(InvoicesMsg.LOCKED_AMOUNTS, row)
        case _:
            if not changed <= _IN_THE_RECORD_ONLY or not await _prints_alike(ctx, row, old, new):
                raise _locked(InvoicesMsg.LOCKED_AS_REPORTED, row)


def check_unrecorded(ctx: Context, row: InvoiceRow, new: InvoiceContent, columns: Iterable[str]) -> None:
    """Raise Invalid unless an issued document that lacks its record may get the content `new`, e-invoicing being on.

    It may be completed so that it can be emitted, also with a missing exchange rate; its amounts, number and date stay.
    Raises Invalid INVOICE_LOCKED.
    """
    changed = set(columns) - (_EXCHANGE if row.exchange_rate is None else set())
    if not _amounts_stay(InvoiceContent.of(row, ctx.account.today()), new, changed):
        raise _locked(InvoicesMsg.LOCKED_WITHOUT_RECORD, row)


def check_own(row: InvoiceRow) -> None:
    """Raise Invalid INVOICE_EXTERNAL for a document that other software issued."""
    if row.origin == EXTERNAL:
        raise Invalid(InvoicesMsg.EXTERNAL, code=Code.INVOICE_EXTERNAL, number=row.number)


async def check_exchange(ctx: Context, row: InvoiceRow, new: InvoiceContent) -> None:
    """Raise Invalid unless an issued document may get the exchange rate of the content `new`, and its source.

    A missing rate may be added; a credit note gets the rate of its invoice. An existing rate and its currency stay.
    Raises Invalid, also INVOICE_LOCKED.
    """
    exchange = Exchange(new.exchange_rate, new.exchange_rate_source)
    before = Exchange(row.exchange_rate, row.exchange_rate_source)
    if exchange == before:
        return
    if before.rate is not None and row.currency == new.currency:
        raise _locked(InvoicesMsg.RATE_FROZEN, row)
    if row.rectifies is not None:
        check_rate(await effects.original_of(ctx, row), exchange.rate)


def owes_record(ctx: Context, row: InvoiceRow) -> bool:
    """Return True for an issued document that lacks its record while e-invoicing is on."""
    is_unrecorded = row.status != "draft" and row.einvoice is None
    return is_unrecorded and row.unrecorded != Off.REGIME and einvoicing_state.is_on(ctx)


def check_deletable(ctx: Context, row: InvoiceRow) -> None:
    """Raise Invalid INVOICE_LOCKED for an issued document that lacks its record while e-invoicing is on."""
    if row.origin == EXTERNAL:
        return
    if owes_record(ctx, row):
        raise _locked(InvoicesMsg.LOCKED_WITHOUT_RECORD, row)


def _amounts_stay(old: InvoiceContent, new: InvoiceContent, changed: set[str]) -> bool:
    return not changed & _AMOUNTS and _lines_agree(old, new, _AMOUNTS_OF_LINE + _GOODS_OF_LINE)


def _lines_agree(old: InvoiceContent, new: InvoiceContent, names: Sequence[str]) -> bool:
    """Return True when the lines agree in these fields, one by one."""

    def values(lines: Iterable[StoredLine]) -> list[list[object]]:
        return [[getattr(line, name) for name in names] for line in lines]

    return values(old.items) == values(new.items)


async def _prints_alike(ctx: Context, row: InvoiceRow, old: InvoiceContent, new: InvoiceContent) -> bool:
    """Return True when nobody who holds the invoice could see a difference, notes and dueDate apart."""
    if not _lines_agree(old, new, _GOODS_OF_LINE):
        return False
    texts = new.texts.model_copy(update={"notes": old.texts.notes})
    with_old_notes = replace(new, texts=texts, due_date=old.due_date)
    return await _printed(ctx, row, old) == await _printed(ctx, row, with_old_notes)


async def _printed(ctx: Context, row: InvoiceRow, content: InvoiceContent) -> PrintedDocument:
    return await printed_invoice.printed_document(ctx, row, content=content)


def _locked(message: InvoicesMsg, row: InvoiceRow) -> Invalid:
    return Invalid(message, code=Code.INVOICE_LOCKED, number=row.number)
