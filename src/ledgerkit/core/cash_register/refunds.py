"""What a refund makes of the invoice whose money it pays back: a credit note, issued, sealed and paid at once."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from ledgerkit.core.cash_register.schemas import MovementInput
from ledgerkit.core.documents import einvoicing_state
from ledgerkit.core.documents.totals import TOLERANCE
from ledgerkit.core.einvoice.issuance import credit_note
from ledgerkit.core.invoices import lifecycle
from ledgerkit.core.invoices.credit_notes import Wish
from ledgerkit.core.invoices.payments import Paying
from ledgerkit.core.invoices.posting import remaining
from ledgerkit.core.invoices.posting.remaining import Remainder
from ledgerkit.core.invoices.schemas import InvoiceItemInput
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.permissions import Permission
from ledgerkit.money import HUNDRED, ZERO, round_cents
from ledgerkit.problems import bilingual_field
from ledgerkit.providers.api import DocumentKind, TaxCategory


async def credited(ctx: Context, register: Any, data: MovementInput, lines: Sequence[dict[str, Any]]) -> Any:
    """The row of the refund's credit note; None where its invoice was not emitted, or electronic invoicing is off.

    `lines` are those of the refund, priced; without any the amount says what comes back. Whoever may use a till may
    take back its sales; to correct an ordinary invoice takes the right to emit. Raises Invalid when more would come
    back than was sold or paid.
    """
    if data.invoice_id is None or not einvoicing_state.is_on(ctx):
        return None
    original = await lifecycle.locked(ctx, data.invoice_id)
    if original.einvoice is None:
        return None
    if original.doc_type != DocumentKind.SIMPLIFIED:
        ctx.require(Permission.EINVOICE_EMIT)
    if original.currency != register.currency:
        raise bilingual_field(
            "invoiceId",
            (
                f"is in {original.currency}, and this register in {register.currency}",
                "Refund it from a register of its currency.",
            ),
            (
                f"está en {original.currency}, y esta caja en {register.currency}",
                "Devuélvela desde una caja de su moneda.",
            ),
        )
    left = await remaining.of(ctx, original)
    _check_paid(original, left, data.amount)
    wish = Wish(items=_items(original, left, data, lines), payment_method=data.payment_method.value)
    paying = Paying(amount=None, method=data.payment_method.value, paid_at=ctx.account.today())
    note = await credit_note.issue(ctx, original, wish, paying)
    if abs(note.total + data.amount) > TOLERANCE:
        raise bilingual_field(
            "amount",
            (
                f"comes to {-note.total} by {original.number}, not to {data.amount}",
                "Refund what the lines come to, or say lineItems.",
            ),
            (
                f"son {-note.total} según {original.number}, no {data.amount}",
                "Devuelve lo que suman las líneas, o indica lineItems.",
            ),
        )
    return note


def _check_paid(original: Any, left: Remainder, amount: Decimal) -> None:
    """No more is paid back than was paid."""
    paid = original.amount_paid + sum((note.amount_paid for note in left.corrections), ZERO)
    if amount > paid + TOLERANCE:
        raise bilingual_field(
            "amount",
            (
                f"is more than what is left of the payments of {original.number}: {paid}",
                f"Refund {paid} at most; note payments before they are refunded.",
            ),
            (
                f"es más de lo que queda de los pagos de {original.number}: {paid}",
                f"Devuelve {paid} como máximo; anota los pagos antes de devolverlos.",
            ),
        )


def _items(
    original: Any, left: Remainder, data: MovementInput, lines: Sequence[dict[str, Any]]
) -> list[InvoiceItemInput] | None:
    """The lines, priced as those of the original; without any, all that is left, or one line of the amount."""
    if lines:
        wanted = original.prices_include_tax
        same = [remaining.priced(line, included=line["pricesIncludeTax"], wanted=wanted) for line in lines]
        return [InvoiceItemInput.model_validate(line) for line in same]
    if abs(left.amounts["total"] - data.amount) <= TOLERANCE:
        return None
    return [_of_amount(original, left, data)]


def _of_amount(original: Any, left: Remainder, data: MovementInput) -> InvoiceItemInput:
    rows = [row for row in left.taxes.values() if Decimal(row["base"])]
    if len(rows) != 1 or original.retention_rate or rows[0]["untaxedAmount"] is not None:
        raise bilingual_field(
            "lineItems",
            (
                f"are needed to refund a part: {original.number} has several taxes, a retention or a margin",
                "Say lineItems, or refund all that is left.",
            ),
            (
                f"hacen falta para una parte: {original.number} tiene varios impuestos, una retención o un margen",
                "Indica lineItems, o devuelve todo lo que queda.",
            ),
        )
    row = rows[0]
    surcharge = Decimal(row["surchargeRate"] or ZERO)
    price = data.amount
    if not original.prices_include_tax:
        price = round_cents(price * HUNDRED / (HUNDRED + Decimal(row["rate"]) + surcharge))
    return InvoiceItemInput.model_construct(
        description=data.description,
        quantity=Decimal(1),
        unit_price=price,
        tax_rate=Decimal(row["rate"]),
        tax_category=TaxCategory(row["category"]),
        exemption_code=row["exemptionCode"],
        regime_key=row["regimeKey"],
        not_subject_reason=row["notSubjectReason"],
        surcharge_rate=surcharge or None,
        tax=row["tax"],
    )
