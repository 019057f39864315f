"""From an invoice's row to what is printed, and the PDF of it."""

from decimal import Decimal
from typing import Any

from ledgerkit.core import records
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.documents.languages import Words, check_language, words_in
from ledgerkit.core.identity import accounts
from ledgerkit.core.invoices import document as documents
from ledgerkit.core.invoices import representation
from ledgerkit.core.invoices.models import invoice
from ledgerkit.core.invoices.posting import standing
from ledgerkit.core.invoices.rendering import (
    PdfPrinter,
    PrintedDocument,
    PrintedLine,
    PrintedTax,
    Qr,
    Reader,
    Status,
    Watermark,
)
from ledgerkit.core.invoices.rendering.parties import client_block, issuer_block
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Errors, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import BadGateway, Code, Invalid, Unavailable
from ledgerkit.providers.api import Document, DocumentKind, Environment, TaxCategory, TaxLine

PRINTING_ERRORS: Errors = [
    (Invalid, {Code.PDF_TOO_LONG}),
    (BadGateway, {Code.PDF_FAILED}),
    (Unavailable, {Code.PDF_FAILED, Code.PDF_LIBRARIES_MISSING}),
]
"""Refusals of every operation that prints a document."""


@operation(
    Permission.INVOICES_READ,
    name="invoices.printing.pdf",
    unit=Unit.OWN,
    errors=PRINTING_ERRORS,
    effects=Effect.READ_ONLY,
)
async def pdf(ctx: Context, invoice_id: str, language: str | None = None) -> tuple[str, bytes]:
    """File name and PDF. A draft carries a watermark.

    Raises Invalid, also PDF_TOO_LONG, BadGateway PDF_FAILED, Unavailable PDF_FAILED or PDF_LIBRARIES_MISSING.
    """
    check_language(ctx, language, "lang")

    async def read() -> PrintedDocument:
        async with ctx.transaction() as inner:
            row = await records.fetch(inner, invoice, invoice_id, "invoice")
            return await printed_document(inner, row, language)

    page = await retry_on_conflict(read)
    return file_name(page), await ctx.kernel.service(PdfPrinter).print(page, Reader(ctx.account.id))


def file_name(page: PrintedDocument) -> str:
    """`{number}.pdf`, without characters that file systems or headers refuse."""
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in page.number or "draft")
    return f"{safe}.pdf"


async def printed_document(ctx: Context, row: Any, language: str | None = None) -> PrintedDocument:
    """Everything printed on the invoice, in the client's language, else the country's, unless one is asked for."""
    whole = await documents.document(ctx, row)
    words = _words(ctx, row, language)
    legends = ctx.country.tax.legends(whole) if ctx.country else ()
    untold = _of_margins(whole)
    names = _TaxNames(words, whole)
    asks_for_payment = _asks_for_payment(whole)
    return PrintedDocument(
        kind=whole.kind,
        number=row.number,
        words=words,
        issue_date=row.issue_date,
        operation_date=row.operation_date,
        due_date=row.due_date if asks_for_payment else None,
        sender=issuer_block(whole, words, (row.issuer or {}).get("phone") or ctx.account.phone),
        client=client_block(whole, words),
        lines=tuple(_line(item, names) for item in row.items),
        prices_include_tax=row.prices_include_tax and not untold,
        taxes=() if untold else tuple(_tax_row(tax, names) for tax in whole.taxes),
        tax_name=names.of_document,
        subtotal=row.subtotal,
        tax_amount=row.tax_amount,
        surcharge_amount=row.surcharge_amount,
        retention_rate=row.retention_rate,
        retention_amount=row.retention_amount,
        gross_total=whole.gross_total,
        payable=row.total,
        amount_paid=row.amount_paid,
        currency=row.currency,
        payment_method=row.payment_method,
        iban=row.iban if asks_for_payment else None,
        notes=row.notes,
        terms=row.terms,
        legends=tuple(legend.in_language(words.language) for legend in legends),
        corrects=whole.correction.documents if whole.correction else (),
        correction_reason=row.correction_reason,
        purchase_order=row.purchase_order,
        buyer_reference=row.buyer_reference,
        logo=await accounts.logo(ctx),
        qr=_qr(ctx, row),
        watermark=_watermark(row),
        status=Status.VOID if standing.is_annulled(row) else Status(representation.status_of(ctx, row)),
    )


