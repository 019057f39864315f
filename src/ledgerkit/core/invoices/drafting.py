"""From what a caller says to what an invoice's row holds: defaults, the client's copy, checks, totals."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from ledgerkit.core import search
from ledgerkit.core.context import Context
from ledgerkit.core.invoices import fiscal, goods
from ledgerkit.core.invoices.buyers import Buyer, buyer
from ledgerkit.core.invoices.origins import NONE, Origins
from ledgerkit.core.invoices.schemas import InvoiceChange, InvoiceInput, InvoiceItemInput
from ledgerkit.core.totals import Line, Totals, total
from ledgerkit.money import LARGEST, ZERO, RoundingPolicy
from ledgerkit.problems import Code, FieldError, Invalid, bilingual, bilingual_error, bilingual_field
from ledgerkit.providers.api import DocumentKind, TaxCategory, TaxLine, TaxRate

_PLAIN = ("notes", "terms", "buyer_reference", "purchase_order", "place_of_supply", "payment_method", "iban")


async def new_values(
    ctx: Context, data: InvoiceInput, origins: Origins = NONE, *, storing: bool = True
) -> dict[str, Any]:
    """Columns of a new draft; a client not known yet is stored, unless `storing` is off.

    What it does not say of client, items and prices it takes from where it comes from.
    Raises Invalid naming each wrong field, NotFound for an unknown clientId.
    """
    _require_parts(data, origins)
    await goods.require(ctx, data.items)
    client = await _client(ctx, data, origins, storing=storing and data.doc_type is not DocumentKind.SIMPLIFIED)
    account = ctx.account
    issue_date = data.issue_date or account.today()
    term = account.payment_term_days if client.term_days is None else client.term_days
    included = origins.prices_include_tax if data.prices_include_tax is None else data.prices_include_tax
    basis = {
        "doc_type": data.doc_type.value,
        "series": _series(ctx, data.doc_type),
        "issue_date": issue_date,
        "operation_date": data.operation_date,
        "due_date": data.due_date or issue_date + timedelta(days=term),
        "currency": data.currency or account.currency,
        "tax_rate": _first(data.tax_rate, client.tax_rate, account.default_tax_rate, _general_rate(ctx, issue_date)),
        "retention_rate": _first(data.retention_rate, client.retention_rate, account.default_retention_rate, ZERO),
        "prices_include_tax": included,
        **{name: getattr(data, name) for name in _PLAIN},
        "iban": data.iban or account.iban,
        **fiscal.said(ctx, data.doc_type, data),
        **origins.columns,
    }
    return _finished(ctx, basis, client, data.items or origins.items)


async def changed_values(ctx: Context, old: Any, data: InvoiceChange) -> dict[str, Any]:
    """Columns of `old` after the change: what is absent keeps its value."""
    given = data.model_fields_set
    kind = DocumentKind(old.doc_type)
    await goods.require(ctx, data.items)
    client = Buyer(copy=old.client, client_id=old.client_id)
    if data.client is not None or data.client_id is not None:
        client = await buyer(ctx, data, storing=kind is not DocumentKind.SIMPLIFIED)
    required = ("issue_date", "due_date", "currency", "tax_rate", "retention_rate", "prices_include_tax")
    basis = {name: _first(getattr(data, name), getattr(old, name)) for name in required}
    optional = ("operation_date", *_PLAIN)
    basis |= {name: getattr(data if name in given else old, name) for name in optional}
    basis |= {"doc_type": old.doc_type, "series": old.series, **fiscal.said(ctx, kind, data, old)}
    items = data.items if data.items is not None else items_of(old, following=basis["tax_rate"])
    if not items:
        raise bilingual_field(
            "items",
            ("at least one item is needed", "Send at least one item."),
            ("hace falta al menos una línea", "Envía al menos una línea."),
        )
    values = _finished(ctx, basis, client, items)
    return values | {"search_text": search_text(old.number, client.copy, items, basis["notes"])}


def copied_values(ctx: Context, old: Any) -> dict[str, Any]:
    """Columns of a new draft alike `old`, dated today, without number, payments, fiscal data or share link."""
    today = ctx.account.today()
    kept = ("doc_type", "series", "currency", "tax_rate", "retention_rate", "prices_include_tax", *_PLAIN)
    basis = {name: getattr(old, name) for name in kept}
    basis |= {"issue_date": today, "operation_date": None, "due_date": today + (old.due_date - old.issue_date)}
    basis |= fiscal.copied(old)
    client = Buyer(copy=old.client, client_id=old.client_id)
    return _finished(ctx, basis, client, items_of(old, following=old.tax_rate))


def _finished(
    ctx: Context, basis: Mapping[str, Any], client: Buyer, items: Sequence[InvoiceItemInput]
) -> dict[str, Any]:
    """The whole row's content: checked against the country's rules, with totals and search text."""
    _check_dates(basis)
    lines = [_line(ctx, basis, number, item) for number, item in enumerate(items)]
    policy = ctx.country.tax.rounding if ctx.country else RoundingPolicy()
    sums = total(lines, basis["retention_rate"], policy, prices_include_tax=basis["prices_include_tax"])
    _check_sums(basis["doc_type"], sums)
    return {
        **basis,
        "client": client.copy,
        "client_id": client.client_id,
        "items": [_stored(item, line, amount) for item, line, amount in zip(items, lines, sums.lines, strict=True)],
        "subtotal": sums.subtotal,
        "tax_amount": sums.tax,
        "surcharge_amount": sums.surcharge,
        "retention_amount": sums.retention,
        "total": sums.total,
        "tax_breakdown": [tax_row(row) for row in sums.taxes],
        "rounding": policy.per,
        "search_text": search_text(None, client.copy, items, basis["notes"]),
    }


def search_text(
    number: str | None, client: Mapping[str, Any], items: Sequence[InvoiceItemInput], notes: str | None
) -> str:
    texts = [item.description for item in items]
    return search.searchable(number, client["name"], client["taxId"], *texts, notes)


def _require_parts(data: InvoiceInput, origins: Origins) -> None:
    lacking = []
    addressed = data.client is not None or data.client_id is not None or origins.corrected is not None
    if not addressed and data.doc_type is not DocumentKind.SIMPLIFIED:
        said = "a client, or clientId, is needed", "hace falta un cliente, o clientId"
        lacking.append(_lacks("client", *said))
    if not data.items and not origins.items:
        lacking.append(_lacks("items", "at least one item is needed", "hace falta al menos una línea"))
    if lacking:
        what = [one.field for one in lacking]
        raise bilingual(
            Invalid,
            (f"The invoice lacks {' and '.join(what)}.", "Add what is named in errors."),
            (f"A la factura le falta {' y '.join(what)}.", "Añade lo que se nombra en errors."),
            errors=lacking,
        )


def _lacks(field: str, english: str, spanish: str) -> FieldError:
    return bilingual_error(field, "missing", (english, f"Add {field}."), (spanish, f"Añade {field}."))


async def _client(ctx: Context, data: InvoiceInput, origins: Origins, *, storing: bool) -> Buyer:
    """The client said, else that of the document which is corrected."""
    if data.client is None and data.client_id is None and origins.corrected is not None:
        return Buyer(copy=origins.corrected.client, client_id=origins.corrected.client_id)
    return await buyer(ctx, data, storing=storing)


# ---------------------------------------------------------------- lines


def _line(ctx: Context, basis: Mapping[str, Any], number: int, item: InvoiceItemInput) -> Line:
    where = f"items[{number}]"
    if item.tax_category is not TaxCategory.STANDARD and item.tax_rate:
        raise bilingual_field(
            f"{where}.taxRate",
            (f"must be 0 or absent for a line that is {item.tax_category}", "Leave it out, or correct taxCategory."),
            (f"debe ser 0 o faltar en una línea {item.tax_category}", "No lo indiques, o corrige taxCategory."),
        )
    on = basis["operation_date"] or basis["issue_date"]
    _check_codes(ctx, item, where)
    rate = _rate(ctx, on, basis, item, where)
    _check_rate(ctx, on, rate, item, where)
    return Line(
        quantity=item.quantity,
        unit_price=item.unit_price,
        discount=item.discount or ZERO,
        category=item.tax_category,
        rate=rate,
        surcharge_rate=item.surcharge_rate,
        exemption_code=item.exemption_code,
        regime_key=item.regime_key,
        tax=item.tax,
        cost_base=item.cost_base,
    )


def _rate(ctx: Context, on: date, basis: Mapping[str, Any], item: InvoiceItemInput, where: str) -> Decimal:
    """The line's own, else the invoice's; of another tax than the general one, that tax's usual rate."""
    if item.tax_category is not TaxCategory.STANDARD:
        return ZERO
    if item.tax_rate is not None or item.tax is None:
        return Decimal(_first(item.tax_rate, basis["tax_rate"]))
    known = ctx.country.tax.rates(on, item.tax) if ctx.country else ()
    if not known:
        raise bilingual_field(
            f"{where}.taxRate",
            (f"is needed with the tax {item.tax}", "Give taxRate, in percent."),
            (f"hace falta con el impuesto {item.tax}", "Indica taxRate, en tanto por ciento."),
        )
    return known[0].percent


