"""The amounts of an invoice that came in: from its lines as our own are reckoned, or from what is said of its total."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ledgerkit.core.documents.totals import TOLERANCE, Line, Totals, total
from ledgerkit.core.supplier_invoices.schemas import SupplierInvoiceInput
from ledgerkit.money import HUNDRED, LARGEST, ZERO, RoundingPolicy, percent_of, round_cents
from ledgerkit.problems import Invalid, bilingual, bilingual_error, bilingual_field
from ledgerkit.providers.api import TaxCategory, TaxLine

_NOTHING = Decimal("0.00")


@dataclass(frozen=True, kw_only=True)
class SupplierInvoiceAmounts:
    """One document's amounts, two decimals, as its row holds them: total = subtotal + tax + surcharge - retention.

    `self_assessed` is the tax of which the buyer is the debtor: no part of the total.
    """

    subtotal: Decimal
    tax: Decimal
    surcharge: Decimal
    self_assessed: Decimal
    retention: Decimal
    items: Sequence[Mapping[str, Any]]
    breakdown: Sequence[Mapping[str, Any]]

    @property
    def total(self) -> Decimal:
        return self.subtotal + self.tax + self.surcharge - self.retention

    def columns(self, deductible_percent: Decimal) -> dict[str, Any]:
        """By the names of the table's columns. A surcharge is never deductible, so it lowers no tax."""
        return {
            "items": self.items,
            "tax_breakdown": self.breakdown,
            "subtotal": self.subtotal,
            "tax_amount": self.tax,
            "surcharge_amount": self.surcharge,
            "self_assessed_tax": self.self_assessed,
            "deductible_tax_amount": percent_of(self.tax + self.self_assessed, deductible_percent),
            "retention_amount": self.retention,
            "total": self.total,
        }


def reckon(data: SupplierInvoiceInput, tax_rate: Decimal, policy: RoundingPolicy) -> SupplierInvoiceAmounts:
    """The amounts of what is recorded; `tax_rate` (percent) is that of lines, or of a total, that name none.

    Items are reckoned as our own invoices are, rounded as `policy` says; amounts given beside them must agree to the
    cent. Raises Invalid naming the field that does not agree, or that is missing.
    """
    amounts = _of_items(data, tax_rate, policy) if data.items else _of_total(data, tax_rate)
    _check_retention(data, amounts)
    _check_bounds(data, amounts)
    return amounts


def charged(data: SupplierInvoiceInput) -> bool:
    """Whether the vendor charges the tax, rather than the buyer assessing it (LIVA art. 84.Uno.2, 85)."""
    return not data.reverse_charge and data.intra_eu == "none"


# ---------------------------------------------------------------- from the lines


def _of_items(data: SupplierInvoiceInput, tax_rate: Decimal, policy: RoundingPolicy) -> SupplierInvoiceAmounts:
    lines = list(_lines(data, tax_rate))
    sums = total(lines, data.retention_rate or ZERO, policy)
    amounts = SupplierInvoiceAmounts(
        subtotal=sums.subtotal,
        tax=sums.tax if charged(data) else _NOTHING,
        surcharge=sums.surcharge if charged(data) else _NOTHING,
        self_assessed=_NOTHING if charged(data) else sums.tax,
        retention=sums.retention if data.retention_amount is None else data.retention_amount,
        items=_stored(data, lines, sums),
        breakdown=[_row(tax) for tax in sums.taxes],
    )
    _check_agreement(data, amounts)
    return amounts


def _lines(data: SupplierInvoiceInput, tax_rate: Decimal) -> Iterator[Line]:
    for item in data.items or ():
        yield Line(
            quantity=item.quantity,
            unit_price=item.unit_price,
            discount=item.discount or ZERO,
            category=TaxCategory.STANDARD,
            rate=tax_rate if item.tax_rate is None else item.tax_rate,
            surcharge_rate=item.surcharge_rate,
        )


def _stored(data: SupplierInvoiceInput, lines: Sequence[Line], sums: Totals) -> list[dict[str, Any]]:
    return [
        {
            "description": item.description,
            "quantity": line.quantity,
            "unitPrice": line.unit_price,
            "taxRate": line.rate,
            "discount": line.discount,
            "surchargeRate": line.surcharge_rate,
            "lineTotal": net,
        }
        for item, line, net in zip(data.items or (), lines, sums.lines, strict=True)
    ]


def _check_agreement(data: SupplierInvoiceInput, amounts: SupplierInvoiceAmounts) -> None:
    said = {
        "total": (data.total, amounts.total),
        "subtotal": (data.subtotal, amounts.subtotal),
        "taxAmount": (data.tax_amount, amounts.tax),
    }
    wrong = {field: pair for field, pair in said.items() if pair[0] is not None and pair[0] != pair[1]}
    if wrong:
        raise _disagreeing(wrong)


def _disagreeing(wrong: Mapping[str, tuple[Decimal | None, Decimal]]) -> Invalid:
    """A problem naming each field with what is said of it, and what the items make."""
    english = {field: f"is {given}, but the items make {reckoned}" for field, (given, reckoned) in wrong.items()}
    spanish = {field: f"es {given}, pero las líneas suman {reckoned}" for field, (given, reckoned) in wrong.items()}
    remedy = "Correct the items or the amounts; if the vendor rounds in another way, send the amounts alone."
    remedio = "Corrige las líneas o los importes; si el proveedor redondea de otro modo, envía solo los importes."
    return bilingual(
        Invalid,
        ("; ".join(f"{field} {said}" for field, said in english.items()), remedy),
        ("; ".join(f"{field} {said}" for field, said in spanish.items()), remedio),
        errors=[
            bilingual_error(field, "disagrees", (english[field], remedy), (spanish[field], remedio)) for field in wrong
        ],
    )


