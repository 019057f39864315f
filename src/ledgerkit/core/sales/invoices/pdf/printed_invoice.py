"""Printed document of an invoice, composed from its row; the PDF of it, and its fiscal QR alone."""

from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform import records
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.documents.languages import Words, check_language, words_in
from ledgerkit.core.platform.documents.origin import EXTERNAL
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Errors, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices import output as invoice_output
from ledgerkit.core.sales.invoices.api import PRINTED, InvoiceTexts
from ledgerkit.core.sales.invoices.content.fields import InvoiceContent
from ledgerkit.core.sales.invoices.documents import frozen as documents
from ledgerkit.core.sales.invoices.json_columns.codecs import EINVOICE, StoredLine
from ledgerkit.core.sales.invoices.pdf import (
    Paper,
    PdfPrinter,
    PrintedDocument,
    PrintedExchange,
    PrintedLine,
    PrintedTax,
    PrintedText,
    Qr,
    Reader,
    Status,
    Watermark,
)
from ledgerkit.core.sales.invoices.pdf.markup import qr_data_url
from ledgerkit.core.sales.invoices.pdf.parties import client_block, issuer_block
from ledgerkit.core.sales.invoices.posting import standing
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import BadGateway, Code, Invalid, Unavailable
from ledgerkit.providers.api import Document, DocumentKind, Environment, TaxCategory, TaxLine

PRINTING_ERRORS: Errors = [
    (Invalid, {Code.PDF_TOO_LONG, Code.INVOICE_EXTERNAL}),
    (BadGateway, {Code.PDF_FAILED}),
    (Unavailable, {Code.PDF_FAILED, Code.PDF_LIBRARIES_MISSING}),
]
"""Refusals of every operation that prints a document."""


@operation(Permission.INVOICES_READ, unit=Unit.OWN, errors=PRINTING_ERRORS, effects=Effect.READ_ONLY)
async def pdf(ctx: Context, invoice_id: str, language: str | None = None, paper: Paper = Paper.A4) -> tuple[str, bytes]:
    """Return file name and PDF. A draft has a watermark; on receipt paper, these words are above the text.

    Raises Invalid, also PDF_TOO_LONG, BadGateway PDF_FAILED, Unavailable PDF_FAILED or PDF_LIBRARIES_MISSING.
    """
    check_language(ctx, language, "lang")

    async def read() -> PrintedDocument:
        async with ctx.transaction() as inner:
            row = await records.fetch(inner, invoice, invoice_id, "invoice")
            _check_own(row)
            return await printed_document(inner, row, language)

    document = await retry_on_conflict(read)
    return file_name(document), await ctx.kernel.service(PdfPrinter).print(document, Reader(ctx.account.id), paper)


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


def _check_own(row: InvoiceRow) -> None:
    """Raise Invalid INVOICE_EXTERNAL: a print of ours would not be the document that the client has."""
    if row.origin == EXTERNAL:
        raise Invalid(InvoicesMsg.EXTERNAL, code=Code.INVOICE_EXTERNAL, number=row.number)


def file_name(document: PrintedDocument) -> str:
    """Return `{number}.pdf`, without characters that file systems or headers refuse."""
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in document.number or "draft")
    return f"{safe}.pdf"


async def printed_document(
    ctx: Context, row: InvoiceRow, language: str | None = None, *, content: InvoiceContent | None = None
) -> PrintedDocument:
    """Compose what is printed in `language`, else the client's or the country's; `content` as after a change."""
    content = content or InvoiceContent.of(row, ctx.account.today())
    document = await documents.document(ctx, row, content)
    words = _words(ctx, content, language)
    conceals_tax = _is_under_margin_scheme(document)
    names = _TaxNames(words, document)
    asks_for_payment = _asks_for_payment(document)
    return PrintedDocument(
        kind=document.kind,
        number=row.number,
        words=words,
        issue_date=content.issue_date,
        operation_date=content.operation_date,
        due_date=content.due_date if asks_for_payment else None,
        sender=issuer_block(document, words, await _phone(ctx, row)),
        client=client_block(document, words),
        lines=tuple(_line(line, names) for line in content.items),
        prices_include_tax=content.prices_include_tax and not conceals_tax,
        taxes=() if conceals_tax else tuple(_tax_row(row.tax_line(), names) for row in content.tax_breakdown),
        tax_name=names.of_document,
        subtotal=content.subtotal,
        tax_amount=content.tax_amount,
        surcharge_amount=content.surcharge_amount,
        retention_rate=content.retention_rate,
        retention_amount=content.retention_amount,
        gross_total=content.subtotal + content.tax_amount + content.surcharge_amount,
        payable=content.total,
        amount_paid=row.amount_paid,
        currency=content.currency,
        payment_method=content.texts.payment_method,
        iban=content.texts.iban if asks_for_payment else None,
        notes=content.texts.notes,
        terms=content.texts.terms,
        legends=_legends(ctx, document, words),
        corrects=document.correction.documents if document.correction else (),
        correction_reason=content.correction_reason,
        references=_references(content.texts),
        logo=await accounts.logo(ctx),
        qr=fiscal_qr(ctx, row),
        watermark=_watermark(row),
        is_invoice=not invoice_output.is_incomplete(row),
        exchange=_printed_exchange(content, document, names, conceals_tax=conceals_tax),
        status=Status.VOID if standing.is_annulled(row) else Status(invoice_output.status_of(ctx, row)),
    )


