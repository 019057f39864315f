"""From an invoice's row to what is printed, and the PDF of it."""

from decimal import Decimal
from typing import Any

from ledgerkit.core import records
from ledgerkit.core.context import Context
from ledgerkit.core.db import persist
from ledgerkit.core.identity import accounts
from ledgerkit.core.invoices import document as documents
from ledgerkit.core.invoices import shapes, standing
from ledgerkit.core.invoices.models import invoice
from ledgerkit.core.invoices.paper import (
    Block,
    Language,
    Paper,
    PaperLine,
    PdfPrinter,
    Qr,
    Status,
    TaxRow,
    Watermark,
)
from ledgerkit.core.operation import Unit, operation
from ledgerkit.core.permissions import Permission
from ledgerkit.providers.api import Environment, Party, TaxCategory, TaxLine


@operation(Permission.INVOICES_READ, unit=Unit.OWN)
async def pdf(ctx: Context, invoice_id: str, language: Language | None = None) -> tuple[str, bytes]:
    """File name and PDF. A draft carries a watermark. Raises PDF_TOO_LONG, PDF_FAILED."""

    async def read() -> Paper:
        async with ctx.transaction() as inner:
            row = await records.fetch(inner, invoice, invoice_id, "invoice")
            return await paper(inner, row, language)

    page = await persist(read)
    return file_name(page), await ctx.kernel.part(PdfPrinter).print(page)


def file_name(page: Paper) -> str:
    """`{number}.pdf`, without characters that file systems or headers refuse."""
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in page.number or "draft")
    return f"{safe}.pdf"


async def paper(ctx: Context, row: Any, language: Language | None = None) -> Paper:
    """Everything printed on the invoice, in the client's language, else the country's, unless one is asked for."""
    whole = await documents.document(ctx, row)
    spoken = language or _spoken(ctx, row)
    legends = ctx.country.tax.legends(whole) if ctx.country else ()
    return Paper(
        kind=whole.kind,
        number=row.number,
        language=spoken,
        issue_date=row.issue_date,
        operation_date=row.operation_date,
        due_date=row.due_date,
        sender=_block(whole.issuer, phone=(row.issuer or {}).get("phone") or ctx.account.phone),
        client=None if whole.recipient is None else _block(whole.recipient),
        lines=tuple(_line(item) for item in row.items),
        prices_include_tax=row.prices_include_tax,
        taxes=tuple(_tax_row(tax) for tax in whole.taxes),
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
        iban=row.iban,
        notes=row.notes,
        terms=row.terms,
        legends=tuple(legend.in_language(spoken) for legend in legends),
        corrects=whole.correction.documents if whole.correction else (),
        correction_reason=row.correction_reason,
        purchase_order=row.purchase_order,
        buyer_reference=row.buyer_reference,
        logo=await accounts.logo(ctx),
        qr=_qr(ctx, row),
        watermark=_watermark(row),
        status=Status.VOID if standing.annulled(row) else Status(shapes.status_of(ctx, row)),
    )


def _spoken(ctx: Context, row: Any) -> Language:
    """The client's language, else that of the account's country."""
    known = row.client["language"] or ("es" if ctx.account.country == "ES" else "en")
    return "en" if known == "en" else "es"


def _block(party: Party, phone: str | None = None) -> Block:
    town = " ".join(part for part in (party.postal_code, party.city) if part)
    place = [part for part in (party.address, town, party.province, _abroad(party)) if part]
    return Block(name=party.name, tax_id=party.tax_id, address=tuple(place), email=party.email, phone=phone)


def _abroad(party: Party) -> str | None:
    return None if party.country == "ES" else party.country


def _line(item: dict[str, Any]) -> PaperLine:
    standard = item["taxCategory"] == TaxCategory.STANDARD
    return PaperLine(
        description=item["description"],
        quantity=Decimal(item["quantity"]),
        unit_price=Decimal(item["unitPrice"]),
        total=Decimal(item["lineTotal"]),
        unit=item["unit"],
        discount=Decimal(item["discount"]),
        tax_rate=Decimal(item["taxRate"]) if standard else None,
    )


def _tax_row(tax: TaxLine) -> TaxRow:
    return TaxRow(
        base=tax.base,
        amount=tax.amount,
        rate=tax.rate,
        category=tax.category,
        tax_name=tax.tax,
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
    if standing.annulled(row):
        return Watermark.VOID
    environment = None if row.einvoice is None else row.einvoice["environment"]
    marks = {Environment.SANDBOX.value: Watermark.SANDBOX, Environment.TEST.value: Watermark.TEST}
    return marks.get(environment or "")
