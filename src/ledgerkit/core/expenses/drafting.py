"""From what a caller says to what an expense's row holds: defaults, the vendor, dates, amounts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from ledgerkit.core.documents import tax_ids
from ledgerkit.core.expenses.amounts import Cost, columns
from ledgerkit.core.expenses.schemas import ExpenseChange, ExpenseFields, ExpenseInput
from ledgerkit.core.records import search
from ledgerkit.core.request.context import Context
from ledgerkit.core.vendors import service as vendors
from ledgerkit.money import HUNDRED, ZERO
from ledgerkit.problems import Invalid, bilingual_field

MAX_KEY = 200
"""Characters of a vendor's name that are counted by: an index entry holds no more."""

_DEFAULTS = {
    "doc_type": "invoice",
    "deductible": True,
    "deductible_percent": HUNDRED,
    "income_tax_percent": HUNDRED,
    "reverse_charge": False,
    "intra_eu": "none",
    "investment_good": False,
    "source": "manual",
}
"""Values of what is not said, or said to be null."""

_REQUIRED = ("description", "amount", "date")
_EMPTY_UNLESS_SAID = ("invoice_number", "operation_date", "regime_key", "payment_method", "receipt_url", "notes")
_NAMING_THE_VENDOR = {"vendor", "vendor_id", "vendor_tax_id", "vendor_country"}
_DECIDING_THE_TAX = ("amount", "tax_rate", "reverse_charge", "intra_eu")


@dataclass(frozen=True, kw_only=True)
class Seller:
    """The vendor as this expense will name it, and what the stored one has for expenses that say nothing else."""

    name: str | None = None
    vendor_id: UUID | None = None
    tax_id: str | None = None
    country: str | None = None
    category: str | None = None
    tax_rate: Decimal | None = None


class Printed(NamedTuple):
    """What the receipt prints of tax and retention, as far as the caller says it."""

    tax: Decimal | None
    retention_rate: Decimal | None
    retention: Decimal | None


async def new_values(ctx: Context, data: ExpenseInput) -> dict[str, Any]:
    """Columns of a new expense. Raises Invalid naming the wrong field, NotFound for an unknown vendorId."""
    seller = await _seller(ctx, data)
    before = _DEFAULTS | {
        "category": seller.category or "other",
        "tax_rate": seller.tax_rate or ZERO,
        "currency": ctx.account.currency,
    }
    basis = {name: _first(getattr(data, name), value) for name, value in before.items()}
    basis |= {name: getattr(data, name) for name in (*_REQUIRED, *_EMPTY_UNLESS_SAID)}
    basis |= _dates(ctx, data, None) | {"exchange_rate": _exchange_rate(ctx, basis["currency"], data, None)}
    return _finished(basis, seller, Printed(data.tax_amount, data.retention_rate, data.retention_amount))


async def changed_values(ctx: Context, old: Any, data: ExpenseChange) -> dict[str, Any]:
    """Columns of `old` after the change: what is absent, or said as it was, keeps its value."""
    said = _news(old, data)
    given = said.model_fields_set
    seller = await _new_seller(ctx, old, said) if given & _NAMING_THE_VENDOR else _old_seller(old)
    kept = (*_DEFAULTS, "category", "tax_rate", "currency")
    basis = {name: _first(getattr(said, name), old[name]) for name in kept}
    either = (*_REQUIRED, *_EMPTY_UNLESS_SAID)
    basis |= {name: getattr(said, name) if name in given else old[name] for name in either}
    basis |= _dates(ctx, said, old) | {"exchange_rate": _exchange_rate(ctx, basis["currency"], said, old)}
    unmoved = all(basis[name] == old[name] for name in _DECIDING_THE_TAX)
    tax = _first(said.tax_amount, old.tax_amount) if unmoved else said.tax_amount
    return _finished(basis, seller, Printed(tax, *_retention(said, old, same_net=unmoved and said.tax_amount is None)))


def _retention(said: ExpenseChange, old: Any, *, same_net: bool) -> tuple[Decimal | None, Decimal | None]:
    """Rate and amount of the retention after a change; what is said of neither keeps both while the net is the same."""
    if said.retention_rate is not None or said.retention_amount is not None:
        return said.retention_rate, said.retention_amount
    return old.retention_rate, old.retention_amount if same_net else None


