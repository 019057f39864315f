"""Confirm the analysis of a supplier invoice: its goods, its vendor, and the invoice itself."""

from uuid import UUID

from ledgerkit.core.catalog.supplier_invoices import imports
from ledgerkit.core.catalog.supplier_invoices.api import ConfirmImport, ConfirmResult
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.reading.supplier_invoices import record, vendors
from ledgerkit.problems import Code, Conflict
from ledgerkit.texts import Text


@operation(
    Permission.CATALOG_WRITE,
    errors=[(Conflict, {Code.DUPLICATE_SUPPLIER_INVOICE, Code.VENDOR_EXISTS})],
    effects=Effect.IDEMPOTENT,
)
async def confirm_import(ctx: Context, data: ConfirmImport) -> ConfirmResult:
    """Import the goods of an analysed supplier invoice, link or store its vendor, and record the invoice.

    A new item's price is its cost until it is changed; a matched one gets the quantity added to a tracked stock, and
    the new cost. A vendor or an invoice that cannot be recorded is named in `warnings`, and hinders nothing else.
    Confirming the same analysis again does nothing, whatever the answers.
    Raises Invalid for a matchedItemId that does not exist, and for more answers than questions; Conflict when another
    request stores this vendor, or an invoice of the same number, at the same time.
    """
    imported = await imports.import_items(ctx, data)
    warnings: list[Text] = []
    if imported.repeated:
        vendor_id = await vendors.find(ctx, data.analysis.vendor)
        return _result(ctx, imported, vendor_id, imported.supplier_invoice_id, warnings)
    vendor_id = await vendors.find_or_store(ctx, data.analysis.vendor, warnings)
    invoice_id = None if vendor_id is None else await record.record(ctx, data.analysis, vendor_id, warnings)
    if invoice_id is not None:
        await imports.link_supplier_invoice(ctx, imported.digest, invoice_id)
    return _result(ctx, imported, vendor_id, invoice_id, warnings)


def _result(
    ctx: Context, imported: imports.Import, vendor_id: UUID | None, invoice_id: UUID | None, warnings: list[Text]
) -> ConfirmResult:
    return ConfirmResult(
        created=imported.created,
        updated=imported.updated,
        item_results=imported.item_results,
        vendor_id=None if vendor_id is None else str(vendor_id),
        supplier_invoice_id=None if invoice_id is None else str(invoice_id),
        warnings=[warning.in_language(ctx.request_metadata.language) for warning in warnings],
    )
