"""Column values of an expense, from a caller's input: defaults, vendor, dates and amounts."""

import datetime as dt
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.documents import tax_ids
from ledgerkit.core.platform.documents.texts import DocumentsMsg
from ledgerkit.core.platform.records import search
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.expenses.amounts.computation import Cost, amounts
from ledgerkit.core.purchases.expenses.api import ExpenseChange, ExpenseFields, ExpenseInput
from ledgerkit.core.purchases.expenses.table import ExpenseRow, expense
from ledgerkit.core.purchases.expenses.texts import ExpensesMsg
from ledgerkit.core.purchases.received_documents.input import (
    DETAIL_COLUMNS,
    check_details,
    is_tax_charged,
    require_from,
)
from ledgerkit.core.purchases.received_documents.texts import ReceivedDocumentsMsg
from ledgerkit.core.purchases.supplier_invoices import queries as supplier_invoices
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.core.purchases.vendors.table import VendorRow
from ledgerkit.money import HUNDRED, ZERO
from ledgerkit.problems import Invalid, NotFound

_T = TypeVar("_T")

MAX_KEY = 200
"""Longest vendor name, in characters, by which expenses are counted: an index entry holds no more."""

_DEFAULTS = {
    "doc_type": "invoice",
    "deductible": True,
    "deductible_percent": HUNDRED,
    "income_tax_percent": HUNDRED,
    "reverse_charge": False,
    "intra_eu": "none",
    "investment_good": False,
    "source": "manual",
    "triangular": False,
}
"""Values of fields that are absent or null."""

_REQUIRED = ("description", "amount", "date")
_EMPTY_BY_DEFAULT = ("invoice_number", "payment_method", "receipt_url", *DETAIL_COLUMNS)
_VENDOR_FIELDS = {"vendor", "vendor_id", "vendor_tax_id", "vendor_country"}
_TAX_FIELDS = ("amount", "tax_rate", "reverse_charge", "intra_eu")


@dataclass(frozen=True, kw_only=True)
class Seller:
    """Vendor named by an expense, with the stored vendor's defaults for its category and tax rate."""

    name: str | None = None
    vendor_id: UUID | None = None
    tax_id: str | None = None
    country: str | None = None
    category: str | None = None
    tax_rate: Decimal | None = None


class Printed(NamedTuple):
    """Tax and retention as the receipt prints them; None where the caller sent nothing."""

    tax: Decimal | None
    retention_rate: Decimal | None
    retention: Decimal | None


async def new_values(ctx: Context, data: ExpenseInput) -> Values[ExpenseRow]:
    """Return the columns of a new expense. Raises Invalid naming the wrong field, NotFound for an unknown vendorId."""
    seller = await _seller(ctx, data)
    defaults = _DEFAULTS | {
        "category": seller.category or "other",
        "tax_rate": seller.tax_rate or ZERO,
        "currency": ctx.account.currency,
    }
    values: dict[str, Any] = {name: _present(getattr(data, name), value) for name, value in defaults.items()}
    values |= {name: getattr(data, name) for name in (*_REQUIRED, *_EMPTY_BY_DEFAULT)}
    values |= _dates(ctx, data, None) | {"exchange_rate": _exchange_rate(ctx, values["currency"], data, None)}
    values["rectifies"] = await _rectified(ctx, data, values["doc_type"])
    printed = Printed(data.tax_amount, data.retention_rate, data.retention_amount)
    return _row_values(Values.named(ExpenseRow, values), seller, printed)