def _news(old: Any, data: ExpenseChange) -> ExpenseChange:
    """The change without what is as it was: callers may send back the whole expense as they read it."""
    known = {name: old[name] for name in ExpenseChange.model_fields if name != "status"}
    known |= {"status": status_of(old), "vendor_id": None if old.vendor_id is None else str(old.vendor_id)}
    given = {name: getattr(data, name) for name in data.model_fields_set}
    news = {name: value for name, value in given.items() if value != known[name]}
    return ExpenseChange.model_construct(set(news), **news)


def status_of(row: Any) -> str:
    """Derived, never stored: whoever knows the day of payment knows that it is paid."""
    return "pending" if row.paid_at is None else "paid"


def _finished(basis: Mapping[str, Any], seller: Seller, printed: Printed) -> dict[str, Any]:
    """The whole row's content."""
    _check_sign(basis)
    cost = Cost(
        amount=basis["amount"],
        tax_rate=basis["tax_rate"],
        retention_rate=printed.retention_rate,
        exchange_rate=basis["exchange_rate"],
        self_assessed=basis["reverse_charge"] or basis["intra_eu"] != "none",
        deductible_percent=basis["deductible_percent"] if basis["deductible"] else ZERO,
        printed_tax=printed.tax,
        said_retention=printed.retention,
    )
    texts = (basis["description"], seller.name, seller.tax_id, basis["invoice_number"], basis["notes"])
    return {
        **basis,
        **columns(cost),
        "vendor": seller.name,
        "vendor_id": seller.vendor_id,
        "vendor_tax_id": seller.tax_id,
        "vendor_country": seller.country,
        "vendor_key": search.fold(seller.name)[:MAX_KEY] or None,
        "search_text": search.searchable(*texts),
    }


def _check_sign(basis: Mapping[str, Any]) -> None:
    if basis["doc_type"] == "credit_note" and basis["amount"] > 0:
        raise bilingual_field(
            "amount",
            ("must be negative for a credit note: it gives money back", "Send the amount with a minus."),
            ("debe ser negativo en un abono: devuelve dinero", "Envía el importe en negativo."),
        )
    if basis["doc_type"] != "credit_note" and basis["amount"] < 0:
        raise bilingual_field(
            "amount",
            ("may not be negative", "Use docType credit_note for money given back."),
            ("no puede ser negativo", "Usa docType credit_note para el dinero devuelto."),
        )


# ---------------------------------------------------------------- vendor


async def _seller(ctx: Context, data: ExpenseFields) -> Seller:
    """The vendor that is meant. Of an unknown one with a tax id a vendor is stored, if the caller may keep vendors."""
    if data.vendor_id is not None:
        return _of_stored(ctx, await vendors.stored(ctx, data.vendor_id), data)
    if data.vendor is None and not data.vendor_tax_id:
        return Seller(country=data.vendor_country)
    country = data.vendor_country or ctx.account.country
    written = tax_ids.check(ctx, data.vendor_tax_id, country).normalised if data.vendor_tax_id else None
    found = await vendors.match(ctx, data.vendor, written)
    if found is not None:
        return _of_stored(ctx, found, data)
    tax_id = tax_ids.normalised(ctx, data.vendor_tax_id, country, "vendorTaxId")
    if data.vendor and tax_id:
        found = await vendors.matched_or_stored(ctx, data.vendor, tax_id, country)
    if found is None:
        return Seller(name=data.vendor, tax_id=tax_id, country=data.vendor_country)
    return _of_stored(ctx, found, data)


def _of_stored(ctx: Context, row: Any, data: ExpenseFields) -> Seller:
    """The stored vendor, with what this expense says differently on top."""
    country = data.vendor_country or row.country
    same = not data.vendor_tax_id or tax_ids.check(ctx, data.vendor_tax_id, country).normalised == row.tax_id
    return Seller(
        name=data.vendor or row.name,
        vendor_id=row.id,
        tax_id=row.tax_id if same else tax_ids.normalised(ctx, data.vendor_tax_id, country, "vendorTaxId"),
        country=country,
        category=row.default_category,
        tax_rate=row.default_tax_rate,
    )


