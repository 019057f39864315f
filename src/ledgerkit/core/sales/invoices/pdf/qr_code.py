"""Fiscal QR of an emitted invoice, for receipts that a client lays out itself."""

from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform import records
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices.pdf.printed_invoice import fiscal_qr
from ledgerkit.core.sales.invoices.pdf.qr import qr_data_url
from ledgerkit.core.sales.invoices.table import invoice


class InvoiceQr(Wire):
    """The QR in the size that the law demands, with the words that it demands around it."""

    url: Annotated[str, Field(description="Content of the QR: the authority's page about the invoice")]
    image: Annotated[str, Field(description="SVG in a data URL, with its white margin")]
    above: str
    """Words that stand above the image."""
    below: str | None
    """Words that stand below the image; null for none."""
    width_mm: Annotated[int, Field(description="Width of the image, margins included, in millimetres")]


@operation(Permission.INVOICES_READ, unit=Unit.READING)
async def qr(ctx: Context, invoice_id: str) -> InvoiceQr | None:
    """Return the fiscal QR of an invoice; None for one that has no fiscal record. Raises NotFound.

    Source: Orden HAC/1177/2024, arts. 20 and 21 (30 to 40 mm, with its words).
    """
    code = fiscal_qr(ctx, await records.fetch(ctx, invoice, invoice_id, "invoice"))
    if code is None:
        return None
    return InvoiceQr(
        url=code.url,
        image=qr_data_url(code),
        above=code.above,
        below=code.below,
        width_mm=code.size_mm + 2 * code.margin_mm,
    )