async def changed_values(ctx: Context, old: ExpenseRow, data: ExpenseChange) -> Values[ExpenseRow]:
    """Return the columns of `old` after the change: absent and unchanged fields keep their values."""
    change = _differences(old, data)
    changed_fields = change.model_fields_set
    seller = await _new_seller(ctx, old, change) if changed_fields & _VENDOR_FIELDS else _old_seller(old)
    defaulted = (*_DEFAULTS, "category", "tax_rate", "currency")
    values = {name: _present(getattr(change, name), getattr(old, name)) for name in defaulted}
    unconverted = (*_REQUIRED, *_EMPTY_BY_DEFAULT)
    values |= {name: getattr(change, name) if name in changed_fields else getattr(old, name) for name in unconverted}
    values |= _dates(ctx, change, old) | {"exchange_rate": _exchange_rate(ctx, values["currency"], change, old)}
    values["rectifies"] = await _rectified(ctx, change, values["doc_type"], old)
    same_tax_basis = all(values[name] == getattr(old, name) for name in _TAX_FIELDS)
    tax = _present(change.tax_amount, old.tax_amount) if same_tax_basis else change.tax_amount
    retention = _retention(change, old, same_net=same_tax_basis and change.tax_amount is None)
    return _row_values(Values.named(ExpenseRow, values), seller, Printed(tax, *retention))


def _retention(change: ExpenseChange, old: ExpenseRow, *, same_net: bool) -> tuple[Decimal | None, Decimal | None]:
    """Return rate and amount of the retention after a change.

    A change of neither keeps both while the net amount stays the same, and the rate alone when it does not.
    """
    if change.retention_rate is not None or change.retention_amount is not None:
        return change.retention_rate, change.retention_amount
    return old.retention_rate, old.retention_amount if same_net else None


def _differences(old: ExpenseRow, data: ExpenseChange) -> ExpenseChange:
    """Return the change without the fields that keep their value: callers may send back a whole expense as read."""
    stored = {name: getattr(old, name) for name in ExpenseChange.model_fields if name != "status"}
    ids = {name: None if stored[name] is None else str(stored[name]) for name in ("vendor_id", "rectifies")}
    stored |= {"status": status_of(old), **ids}
    sent = {name: getattr(data, name) for name in data.model_fields_set}
    differences = {name: value for name, value in sent.items() if value != stored[name]}
    return ExpenseChange.model_construct(set(differences), **differences)


def status_of(row: ExpenseRow) -> str:
    """Return the status, which is derived from the day of payment and never stored."""
    return "pending" if row.paid_at is None else "paid"


def _row_values(values: Values[ExpenseRow], seller: Seller, printed: Printed) -> Values[ExpenseRow]:
    """Return the columns of an expense with its amounts, its vendor and the text that searches look into."""
    row = ExpenseRow
    _check_sign(values.of(row.doc_type), values.of(row.amount))
    charged = is_tax_charged(reverse_charge=values.of(row.reverse_charge), intra_eu=values.of(row.intra_eu))
    cost = Cost(
        amount=values.of(row.amount),
        tax_rate=values.of(row.tax_rate),
        retention_rate=printed.retention_rate,
        exchange_rate=values.of(row.exchange_rate),
        self_assessed=not charged,
        deductible_percent=values.of(row.deductible_percent) if values.of(row.deductible) else ZERO,
        printed_tax=printed.tax,
        withheld_amount=printed.retention,
    )
    columns = amounts(cost)
    check_details(
        retention_kind=values.of(row.retention_kind),
        triangular=values.of(row.triangular),
        intra_eu=values.of(row.intra_eu),
        retention=columns.retention_amount,
    )
    words = (seller.name, seller.tax_id, values.of(row.invoice_number), values.of(row.notes))
    of_vendor = Values(
        ExpenseRow,
        vendor=seller.name,
        vendor_id=seller.vendor_id,
        vendor_tax_id=seller.tax_id,
        vendor_country=seller.country,
        vendor_key=search.fold(seller.name)[:MAX_KEY] or None,
        search_text=search.searchable(values.of(row.description), *words),
    )
    return values | Values.copied(ExpenseRow, columns) | of_vendor


def _check_sign(doc_type: str, amount: Decimal) -> None:
    if doc_type == "credit_note" and amount > 0:
        raise Invalid.field("amount", ExpensesMsg.CREDIT_NOTE_NOT_NEGATIVE)
    if doc_type != "credit_note" and amount < 0:
        raise Invalid.field("amount", ExpensesMsg.AMOUNT_NEGATIVE)


# ---------------------------------------------------------------- corrected documents


