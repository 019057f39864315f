"""Credit notes made from the invoice that they correct: for all that is left of it, for a part, or by substitution.

By differences a credit note gives back, and never more than is left after earlier corrections; its last one takes the
cents that roundings have left over, so that the invoice comes to nothing. By substitution it says what is right.
Source: RD 1619/2012, art. 15.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ledgerkit.core.invoices import drafting, origins
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.invoices.origins import Origins
from ledgerkit.core.invoices.posting import credit_limits, effects, remaining
from ledgerkit.core.invoices.posting.remaining import Key, Remainder
from ledgerkit.core.invoices.schemas import InvoiceInput, InvoiceItemInput, ThirdParty
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO, percent_of
from ledgerkit.problems import Invalid, bilingual
from ledgerkit.providers.api import DocumentKind, IssuedBy, TaxCategory

_NOTHING = Decimal("0.00")
_TAXED = {
    "tax",
    "tax_rate",
    "tax_category",
    "exemption_code",
    "regime_key",
    "not_subject_reason",
    "surcharge_rate",
}


@dataclass(frozen=True, kw_only=True)
class CreditNoteRequest:
    """What a credit note shall be. `items` with positive amounts are given back, or by substitution are right instead.

    Without `items` all that is left is given back. Without `reason` it is the country's usual one.
    """

    items: Sequence[InvoiceItemInput] | None = None
    by_substitution: bool = False
    reason: str | None = None
    payment_method: str | None = None


async def values(ctx: Context, original: Any, wish: CreditNoteRequest) -> dict[str, Any]:
    """Columns of the draft of a credit note for `original`, whose row is locked.

    Raises Invalid naming the field, in the words of POST /api/einvoice/credit-note.
    """
    left = await remaining.remainder(ctx, original)
    reason = await _reason(ctx, original, wish.reason)
    if wish.by_substitution:
        return await _substitution(ctx, original, wish, reason)
    _require_rest(original, left)
    if wish.items is None:
        return await _whole_rest(ctx, original, left, wish, reason)
    return await _part(ctx, original, left, wish, reason)


async def check(ctx: Context, original: Any, note: Any) -> None:
    """Whether a prepared draft by differences gives back no more than is left of the locked `original`."""
    left = await remaining.remainder(ctx, original)
    if note.correction_method != "substitution":
        _require_rest(original, left)
        credit_limits.limited(original, left, credit_limits.rows_of(note.tax_breakdown), note.prices_include_tax)
        credit_limits.check_goods(original, left, note.items)


async def check_copy(ctx: Context, copy: Any) -> None:
    """Whether the copy of a credit note can be issued beside it. Raises Invalid, saying what can be done instead."""
    original = await effects.original_of(ctx, copy)
    try:
        origins.require_correctable(original)
        await credit_limits.check_back(ctx, original, copy)
    except Invalid as problem:
        spanish = problem.translations["es"].message if "es" in problem.translations else problem.detail
        rest, other = "POST /api/einvoice/credit-note", "POST /api/invoices {docType: credit_note, rectifies}"
        raise bilingual(
            Invalid,
            (
                f"A copy of this credit note could not be issued: {problem.detail}",
                f"Credit what is left of {original.number} with {rest}, or another invoice with {other}.",
            ),
            (
                f"Una copia de esta rectificativa no se podría expedir: {spanish}",
                f"Rectifica lo que quede de {original.number} con {rest}, u otra factura con {other}.",
            ),
        ) from problem


async def _reason(ctx: Context, original: Any, wanted: str | None) -> str | None:
    if wanted is not None:
        await origins.check_reason(ctx, original, wanted, "reason")
        return wanted
    return next(iter(await origins.reasons(ctx, original)), None)


def _require_rest(original: Any, left: Remainder) -> None:
    if not any(credit_limits.amount_in(row, name) for row in left.taxes.values() for name in credit_limits.TAXES):
        numbers = ", ".join(note.number for note in left.corrections)
        raise Invalid.field("invoiceId", InvoicesMsg.NOTHING_LEFT_TO_CREDIT, number=original.number, numbers=numbers)


# ---------------------------------------------------------------- three kinds


async def _whole_rest(
    ctx: Context, original: Any, left: Remainder, wish: CreditNoteRequest, reason: str | None
) -> dict[str, Any]:
    """All lines of which something is left, and a line of its own for what these do not come to."""
    lines = [_given_back(InvoiceItemInput.model_validate(line)) for line in left.lines]
    made = await _drafted(ctx, original, wish, lines, reason, surcharging=False)
    more = _missing(original, left, made["items"])
    if more:
        made = await _drafted(ctx, original, wish, [*lines, *more], reason, surcharging=False)
    return _exactly(
        made, [credit_limits.negated(row) for row in left.taxes.values()], -left.amounts["retention_amount"]
    )


async def _part(
    ctx: Context, original: Any, left: Remainder, wish: CreditNoteRequest, reason: str | None
) -> dict[str, Any]:
    lines = [_given_back(_as_charged(original, item)) for item in wish.items or ()]
    made = await _drafted(ctx, original, wish, lines, reason)
    rows = credit_limits.limited(
        original, left, credit_limits.rows_of(made["tax_breakdown"]), original.prices_include_tax
    )
    credit_limits.check_goods(original, left, made["items"])
    retention = percent_of(_subtotal(rows), original.retention_rate)
    if _is_whole(left, rows):
        retention = -left.amounts["retention_amount"]
    return _exactly(made, rows, retention)


async def _substitution(ctx: Context, original: Any, wish: CreditNoteRequest, reason: str | None) -> dict[str, Any]:
    if not wish.items:
        raise Invalid.field("items", InvoicesMsg.SUBSTITUTION_NEEDS_ITEMS)
    made = await _drafted(ctx, original, wish, wish.items, reason)
    if any(row["base"] < 0 for row in made["tax_breakdown"]):
        raise Invalid.field("items", InvoicesMsg.SUBSTITUTION_BELOW_ZERO)
    return made


async def _drafted(
    ctx: Context,
    original: Any,
    wish: CreditNoteRequest,
    items: Sequence[InvoiceItemInput],
    reason: str | None,
    *,
    surcharging: bool = True,
) -> dict[str, Any]:
    third = original.third_party
    data = InvoiceInput.model_construct(
        doc_type=DocumentKind.CREDIT_NOTE,
        items=list(items),
        tax_rate=original.tax_rate,
        retention_rate=original.retention_rate,
        prices_include_tax=original.prices_include_tax,
        currency=original.currency,
        operation_date=_operation_date(ctx, original, items),
        due_date=ctx.account.today(),
        payment_method=wish.payment_method or original.payment_method,
        issued_by=IssuedBy(original.issued_by),
        third_party=None if third is None else ThirdParty.model_validate(third),
        correction_reason=reason,
        correction_method="substitution" if wish.by_substitution else "differences",
    )
    return (await drafting.new_values(ctx, data, Origins(corrected=original), surcharging=surcharging)).columns


def _operation_date(ctx: Context, original: Any, items: Sequence[InvoiceItemInput]) -> Any:
    """The original's day, where a rate that it charged is no longer in force."""
    if ctx.country is None:
        return None
    now = {rate.percent for rate in ctx.country.tax.rates(ctx.account.today())}
    general = [item for item in items if item.tax is None and item.tax_category is TaxCategory.STANDARD]
    charged = {original.tax_rate if item.tax_rate is None else item.tax_rate for item in general}
    return None if charged <= now else original.operation_date or original.issue_date