def _check_rate(ctx: Context, on: date, rate: Decimal, item: InvoiceItemInput, where: str) -> None:
    """The rate and surcharge were in force on that day. Without a country plug-in every rate passes."""
    if ctx.country is None:
        return
    known: Sequence[TaxRate] = ctx.country.tax.rates(on, item.tax)
    if item.tax is not None and not known:
        return
    found = next((row for row in known if row.percent == rate), None)
    if item.tax_category is TaxCategory.STANDARD and found is None:
        named = f"{where}.taxRate" if item.tax_rate is not None else "taxRate"
        allowed = ", ".join(f"{row.percent.normalize():f}" for row in known)
        raise bilingual_field(
            named,
            (f"{rate.normalize():f} % was not in force on {on}", f"Use one of {allowed}."),
            (f"el {rate.normalize():f} % no estaba en vigor el {on}", f"Usa uno de {allowed}."),
            code=Code.TAX_RATE_UNKNOWN,
        )
    if item.surcharge_rate and (found is None or item.surcharge_rate not in found.surcharges):
        known_with = ", ".join(f"{one.normalize():f}" for one in found.surcharges) if found else ""
        raise bilingual_field(
            f"{where}.surchargeRate",
            (
                f"no such surcharge goes with {rate.normalize():f} % on {on}",
                f"Use one of {known_with}." if known_with else "Leave it out.",
            ),
            (
                f"ese recargo no va con el {rate.normalize():f} % el {on}",
                f"Usa uno de {known_with}." if known_with else "No lo indiques.",
            ),
            code=Code.TAX_RATE_UNKNOWN,
        )


