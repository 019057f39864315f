"""Credit note of a refund: issued, sealed and paid at once, for the invoice whose money is paid back."""

from collections.abc import Sequence
from decimal import Decimal

from ledgerkit.core.cash_register.api import MovementInput
from ledgerkit.core.cash_register.table import CashRegisterRow
from ledgerkit.core.cash_register.texts import CashRegisterMsg
from ledgerkit.core.einvoice.issuance import credit_note
from ledgerkit.core.platform.documents import einvoicing_state
from ledgerkit.core.platform.documents.einvoicing_state import Off
from ledgerkit.core.platform.documents.totals import TOLERANCE
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices.api import InvoiceItemInput
from ledgerkit.core.sales.invoices.content.fields import as_input
from ledgerkit.core.sales.invoices.drafts.credit_notes import CreditNoteRequest
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.json_columns.codecs import StoredLine
from ledgerkit.core.sales.invoices.payments.operations import RequestedPayment
from ledgerkit.core.sales.invoices.posting import refundable, remainders
from ledgerkit.core.sales.invoices.posting.remainders import Remainder
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.money import HUNDRED, ZERO, round_cents
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import DocumentKind


async def credit_note_of(
    ctx: Context,
    register: CashRegisterRow,
    data: MovementInput,
    lines: Sequence[StoredLine],
    *,
    prices_include_tax: bool,
) -> InvoiceRow | None:
    """Issue the credit note of a refund; None where its invoice was not emitted, or electronic invoicing is off.

    `lines` are the priced lines of the refund, whose prices contain the tax or not; without any the amount decides what
    is given back. Who may use a till may take back its sales; to correct an ordinary invoice takes the right to emit.
    Raises Invalid when more would be given back than was sold or paid.
    """
    if data.invoice_id is None or not einvoicing_state.documents_sales(ctx):
        return None
    original = await lifecycle.fetch_locked(ctx, data.invoice_id)
    if original.einvoice is None and original.unrecorded != Off.REGIME:
        return None
    if original.doc_type != DocumentKind.SIMPLIFIED:
        ctx.require(Permission.EINVOICE_EMIT)
    if original.currency != register.currency:
        raise Invalid.field(
            "invoiceId",
            CashRegisterMsg.REFUND_CURRENCY,
            currency=original.currency,
            register_currency=register.currency,
        )
    left = await remainders.remainder(ctx, original)
    _check_paid(original, left, data.amount)
    items = _items(original, left, data, lines, included=prices_include_tax)
    request = CreditNoteRequest(items=items, payment_method=data.payment_method.value)
    payment = RequestedPayment(amount=None, method=data.payment_method.value, paid_at=ctx.account.today())
    note: InvoiceRow = await credit_note.issue(ctx, original, request, payment)
    if abs(note.total + data.amount) > TOLERANCE:
        raise Invalid.field(
            "amount", CashRegisterMsg.REFUND_DIFFERS, value=-note.total, number=original.number, amount=data.amount
        )
    return note


def _check_paid(original: InvoiceRow, left: Remainder, amount: Decimal) -> None:
    """Raise Invalid when more is paid back than was paid."""
    paid = refundable.paid(original, left)
    if amount > paid + TOLERANCE:
        raise Invalid.field("amount", CashRegisterMsg.REFUND_EXCEEDS_PAYMENTS, number=original.number, paid=paid)


def _items(
    original: InvoiceRow, left: Remainder, data: MovementInput, lines: Sequence[StoredLine], *, included: bool
) -> list[InvoiceItemInput] | None:
    """Return the lines, priced as those of the original; without any, None for all that remains, or one line."""
    if lines:
        includes_tax = original.prices_include_tax
        return [
            as_input(remainders.priced(line, included=included, target_includes_tax=includes_tax)) for line in lines
        ]
    if abs(left.amounts.total - data.amount) <= TOLERANCE:
        return None
    return [_line_of_amount(original, left, data)]


def _line_of_amount(original: InvoiceRow, left: Remainder, data: MovementInput) -> InvoiceItemInput:
    """Return one line that comes to the amount. Raises Invalid where several taxes remain, a retention or a margin."""
    rows = [row for row in left.taxes.values() if row.base]
    if len(rows) != 1 or original.retention_rate or rows[0].untaxed_amount is not None:
        raise Invalid.field("lineItems", CashRegisterMsg.REFUND_NEEDS_LINES, number=original.number)
    row = rows[0]
    price = data.amount
    if not original.prices_include_tax:
        price = round_cents(price * HUNDRED / (HUNDRED + row.rate + (row.surcharge_rate or ZERO)))
    return InvoiceItemInput.model_construct(
        description=data.description,
        quantity=Decimal(1),
        unit_price=price,
        tax_rate=row.rate,
        tax_category=row.category,
        exemption_code=row.exemption_code,
        regime_key=row.regime_key,
        not_subject_reason=row.not_subject_reason,
        surcharge_rate=row.surcharge_rate or None,
        tax=row.tax,
    )
