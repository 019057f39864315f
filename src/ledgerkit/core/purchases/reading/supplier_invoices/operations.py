"""Read a supplier invoice: an image in, its analysis out, matched with the catalog. One AI action."""

from collections.abc import Sequence

from ledgerkit.core.catalog.queries import candidates
from ledgerkit.core.catalog.supplier_invoices.api import AnalysedItem, AnalysedVendor, SupplierInvoiceAnalysis
from ledgerkit.core.platform.ai.balance.actions import ActionKind
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.reading.api import SupplierInvoiceImage
from ledgerkit.core.purchases.reading.documents.scans import SCAN_ERRORS, scan
from ledgerkit.core.purchases.reading.documents.uploads import INVOICE_TYPES
from ledgerkit.core.purchases.reading.fields import bounds
from ledgerkit.core.purchases.reading.supplier_invoices.matches import CatalogEntry, ItemMatch, Matcher, search_words
from ledgerkit.core.purchases.reading.texts import ReadingMsg
from ledgerkit.core.purchases.reading.words.comparison import meaningful_words
from ledgerkit.money import ZERO
from ledgerkit.providers.api import DocumentReading, PurchaseWords, ReadLine
from ledgerkit.texts import Text, text

MAX_LINES = 200
_MAX_QUESTIONS = 100


@operation(Permission.CATALOG_WRITE, unit=Unit.OWN, errors=SCAN_ERRORS, effects=Effect.OPEN_WORLD, proposable=False)
async def analyse_invoice(ctx: Context, data: SupplierInvoiceImage) -> SupplierInvoiceAnalysis:
    """Read a supplier invoice, store its image, and match its lines with the catalog; nothing is recorded.

    Costs one AI action, charged only with a result. Raises Invalid for what is no readable image, TooLarge above
    10 MiB, PaymentRequired OUT_OF_TOKENS, BadGateway AI_FAILED, Unavailable AI_BUSY or AI_NOT_CONFIGURED.
    """
    async with scan(ctx, data.image, INVOICE_TYPES, ActionKind.IMPORT_INVOICE) as document:
        matcher = await _matcher(ctx, document.reading)
    words = ctx.country.purchase_words if ctx.country else PurchaseWords()
    warnings = [text(message) for message, applies in document.doubts().items() if applies]
    invoice = _InvoiceAnalysis(document.reading, matcher, words, ctx.request_metadata.language)
    return invoice.analysis(engine=document.engine, attachment_id=document.shown_id, warnings=warnings)


async def _matcher(ctx: Context, reading: DocumentReading) -> Matcher:
    """Return the items that the lines may mean: one statement, and at most some thousand items."""
    lines = reading.lines[:MAX_LINES]
    names = [bounds.one_line(line.description) for line in lines]
    codes = [code for line in lines if (code := bounds.one_line(line.code))]
    async with ctx.reading() as inner:
        rows = await candidates(inner, search_words([*names, *codes]), codes)
    return Matcher(CatalogEntry(id=str(row.id), name=row.name, sku=row.sku, barcode=row.barcode) for row in rows)


class _InvoiceAnalysis:
    """Analysis of one reading: its lines matched with items, with a question for every line that is doubtful.

    `language` is that of the questions.
    """

    def __init__(self, reading: DocumentReading, matcher: Matcher, words: PurchaseWords, language: str) -> None:
        self._reading = reading
        self._matcher = matcher
        self._charges = [frozenset(meaningful_words(phrase)) for phrase in words.not_goods]
        self._language = language
        self._questions: list[str] = []

    def analysis(self, *, engine: str, attachment_id: str | None, warnings: Sequence[Text]) -> SupplierInvoiceAnalysis:
        """Return the analysis; its confidence is the lowest of those fields that an invoice cannot do without."""
        reading = self._reading
        items = [item for line in reading.lines[:MAX_LINES] if (item := self._item(line)) is not None]
        return SupplierInvoiceAnalysis(
            vendor=_vendor(reading),
            invoice_number=bounds.one_line(reading.document_number.value),
            invoice_date=bounds.day(reading.issue_date.value),
            due_date=bounds.day(reading.due_date.value),
            currency=bounds.currency(reading.currency.value),
            items=items,
            subtotal=bounds.amount(reading.subtotal.value),
            tax_amount=bounds.amount(reading.tax_total.value),
            total=bounds.amount(reading.total.value),
            retention_amount=bounds.amount(reading.retention_total.value),
            iban=bounds.one_line(reading.iban.value),
            questions=self._questions,
            confidence=bounds.score(_confidence(reading)),
            engine=bounds.one_line(engine),
            attachment_id=attachment_id,
            warnings=[warning.in_language(self._language) for warning in warnings],
        )

    def _item(self, line: ReadLine) -> AnalysedItem | None:
        name = bounds.one_line(line.description, bounds.MAX_NAME)
        if name is None:
            return None
        code = bounds.one_line(line.code)
        match = None if self._is_charge(line) else self._matcher.match(name, code)
        return AnalysedItem(
            name=name,
            sku=code,
            quantity=bounds.quantity(line.quantity),
            unit_price=bounds.unit_price(line.unit_price),
            tax_rate=bounds.rate(line.tax_rate),
            total=bounds.amount(line.total),
            matched_item_id=None if match is None else match.entry.id,
            matched_item_name=None if match is None else match.entry.name,
            match_score=None if match is None else bounds.score(match.score),
            suggested_action="skip" if self._is_charge(line) else "create" if match is None else "update",
            question=self._question(name, match),
        )

    def _question(self, name: str, match: ItemMatch | None) -> int | None:
        """Ask about a doubtful match, and return the question's index."""
        if match is None or match.sure or len(self._questions) >= _MAX_QUESTIONS:
            return None
        question = text(ReadingMsg.SAME_ITEM, name=name, item=match.entry.name)
        self._questions.append(question.in_language(self._language))
        return len(self._questions) - 1

    def _is_charge(self, line: ReadLine) -> bool:
        """Return True for a line that brings no goods: delivery and the like, a discount, or a return."""
        if (line.quantity is not None and line.quantity <= 0) or (line.total is not None and line.total < ZERO):
            return True
        words = set(meaningful_words(line.description)[:4])
        return any(charge and charge <= words for charge in self._charges)


def _vendor(reading: DocumentReading) -> AnalysedVendor:
    return AnalysedVendor(
        name=bounds.one_line(reading.vendor_name.value, bounds.MAX_NAME),
        tax_id=bounds.one_line(reading.vendor_tax_id.value),
        email=bounds.one_line(reading.vendor_email.value),
        phone=bounds.one_line(reading.vendor_phone.value),
        address=bounds.one_line(reading.vendor_address.value),
    )


def _confidence(reading: DocumentReading) -> float:
    needed = (reading.vendor_name, reading.issue_date, reading.total)
    return min(field.confidence if field.value is not None else 0.0 for field in needed)