async def _new_seller(ctx: Context, old: Any, said: ExpenseChange) -> Seller:
    """The vendor after a change that says something about it. Another name or id is another vendor, wholly."""
    given = said.model_fields_set & _NAMING_THE_VENDOR
    if "vendor_id" in given and said.vendor_id is None and "vendor" not in given:
        return replace(_old_seller(old), vendor_id=None)
    if given & {"vendor", "vendor_id"}:
        return await _seller(ctx, said)
    kept = {"vendor": old.vendor, "vendor_tax_id": old.vendor_tax_id, "vendor_country": old.vendor_country}
    return await _seller(ctx, ExpenseFields.model_construct(**kept | {name: getattr(said, name) for name in given}))


def _old_seller(old: Any) -> Seller:
    return Seller(name=old.vendor, vendor_id=old.vendor_id, tax_id=old.vendor_tax_id, country=old.vendor_country)


# ---------------------------------------------------------------- dates and currency


def _dates(ctx: Context, said: ExpenseInput | ExpenseChange, old: Any) -> dict[str, Any]:
    """Day of reception, day of deduction and day of payment; those that were the day before them follow it."""
    day = said.date if old is None or "date" in said.model_fields_set else old.date
    received = said.reception_date or _following(old, "reception_date", "date", day)
    deducted = said.deduction_date or _following(old, "deduction_date", "reception_date", received)
    if received < day:
        raise _too_early("receptionDate", "date")
    if deducted < received:
        raise _too_early("deductionDate", "receptionDate")
    if said.paid_at is not None and said.status == "pending":
        raise bilingual_field(
            "paidAt",
            ("a pending expense has none", "Leave paidAt out, or send status paid."),
            ("un gasto pendiente no la tiene", "Omite paidAt, o envía status paid."),
        )
    paid = _first_payment(said, day) if old is None else _payment(ctx, said, old, day)
    return {"reception_date": received, "deduction_date": deducted, "paid_at": paid}


def _too_early(field: str, earliest: str) -> Invalid:
    return bilingual_field(
        field,
        (f"may not lie before {earliest}", f"Send the same day as {earliest} or a later one."),
        (f"no puede ser anterior a {earliest}", f"Envía el mismo día que {earliest} u otro posterior."),
    )


def _following(old: Any, name: str, leader: str, now: date) -> date:
    kept: date = now if old is None or old[name] == old[leader] else old[name]
    return kept


def _first_payment(said: ExpenseFields, day: date) -> date | None:
    """On the day of the expense unless something else is said: a receipt is what one gets for paying."""
    unpaid = said.status == "pending" or (said.status is None and "paid_at" in said.model_fields_set)
    return said.paid_at or (None if unpaid else day)


def _payment(ctx: Context, said: ExpenseFields, old: Any, day: date) -> date | None:
    if said.paid_at is not None or "paid_at" in said.model_fields_set:
        return said.paid_at
    if said.status is not None:
        return None if said.status == "pending" else ctx.account.today()
    return None if old.paid_at is None else _following(old, "paid_at", "date", day)


def _exchange_rate(ctx: Context, currency: str, data: ExpenseFields, old: Any) -> Decimal:
    if currency == ctx.account.currency:
        if data.exchange_rate not in (None, 1):
            raise bilingual_field(
                "exchangeRate",
                (f"must be 1 or absent: {currency} is the account's currency", "Leave exchangeRate out."),
                (f"debe ser 1 o faltar: {currency} es la moneda de la cuenta", "Omite exchangeRate."),
            )
        return Decimal(1)
    if data.exchange_rate is not None:
        return data.exchange_rate
    if old is not None and old.currency == currency:
        known: Decimal = old.exchange_rate
        return known
    raise bilingual_field(
        "exchangeRate",
        (
            f"is needed: what one {currency} is in {ctx.account.currency}",
            "Take the rate of the day from your bank or central bank.",
        ),
        (
            f"hace falta: cuánto vale un {currency} en {ctx.account.currency}",
            "Toma el cambio del día de tu banco o del banco central.",
        ),
    )


def _first(*values: Any) -> Any:
    """The first value that is not None."""
    return next(value for value in values if value is not None)
