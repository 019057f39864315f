"""The lines of an invoice: from what a caller says of each to what is reckoned with, stored and shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from ledgerkit.core.documents.totals import Line
from ledgerkit.core.invoices import margins, surcharges
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.invoices.schemas import InvoiceItemInput
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid, bilingual_field
from ledgerkit.providers.api import TaxCategory, TaxLine, TaxRate
from ledgerkit.texts.common import CommonMsg


@dataclass(frozen=True, kw_only=True)
class Completion:
    """What lines need not say: the usual surcharge at these places, and under a margin scheme what was paid."""

    surcharged: frozenset[int] = surcharges.NO_LINES
    margins_unstated: bool = False


def line(ctx: Context, basis: Mapping[str, Any], number: int, item: InvoiceItemInput, completion: Completion) -> Line:
    """What counts of the line at place `number`. Raises Invalid naming the field."""
    where = f"items[{number}]"
    if item.tax_category is not TaxCategory.STANDARD and item.tax_rate:
        raise Invalid.field(f"{where}.taxRate", InvoicesMsg.UNTAXED_LINE_WITH_RATE, tax_category=item.tax_category)
    if item.tax_category is not TaxCategory.NOT_SUBJECT and item.not_subject_reason is not None:
        raise Invalid.field(f"{where}.notSubjectReason", InvoicesMsg.REASON_NOT_SUBJECT_ONLY)
    on = basis["operation_date"] or basis["issue_date"]
    _check_codes(ctx, item, where)
    rate = _rate(ctx, on, basis, item, where)
    _check_rate(ctx, on, rate, item, where)
    surcharge = item.surcharge_rate
    if surcharge is None and number in completion.surcharged and _may_take_surcharge(item):
        surcharge = surcharges.usual(ctx, on, rate)
    made = Line(
        quantity=item.quantity,
        unit_price=item.unit_price,
        discount=item.discount or ZERO,
        category=item.tax_category,
        rate=rate,
        surcharge_rate=surcharge,
        exemption_code=item.exemption_code,
        regime_key=item.regime_key,
        tax=item.tax,
        cost_base=item.cost_base,
        not_subject_reason=item.not_subject_reason,
        purchase_cost=item.purchase_cost,
    )
    margins.check(ctx, made, where, unstated=completion.margins_unstated)
    return made


def _may_take_surcharge(item: InvoiceItemInput) -> bool:
    return item.tax_category is TaxCategory.STANDARD and item.tax is None and item.purchase_cost is None


def _rate(ctx: Context, on: date, basis: Mapping[str, Any], item: InvoiceItemInput, where: str) -> Decimal:
    """The line's own, else the invoice's; of another tax than the general one, that tax's usual rate."""
    if item.tax_category is not TaxCategory.STANDARD:
        return ZERO
    if item.tax_rate is not None or item.tax is None:
        return Decimal(basis["tax_rate"] if item.tax_rate is None else item.tax_rate)
    known = ctx.country.tax.rates(on, item.tax) if ctx.country else ()
    if not known:
        raise Invalid.field(f"{where}.taxRate", InvoicesMsg.TAX_RATE_NEEDED, tax=item.tax)
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
        raise Invalid.field(
            named,
            InvoicesMsg.TAX_RATE_NOT_IN_FORCE,
            code=Code.TAX_RATE_UNKNOWN,
            rate=f"{rate.normalize():f}",
            on=on,
            allowed=allowed,
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
        ("notSubjectReason", item.not_subject_reason, ctx.country.not_subject_reasons),
    ):
        if value is not None and value not in known:
            listed = ", ".join(known)
            raise Invalid.field(f"{where}.{name}", InvoicesMsg.UNKNOWN_TAX_CODE, listed=listed or CommonMsg.NONE)


def stored(item: InvoiceItemInput, line: Line, amount: Decimal) -> dict[str, Any]:
    return {
        "description": item.description,
        "quantity": line.quantity,
        "unitPrice": line.unit_price,
        "taxRate": line.rate,
        "discount": line.discount,
        "taxCategory": line.category.value,
        "exemptionCode": line.exemption_code,
        "regimeKey": line.regime_key,
        "notSubjectReason": line.not_subject_reason,
        "surchargeRate": line.surcharge_rate,
        surcharges.BY_DEFAULT: line.surcharge_rate is not None and item.surcharge_rate is None,
        "catalogItemId": item.catalog_item_id,
        "variantIndex": item.variant_index,
        "unit": item.unit,
        "tax": line.tax,
        "costBase": line.cost_base,
        "purchaseCost": line.purchase_cost,
        "lineTotal": amount,
    }


def items_of(old: Any, *, following: Decimal) -> list[InvoiceItemInput]:
    """The stored lines as input again; those at the invoice's old rate follow it to the new one.

    A surcharge that a line took by default is left open, to be taken again as the line is now.
    """
    items = [_as_input(item) for item in old.items]
    return [
        item.model_copy(update={"tax_rate": None if item.tax_rate == old.tax_rate else item.tax_rate})
        if following != old.tax_rate and item.tax is None
        else item
        for item in items
    ]


def _as_input(item: Mapping[str, Any]) -> InvoiceItemInput:
    known = InvoiceItemInput.model_validate(item)
    return known.model_copy(update={"surcharge_rate": None}) if item[surcharges.BY_DEFAULT] else known


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
        "notSubjectReason": row.not_subject_reason,
        "untaxedAmount": row.untaxed,
    }
