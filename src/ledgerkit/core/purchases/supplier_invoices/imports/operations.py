"""Import received invoices that other software recorded, all of a file or none, with their payments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from uuid import UUID

import asyncpg
from sqlalchemy import ARRAY, Text, any_, bindparam, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.documents import tax_ids
from ledgerkit.core.platform.documents.origin import EXTERNAL
from ledgerkit.core.platform.event_loop.garbage import collection_paused
from ledgerkit.core.platform.event_loop.turns import in_turns
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.imports import rows as file_rows
from ledgerkit.core.platform.imports.api import DocumentRows, DocumentsImported
from ledgerkit.core.platform.imports.cells import RowError
from ledgerkit.core.platform.imports.rows import NumberedRow, Report, shared
from ledgerkit.core.platform.imports.texts import ImportMsg
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.supplier_invoices import acts
from ledgerkit.core.purchases.supplier_invoices import input as supplier_invoice_input
from ledgerkit.core.purchases.supplier_invoices.amounts.computation import StatedTax, is_tax_charged
from ledgerkit.core.purchases.supplier_invoices.api import SupplierInvoiceInput, SupplierInvoiceItemInput
from ledgerkit.core.purchases.supplier_invoices.imports.columns import COLUMNS, PurchaseImportRow
from ledgerkit.core.purchases.supplier_invoices.input import NewVendor, VendorOfInvoice
from ledgerkit.core.purchases.supplier_invoices.output import ALL_PAYMENTS, OPEN, PAID
from ledgerkit.core.purchases.supplier_invoices.payables import totals as payables
from ledgerkit.core.purchases.supplier_invoices.payables.totals import PayableSums
from ledgerkit.core.purchases.supplier_invoices.table import (
    CONVERTED,
    SupplierInvoiceRow,
    SupplierPaymentRow,
    supplier_invoice,
    supplier_payment,
)
from ledgerkit.core.purchases.supplier_invoices.texts import SupplierInvoicesMsg
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.money import CENT, ZERO, percent_of
from ledgerkit.problems import Invalid
from ledgerkit.texts import text

Group = Sequence[NumberedRow[PurchaseImportRow]]
"""Rows of one invoice."""

_OF_LINE = ("tax_rate", "surcharge_rate", "deductible_percent", "investment_good", "useful_life_years")
_OF_INVOICE = (
    *("invoice_date", "operation_date", "reception_date", "deduction_date", "due_date", "retention_rate"),
    *("retention_amount", "retention_kind", "leased_property", "import_dua", "triangular", "regime_key", "category"),
    *("income_tax_percent", "notes", "currency", "exchange_rate", "exchange_rate_source", "rectifies"),
)


@operation(Permission.SUPPLIER_INVOICES_WRITE, act=acts.IMPORT)
async def import_invoices(ctx: Context, data: DocumentRows) -> DocumentsImported:
    """Store the received invoices that the rows state, their vendors and payments; with any error none of them.

    A number that its vendor has already is an error. Payments need the right to pay, new vendors that to store them.
    With `dryRun` nothing is stored.
    """
    with collection_paused():  # it would search thousands of rows and invoices in vain
        return await _imported(ctx, data)


async def _imported(ctx: Context, data: DocumentRows) -> DocumentsImported:
    report = Report()
    if not data.dry_run:
        ctx = await accounts.with_locked_profile(ctx, exclusive=True)
    rows = await file_rows.read(data.rows, COLUMNS, report)
    invoices = await _invoices(ctx, await file_rows.grouped(rows, _key), report)
    await _check_numbers(ctx, invoices, report)
    originals = await _originals(ctx, invoices, report)
    if not report.problems and not data.dry_run and invoices:
        await _store(ctx, invoices, originals)
    total = sum((invoice.total_in(ctx.account.currency) for invoice in invoices), Decimal("0.00"))
    return await report.answer(ctx, invoices, rows=len(rows), total=total, dry_run=data.dry_run)


@dataclass(frozen=True, kw_only=True)
class _Invoice:
    """Received invoice of a file: its columns, its vendor, and its payment.

    `converted` is the total in the account's currency; None in that currency, and without an exchange rate. `rectifies`
    is the number, as it is compared, of the invoice that a credit note corrects.
    """

    place: int
    number: str
    vendor: VendorOfInvoice
    values: Values[SupplierInvoiceRow]
    payment: Values[SupplierPaymentRow] = field(default_factory=lambda: Values(SupplierPaymentRow))
    converted: Decimal | None = None
    rectifies: str | None = None

    @property
    def total(self) -> Decimal:
        return self.values.of(SupplierInvoiceRow.total)

    @property
    def currency(self) -> str:
        return self.values.of(SupplierInvoiceRow.currency)

    @property
    def number_key(self) -> str:
        return self.values.of(SupplierInvoiceRow.number_key) or ""

    def total_in(self, account_currency: str) -> Decimal:
        """Return the total in the account's currency; zero for another one without a rate."""
        if self.converted is not None:
            return self.converted
        return self.total if self.currency == account_currency else ZERO

    @property
    def label(self) -> str:
        return f"{self.number} {self.vendor.name}"

    def of_vendor(self, vendor: VendorOfInvoice) -> "_Invoice":
        """Return the invoice of a vendor that has been stored meanwhile."""
        return replace(self, vendor=vendor, values=self.values | supplier_invoice_input.vendor_columns(vendor))


