"""Origins of a draft: the issued invoice that it corrects, or the simplified invoices that it is exchanged for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from uuid import UUID

from ledgerkit.core.platform import records
from ledgerkit.core.platform.documents.country_codes import explained
from ledgerkit.core.platform.documents.exchange_rates import NO_EXCHANGE, Exchange
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.api import InvoiceInput, InvoiceItemInput
from ledgerkit.core.sales.invoices.content.fields import as_input
from ledgerkit.core.sales.invoices.documents import frozen as documents
from ledgerkit.core.sales.invoices.json_columns.codecs import StoredLine
from ledgerkit.core.sales.invoices.posting import remainders, simplified_exchange, standing
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import DocumentKind


@dataclass(frozen=True, kw_only=True)
class Origins:
    """Documents that a draft comes from; their rows are not locked. `remaining_lines` are those of `exchanged`."""

    corrected: InvoiceRow | None = None
    exchanged: Sequence[InvoiceRow] = ()
    remaining_lines: Sequence[StoredLine] = ()

    @property
    def items(self) -> list[InvoiceItemInput]:
        """Remaining lines of the simplified invoices, as input."""
        return [as_input(line) for line in self.remaining_lines]

    @property
    def prices_include_tax(self) -> bool:
        return bool(self.exchanged) and self.exchanged[0].prices_include_tax

    def stated_exchange(self, currency: str) -> Exchange:
        """Return the exchange rate of the documents, with its source, if they are in `currency` and all have it."""
        rows = self.exchanged if self.corrected is None else [self.corrected]
        exchanges = {Exchange(row.exchange_rate, row.exchange_rate_source) for row in rows if row.currency == currency}
        return exchanges.pop() if len(exchanges) == 1 else NO_EXCHANGE

    @property
    def rectifies(self) -> UUID | None:
        """Id of the invoice that is corrected."""
        return None if self.corrected is None else self.corrected.id

    @property
    def substitutes(self) -> list[str] | None:
        """Ids of the simplified invoices that are exchanged; None for none."""
        return [str(row.id) for row in self.exchanged] or None


NONE = Origins()


async def resolve(ctx: Context, data: InvoiceInput) -> Origins:
    """Return the documents that `rectifies` and `substitutes` name. Raises NotFound, Invalid naming the field."""
    exchanged = await _exchanged(ctx, data)
    remaining_lines = [line for row in exchanged for line in (await remainders.remainder(ctx, row)).lines]
    return Origins(corrected=await _corrected(ctx, data), exchanged=exchanged, remaining_lines=remaining_lines)


async def _corrected(ctx: Context, data: InvoiceInput) -> InvoiceRow | None:
    """Return the issued invoice that a credit note corrects."""
    if data.rectifies is None:
        return None
    if data.doc_type is not DocumentKind.CREDIT_NOTE:
        raise Invalid.field("rectifies", InvoicesMsg.RECTIFIES_CREDIT_NOTE_ONLY)
    original = await records.fetch(ctx, invoice, data.rectifies, "invoice")
    require_correctable(original)
    if original.currency != (data.currency or ctx.account.currency):
        raise Invalid.field("currency", InvoicesMsg.CURRENCY_OF_CORRECTED, currency=original.currency)
    if data.exchange_rate is not None and original.currency != ctx.account.currency:
        check_rate(original, data.exchange_rate)
    if data.correction_reason is not None:
        await check_reason(ctx, original, data.correction_reason, "correctionReason")
    return original


def check_rate(original: InvoiceRow, rate: Decimal | None) -> None:
    """Raise Invalid for a credit note whose exchange rate is not that of the invoice that it corrects."""
    if rate == original.exchange_rate:
        return
    message = InvoicesMsg.CORRECTED_WITHOUT_RATE if original.exchange_rate is None else InvoicesMsg.RATE_OF_CORRECTED
    stated = None if original.exchange_rate is None else f"{original.exchange_rate.normalize():f}"
    raise Invalid.field("exchangeRate", message, number=original.number, rate=stated)


def check_day(original: InvoiceRow, issue_date: date) -> None:
    """Raise Invalid for a credit note that is dated before the invoice that it corrects."""
    on = original.issue_date
    if on is not None and issue_date < on:
        raise Invalid.field("issueDate", InvoicesMsg.NOTE_BEFORE_ORIGINAL, number=original.number, on=on)


def require_correctable(original: InvoiceRow, field: str = "rectifies") -> None:
    """Raise Invalid for a document that no credit note can correct."""
    if original.status == "draft":
        raise Invalid.field(field, InvoicesMsg.CORRECTS_DRAFT)
    standing.check_in_force(original)
    if original.rectifies is not None or original.doc_type == DocumentKind.CREDIT_NOTE:
        raise Invalid.field(field, InvoicesMsg.CORRECTS_CREDIT_NOTE)
    if original.substitutes:
        raise Invalid.field(field, InvoicesMsg.CORRECTS_EXCHANGED)


async def check_reason(ctx: Context, original: InvoiceRow, reason: str, field: str) -> None:
    """Raise Invalid when the country does not admit `reason`. Without a country plug-in every reason passes."""
    defined = await reasons(ctx, original)
    if ctx.country is not None and reason not in defined:
        listed = explained(defined)
        raise Invalid.field(
            field, InvoicesMsg.UNKNOWN_CORRECTION_REASON, reason=reason, number=original.number, listed=listed
        )


async def reasons(ctx: Context, original: InvoiceRow) -> dict[str, str]:
    """Return the reasons for which the country lets `original` be corrected, by code, the usual one first."""
    if ctx.country is None:
        return {}
    return dict(ctx.country.tax.corrections(await documents.document(ctx, original)))


async def _exchanged(ctx: Context, data: InvoiceInput) -> Sequence[InvoiceRow]:
    if not data.substitutes:
        return ()
    if data.doc_type is not DocumentKind.INVOICE:
        raise Invalid.field("substitutes", InvoicesMsg.SUBSTITUTES_INVOICE_ONLY)
    rows = await simplified_exchange.fetch_exchangeable(ctx, data.substitutes)
    if len({row.prices_include_tax for row in rows}) > 1 and not data.items:
        raise Invalid.field("items", InvoicesMsg.EXCHANGE_NEEDS_ITEMS)
    return rows
