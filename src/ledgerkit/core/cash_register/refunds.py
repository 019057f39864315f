"""What a refund makes of the invoice whose money it pays back: a credit note, issued, sealed and paid at once."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from ledgerkit.core.cash_register.messages import CashRegisterMsg
from ledgerkit.core.cash_register.schemas import MovementInput
from ledgerkit.core.documents import einvoicing_state
from ledgerkit.core.documents.totals import TOLERANCE
from ledgerkit.core.einvoice.issuance import credit_note
from ledgerkit.core.invoices import lifecycle
from ledgerkit.core.invoices.credit_notes import CreditNoteRequest
from ledgerkit.core.invoices.payments import RequestedPayment
from ledgerkit.core.invoices.posting import remaining
from ledgerkit.core.invoices.posting.remaining import Remainder
from ledgerkit.core.invoices.schemas import InvoiceItemInput
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.permissions import Permission
from ledgerkit.money import HUNDRED, ZERO, round_cents
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import DocumentKind, TaxCategory


async def credited(ctx: Context, register: Any, data: MovementInput, lines: Sequence[dict[str, Any]]) -> Any:
    """The row of the refund's credit note; None where its invoice was not emitted, or electronic invoicing is off.

    `lines` are those of the refund, priced; without any the amount says what comes back. Whoever may use a till may
    take back its sales; to correct an ordinary invoice takes the right to emit. Raises Invalid when more would come
    back than was sold or paid.
    """
    if data.invoice_id is None or not einvoicing_state.is_on(ctx):
        return None
    original = await lifecycle.fetch_locked(ctx, data.invoice_id)
    if original.einvoice is None:
        return None
    if original.doc_type != DocumentKind.SIMPLIFIED:
        ctx.require(Permission.EINVOICE_EMIT)
    if original.currency != register.currency:
        raise Invalid.field(
            "invoiceId",
            CashRegisterMsg.REFUND_CURRENCY,
            currency=original.currency,
            currency_2=register.currency,
        )
    left = await remaining.remainder(ctx, original)
    _check_paid(original, left, data.amount)
    wish = CreditNoteRequest(items=_items(original, left, data, lines), payment_method=data.payment_method.value)
    paying = RequestedPayment(amount=None, method=data.payment_method.value, paid_at=ctx.account.today())
    note = await credit_note.issue(ctx, original, wish, paying)
    if abs(note.total + data.amount) > TOLERANCE:
        raise Invalid.field(
            "amount", CashRegisterMsg.REFUND_DIFFERS, value=-note.total, number=original.number, amount=data.amount
        )
    return note


def _check_paid(original: Any, left: Remainder, amount: Decimal) -> None:
    """No more is paid back than was paid."""
    paid = original.amount_paid + sum((note.amount_paid for note in left.corrections), ZERO)
    if amount > paid + TOLERANCE:
        raise Invalid.field("amount", CashRegisterMsg.REFUND_EXCEEDS_PAYMENTS, number=original.number, paid=paid)


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
        raise Invalid.field("lineItems", CashRegisterMsg.REFUND_NEEDS_LINES, number=original.number)
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