def _key(row: PurchaseImportRow) -> tuple[str, str]:
    vendor = file_rows.folded_name(row.vendor_tax_id or row.vendor_name or "")
    return vendor, supplier_invoice_input.number_key(row.number)


# ---------------------------------------------------------------- reading and checking


async def _invoices(ctx: Context, groups: Sequence[Group], report: Report) -> list[_Invoice]:
    invoices: list[_Invoice] = []
    matched: dict[NewVendor, VendorOfInvoice] = {}
    async for group in in_turns(groups):
        try:
            named = _named_vendor(ctx, group)
            if named not in matched:
                matched[named] = await vendors.find_match(ctx, named.name, named.tax_id) or named
            invoices.append(_invoice(ctx, group, matched[named]))
        except (RowError, Invalid) as error:
            report.refuse(group[0].place, group[0].fields.number, error)
    if any(isinstance(vendor, NewVendor) for vendor in matched.values()):
        ctx.require(Permission.VENDORS_WRITE)
    if any(invoice.payment for invoice in invoices):
        ctx.require(Permission.SUPPLIER_INVOICES_PAY)
    return invoices


def _named_vendor(ctx: Context, group: Group) -> NewVendor:
    name: str | None = shared(group, "vendor_name")
    if name is None:
        raise RowError(ImportMsg.FIELD_REQUIRED, field="vendorName")
    country = shared(group, "vendor_country") or ctx.account.country
    tax_id = tax_ids.normalised(ctx, shared(group, "vendor_tax_id"), country, "vendorTaxId")
    return NewVendor(name=name, tax_id=tax_id, country=country)


def _invoice(ctx: Context, group: Group, vendor: VendorOfInvoice) -> _Invoice:
    data = _input(ctx, group)
    stated = [_stated_tax(row, charged=is_tax_charged(data)) for row in group]
    row = SupplierInvoiceRow
    values = supplier_invoice_input.values(ctx, data, vendor, stated) | Values(row, origin=EXTERNAL)
    total, computed = shared(group, "total"), values.of(row.total)
    gross = values.of(row.subtotal) + values.of(row.tax_amount) + values.of(row.surcharge_amount)
    if total is not None and total not in {computed, gross}:
        raise RowError(ImportMsg.NOT_AGREEING, field="total", stated=total, computed=computed)
    converted = CONVERTED.decode(values.of(row.converted))
    invoice = _Invoice(
        place=group[0].place,
        number=group[0].fields.number,
        vendor=vendor,
        values=values,
        converted=None if converted is None else converted.total,
        rectifies=None if data.rectifies is None else supplier_invoice_input.number_key(data.rectifies),
    )
    return _paid(ctx, group, invoice)


def _input(ctx: Context, group: Group) -> SupplierInvoiceInput:
    stated = {name: shared(group, name) for name in _OF_INVOICE}
    if stated["invoice_date"] is None:
        raise RowError(ImportMsg.FIELD_REQUIRED, field="invoiceDate")
    if stated["invoice_date"] > ctx.account.today():
        raise RowError(SupplierInvoicesMsg.IMPORT_DAY_AHEAD, field="invoiceDate", on=stated["invoice_date"])
    defaults = {
        name: model_field.default
        for name, model_field in SupplierInvoiceInput.model_fields.items()
        if not model_field.is_required()
    }
    return SupplierInvoiceInput.model_construct(
        **defaults
        | stated
        | {
            "invoice_number": group[0].fields.number,
            "items": [_item(row) for row in group],
            "reverse_charge": bool(shared(group, "reverse_charge")),
            "intra_eu": shared(group, "intra_eu") or "none",
            "investment_good": any(row.fields.investment_good for row in group),
        }
    )


