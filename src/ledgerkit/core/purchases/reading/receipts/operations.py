"""Read the receipt of an expense: an image in, the fields of an expense out. One AI action."""

from decimal import Decimal
from uuid import UUID

from ledgerkit.core.platform.ai.balance.actions import ActionKind
from ledgerkit.core.platform.attachments.api import DocumentType
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.expenses import queries as expense_queries
from ledgerkit.core.purchases.reading.api import PossibleDuplicate, ReceiptImage, ScanConfidence, ScannedReceipt
from ledgerkit.core.purchases.reading.categories import proposals
from ledgerkit.core.purchases.reading.categories.classifier import CategoryGuess
from ledgerkit.core.purchases.reading.documents.scans import SCAN_ERRORS, ScannedDocument, scan
from ledgerkit.core.purchases.reading.documents.uploads import RECEIPT_TYPES
from ledgerkit.core.purchases.reading.fields import bounds
from ledgerkit.core.purchases.reading.fields.receipt import ReceiptFields, receipt_fields
from ledgerkit.core.purchases.reading.texts import ReadingMsg
from ledgerkit.texts import text

_LEAST_CONFIDENCE = 0.4
"""Confidence under which a category is right once in ten times at most (`make eval-categories`)."""


@operation(Permission.EXPENSES_WRITE, unit=Unit.OWN, errors=SCAN_ERRORS, effects=Effect.OPEN_WORLD, proposable=False)
async def scan_receipt(ctx: Context, data: ReceiptImage) -> ScannedReceipt:
    """Read a receipt, store its image, and propose the fields of its expense; nothing is recorded.

    Costs one AI action, charged only with a result. Raises Invalid for what is no readable image, TooLarge above
    10 MiB, PaymentRequired OUT_OF_TOKENS, BadGateway AI_FAILED, Unavailable AI_BUSY or AI_NOT_CONFIGURED.
    """
    async with scan(ctx, data.image, RECEIPT_TYPES, ActionKind.SCAN_RECEIPT) as receipt:
        fields = receipt_fields(receipt.reading)
        guess = await _category(ctx, fields)
        duplicates = await _duplicates(ctx, fields, receipt)
    return _answer(receipt, fields, guess, duplicates, ctx.request_metadata.language)


async def _category(ctx: Context, fields: ReceiptFields) -> CategoryGuess | None:
    """Propose a category; None for a proposal that is more often wrong than right."""
    description, vendor = fields.description[0], fields.vendor[0]
    if description is None and vendor is None:
        return None
    _, guess = await proposals.propose(ctx, description or "", vendor)
    return guess if guess.confidence >= _LEAST_CONFIDENCE else None


async def _duplicates(ctx: Context, fields: ReceiptFields, receipt: ScannedDocument) -> list[PossibleDuplicate]:
    """Return the expenses and receipts that this one may repeat: of the same image, or vendor, day and amount."""
    day, amount = fields.day[0], fields.amount[0]
    expense_ids: list[UUID] = []
    if day is not None and amount is not None:
        async with ctx.reading() as inner:
            expense_ids = await expense_queries.repeated(
                inner, vendor=fields.vendor[0], tax_id=fields.vendor_tax_id, day=day, amount=amount
            )
    same_image = [
        PossibleDuplicate(
            reason="same_image",
            expense_id=str(row.document_id) if row.document_kind == DocumentType.EXPENSE.value else None,
            receipt_id=str(row.id),
        )
        for row in receipt.same_images
    ]
    named = {duplicate.expense_id for duplicate in same_image}
    return same_image + [
        PossibleDuplicate(reason="same_purchase", expense_id=str(expense_id), receipt_id=None)
        for expense_id in expense_ids
        if str(expense_id) not in named
    ]


def _answer(
    receipt: ScannedDocument,
    fields: ReceiptFields,
    guess: CategoryGuess | None,
    duplicates: list[PossibleDuplicate],
    language: str,
) -> ScannedReceipt:
    repeats_expense = any(duplicate.reason == "same_purchase" for duplicate in duplicates)
    doubts = {**receipt.doubts(), ReadingMsg.SAME_EXPENSE: repeats_expense}
    return ScannedReceipt(
        description=fields.description[0],
        amount=fields.amount[0],
        vendor=fields.vendor[0],
        date=fields.day[0],
        category=None if guess is None else guess.category,
        tax_rate=fields.tax_rate[0],
        currency=fields.currency[0],
        confidence=ScanConfidence(
            description=_score(fields.description),
            amount=_score(fields.amount),
            vendor=_score(fields.vendor),
            date=_score(fields.day),
            category=None if guess is None else bounds.score(guess.confidence),
            tax_rate=_score(fields.tax_rate),
            currency=_score(fields.currency),
        ),
        engine=receipt.engine,
        receipt_id=receipt.shown_id,
        vendor_tax_id=fields.vendor_tax_id,
        invoice_number=fields.invoice_number,
        tax_amount=fields.tax_amount,
        taxes=fields.taxes,
        retention_amount=fields.retention_amount,
        payment_method=fields.payment_method,
        warnings=[text(message).in_language(language) for message, applies in doubts.items() if applies],
        duplicates=duplicates,
    )


def _score(read: tuple[object, float]) -> Decimal | None:
    return None if read[0] is None else bounds.score(read[1])
