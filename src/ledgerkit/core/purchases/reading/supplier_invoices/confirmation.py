"""Confirm the analysis of a supplier invoice: its goods, its vendor, and the invoice itself."""

import re
from collections.abc import Iterator
from decimal import Decimal
from uuid import UUID

from pydantic import ValidationError

from ledgerkit.core.catalog.supplier_invoices import imports
from ledgerkit.core.catalog.supplier_invoices.api import (
    AnalysedItem,
    AnalysedVendor,
    ConfirmImport,
    ConfirmResult,
    SupplierInvoiceAnalysis,
)
from ledgerkit.core.platform.attachments.documents.kinds import link_of
from ledgerkit.core.platform.documents import tax_ids
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.reading import acts
from ledgerkit.core.purchases.reading.texts import ReadingMsg
from ledgerkit.core.purchases.supplier_invoices import operations as supplier_invoices
from ledgerkit.core.purchases.supplier_invoices import queries
from ledgerkit.core.purchases.supplier_invoices.api import SupplierInvoiceInput
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.core.purchases.vendors.api import VendorInput
from ledgerkit.money import ZERO, percent_of
from ledgerkit.problems import Code, Conflict, Invalid
from ledgerkit.texts import FixedText, Text, text

_FOREIGN = re.compile(r"([A-Z]{2})[0-9A-Z]{5,}")
_MAX_NAME = 120


@operation(
    Permission.CATALOG_WRITE,
    errors=[
        (Conflict, {Code.DUPLICATE_SUPPLIER_INVOICE, Code.VENDOR_EXISTS}),
        (Invalid, {Code.VENDOR_AMBIGUOUS}),
    ],
    effects=Effect.IDEMPOTENT,
    act=acts.IMPORT,
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
        vendor_id = await _known_vendor(ctx, data.analysis.vendor)
        return _result(ctx, imported, vendor_id, imported.supplier_invoice_id, warnings)
    vendor_id = await _vendor(ctx, data.analysis.vendor, warnings)
    invoice_id = None if vendor_id is None else await _recorded(ctx, data.analysis, vendor_id, warnings)
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


# ---------------------------------------------------------------- vendor


async def _known_vendor(ctx: Context, analysed: AnalysedVendor | None) -> UUID | None:
    """Return the stored vendor that an analysis names, or None."""
    if analysed is None:
        return None
    tax_id, _ = _usable_tax_id(ctx, analysed.tax_id)
    row = await vendors.find_match(ctx, analysed.name, tax_id)
    return None if row is None else row.id


async def _vendor(ctx: Context, analysed: AnalysedVendor | None, warnings: list[Text]) -> UUID | None:
    """Return the vendor that an analysis names, stored now where it is a new one.

    A tax id that is not valid is left out, as is an e-mail address that is none. None, with a warning, for an analysis
    that names no vendor, and for a new one when the caller may not write vendors.
    """
    if analysed is None or not (analysed.name or analysed.tax_id):
        warnings.append(text(ReadingMsg.VENDOR_MISSING))
        return None
    tax_id, country = _usable_tax_id(ctx, analysed.tax_id)
    if analysed.tax_id and tax_id is None:
        warnings.append(text(ReadingMsg.VENDOR_TAX_ID_UNUSABLE, tax_id=analysed.tax_id))
    row = await vendors.find_match(ctx, analysed.name, tax_id)
    if row is not None:
        return row.id
    if not analysed.name:
        warnings.append(text(ReadingMsg.VENDOR_MISSING))
        return None
    if not ctx.may(Permission.VENDORS_WRITE):
        warnings.append(text(ReadingMsg.VENDOR_NOT_ALLOWED, name=analysed.name))
        return None
    created = await vendors.create(ctx, _vendor_input(analysed, tax_id, country))
    return UUID(created.id)


def _usable_tax_id(ctx: Context, tax_id: str | None) -> tuple[str | None, str]:
    """Return a tax id in its normal form with its country; None for one that is not valid."""
    account_country = ctx.account.country
    if not tax_id:
        return None, account_country
    verdict = tax_ids.check(ctx, tax_id, account_country)
    if verdict.valid:
        return verdict.normalised, account_country
    prefix = _FOREIGN.fullmatch(re.sub(r"[\W_]", "", tax_id).upper())
    if prefix and prefix[1] != account_country and tax_ids.check(ctx, prefix[0], prefix[1]).valid:
        return tax_ids.check(ctx, prefix[0], prefix[1]).normalised, prefix[1]
    return None, account_country


def _vendor_input(analysed: AnalysedVendor, tax_id: str | None, country: str) -> VendorInput:
    name = (analysed.name or "")[:_MAX_NAME]
    fields = {"tax_id": tax_id, "country": country, "phone": analysed.phone, "address": analysed.address}
    try:
        return VendorInput.model_validate({"name": name, **fields, "email": analysed.email or None})
    except ValidationError:
        return VendorInput.model_validate({"name": name, **fields})


# ---------------------------------------------------------------- invoice


async def _recorded(
    ctx: Context, analysis: SupplierInvoiceAnalysis, vendor_id: UUID, warnings: list[Text]
) -> UUID | None:
    """Record the invoice as pending, and return its id; that of the recorded one for a number that is known.

    The lines are recorded with the amounts if they agree to the cent, else the amounts alone. Returns None, with a
    warning, if the amounts disagree with each other, if date or total is missing, and if the caller may not record
    supplier invoices: no sum is ever guessed. Raises Conflict as `supplier_invoices.create` does.
    """
    missing = _missing(ctx, analysis)
    if missing is not None:
        warnings.append(missing)
        return None
    known_id = await queries.recorded(ctx, vendor_id, analysis.invoice_number)
    if known_id is not None:
        number = analysis.invoice_number
        warnings.append(text(ReadingMsg.SAME_SUPPLIER_INVOICE, number=number, invoice_id=known_id))
        return known_id
    return await _stored(ctx, analysis, vendor_id, warnings)


async def _stored(
    ctx: Context, analysis: SupplierInvoiceAnalysis, vendor_id: UUID, warnings: list[Text]
) -> UUID | None:
    """Store the invoice in the first of its forms that is accepted; None, with a warning, when none is."""
    refusal = text(ReadingMsg.INVOICE_AMOUNTS_UNUSABLE)
    for fields in _forms(ctx, analysis):
        try:
            data = SupplierInvoiceInput.model_validate({**_head(analysis), **fields, "vendor_id": str(vendor_id)})
            created = await supplier_invoices.create(ctx, data)
        except ValidationError:
            continue
        except Invalid as problem:
            refusal = text(ReadingMsg.INVOICE_REFUSED, reason=problem.text.message)
            continue
        if analysis.items and "items" not in fields:
            warnings.append(text(ReadingMsg.INVOICE_WITHOUT_LINES))
        warnings += [FixedText(doubt) for doubt in created.warnings]
        return UUID(created.id)
    warnings.append(refusal)
    return None


def _missing(ctx: Context, analysis: SupplierInvoiceAnalysis) -> Text | None:
    """Return the reason for which no invoice can be recorded from an analysis; None when there is none."""
    if not ctx.may(Permission.SUPPLIER_INVOICES_WRITE):
        return text(ReadingMsg.INVOICE_NOT_ALLOWED)
    if analysis.invoice_date is None:
        return text(ReadingMsg.INVOICE_DATE_MISSING)
    return text(ReadingMsg.INVOICE_TOTAL_MISSING) if analysis.total is None else None


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