def _item(row: NumberedRow[PurchaseImportRow]) -> SupplierInvoiceItemInput:
    if row.fields.tax_rate is None:
        raise RowError(ImportMsg.FIELD_REQUIRED, field="taxRate", place=row.place)
    fields = {name: getattr(row.fields, name) for name in _OF_LINE}
    fields["investment_good"] = bool(row.fields.investment_good)
    description = row.fields.description or row.fields.number
    return SupplierInvoiceItemInput.model_construct(description=description, unit_price=row.fields.base, **fields)


def _stated_tax(row: NumberedRow[PurchaseImportRow], *, charged: bool) -> StatedTax:
    """Return tax and surcharge that a row states, else those of its rates; a tax that the buyer owes may be absent."""
    tax = row.fields.tax_amount if charged else row.fields.tax_amount or None
    return StatedTax(
        tax=_stated(row, "taxAmount", tax, row.fields.tax_rate or ZERO),
        surcharge=_stated(row, "surchargeAmount", row.fields.surcharge_amount, row.fields.surcharge_rate or ZERO),
    )


def _stated(row: NumberedRow[PurchaseImportRow], name: str, amount: Decimal | None, rate: Decimal) -> Decimal:
    computed = percent_of(row.fields.base, rate)
    if amount is not None and abs(amount - computed) > (CENT if rate else ZERO):
        raise RowError(ImportMsg.NOT_AGREEING, field=name, place=row.place, stated=amount, computed=computed)
    return computed if amount is None else amount


def _paid(ctx: Context, group: Group, invoice: _Invoice) -> _Invoice:
    """Return the invoice with the payment that its rows state, and the columns that follow from it."""
    paid_at = shared(group, "paid_at")
    if paid_at is None or not invoice.total:
        return invoice
    if paid_at > ctx.account.today():
        raise RowError(SupplierInvoicesMsg.IMPORT_DAY_AHEAD, field="paidAt", on=paid_at)
    method = shared(group, "payment_method") or "other"
    payment = Values(SupplierPaymentRow, payment_date=paid_at, payment_method=method)
    values = invoice.values | Values(SupplierInvoiceRow, paid_amount=invoice.total)
    return replace(invoice, payment=payment, values=values)


async def _check_numbers(ctx: Context, invoices: Sequence[_Invoice], report: Report) -> None:
    """Refuse numbers that their vendors have already, here or in the file."""
    keys = [invoice.number_key for invoice in invoices]
    existing = {(row.vendor_id, row.number_key): row.id for row in await _EXISTING.rows(ctx.db, keys=keys)}
    async for invoice, key in in_turns(zip(invoices, keys, strict=True)):
        place = (invoice.vendor.id, key)
        if place in existing:
            error = RowError(ImportMsg.DUPLICATE, field="number", number=invoice.number, existing_id=existing[place])
            report.refuse(invoice.place, invoice.number, error)


Place = tuple[UUID, str]
"""Vendor and number, as it is compared, of a stored invoice."""


async def _originals(ctx: Context, invoices: Sequence[_Invoice], report: Report) -> Mapping[Place, UUID]:
    """Return the stored invoices that credit notes of the file correct; warn of those that are not there."""
    notes = [invoice for invoice in invoices if invoice.rectifies is not None]
    imported = {(invoice.vendor.name, invoice.number_key) for invoice in invoices}
    rows = await _EXISTING.rows(ctx.db, keys=[str(note.rectifies) for note in notes])
    stored = {(row.vendor_id, row.number_key): row.id for row in rows}
    async for note in in_turns(notes):
        key = str(note.rectifies)
        if (note.vendor.name, key) not in imported and (note.vendor.id, key) not in stored:
            report.warnings.append(text(SupplierInvoicesMsg.IMPORT_ORIGINAL_UNKNOWN, number=note.number))
    return stored


# ---------------------------------------------------------------- storing


