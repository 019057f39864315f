"""Read a supplier invoice: an image in, its analysis out, matched with the catalog. One AI action."""

from ledgerkit.core.catalog.supplier_invoices.api import SupplierInvoiceAnalysis
from ledgerkit.core.catalog.supplier_invoices.queries import candidates
from ledgerkit.core.platform.ai.balance import actions
from ledgerkit.core.platform.ai.balance.actions import METERING_ERRORS, ActionKind
from ledgerkit.core.platform.attachments import queries as same_contents
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.reading.api import SupplierInvoiceImage
from ledgerkit.core.purchases.reading.documents import attachments as documents
from ledgerkit.core.purchases.reading.documents import uploads
from ledgerkit.core.purchases.reading.documents.attachments import KeptDocument
from ledgerkit.core.purchases.reading.documents.uploads import DOCUMENT_ERRORS
from ledgerkit.core.purchases.reading.engines import choice as engines
from ledgerkit.core.purchases.reading.engines.choice import ENGINE_ERRORS
from ledgerkit.core.purchases.reading.engines.model import is_empty
from ledgerkit.core.purchases.reading.fields import bounds
from ledgerkit.core.purchases.reading.fields.receipt import amounts_agree
from ledgerkit.core.purchases.reading.supplier_invoices.analysis import MAX_LINES, InvoiceAnalysis
from ledgerkit.core.purchases.reading.supplier_invoices.matches import CatalogEntry, Matcher, search_words
from ledgerkit.core.purchases.reading.texts import IntakeMsg
from ledgerkit.providers.api import DocumentReading, PurchaseWords
from ledgerkit.texts import Text, text


@operation(
    Permission.CATALOG_WRITE,
    unit=Unit.OWN,
    errors=[*METERING_ERRORS, *ENGINE_ERRORS, *DOCUMENT_ERRORS],
    effects=Effect.OPEN_WORLD,
)
async def analyse_invoice(ctx: Context, data: SupplierInvoiceImage) -> SupplierInvoiceAnalysis:
    """Read a supplier invoice, store its image, and match its lines with the catalog; nothing is recorded.

    Costs one AI action, charged only with a result. Raises Invalid for what is no readable image, TooLarge above
    10 MiB, PaymentRequired OUT_OF_TOKENS, BadGateway AI_FAILED, Unavailable AI_BUSY or AI_NOT_CONFIGURED.
    """
    sent = await uploads.received("image", data.image, uploads.INVOICE_KINDS)
    engines.require_engine(ctx)
    async with actions.metered(ctx, ActionKind.IMPORT_INVOICE) as action:
        read = await engines.read_document(ctx, await uploads.drawn(ctx, sent))
        action.engine = read.engine
        matcher = await _matcher(ctx, read.reading)
        document = await documents.keep(ctx, sent, "supplier-invoice")
        warnings = await _warnings(ctx, read.reading, document)
    words = ctx.country.purchase_words if ctx.country else PurchaseWords()
    invoice = InvoiceAnalysis(read.reading, matcher, words, ctx.request_metadata.language)
    attachment_id = None if document.id is None else str(document.id)
    return invoice.analysis(engine=read.engine, attachment_id=attachment_id, warnings=warnings)


async def _matcher(ctx: Context, reading: DocumentReading) -> Matcher:
    """Return the items that the lines may mean: one statement, and at most some thousand items."""
    lines = reading.lines[:MAX_LINES]
    names = [bounds.one_line(line.description) for line in lines]
    codes = [code for line in lines if (code := bounds.one_line(line.code))]
    async with ctx.reading() as inner:
        rows = await candidates(inner, search_words([*names, *codes]), codes)
    return Matcher(CatalogEntry(id=str(row.id), name=row.name, sku=row.sku, barcode=row.barcode) for row in rows)


async def _warnings(ctx: Context, reading: DocumentReading, document: KeptDocument) -> list[Text]:
    async with ctx.reading() as inner:
        same_images = [row for row in await same_contents.same_content(inner, document.sha256) if row.id != document.id]
    doubts = {
        IntakeMsg.NOTHING_READ: is_empty(reading),
        IntakeMsg.AMOUNTS_DISAGREE: not amounts_agree(reading),
        IntakeMsg.NOT_KEPT: document.id is None,
        IntakeMsg.SAME_IMAGE_READ: bool(same_images),
    }
    return [text(message) for message, applies in doubts.items() if applies]
