"""From what a caller says to what an invoice's row holds: defaults, the client's copy, checks, totals."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from ledgerkit.core.documents.totals import Totals, total
from ledgerkit.core.invoices import fiscal_fields, lines, margins, surcharges
from ledgerkit.core.invoices.buyers import Buyer, buyer
from ledgerkit.core.invoices.lines import Completion
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.invoices.origins import NONE, Origins
from ledgerkit.core.invoices.posting import stock_moves
from ledgerkit.core.invoices.schemas import InvoiceChange, InvoiceInput, InvoiceItemInput
from ledgerkit.core.records import search
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Errors
from ledgerkit.money import LARGEST, ZERO, RoundingPolicy
from ledgerkit.problems import Code, FieldError, Invalid, bilingual, bilingual_error
from ledgerkit.providers.api import DocumentKind

_PLAIN = ("notes", "terms", "buyer_reference", "purchase_order", "place_of_supply", "payment_method", "iban")


DRAFTING_ERRORS: Errors = [
    (Invalid, {Code.TAX_ID_INVALID, Code.CLIENT_CONFLICT, Code.TAX_RATE_UNKNOWN, Code.INVOICE_ANNULLED})
]
"""Refusals of every operation that makes a new draft from what the caller sends."""


class DraftValues(NamedTuple):
    """A draft as it will be kept: its columns, and what its caller should know of them."""

    columns: dict[str, Any]
    warnings: list[str]


async def new_values(
    ctx: Context, data: InvoiceInput, origins: Origins = NONE, *, storing: bool = True, surcharging: bool = True
) -> DraftValues:
    """A new draft; a client not known yet is stored, unless `storing` is off.

    What it does not say of client, items and prices it takes from where it comes from. `surcharging`: lines may take
    a surcharge that they do not state.
    Raises Invalid naming each wrong field, NotFound for an unknown clientId.
    """
    _require_parts(data, origins)
    await stock_moves.require_items(ctx, data.items)
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
        **fiscal_fields.columns(ctx, data.doc_type, data),
        **origins.columns,
    }
    items = data.items or origins.items
    surcharged = surcharges.NO_LINES
    if surcharging:
        surcharged = await surcharges.lines_of_new(ctx, data, origins, client, items)
    unstated = _gives_back(basis) and margins.unstated(ctx, origins.corrected.items if origins.corrected else ())
    return _finished(ctx, basis, client, items, Completion(surcharged=surcharged, margins_unstated=unstated))


async def changed_values(ctx: Context, old: Any, data: InvoiceChange) -> DraftValues:
    """The row `old` after the change: what is absent keeps its value."""
    given = data.model_fields_set
    kind = DocumentKind(old.doc_type)
    await stock_moves.require_items(ctx, data.items)
    client = Buyer(copy=old.client, client_id=old.client_id)
    if data.client is not None or data.client_id is not None:
        client = await buyer(ctx, data, storing=kind is not DocumentKind.SIMPLIFIED)
    required = ("issue_date", "due_date", "currency", "tax_rate", "retention_rate", "prices_include_tax")
    basis = {name: _first(getattr(data, name), getattr(old, name)) for name in required}
    optional = ("operation_date", *_PLAIN)
    basis |= {name: getattr(data if name in given else old, name) for name in optional}
    basis |= {"doc_type": old.doc_type, "series": old.series, **fiscal_fields.columns(ctx, kind, data, old)}
    items = data.items if data.items is not None else lines.items_of(old, following=basis["tax_rate"])
    if not items:
        raise Invalid.field("items", InvoicesMsg.ITEMS_NEEDED)
    surcharged = await _surcharged(ctx, old, data, client, items)
    made = _finished(ctx, basis, client, items, _as_before(ctx, old, surcharged))
    made.columns["search_text"] = search_text(old.number, client.copy, items, basis["notes"])
    return made


async def _surcharged(
    ctx: Context, old: Any, data: InvoiceChange, client: Buyer, items: Sequence[InvoiceItemInput]
) -> frozenset[int]:
    """Places of the lines that take the surcharge by default: by the client of a draft, else as it was before."""
    if old.status == "draft" and old.rectifies is None and not old.substitutes:
        return await surcharges.lines_for(ctx, client, items)
    before = surcharges.lines_before(old.items)
    return before if data.items is None or not before else await surcharges.lines_of_goods(ctx, items)


async def copied_values(ctx: Context, old: Any) -> DraftValues:
    """A new draft alike `old`, dated today, without number, payments, fiscal data or share link."""
    today = ctx.account.today()
    kept = ("doc_type", "series", "currency", "tax_rate", "retention_rate", "prices_include_tax", *_PLAIN)
    basis = {name: getattr(old, name) for name in kept}
    basis |= {"issue_date": today, "operation_date": None, "due_date": today + (old.due_date - old.issue_date)}
    basis |= fiscal_fields.copied(old)
    client, items = Buyer(copy=old.client, client_id=old.client_id), lines.items_of(old, following=old.tax_rate)
    surcharged = surcharges.lines_before(old.items)
    if old.rectifies is None:
        surcharged = await surcharges.lines_for(ctx, client, items)
    return _finished(ctx, basis, client, items, _as_before(ctx, old, surcharged))


def _as_before(ctx: Context, old: Any, surcharged: frozenset[int]) -> Completion:
    """What was let off stating its cost may be kept so; the country says whether it can be issued."""
    return Completion(surcharged=surcharged, margins_unstated=margins.unstated(ctx, old.items))


def _gives_back(basis: Mapping[str, Any]) -> bool:
    return (basis["doc_type"], basis["correction_method"]) == (DocumentKind.CREDIT_NOTE, "differences")


def _finished(
    ctx: Context,
    basis: Mapping[str, Any],
    client: Buyer,
    items: Sequence[InvoiceItemInput],
    completion: Completion,
) -> DraftValues:
    """The whole row's content: checked against the country's rules, with totals and search text."""
    _check_dates(basis)
    reckoned = [lines.line(ctx, basis, number, item, completion) for number, item in enumerate(items)]
    margins.check_alone(reckoned)
    policy = ctx.country.tax.rounding if ctx.country else RoundingPolicy()
    sums = total(reckoned, basis["retention_rate"], policy, prices_include_tax=basis["prices_include_tax"])
    _check_sums(basis["doc_type"], sums)
    kept = [lines.stored(*of_one) for of_one in zip(items, reckoned, sums.lines, strict=True)]
    columns = {
        **basis,
        "client": client.copy,
        "client_id": client.client_id,
        "items": kept,
        "subtotal": sums.subtotal,
        "tax_amount": sums.tax,
        "surcharge_amount": sums.surcharge,
        "retention_amount": sums.retention,
        "total": sums.total,
        "tax_breakdown": [lines.tax_row(row) for row in sums.taxes],
        "rounding": policy.per,
        "search_text": search_text(None, client.copy, items, basis["notes"]),
    }
    return DraftValues(columns, [*client.warnings, *surcharges.warnings(ctx, kept)])


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


# ---------------------------------------------------------------- checks and defaults


def _check_dates(basis: Mapping[str, Any]) -> None:
    if basis["due_date"] < basis["issue_date"]:
        raise Invalid.field("dueDate", InvoicesMsg.DUE_BEFORE_ISSUE)


def _check_sums(doc_type: str, sums: Totals) -> None:
    rows = [amount for row in sums.taxes for amount in (row.base, row.amount, row.surcharge_amount)]
    largest = max(map(abs, (*sums.lines, *rows, sums.subtotal, sums.retention, sums.gross, sums.total)))
    if largest > LARGEST:
        raise Invalid.field("items", InvoicesMsg.AMOUNTS_TOO_LARGE, largest=LARGEST)
    if doc_type != DocumentKind.CREDIT_NOTE and (sums.total < 0 or any(row.base < 0 for row in sums.taxes)):
        raise Invalid.field("items", InvoicesMsg.AMOUNTS_NEGATIVE)


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