async def _rectified(ctx: Context, data: ExpenseFields, doc_type: str, old: ExpenseRow | None = None) -> UUID | None:
    """Return the id of the expense or supplier invoice that a credit note corrects, None where it names none.

    Raises Invalid for another kind of document than a credit note, and for one that corrects a credit note or a
    cancelled invoice; NotFound for an unknown id.
    """
    if "rectifies" not in data.model_fields_set:
        unchanged = None if old is None else old.rectifies
        if unchanged is not None and doc_type != "credit_note":
            raise Invalid.field("docType", ExpensesMsg.RECTIFIES_STAYS)
        return unchanged
    if data.rectifies is None:
        return None
    if doc_type != "credit_note":
        raise Invalid.field("rectifies", ExpensesMsg.RECTIFIES_CREDIT_NOTES_ONLY)
    return await _corrected(ctx, data.rectifies)


async def _corrected(ctx: Context, document_id: str) -> UUID:
    try:
        corrected = await records.fetch(ctx, expense, document_id, "expense")
    except NotFound:
        invoice = await supplier_invoices.fetch(ctx, document_id)
        if invoice.cancelled_at is not None:
            raise Invalid.field("rectifies", ReceivedDocumentsMsg.RECTIFIES_CANCELLED) from None
        return invoice.id
    if corrected.doc_type == "credit_note":
        raise Invalid.field("rectifies", ExpensesMsg.RECTIFIES_CREDIT_NOTE)
    return corrected.id


# ---------------------------------------------------------------- vendor


async def _seller(ctx: Context, data: ExpenseFields) -> Seller:
    """Return the vendor that the input names.

    A name and tax id that no stored vendor has are stored as a new vendor, if the caller may write vendors.
    """
    if data.vendor_id is not None:
        return _of_stored(ctx, await vendors.locked(ctx, data.vendor_id), data)
    if data.vendor is None and not data.vendor_tax_id:
        return Seller(country=data.vendor_country)
    country = data.vendor_country or ctx.account.country
    normalised_tax_id = tax_ids.check(ctx, data.vendor_tax_id, country).normalised if data.vendor_tax_id else None
    await vendors.require_clear(ctx, "vendor", data.vendor, normalised_tax_id)
    stored_vendor = await vendors.find_match(ctx, data.vendor, normalised_tax_id)
    if stored_vendor is not None:
        return _of_stored(ctx, stored_vendor, data)
    tax_id = tax_ids.normalised(ctx, data.vendor_tax_id, country, "vendorTaxId")
    if data.vendor and tax_id:
        stored_vendor = await vendors.match_or_create(ctx, data.vendor, tax_id, country)
    if stored_vendor is None:
        return Seller(name=data.vendor, tax_id=tax_id, country=data.vendor_country)
    return _of_stored(ctx, stored_vendor, data)


def _of_stored(ctx: Context, stored_vendor: VendorRow, data: ExpenseFields) -> Seller:
    """Return the stored vendor with this expense's own name, tax id and country where it gives them."""
    country = data.vendor_country or stored_vendor.country
    return Seller(
        name=data.vendor or stored_vendor.name,
        vendor_id=stored_vendor.id,
        tax_id=stored_vendor.tax_id
        if _is_tax_id_of(ctx, stored_vendor, data)
        else tax_ids.normalised(ctx, data.vendor_tax_id, country, "vendorTaxId"),
        country=country,
        category=stored_vendor.default_category,
        tax_rate=stored_vendor.default_tax_rate,
    )


def _is_tax_id_of(ctx: Context, stored_vendor: VendorRow, data: ExpenseFields) -> bool:
    """Return True if the input has the stored vendor's tax id, or none."""
    country = data.vendor_country or stored_vendor.country
    return not data.vendor_tax_id or tax_ids.check(ctx, data.vendor_tax_id, country).normalised == stored_vendor.tax_id