# ---------------------------------------------------------------- from the total


def _of_total(data: SupplierInvoiceInput, tax_rate: Decimal) -> SupplierInvoiceAmounts:
    """The parts of a total: those that are said, the rest from the rates; the tax takes what rounding leaves."""
    if data.total is None:
        english, spanish = (
            ("is needed, or items", "Add total or items."),
            ("hace falta, o items", "Añade total o items."),
        )
        raise bilingual_field("total", english, spanish)
    rate = tax_rate if charged(data) else ZERO
    subtotal = _base(data, data.total, rate) if data.subtotal is None else data.subtotal
    retention = data.retention_amount
    if retention is None:
        retention = percent_of(subtotal, data.retention_rate or ZERO)
    tax = data.total - subtotal + retention if data.tax_amount is None else data.tax_amount
    if subtotal + tax - retention != data.total:
        made = subtotal + tax - retention
        raise bilingual_field(
            "total",
            (f"is {data.total}, but subtotal, tax and retention make {made}", "Correct total, or leave it out."),
            (f"es {data.total}, pero base, impuesto y retención suman {made}", "Corrige total, u omítelo."),
        )
    _check_tax(data, subtotal, tax, rate)
    own = _NOTHING if charged(data) else percent_of(subtotal, tax_rate)
    return SupplierInvoiceAmounts(
        subtotal=subtotal,
        tax=tax,
        surcharge=_NOTHING,
        self_assessed=own,
        retention=retention,
        items=[],
        breakdown=[_row(TaxLine(category=TaxCategory.STANDARD, rate=tax_rate, base=subtotal, amount=tax + own))],
    )


def _base(data: SupplierInvoiceInput, owed: Decimal, rate: Decimal) -> Decimal:
    """The base of which `owed` is what remains with the tax and without the retention, in whole cents."""
    fixed, share = owed, HUNDRED
    if data.tax_amount is None:
        share += rate
    else:
        fixed -= data.tax_amount
    if data.retention_amount is None:
        share -= data.retention_rate or ZERO
    else:
        fixed += data.retention_amount
    if share <= 0:
        raise bilingual_field(
            "subtotal",
            (f"cannot be told from the total at a retention of {data.retention_rate} %", "Send subtotal."),
            (f"no se deduce del total con una retención del {data.retention_rate} %", "Envía subtotal."),
        )
    return round_cents(fixed * HUNDRED / share)


def _check_tax(data: SupplierInvoiceInput, subtotal: Decimal, tax: Decimal, rate: Decimal) -> None:
    """The tax is the rate's, give or take two cents; none is none."""
    if not charged(data) and tax:
        raise bilingual_field(
            "taxAmount",
            ("must be 0: with reverseCharge or intraEu the vendor charges no tax", "Leave taxAmount out."),
            ("debe ser 0: con reverseCharge o intraEu el proveedor no repercute impuesto", "Omite taxAmount."),
        )
    if abs(tax - percent_of(subtotal, rate)) > (TOLERANCE if rate else ZERO):
        raise bilingual_field(
            "taxRate",
            (
                f"{tax} is not {rate.normalize():f} % of {subtotal}",
                "Give the taxRate that was charged; send items when there are several rates.",
            ),
            (
                f"{tax} no es el {rate.normalize():f} % de {subtotal}",
                "Indica el taxRate repercutido; envía items si hay varios tipos.",
            ),
        )


# ---------------------------------------------------------------- of both


def _row(tax: TaxLine) -> dict[str, Any]:
    return {
        "rate": tax.rate,
        "base": tax.base,
        "amount": tax.amount,
        "surchargeRate": tax.surcharge_rate,
        "surchargeAmount": tax.surcharge_amount,
    }


def _check_retention(data: SupplierInvoiceInput, amounts: SupplierInvoiceAmounts) -> None:
    if data.retention_rate is None or data.retention_amount is None:
        return
    if abs(data.retention_amount - percent_of(amounts.subtotal, data.retention_rate)) > TOLERANCE:
        percent = f"{data.retention_rate.normalize():f} %"
        raise bilingual_field(
            "retentionAmount",
            (f"is not {percent} of {amounts.subtotal}", "Send what was withheld, rate or amount."),
            (f"no es el {percent} de {amounts.subtotal}", "Envía lo que se retuvo: el tipo o el importe."),
        )


def _check_bounds(data: SupplierInvoiceInput, amounts: SupplierInvoiceAmounts) -> None:
    where = "items" if data.items else "total"
    parts = (amounts.subtotal, amounts.tax, amounts.self_assessed, amounts.retention, amounts.total)
    rows = [amount for row in amounts.breakdown for amount in (row["base"], row["amount"], row["surchargeAmount"])]
    lines = [item["lineTotal"] for item in amounts.items]
    if max(map(abs, (*parts, amounts.surcharge, *rows, *lines))) > LARGEST:
        raise bilingual_field(
            where,
            (f"amounts above {LARGEST} cannot be kept", f"Correct {where}."),
            (f"no caben importes de más de {LARGEST}", f"Corrige {where}."),
        )
    if min(*parts, amounts.surcharge) < 0:
        raise bilingual_field(
            where,
            ("the amounts of an invoice may not be negative", f"Correct {where}."),
            ("los importes de una factura no pueden ser negativos", f"Corrige {where}."),
        )