# ---------------------------------------------------------------- lines


def _as_charged(original: Any, item: InvoiceItemInput) -> InvoiceItemInput:
    """What the line does not say of its tax, as the lines of the invoice that agree with the rest all have it."""
    said = {name for name in _TAXED & item.model_fields_set if getattr(item, name) is not None}
    lines = [InvoiceItemInput.model_validate(line) for line in original.items]
    alike = [line for line in lines if all(getattr(line, name) == getattr(item, name) for name in said)]
    charged = {name: {getattr(line, name) for line in alike} for name in _TAXED - said}
    return item.model_copy(update={name: values.pop() for name, values in charged.items() if len(values) == 1})


def _given_back(item: InvoiceItemInput) -> InvoiceItemInput:
    """The same line with the sign turned in its price, as goods come back."""
    quantity, price = item.quantity, item.unit_price
    if quantity < 0:
        quantity, price = -quantity, -price
    turned = {"cost_base": _turned(item.cost_base), "purchase_cost": _turned(item.purchase_cost)}
    return item.model_copy(update={"quantity": quantity, "unit_price": -price, **turned})


def _turned(amount: Decimal | None) -> Decimal | None:
    return None if amount is None else -amount


def _missing(original: Any, left: Remainder, lines: Sequence[Mapping[str, Any]]) -> list[InvoiceItemInput]:
    """A line for each tax whose lines do not come to what is left of it: cents, or corrections in other words."""
    come_to: dict[Key, Decimal] = {}
    for line in lines:
        key = _line_key(line)
        come_to[key] = come_to.get(key, _NOTHING) + line["lineTotal"]
    found = []
    for key, row in left.taxes.items():
        wanted = -credit_limits.amount_of(row, included=original.prices_include_tax)
        difference = wanted - come_to.get(key, _NOTHING)
        if difference:
            found.append(_adjusting(original, key, difference))
    return found


