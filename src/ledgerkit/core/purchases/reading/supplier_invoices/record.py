"""Record the supplier invoice that an analysis describes, with its lines where they agree with its amounts."""

from collections.abc import Iterator
from decimal import Decimal
from uuid import UUID

from pydantic import ValidationError

from ledgerkit.core.catalog.supplier_invoices.api import AnalysedItem, SupplierInvoiceAnalysis
from ledgerkit.core.platform.attachments.documents.kinds import link_of
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.reading.texts import IntakeMsg
from ledgerkit.core.purchases.supplier_invoices import operations as supplier_invoices
from ledgerkit.core.purchases.supplier_invoices import queries as invoice_queries
from ledgerkit.core.purchases.supplier_invoices.api import SupplierInvoiceInput
from ledgerkit.money import ZERO, percent_of
from ledgerkit.problems import Invalid
from ledgerkit.texts import Text, text


async def record(ctx: Context, analysis: SupplierInvoiceAnalysis, vendor_id: UUID, warnings: list[Text]) -> UUID | None:
    """Record the invoice as pending, and return its id; that of the recorded one for a number that is known.

    Lines are recorded where they and the stated amounts agree to the cent; else the amounts alone, and where they
    disagree among themselves nothing: a sum is never supposed. None, with a warning, when that is so, when date or
    total are missing, or when the caller may not record supplier invoices. Raises Conflict as `supplier_invoices`.
    """
    missing = _missing(ctx, analysis)
    if missing is not None:
        warnings.append(missing)
        return None
    known_id = await invoice_queries.recorded(ctx, vendor_id, analysis.invoice_number)
    if known_id is not None:
        number = analysis.invoice_number
        warnings.append(text(IntakeMsg.SAME_SUPPLIER_INVOICE, number=number, invoice_id=known_id))
        return known_id
    return await _stored(ctx, analysis, vendor_id, warnings)


async def _stored(
    ctx: Context, analysis: SupplierInvoiceAnalysis, vendor_id: UUID, warnings: list[Text]
) -> UUID | None:
    """Store the invoice in the first of its forms that is accepted; None, with a warning, when none is."""
    refusal = text(IntakeMsg.INVOICE_AMOUNTS_UNUSABLE)
    for fields in _forms(ctx, analysis):
        try:
            data = SupplierInvoiceInput.model_validate({**_head(analysis), **fields, "vendor_id": str(vendor_id)})
            created = await supplier_invoices.create(ctx, data)
        except ValidationError:
            continue
        except Invalid as problem:
            refusal = text(IntakeMsg.INVOICE_REFUSED, reason=problem.text.message)
            continue
        if analysis.items and "items" not in fields:
            warnings.append(text(IntakeMsg.INVOICE_WITHOUT_LINES))
        return UUID(created.id)
    warnings.append(refusal)
    return None


def _missing(ctx: Context, analysis: SupplierInvoiceAnalysis) -> Text | None:
    """Return the reason for which no invoice can be recorded from an analysis; None when there is none."""
    if not ctx.actor.may(Permission.SUPPLIER_INVOICES_WRITE):
        return text(IntakeMsg.INVOICE_NOT_ALLOWED)
    if analysis.invoice_date is None:
        return text(IntakeMsg.INVOICE_DATE_MISSING)
    return text(IntakeMsg.INVOICE_TOTAL_MISSING) if analysis.total is None else None


def _head(analysis: SupplierInvoiceAnalysis) -> dict[str, object]:
    """Return the fields beside the amounts. A due date before the invoice is left out: it was misread."""
    due = analysis.due_date
    return {
        "invoice_number": analysis.invoice_number or None,
        "invoice_date": analysis.invoice_date,
        "due_date": due if due and analysis.invoice_date and due >= analysis.invoice_date else None,
        "currency": analysis.currency,
        "attachment_url": _link(analysis.attachment_id),
    }


def _link(attachment_id: str | None) -> str | None:
    """Return the path of the document that was read; recording the invoice attaches it, if it is the caller's."""
    try:
        return link_of(UUID(attachment_id)) if attachment_id else None
    except ValueError:
        return None


def _forms(ctx: Context, analysis: SupplierInvoiceAnalysis) -> Iterator[dict[str, object]]:
    """Yield the amounts of the invoice in the forms in which it may be recorded, the most detailed first."""
    stated = {"total": analysis.total, "subtotal": analysis.subtotal, "tax_amount": analysis.tax_amount}
    stated["retention_amount"] = analysis.retention_amount
    amounts = {name: amount for name, amount in stated.items() if amount is not None}
    rate = _rate(ctx, analysis)
    if analysis.items and all(line.unit_price is not None for line in analysis.items):
        yield {**amounts, "tax_rate": rate, "items": [_line(line) for line in analysis.items]}
    yield {**amounts, "tax_rate": rate}


def _line(line: AnalysedItem) -> dict[str, object]:
    return {
        "description": line.name,
        "quantity": Decimal(1) if line.quantity is None else line.quantity,
        "unit_price": line.unit_price,
        "tax_rate": line.tax_rate,
    }


def _rate(ctx: Context, analysis: SupplierInvoiceAnalysis) -> Decimal | None:
    """Return the only rate of the lines, else the one of the country's that base and tax prove; None without proof."""
    rates = {line.tax_rate for line in analysis.items if line.tax_rate is not None}
    if len(rates) == 1:
        return rates.pop()
    base, tax, day = analysis.subtotal, analysis.tax_amount, analysis.invoice_date
    if base is None or tax is None or day is None or rates or ctx.country is None:
        return None
    proven = [rate.percent for rate in ctx.country.tax.rates(day) if percent_of(base, rate.percent) == tax]
    return proven[0] if len(proven) == 1 else ZERO if tax == 0 else None
