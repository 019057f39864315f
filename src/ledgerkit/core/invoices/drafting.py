"""From what a caller says to what an invoice's row holds: defaults, the client's copy, checks, totals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from ledgerkit.core import search, tax_ids
from ledgerkit.core.clients import service as clients
from ledgerkit.core.clients.schemas import ClientInput
from ledgerkit.core.context import Context
from ledgerkit.core.invoices import goods
from ledgerkit.core.invoices.schemas import (
    InvoiceChange,
    InvoiceClientInput,
    InvoiceFields,
    InvoiceInput,
    InvoiceItemInput,
)
from ledgerkit.core.totals import Line, Totals, total
from ledgerkit.money import LARGEST, ZERO, RoundingPolicy
from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.providers.api import DocumentKind, TaxCategory, TaxLine, TaxRate

_SPANISH = {"ES", "AD", "AR", "BO", "CL", "CO", "CR", "CU", "DO", "EC", "GT", "HN", "MX", "NI", "PA", "PE", "PY", "SV"}
_COPIED = ("email", "address", "city", "postal_code", "province", "language")
_PLAIN = ("notes", "terms", "buyer_reference", "purchase_order", "place_of_supply", "payment_method", "iban")


@dataclass(frozen=True, kw_only=True)
class Buyer:
    """The client as this invoice will carry it, and the stored one it came from with its own defaults."""

    copy: dict[str, Any]
    client_id: UUID | None
    tax_rate: Decimal | None = None
    retention_rate: Decimal | None = None
    term_days: int | None = None


async def new_values(ctx: Context, data: InvoiceInput, *, storing: bool = True) -> dict[str, Any]:
    """Columns of a new draft; a client not known yet is stored, unless `storing` is off.

    Raises Invalid naming each wrong field, NotFound for an unknown clientId.
    """
    _require_parts(data)
    await goods.require(ctx, data.items)
    buyer = await _buyer(ctx, data, storing=storing and data.doc_type is not DocumentKind.SIMPLIFIED)
    issue_date = data.issue_date or ctx.account.today()
    term = ctx.account.payment_term_days if buyer.term_days is None else buyer.term_days
    basis = {
        "doc_type": data.doc_type.value,
        "series": _series(ctx, data.doc_type),
        "issue_date": issue_date,
        "operation_date": data.operation_date,
        "due_date": data.due_date or issue_date + timedelta(days=term),
        "currency": data.currency or ctx.account.currency,
        "tax_rate": _first(data.tax_rate, buyer.tax_rate, ctx.account.default_tax_rate, _general_rate(ctx, issue_date)),
        "retention_rate": _first(data.retention_rate, buyer.retention_rate, ctx.account.default_retention_rate, ZERO),
        "prices_include_tax": bool(data.prices_include_tax),
        **{name: getattr(data, name) for name in _PLAIN},
        "iban": data.iban or ctx.account.iban,
    }
    return _finished(ctx, basis, buyer, data.items or [])


async def changed_values(ctx: Context, old: Any, data: InvoiceChange) -> dict[str, Any]:
    """Columns of `old` after the change: what is absent keeps its value."""
    given = data.model_fields_set
    kind = DocumentKind(old.doc_type)
    await goods.require(ctx, data.items)
    buyer = Buyer(copy=old.client, client_id=old.client_id)
    if data.client is not None or data.client_id is not None:
        buyer = await _buyer(ctx, data, storing=kind is not DocumentKind.SIMPLIFIED)
    required = ("issue_date", "due_date", "currency", "tax_rate", "retention_rate", "prices_include_tax")
    basis = {name: _first(getattr(data, name), getattr(old, name)) for name in required}
    optional = ("operation_date", *_PLAIN)
    basis |= {name: getattr(data if name in given else old, name) for name in optional}
    basis |= {"doc_type": old.doc_type, "series": old.series}
    items = data.items if data.items is not None else _items_of(old, following=basis["tax_rate"])
    if not items:
        raise Invalid.field("items", "at least one item is needed")
    values = _finished(ctx, basis, buyer, items)
    return values | {"search_text": search_text(old.number, buyer.copy, items, basis["notes"])}


def copied_values(ctx: Context, old: Any) -> dict[str, Any]:
    """Columns of a new draft alike `old`, dated today, without number, payments, fiscal data or share link."""
    today = ctx.account.today()
    kept = ("doc_type", "series", "currency", "tax_rate", "retention_rate", "prices_include_tax", *_PLAIN)
    basis = {name: getattr(old, name) for name in kept}
    basis |= {"issue_date": today, "operation_date": None, "due_date": today + (old.due_date - old.issue_date)}
    buyer = Buyer(copy=old.client, client_id=old.client_id)
    return _finished(ctx, basis, buyer, _items_of(old, following=old.tax_rate))


def _finished(
    ctx: Context, basis: Mapping[str, Any], buyer: Buyer, items: Sequence[InvoiceItemInput]
) -> dict[str, Any]:
    """The whole row's content: checked against the country's rules, with totals and search text."""
    _check_dates(basis)
    lines = [_line(ctx, basis, number, item) for number, item in enumerate(items)]
    policy = ctx.country.tax.rounding if ctx.country else RoundingPolicy()
    sums = total(lines, basis["retention_rate"], policy, prices_include_tax=basis["prices_include_tax"])
    _check_sums(basis["doc_type"], sums)
    return {
        **basis,
        "client": buyer.copy,
        "client_id": buyer.client_id,
        "items": [_stored(item, line, amount) for item, line, amount in zip(items, lines, sums.lines, strict=True)],
        "subtotal": sums.subtotal,
        "tax_amount": sums.tax,
        "surcharge_amount": sums.surcharge,
        "retention_amount": sums.retention,
        "total": sums.total,
        "tax_breakdown": [_tax_row(row) for row in sums.taxes],
        "rounding": policy.per,
        "search_text": search_text(None, buyer.copy, items, basis["notes"]),
    }


def search_text(
    number: str | None, client: Mapping[str, Any], items: Sequence[InvoiceItemInput], notes: str | None
) -> str:
    texts = [item.description for item in items]
    return search.fold(number, client["name"], client["taxId"], *texts, notes)


# ---------------------------------------------------------------- client


def _require_parts(data: InvoiceInput) -> None:
    errors = []
    if data.client is None and data.client_id is None and data.doc_type is not DocumentKind.SIMPLIFIED:
        errors.append(FieldError(field="client", code="missing", message="a client, or clientId, is needed"))
    if not data.items:
        errors.append(FieldError(field="items", code="missing", message="at least one item is needed"))
    if errors:
        what = " and ".join(error.field for error in errors)
        raise Invalid(f"The invoice lacks {what}.", errors=errors, remedy="Add what is named in errors.")


async def _buyer(ctx: Context, data: InvoiceFields, *, storing: bool) -> Buyer:
    """The stored client that is meant, with what this invoice says differently on top."""
    if data.client_id is not None:
        stored = await clients.stored(ctx, data.client_id)
        return _copied(ctx, stored, data.client)
    if data.client is None:
        return Buyer(copy=_copy(ctx, {}, None), client_id=None)
    country = data.client.country or ctx.account.country
    tax_id = tax_ids.normalised(ctx, data.client.tax_id, country, "client.taxId")
    embedded = data.client.model_copy(update={"tax_id": tax_id, "country": country})
    stored = await clients.match(ctx, embedded.name, tax_id)
    if stored is None and storing:
        created = await clients.create(ctx, ClientInput(**embedded.model_dump()))
        return Buyer(copy=_copy(ctx, {}, embedded), client_id=UUID(created.id))
    if stored is None:
        return Buyer(copy=_copy(ctx, {}, embedded), client_id=None)
    return _copied(ctx, stored, embedded)


def _copied(ctx: Context, stored: Any, embedded: InvoiceClientInput | None) -> Buyer:
    return Buyer(
        copy=_copy(ctx, stored, embedded),
        client_id=stored.id,
        tax_rate=stored.default_tax_rate,
        retention_rate=stored.default_retention_rate,
        term_days=stored.payment_term_days,
    )


def _copy(ctx: Context, stored: Mapping[Any, Any], embedded: InvoiceClientInput | None) -> dict[str, Any]:
    """The client on this invoice, in wire names: what the invoice says, else what is stored."""
    said = {} if embedded is None else embedded.model_dump(exclude_none=True)
    merged = {name: said.get(name, stored.get(name)) for name in ("name", "tax_id", "country", *_COPIED)}
    merged["country"] = merged["country"] or ctx.account.country
    merged["language"] = merged["language"] or ("es" if merged["country"] in _SPANISH else "en")
    return {wire: merged[name] for name, wire in _CLIENT_NAMES.items()}


_CLIENT_NAMES = {
    "name": "name",
    "tax_id": "taxId",
    "country": "country",
    "email": "email",
    "address": "address",
    "city": "city",
    "postal_code": "postalCode",
    "province": "province",
    "language": "language",
}


# ---------------------------------------------------------------- lines


def _line(ctx: Context, basis: Mapping[str, Any], number: int, item: InvoiceItemInput) -> Line:
    where = f"items[{number}]"
    standard = item.tax_category is TaxCategory.STANDARD
    rate = _first(item.tax_rate, basis["tax_rate"]) if standard else ZERO
    if not standard and item.tax_rate:
        raise Invalid.field(f"{where}.taxRate", f"must be 0 or absent for a line that is {item.tax_category}")
    on = basis["operation_date"] or basis["issue_date"]
    _check_rate(ctx, on, rate, item, where)
    _check_codes(ctx, item, where)
    return Line(
        quantity=item.quantity,
        unit_price=item.unit_price,
        discount=item.discount or ZERO,
        category=item.tax_category,
        rate=rate,
        surcharge_rate=item.surcharge_rate,
        exemption_code=item.exemption_code,
        regime_key=item.regime_key,
    )


def _check_rate(ctx: Context, on: date, rate: Decimal, item: InvoiceItemInput, where: str) -> None:
    """The rate and surcharge were in force on that day. Without a country plug-in every rate passes."""
    if ctx.country is None:
        return
    known: Sequence[TaxRate] = ctx.country.tax.rates(on)
    found = next((row for row in known if row.percent == rate), None)
    if item.tax_category is TaxCategory.STANDARD and found is None:
        named = f"{where}.taxRate" if item.tax_rate is not None else "taxRate"
        allowed = ", ".join(f"{row.percent.normalize():f}" for row in known)
        raise Invalid.field(
            named,
            f"{rate.normalize():f} % was not in force on {on}",
            code=Code.TAX_RATE_UNKNOWN,
            remedy=f"Use one of {allowed}.",
        )
    if item.surcharge_rate and (found is None or item.surcharge_rate not in found.surcharges):
        message = f"no such surcharge goes with {rate.normalize():f} % on {on}"
        raise Invalid.field(f"{where}.surchargeRate", message, code=Code.TAX_RATE_UNKNOWN)


def _check_codes(ctx: Context, item: InvoiceItemInput, where: str) -> None:
    if ctx.country is None:
        return
    for name, value, known in (
        ("exemptionCode", item.exemption_code, ctx.country.tax.exemption_codes),
        ("regimeKey", item.regime_key, ctx.country.tax.regime_keys),
    ):
        if value is not None and value not in known:
            raise Invalid.field(f"{where}.{name}", f"is not one of {', '.join(known)}")


def _stored(item: InvoiceItemInput, line: Line, amount: Decimal) -> dict[str, Any]:
    return {
        "description": item.description,
        "quantity": line.quantity,
        "unitPrice": line.unit_price,
        "taxRate": line.rate,
        "discount": line.discount,
        "taxCategory": line.category.value,
        "exemptionCode": line.exemption_code,
        "regimeKey": line.regime_key,
        "surchargeRate": line.surcharge_rate,
        "catalogItemId": item.catalog_item_id,
        "variantIndex": item.variant_index,
        "unit": item.unit,
        "lineTotal": amount,
    }


def _items_of(old: Any, *, following: Decimal) -> list[InvoiceItemInput]:
    """The stored lines as input again; those at the invoice's old rate follow it to the new one."""
    items = [InvoiceItemInput.model_validate(item) for item in old.items]
    return [
        item.model_copy(update={"tax_rate": None if item.tax_rate == old.tax_rate else item.tax_rate})
        if following != old.tax_rate
        else item
        for item in items
    ]