async def _store(ctx: Context, invoices: Sequence[_Invoice], originals: Mapping[Place, UUID]) -> None:
    """Store the checked invoices with their vendors, payments, counts and activity.

    Raises SerializationError, upon which the gate repeats the import, when a number has been recorded meanwhile.
    """
    stored = await _with_stored_vendors(ctx, invoices)
    paid = [invoice for invoice in stored if invoice.payment]
    open_count = sum(1 for invoice in stored if not invoice.payment and invoice.total)
    await counters.add(ctx.db, {OPEN: open_count, PAID: len(stored) - open_count, ALL_PAYMENTS: len(paid)})
    try:
        for columns in filter(None, await _in_order(stored, originals)):
            await records.add_many(ctx, supplier_invoice, columns)
    except asyncpg.UniqueViolationError as error:
        raise asyncpg.SerializationError from error
    if paid:
        await records.add_many(ctx, supplier_payment, [_payment_row(ctx, invoice) async for invoice in in_turns(paid)])
    lines: list[activity.Line] = [
        ("imported", ("supplier_invoice", invoice.values.of(SupplierInvoiceRow.id)), invoice.label, {})
        for invoice in stored
    ]
    await activity.record_each(ctx, lines)
    await payables.add_sums(ctx, await _sums(ctx, stored))


async def _in_order(
    invoices: Sequence[_Invoice], originals: Mapping[Place, UUID]
) -> tuple[list[Values[SupplierInvoiceRow]], list[Values[SupplierInvoiceRow]]]:
    """Return the columns of the invoices, then those of credit notes of invoices in the file."""
    imported = {
        (invoice.vendor.id, invoice.number_key): invoice.values.of(SupplierInvoiceRow.id) for invoice in invoices
    }
    first: list[Values[SupplierInvoiceRow]] = []
    then: list[Values[SupplierInvoiceRow]] = []
    async for invoice in in_turns(invoices):
        corrected = (invoice.vendor.id, invoice.rectifies or "")
        rectifies = imported.get(corrected) or originals.get(corrected)
        unpaid = Values(SupplierInvoiceRow, paid_amount=ZERO)
        columns = unpaid | invoice.values | Values(SupplierInvoiceRow, rectifies=rectifies)
        (then if corrected in imported else first).append(columns)
    return first, then


async def _with_stored_vendors(ctx: Context, invoices: Sequence[_Invoice]) -> list[_Invoice]:
    """Return the invoices with their vendors stored. Raises Invalid when two of one number have the same vendor."""
    stored: dict[VendorOfInvoice, VendorOfInvoice] = {}
    numbers: dict[Place, _Invoice] = {}
    async for read_invoice in in_turns(invoices):
        vendor = read_invoice.vendor
        if isinstance(vendor, NewVendor) and vendor not in stored:
            created = await vendors.match_or_create(ctx, vendor.name, vendor.tax_id or "", vendor.country)
            assert created is not None  # noqa: S101 - the right to store vendors has been asked for
            stored[vendor] = created
        invoice = read_invoice.of_vendor(stored[vendor]) if vendor in stored else read_invoice
        key = (invoice.vendor.id, invoice.number_key)
        if key in numbers:
            label = SupplierInvoicesMsg.NUMBER_RECORDED
            raise Invalid.field("rows", label, number=invoice.number, vendor=invoice.vendor.name)
        numbers[key] = invoice
    return list(numbers.values())


def _payment_row(ctx: Context, invoice: _Invoice) -> Values[SupplierPaymentRow]:
    return invoice.payment | Values(
        SupplierPaymentRow,
        id=new_id(),
        supplier_invoice_id=invoice.values.of(SupplierInvoiceRow.id),
        vendor_id=invoice.vendor.id,
        vendor_name=invoice.vendor.name,
        amount=invoice.total,
        base_amount=invoice.converted,
        currency=invoice.currency,
        balance_after=ZERO,
        created_by=ctx.actor.user_id,
        channel=ctx.actor.channel.value,
    )


async def _sums(ctx: Context, invoices: Sequence[_Invoice]) -> dict[tuple[UUID, str], PayableSums]:
    """Return what the invoices add to the totals of their vendors, by vendor and the currency in which they count."""
    sums: dict[tuple[UUID, str], PayableSums] = {}
    async for invoice in in_turns(invoices):
        total = invoice.total if invoice.converted is None else invoice.converted
        currency = invoice.currency if invoice.converted is None else ctx.account.currency
        key = (invoice.vendor.id, currency)
        before = sums.get(key) or PayableSums(invoice.vendor.name, invoice.vendor.tax_id, 0, ZERO, ZERO)
        sums[key] = before.plus(total, total if invoice.payment else ZERO)
    return sums


class _ExistingRow(Row):
    id: UUID
    vendor_id: UUID
    number_key: str


_EXISTING = Prepared(
    select(supplier_invoice.c.id, supplier_invoice.c.vendor_id, supplier_invoice.c.number_key).where(
        supplier_invoice.c.number_key == any_(bindparam("keys", type_=ARRAY(Text))),
        supplier_invoice.c.cancelled_at.is_(None),
    ),
    _ExistingRow,
)