def _references(texts: InvoiceTexts) -> tuple[PrintedText, ...]:
    """Return the texts that are printed at the top of the document."""
    printed = (name for name, field in InvoiceTexts.model_fields.items() if PRINTED in field.metadata)
    return tuple(PrintedText(name, value) for name in printed if (value := getattr(texts, name)))


def _legends(ctx: Context, document: Document, words: Words) -> tuple[str, ...]:
    """Return what the country's law wants to be printed on the document."""
    legends = ctx.country.tax.legends(document) if ctx.country else ()
    return tuple(legend.text.in_language(words.language) for legend in legends)


def _printed_exchange(
    content: InvoiceContent, document: Document, names: "_TaxNames", *, conceals_tax: bool
) -> PrintedExchange | None:
    """Return the amounts in the account's currency, which those of `document` are where there is an exchange rate."""
    if content.exchange_rate is None:
        return None
    return PrintedExchange(
        currency=document.currency,
        rate=content.exchange_rate,
        source=content.exchange_rate_source,
        taxes=() if conceals_tax else tuple(_tax_row(tax, names) for tax in document.taxes),
        tax_amount=document.tax_total,
        gross_total=document.gross_total,
    )


async def _phone(ctx: Context, row: InvoiceRow) -> str | None:
    return (await documents.issuer(ctx, row)).phone or ctx.account.phone


def _is_under_margin_scheme(document: Document) -> bool:
    """Return True under a margin scheme, whose tax may not be stated (Ley 37/1992, arts. 138 and 142)."""
    return any(tax.untaxed is not None for tax in document.taxes)


def _words(ctx: Context, content: InvoiceContent, requested: str | None) -> Words:
    """Return the words of the requested language, else the client's, else the country's first that is installed."""
    of_country = ctx.country.languages if ctx.country else ()
    return words_in(ctx.kernel.countries, ctx.account.country, requested, content.client.language, *of_country)


def _asks_for_payment(document: Document) -> bool:
    """Return True when the client is to pay it: a credit note only where it raises what was charged."""
    if document.correction is None:
        return document.kind is not DocumentKind.CREDIT_NOTE
    return document.correction.method == "differences" and document.payable > 0


class _TaxNames:
    """Names of a document's taxes; `of_document` is the name of its only tax, None for the general one."""

    def __init__(self, words: Words, document: Document) -> None:
        self._words = words
        self._keys = {line.tax for line in document.taxes}
        several = len(self._keys) > 1
        self.of_document = words["taxes"] if several else self._name(next(iter(self._keys), None))

    def of_line(self, key: str | None) -> str | None:
        """Return the name that a line states, which it does only where the document has several taxes."""
        return (self._name(key) or self._words["vat"]) if len(self._keys) > 1 else None

    def _name(self, key: str | None) -> str | None:
        return self._words.texts.get(f"tax.{key}", key) if key else None


def _line(line: StoredLine, names: _TaxNames) -> PrintedLine:
    states_rate = line.tax_category is TaxCategory.STANDARD and line.purchase_cost is None
    return PrintedLine(
        description=line.description,
        quantity=line.quantity,
        unit_price=line.unit_price,
        total=line.line_total,
        unit=line.unit,
        discount=line.discount,
        tax_rate=line.tax_rate if states_rate else None,
        category=line.tax_category,
        tax_name=names.of_line(line.tax),
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


def fiscal_qr(ctx: Context, row: InvoiceRow) -> Qr | None:
    """Return the fiscal QR of an emitted invoice, with the words and sizes of its channel."""
    einvoice = EINVOICE.decode(row.einvoice)
    if einvoice is None or not einvoice.qr_url:
        return None
    channel = ctx.kernel.countries.channel(einvoice.country, einvoice.provider)
    if channel is None:
        return None
    block = channel.qr_block(einvoice.qr_url)
    return Qr(
        url=einvoice.qr_url,
        above=block.above,
        below=block.below,
        size_mm=block.size_mm,
        margin_mm=block.margin_mm,
        error_level=block.error_level,
    )


def _watermark(row: InvoiceRow) -> Watermark | None:
    if row.status == "draft":
        return Watermark.DRAFT
    if standing.is_annulled(row):
        return Watermark.VOID
    einvoice = EINVOICE.decode(row.einvoice)
    marks = {Environment.SANDBOX.value: Watermark.SANDBOX, Environment.TEST.value: Watermark.TEST}
    return None if einvoice is None else marks.get(einvoice.environment)