def _of_margins(whole: Document) -> bool:
    """Whether it is under a margin scheme, whose tax may not be stated (Ley 37/1992, arts. 138 and 142)."""
    return any(tax.untaxed is not None for tax in whole.taxes)


def _words(ctx: Context, row: Any, asked: str | None) -> Words:
    """Those of the language asked for, else of the client's, else of the first of the country's that there is."""
    own = ctx.country.languages if ctx.country else ()
    return words_in(ctx.kernel.countries, ctx.account.country, asked, row.client["language"], *own)


def _asks_for_payment(document: Document) -> bool:
    """Whether the client is to pay it: not a credit note, unless it raises what was charged."""
    if document.correction is None:
        return document.kind is not DocumentKind.CREDIT_NOTE
    return document.correction.method == "differences" and document.payable > 0


class _TaxNames:
    """What the taxes of a document are called: `of_document` the only one, None for the general one."""

    def __init__(self, words: Words, document: Document) -> None:
        self._words = words
        self._keys = {line.tax for line in document.taxes}
        several = len(self._keys) > 1
        self.of_document = words["taxes"] if several else self._name(next(iter(self._keys), None))

    def of_line(self, key: str | None) -> str | None:
        """Said in each line only where there are several."""
        return (self._name(key) or self._words["vat"]) if len(self._keys) > 1 else None

    def _name(self, key: str | None) -> str | None:
        return self._words.texts.get(f"tax.{key}", key) if key else None


def _line(item: dict[str, Any], names: _TaxNames) -> PrintedLine:
    stated = item["taxCategory"] == TaxCategory.STANDARD and item["purchaseCost"] is None
    return PrintedLine(
        description=item["description"],
        quantity=Decimal(item["quantity"]),
        unit_price=Decimal(item["unitPrice"]),
        total=Decimal(item["lineTotal"]),
        unit=item["unit"],
        discount=Decimal(item["discount"]),
        tax_rate=Decimal(item["taxRate"]) if stated else None,
        category=TaxCategory(item["taxCategory"]),
        tax_name=names.of_line(item["tax"]),
    )


def _tax_row(tax: TaxLine, names: _TaxNames) -> PrintedTax:
    return PrintedTax(
        base=tax.base,
        amount=tax.amount,
        rate=tax.rate,
        category=tax.category,
        tax_name=names.of_line(tax.tax),
        surcharge_rate=tax.surcharge_rate,
        surcharge_amount=tax.surcharge_amount,
    )


def _qr(ctx: Context, row: Any) -> Qr | None:
    """The fiscal QR of an emitted invoice, printed as its channel says."""
    if row.einvoice is None or not row.einvoice["qrUrl"]:
        return None
    channel = ctx.kernel.countries.channel(row.einvoice["country"], row.einvoice["provider"])
    if channel is None:
        return None
    block = channel.qr_block(row.einvoice["qrUrl"])
    return Qr(
        url=row.einvoice["qrUrl"],
        above=block.above,
        below=block.below,
        size_mm=block.size_mm,
        margin_mm=block.margin_mm,
        error_level=block.error_level,
    )


def _watermark(row: Any) -> Watermark | None:
    if row.status == "draft":
        return Watermark.DRAFT
    if standing.is_annulled(row):
        return Watermark.VOID
    environment = None if row.einvoice is None else row.einvoice["environment"]
    marks = {Environment.SANDBOX.value: Watermark.SANDBOX, Environment.TEST.value: Watermark.TEST}
    return marks.get(environment or "")
