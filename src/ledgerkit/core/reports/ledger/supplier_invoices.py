"""Supplier invoices of the ledger: their statements, and the conversion of rows to purchases."""

from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, cast, func, select, true
from sqlalchemy.dialects.postgresql import JSONB, JSONPATH

from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.purchases.received_documents.input import assessment
from ledgerkit.core.purchases.supplier_invoices import output as supplier_invoice_output
from ledgerkit.core.purchases.supplier_invoices.table import (
    NOT_CANCELLED,
    StoredDeduction,
    supplier_invoice,
    supplier_payment,
)
from ledgerkit.core.purchases.vendors.table import vendor
from ledgerkit.core.reports.ledger.selection import (
    PAID_IN_SPAN,
    OmittedRow,
    PaymentsRow,
    first_payment,
    ids_in_span,
    is_in_span,
    ledger_payments,
    payments,
    retention_base,
    retention_kind,
)
from ledgerkit.core.reports.sources import purchases
from ledgerkit.core.reports.sources.sales import FIRST
from ledgerkit.providers.api import DocumentRef, Party, Purchase, PurchaseOrigin


class LedgerSupplierInvoiceRow(PaymentsRow):
    """Supplier invoice with its payments."""

    id: UUID
    invoice_number: str | None
    invoice_date: date
    operation_date: date | None
    reception_date: date
    deduction_date: date
    vendor_name: str
    vendor_tax_id: str | None
    vendor_country: str
    vendor_province: str | None
    vendor_postal_code: str | None
    reverse_charge: bool
    intra_eu: str
    subtotal: Decimal
    retention_amount: Decimal
    retention_rate: Decimal | None
    total: Decimal
    income_tax_percent: Decimal
    regime_key: str | None
    category: str
    cost: Decimal
    description: str
    deductions: StoredJson[tuple[StoredDeduction, ...]]
    retention_kind: str | None
    leased_property: str | None
    import_dua: str | None
    triangular: bool
    rectifies: UUID | None
    corrected_number: str | None
    corrected_date: date | None
    corrected_paid_on: date | None


def purchase(row: LedgerSupplierInvoiceRow) -> Purchase:
    """Return the purchase of a row."""
    return Purchase(
        document_id=str(row.id),
        origin=PurchaseOrigin.SUPPLIER_INVOICE,
        kind=supplier_invoice_output.kind(row.rectifies, row.import_dua),
        number=row.invoice_number,
        issue_date=row.invoice_date,
        operation_date=row.operation_date,
        reception_date=row.reception_date,
        deduction_date=row.deduction_date,
        vendor=Party(
            name=row.vendor_name,
            tax_id=row.vendor_tax_id,
            country=row.vendor_country,
            province=row.vendor_province,
            postal_code=row.vendor_postal_code,
        ),
        assessment=assessment(reverse_charge=row.reverse_charge, intra_eu=row.intra_eu),
        taxes=supplier_invoice_output.taxes(row.deductions),
        cost=row.cost,
        income_tax_percent=row.income_tax_percent,
        retention=row.retention_amount,
        retention_base=retention_base(row.subtotal, row.retention_amount, row.retention_kind),
        gross_total=row.total + row.retention_amount,
        category=row.category,
        regime_key=row.regime_key,
        retention_kind=retention_kind(row.retention_kind),
        leased_property=row.leased_property,
        triangular=row.triangular,
        corrects=_corrects(row),
        corrected_paid_on=row.corrected_paid_on,
        payments=ledger_payments(row),
        retention_rate=row.retention_rate if row.retention_amount else None,
        description=row.description,
        import_document=row.import_dua,
    )


def _corrects(row: LedgerSupplierInvoiceRow) -> tuple[DocumentRef, ...]:
    if row.corrected_date is None:
        return ()
    return (DocumentRef(number=row.corrected_number or "", issue_date=row.corrected_date),)


# ---------------------------------------------------------------- statements

_of, _payment, _corrected = supplier_invoice.c, supplier_payment.c, supplier_invoice.alias("corrected")

_JOINED = supplier_invoice.outerjoin(vendor, vendor.c.id == _of.vendor_id).outerjoin(
    _corrected, _corrected.c.id == _of.rectifies
)
_DAYS = (_of.invoice_date, _of.operation_date, _of.reception_date, _of.deduction_date)
_note = supplier_invoice.alias("note")
_OF_PAID = select(_note.c.id).where(_note.c.rectifies.in_(PAID_IN_SPAN))
_IN_SPAN = ids_in_span(NOT_CANCELLED, _of.id, _DAYS, PAID_IN_SPAN, _OF_PAID)
_LISTED = _of.id.in_(select(_IN_SPAN.c.id))


def _statement(condition: ColumnElement[bool]) -> Prepared[LedgerSupplierInvoiceRow]:
    paid = payments(
        supplier_payment,
        _payment.payment_date,
        supplier_invoice_output.account_payment,
        _payment.payment_method,
        _payment.supplier_invoice_id == _of.id,
    )
    derived: dict[str, ColumnElement[Any]] = {
        "category": purchases.supplier_category(),
        "cost": purchases.supplier_cost(),
        "deductions": exchange_rates.account_json(supplier_invoice, "deductions"),
        **{name: purchases.supplier_amount(name) for name in ("subtotal", "retention_amount", "total")},
        "vendor_province": vendor.c.province,
        "vendor_postal_code": vendor.c.postal_code,
        "description": func.coalesce(_of["items"][0]["description"].astext, ""),
        "corrected_number": _corrected.c.invoice_number,
        "corrected_date": _corrected.c.invoice_date,
        "corrected_paid_on": first_payment(_of.rectifies),
        **{column.name: column for column in paid.c},
    }
    statement = (
        select(
            *(_of[name] for name in LedgerSupplierInvoiceRow.__annotations__ if name not in derived),
            *(value.label(name) for name, value in derived.items()),
        )
        .select_from(_JOINED.outerjoin(paid, true()))
        .where(_of.cancelled_at.is_(None), purchases.in_account_currency(), condition)
    )
    return Prepared(statement, LedgerSupplierInvoiceRow)


_BUYS_ASSETS = func.jsonb_path_exists(
    cast(_of.deductions, JSONB), cast("$[*] ? (@.investmentGood == true || @.usefulLifeYears > 0)", JSONPATH)
)

COUNTED = _statement(_LISTED)
EARLIER_INVESTMENTS = _statement(and_(_BUYS_ASSETS, _of.reception_date < FIRST))
OMITTED = Prepared(
    select(_of.id, _of.invoice_number.label("number"), _of.invoice_date.label("issue_date"))
    .where(
        NOT_CANCELLED,
        ~purchases.in_account_currency(),
        is_in_span(_DAYS, PAID_IN_SPAN.where(_payment.supplier_invoice_id == _of.id).exists()),
    )
    .order_by(_of.invoice_date, _of.id),
    OmittedRow,
)
