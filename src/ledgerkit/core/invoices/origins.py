"""The issued documents that a draft comes from: one that it corrects, or those that it is exchanged for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ledgerkit.core import records
from ledgerkit.core.invoices import document as documents
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.invoices.models import invoice
from ledgerkit.core.invoices.posting import remaining, simplified_exchange, standing
from ledgerkit.core.invoices.posting.remaining import Item
from ledgerkit.core.invoices.schemas import InvoiceInput, InvoiceItemInput
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import DocumentKind


@dataclass(frozen=True, kw_only=True)
class Origins:
    """Rows of invoices, not locked."""

    corrected: Any = None
    exchanged: Sequence[Any] = ()
    left: Sequence[Item] = ()

    @property
    def items(self) -> list[InvoiceItemInput]:
        """What is left of the lines of what is exchanged."""
        return [InvoiceItemInput.model_validate(item) for item in self.left]

    @property
    def prices_include_tax(self) -> bool:
        return bool(self.exchanged) and bool(self.exchanged[0].prices_include_tax)

    @property
    def columns(self) -> dict[str, Any]:
        """What the draft's row says of them."""
        return {
            "rectifies": None if self.corrected is None else self.corrected.id,
            "substitutes": [str(row.id) for row in self.exchanged] or None,
        }


NONE = Origins()


async def resolve(ctx: Context, data: InvoiceInput) -> Origins:
    """What `rectifies` and `substitutes` name. Raises NotFound, Invalid naming the field."""
    exchanged = await _exchanged(ctx, data)
    left = [line for row in exchanged for line in (await remaining.remainder(ctx, row)).lines]
    return Origins(corrected=await _corrected(ctx, data), exchanged=exchanged, left=left)


async def _corrected(ctx: Context, data: InvoiceInput) -> Any:
    """The issued invoice that a credit note corrects."""
    if data.rectifies is None:
        return None
    if data.doc_type is not DocumentKind.CREDIT_NOTE:
        raise Invalid.field("rectifies", InvoicesMsg.RECTIFIES_CREDIT_NOTE_ONLY)
    original = await records.fetch(ctx, invoice, data.rectifies, "invoice")
    require_correctable(original)
    if original.currency != (data.currency or ctx.account.currency):
        raise Invalid.field("currency", InvoicesMsg.CURRENCY_OF_CORRECTED, currency=original.currency)
    if data.correction_reason is not None:
        await check_reason(ctx, original, data.correction_reason, "correctionReason")
    return original


def require_correctable(original: Any, field: str = "rectifies") -> None:
    """Raises Invalid for what no credit note corrects."""
    if original.status == "draft":
        raise Invalid.field(field, InvoicesMsg.CORRECTS_DRAFT)
    standing.check_in_force(original)
    if original.rectifies is not None:
        raise Invalid.field(field, InvoicesMsg.CORRECTS_CREDIT_NOTE)
    if original.substitutes:
        raise Invalid.field(field, InvoicesMsg.CORRECTS_EXCHANGED)


async def check_reason(ctx: Context, original: Any, reason: str, field: str) -> None:
    """Whether the country lets `original` be corrected for `reason`. Without a country plug-in every reason passes."""
    known = await reasons(ctx, original)
    if ctx.country is not None and reason not in known:
        listed = "; ".join(f"{code}: {text}" for code, text in known.items())
        raise Invalid.field(
            field, InvoicesMsg.UNKNOWN_CORRECTION_REASON, reason=reason, number=original.number, listed=listed
        )


async def reasons(ctx: Context, original: Any) -> dict[str, str]:
    """Why the country lets `original` be corrected, by code, the usual reason first."""
    if ctx.country is None:
        return {}
    return dict(ctx.country.tax.corrections(await documents.document(ctx, original)))


async def _exchanged(ctx: Context, data: InvoiceInput) -> Sequence[Any]:
    if not data.substitutes:
        return ()
    if data.doc_type is not DocumentKind.INVOICE:
        raise Invalid.field("substitutes", InvoicesMsg.SUBSTITUTES_INVOICE_ONLY)
    found = await simplified_exchange.fetch_exchangeable(ctx, data.substitutes)
    if len({row.prices_include_tax for row in found}) > 1 and not data.items:
        raise Invalid.field("items", InvoicesMsg.EXCHANGE_NEEDS_ITEMS)
    return found