async def _new_seller(ctx: Context, old: ExpenseRow, change: ExpenseChange) -> Seller:
    """Return the vendor after a change of a vendor field. Another name or id means another vendor altogether.

    The vendor that the expense has stays as long as its name does, however it is written, and its tax id.
    """
    changed_fields = change.model_fields_set & _VENDOR_FIELDS
    if "vendor_id" in changed_fields and change.vendor_id is None and "vendor" not in changed_fields:
        return replace(_old_seller(old), vendor_id=None)
    stored_vendor = None if old.vendor_id is None else await vendors.locked(ctx, str(old.vendor_id))
    is_renamed = "vendor" in changed_fields and not _is_name_of(change.vendor, old, stored_vendor)
    if is_renamed or "vendor_id" in changed_fields:
        return await _seller(ctx, change)
    unchanged = {"vendor": old.vendor, "vendor_tax_id": old.vendor_tax_id, "vendor_country": old.vendor_country}
    data = ExpenseFields.model_construct(**unchanged | {name: getattr(change, name) for name in changed_fields})
    if stored_vendor is None or ("vendor_tax_id" in changed_fields and not _is_tax_id_of(ctx, stored_vendor, data)):
        return await _seller(ctx, data)
    return _of_stored(ctx, stored_vendor, data)


def _is_name_of(name: str | None, old: ExpenseRow, stored_vendor: VendorRow | None) -> bool:
    """Return True if it is the name of the vendor that the expense has, however it is written."""
    names = (old.vendor, None if stored_vendor is None else stored_vendor.name)
    return bool(name) and search.fold(name) in map(search.fold, names)


def _old_seller(old: ExpenseRow) -> Seller:
    return Seller(name=old.vendor, vendor_id=old.vendor_id, tax_id=old.vendor_tax_id, country=old.vendor_country)


# ---------------------------------------------------------------- dates and currency


def _dates(ctx: Context, data: ExpenseInput | ExpenseChange, old: ExpenseRow | None) -> dict[str, dt.date | None]:
    """Return the days of reception, deduction and payment.

    A day that was equal to the one it defaults to moves with it. Raises Invalid for a day before that one.
    """
    day = data.date if old is None or "date" in data.model_fields_set else old.date
    reception_date = data.reception_date or _date_following(old, "reception_date", "date", day)
    deduction_date = data.deduction_date or _date_following(old, "deduction_date", "reception_date", reception_date)
    require_from("receptionDate", reception_date, "date", day)
    require_from("deductionDate", deduction_date, "receptionDate", reception_date)
    if data.paid_at is not None and data.status == "pending":
        raise Invalid.field("paidAt", ExpensesMsg.PENDING_WITH_PAYMENT_DAY)
    paid_at = _first_payment(data, day) if old is None else _payment(ctx, data, old, day)
    return {"reception_date": reception_date, "deduction_date": deduction_date, "paid_at": paid_at}


def _date_following(old: ExpenseRow | None, name: str, followed: str, new_date: dt.date) -> dt.date:
    if old is None:
        return new_date
    day: dt.date = getattr(old, name)
    return new_date if day == getattr(old, followed) else day


def _first_payment(data: ExpenseFields, day: dt.date) -> dt.date | None:
    """Return the day of payment of a new expense: by default its own date, since a receipt is given for a payment."""
    unpaid = data.status == "pending" or (data.status is None and "paid_at" in data.model_fields_set)
    return data.paid_at or (None if unpaid else day)


def _payment(ctx: Context, change: ExpenseFields, old: ExpenseRow, day: dt.date) -> dt.date | None:
    if change.paid_at is not None or "paid_at" in change.model_fields_set:
        return change.paid_at
    if change.status is not None:
        return None if change.status == "pending" else ctx.account.today()
    return None if old.paid_at is None else _date_following(old, "paid_at", "date", day)


def _exchange_rate(ctx: Context, currency: str, data: ExpenseFields, old: ExpenseRow | None) -> Decimal:
    if currency == ctx.account.currency:
        if data.exchange_rate not in (None, 1):
            raise Invalid.field("exchangeRate", DocumentsMsg.EXCHANGE_RATE_NOT_ONE, currency=currency)
        return Decimal(1)
    if data.exchange_rate is not None:
        return data.exchange_rate
    if old is not None and old.currency == currency:
        return old.exchange_rate
    raise Invalid.field(
        "exchangeRate", ExpensesMsg.EXCHANGE_RATE_MISSING, currency=currency, currency_2=ctx.account.currency
    )


def _present(value: _T | None, default: _T) -> _T:
    """Return `value`, or `default` for None."""
    return default if value is None else value