def _adjusting(original: Any, key: Key, amount: Decimal) -> InvoiceItemInput:
    tax, category, rate, surcharge, exemption, regime, not_subject_reason, of_margin = key
    return InvoiceItemInput.model_construct(
        description=original.number,
        quantity=Decimal(1),
        unit_price=amount,
        tax_rate=rate,
        discount=None,
        tax_category=TaxCategory(category),
        exemption_code=exemption,
        regime_key=regime,
        not_subject_reason=not_subject_reason,
        surcharge_rate=surcharge or None,
        tax=tax,
        purchase_cost=amount if of_margin else None,
    )


def _line_key(line: Mapping[str, Any]) -> Key:
    surcharge = line["surchargeRate"] or ZERO
    rate, extra = Decimal(line["taxRate"]), Decimal(surcharge)
    taxed = line["tax"], line["taxCategory"], rate, extra
    of_margin = line["purchaseCost"] is not None
    return *taxed, line["exemptionCode"], line["regimeKey"], line["notSubjectReason"], of_margin


# ---------------------------------------------------------------- amounts


def _is_whole(left: Remainder, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the rows give back everything."""
    back = {remaining.key_of(row): row for row in rows}
    return all(
        credit_limits.amount_in(has, name) + (credit_limits.amount_in(back[key], name) if key in back else ZERO) == 0
        for key, has in left.taxes.items()
        for name in credit_limits.TAXES
    )


def _exactly(made: dict[str, Any], rows: Sequence[Mapping[str, Any]], retention: Decimal) -> dict[str, Any]:
    """The draft with these tax rows, and sums of them."""
    kept = [dict(row) for row in rows if any(row[name] for name in credit_limits.TAXES)]
    tax, surcharge = (sum((row[name] for row in kept), _NOTHING) for name in ("amount", "surchargeAmount"))
    base = _subtotal(kept)
    return {
        **made,
        "tax_breakdown": kept,
        "subtotal": base,
        "tax_amount": tax,
        "surcharge_amount": surcharge,
        "retention_amount": retention,
        "total": base + tax + surcharge - retention,
    }


def _subtotal(rows: Sequence[Mapping[str, Any]]) -> Decimal:
    return sum((row["base"] + credit_limits.amount_in(row, "untaxedAmount") for row in rows), _NOTHING)