def _check_codes(ctx: Context, item: InvoiceItemInput, where: str) -> None:
    if ctx.country is None:
        return
    for name, value, known in (
        ("exemptionCode", item.exemption_code, ctx.country.tax.exemption_codes),
        ("regimeKey", item.regime_key, ctx.country.tax.regime_keys),
        ("tax", item.tax, ctx.country.tax.taxes),
    ):
        if value is not None and value not in known:
            listed = ", ".join(known)
            raise bilingual_field(
                f"{where}.{name}",
                (f"is not one of {listed or 'none'}", "Use one of these, or leave it out."),
                (f"no es uno de {listed or 'ninguno'}", "Usa uno de ellos, o no lo indiques."),
            )


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
        "tax": line.tax,
        "costBase": line.cost_base,
        "lineTotal": amount,
    }


def items_of(old: Any, *, following: Decimal) -> list[InvoiceItemInput]:
    """The stored lines as input again; those at the invoice's old rate follow it to the new one."""
    items = [InvoiceItemInput.model_validate(item) for item in old.items]
    return [
        item.model_copy(update={"tax_rate": None if item.tax_rate == old.tax_rate else item.tax_rate})
        if following != old.tax_rate and item.tax is None
        else item
        for item in items
    ]


def tax_row(row: TaxLine) -> dict[str, Any]:
    return {
        "category": row.category.value,
        "rate": row.rate,
        "base": row.base,
        "amount": row.amount,
        "surchargeRate": row.surcharge_rate,
        "surchargeAmount": row.surcharge_amount,
        "exemptionCode": row.exemption_code,
        "regimeKey": row.regime_key,
        "tax": row.tax,
        "costBase": row.cost_base,
    }


# ---------------------------------------------------------------- checks and defaults


def _check_dates(basis: Mapping[str, Any]) -> None:
    if basis["due_date"] < basis["issue_date"]:
        raise bilingual_field(
            "dueDate",
            ("may not lie before issueDate", "Set a later dueDate."),
            ("no puede ser anterior a issueDate", "Pon una dueDate posterior."),
        )


def _check_sums(doc_type: str, sums: Totals) -> None:
    rows = [amount for row in sums.taxes for amount in (row.base, row.amount, row.surcharge_amount)]
    largest = max(map(abs, (*sums.lines, *rows, sums.subtotal, sums.retention, sums.gross, sums.total)))
    if largest > LARGEST:
        raise bilingual_field(
            "items",
            (f"amounts above {LARGEST} cannot be kept", "Split the document into several."),
            (f"no se guardan importes de más de {LARGEST}", "Reparte el documento en varios."),
        )
    if doc_type != DocumentKind.CREDIT_NOTE and (sums.total < 0 or any(row.base < 0 for row in sums.taxes)):
        raise bilingual_field(
            "items",
            (
                "the amounts of an invoice may not be negative",
                "Use docType credit_note with rectifies to give money back.",
            ),
            (
                "los importes de una factura no pueden ser negativos",
                "Para devolver dinero usa docType credit_note con rectifies.",
            ),
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
