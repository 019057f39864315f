"""The issued documents that a draft comes from: one that it corrects, or those that it is exchanged for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ledgerkit.core import records
from ledgerkit.core.invoices import document as documents
from ledgerkit.core.invoices.models import invoice
from ledgerkit.core.invoices.posting import exchanges, remaining, standing
from ledgerkit.core.invoices.posting.remaining import Item
from ledgerkit.core.invoices.schemas import InvoiceInput, InvoiceItemInput
from ledgerkit.core.request.context import Context
from ledgerkit.problems import bilingual_field
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


async def require(ctx: Context, data: InvoiceInput) -> Origins:
    """What `rectifies` and `substitutes` name. Raises NotFound, Invalid naming the field."""
    exchanged = await _exchanged(ctx, data)
    left = [line for row in exchanged for line in (await remaining.of(ctx, row)).lines]
    return Origins(corrected=await _corrected(ctx, data), exchanged=exchanged, left=left)


async def _corrected(ctx: Context, data: InvoiceInput) -> Any:
    """The issued invoice that a credit note corrects."""
    if data.rectifies is None:
        return None
    if data.doc_type is not DocumentKind.CREDIT_NOTE:
        raise bilingual_field(
            "rectifies",
            ("only a document of docType credit_note corrects another", "Leave it out, or set docType."),
            ("solo un documento de docType credit_note corrige a otro", "No lo indiques, o pon ese docType."),
        )
    original = await records.fetch(ctx, invoice, data.rectifies, "invoice")
    require_correctable(original)
    if original.currency != (data.currency or ctx.account.currency):
        raise bilingual_field(
            "currency",
            (f"must be that of the corrected invoice, {original.currency}", "Correct currency."),
            (f"tiene que ser la de la factura que se corrige, {original.currency}", "Corrige currency."),
        )
    if data.correction_reason is not None:
        await check_reason(ctx, original, data.correction_reason, "correctionReason")
    return original


def require_correctable(original: Any, field: str = "rectifies") -> None:
    """Raises Invalid for what no credit note corrects."""
    if original.status == "draft":
        raise bilingual_field(
            field,
            ("is a draft: change it instead of correcting it", "Change it with PUT /api/invoices/{id}."),
            ("es un borrador: se cambia, no se rectifica", "Cámbialo con PUT /api/invoices/{id}."),
        )
    standing.check_alive(original)
    if original.rectifies is not None:
        raise bilingual_field(
            field,
            ("is a credit note itself: correct the invoice it belongs to", "Name that invoice."),
            ("es ella misma una rectificativa: se corrige la factura a la que pertenece", "Indica esa factura."),
        )
    if original.substitutes:
        raise bilingual_field(
            field,
            (
                "stands for simplified invoices, which alone count",
                "Correct the simplified invoices that it substitutes, then exchange them again.",
            ),
            (
                "sustituye a facturas simplificadas, que son las que cuentan",
                "Rectifica las simplificadas que sustituye y vuelve a canjearlas.",
            ),
        )


async def check_reason(ctx: Context, original: Any, reason: str, field: str) -> None:
    """Whether the country lets `original` be corrected for `reason`. Without a country plug-in every reason passes."""
    known = await reasons(ctx, original)
    if ctx.country is not None and reason not in known:
        listed = "; ".join(f"{code}: {text}" for code, text in known.items())
        raise bilingual_field(
            field,
            (f"{reason} is no reason to correct {original.number}", f"Known are: {listed}."),
            (f"{reason} no es un motivo para rectificar {original.number}", f"Los hay: {listed}."),
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
        raise bilingual_field(
            "substitutes",
            ("only a document of docType invoice is exchanged for simplified ones", "Leave it out, or set docType."),
            ("solo un documento de docType invoice se canjea por simplificadas", "No lo indiques, o pon ese docType."),
        )
    found = await exchanges.require(ctx, data.substitutes)
    if len({row.prices_include_tax for row in found}) > 1 and not data.items:
        raise bilingual_field(
            "items",
            (
                "are needed: the simplified invoices are not priced alike, with and without tax",
                "Send items, and pricesIncludeTax if their prices contain the tax.",
            ),
            (
                "hacen falta: unas simplificadas llevan el impuesto en el precio y otras no",
                "Envía items, y pricesIncludeTax si sus precios llevan el impuesto.",
            ),
        )
    return found
