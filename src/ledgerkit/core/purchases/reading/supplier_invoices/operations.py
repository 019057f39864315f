"""Read a supplier invoice: an image in, its analysis out, matched with the catalog. One AI action."""

from ledgerkit.core.catalog.queries import candidates
from ledgerkit.core.catalog.supplier_invoices.api import SupplierInvoiceAnalysis
from ledgerkit.core.platform.ai.balance.actions import ActionKind
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.reading.api import SupplierInvoiceImage
from ledgerkit.core.purchases.reading.documents.scans import SCAN_ERRORS, scan
from ledgerkit.core.purchases.reading.documents.uploads import INVOICE_TYPES
from ledgerkit.core.purchases.reading.fields import bounds
from ledgerkit.core.purchases.reading.supplier_invoices.analysis import MAX_LINES, InvoiceAnalysis
from ledgerkit.core.purchases.reading.supplier_invoices.matches import CatalogEntry, Matcher, search_words
from ledgerkit.providers.api import DocumentReading, PurchaseWords
from ledgerkit.texts import text


@operation(Permission.CATALOG_WRITE, unit=Unit.OWN, errors=SCAN_ERRORS, effects=Effect.OPEN_WORLD)
async def analyse_invoice(ctx: Context, data: SupplierInvoiceImage) -> SupplierInvoiceAnalysis:
    """Read a supplier invoice, store its image, and match its lines with the catalog; nothing is recorded.

    Costs one AI action, charged only with a result. Raises Invalid for what is no readable image, TooLarge above
    10 MiB, PaymentRequired OUT_OF_TOKENS, BadGateway AI_FAILED, Unavailable AI_BUSY or AI_NOT_CONFIGURED.
    """
    async with scan(ctx, data.image, INVOICE_TYPES, ActionKind.IMPORT_INVOICE) as document:
        matcher = await _matcher(ctx, document.reading)
    words = ctx.country.purchase_words if ctx.country else PurchaseWords()
    warnings = [text(message) for message, applies in document.doubts().items() if applies]
    invoice = InvoiceAnalysis(document.reading, matcher, words, ctx.request_metadata.language)
    return invoice.analysis(engine=document.engine, attachment_id=document.shown_id, warnings=warnings)


async def _matcher(ctx: Context, reading: DocumentReading) -> Matcher:
    """Return the items that the lines may mean: one statement, and at most some thousand items."""
    lines = reading.lines[:MAX_LINES]
    names = [bounds.one_line(line.description) for line in lines]
    codes = [code for line in lines if (code := bounds.one_line(line.code))]
    async with ctx.reading() as inner:
        rows = await candidates(inner, search_words([*names, *codes]), codes)
    return Matcher(CatalogEntry(id=str(row.id), name=row.name, sku=row.sku, barcode=row.barcode) for row in rows)