def _tax_row(row: TaxLine) -> dict[str, Any]:
    return {
        "category": row.category.value,
        "rate": row.rate,
        "base": row.base,
        "amount": row.amount,
        "surchargeRate": row.surcharge_rate,
        "surchargeAmount": row.surcharge_amount,
        "exemptionCode": row.exemption_code,
        "regimeKey": row.regime_key,
    }


# ---------------------------------------------------------------- checks and defaults


def _check_dates(basis: Mapping[str, Any]) -> None:
    if basis["due_date"] < basis["issue_date"]:
        raise Invalid.field("dueDate", "may not lie before issueDate")


def _check_sums(doc_type: str, sums: Totals) -> None:
    rows = [amount for row in sums.taxes for amount in (row.base, row.amount, row.surcharge_amount)]
    largest = max(map(abs, (*sums.lines, *rows, sums.subtotal, sums.retention, sums.gross, sums.total)))
    if largest > LARGEST:
        raise Invalid.field("items", f"amounts above {LARGEST} cannot be kept")
    if doc_type != DocumentKind.CREDIT_NOTE and (sums.total < 0 or any(row.base < 0 for row in sums.taxes)):
        raise Invalid.field(
            "items",
            "the amounts of an invoice may not be negative",
            remedy="Use docType credit_note with rectifies to give money back.",
        )


def _series(ctx: Context, kind: DocumentKind) -> str:
    """The team's prefix for this kind, else the country's, else the letters of the interface (F, R, T)."""
    own = ctx.account.series.get(kind.value)
    if own:
        return own
    if ctx.country:
        return ctx.country.tax.numbering.series[kind]
    return {DocumentKind.INVOICE: "F", DocumentKind.CREDIT_NOTE: "R", DocumentKind.SIMPLIFIED: "T"}[kind]


def _general_rate(ctx: Context, on: date) -> Decimal:
    rates = ctx.country.tax.rates(on) if ctx.country else ()
    return rates[0].percent if rates else ZERO


def _first(*values: Any) -> Any:
    """The first value that is not None."""
    return next(value for value in values if value is not None)
