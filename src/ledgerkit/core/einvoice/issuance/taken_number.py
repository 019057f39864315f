"""Refusals while the authority has somebody else's document under an invoice's number.

Nothing may be sent that would change that document, and nothing may be made that names it: no annulment, no credit
note, no mail. `ways_out` has the two ways out.
"""

from collections.abc import Sequence

from ledgerkit.core.einvoice.chain import history
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.issuance.texts import IssuanceMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.problems import Code, Invalid


def check_own(records: Sequence[RecordWithStatus], fiscal_id: str | None = None) -> None:
    """Raise Invalid NUMBER_TAKEN when somebody else's document has the number of the invoice with these records.

    `fiscal_id`: the id that the caller sent, which may contain an earlier number of the invoice.
    """
    present = records[-1].record
    if fiscal_id is not None and fiscal_id not in {record.record.fiscal_id for record in records}:
        raise Invalid(IssuanceMsg.NUMBER_GIVEN_UP, code=Code.NUMBER_TAKEN, number=present.number)
    if history.number_taken(records) is not None:
        raise Invalid(IssuanceMsg.NUMBER_TAKEN, code=Code.NUMBER_TAKEN, number=present.number)


async def check_invoice(ctx: Context, row: InvoiceRow) -> None:
    """Raise Invalid NUMBER_TAKEN when somebody else's document has the invoice's number."""
    if row.einvoice is None:
        return
    records = await history.of_invoice(ctx, row.id)
    if records:
        check_own(records)


async def check_origins(ctx: Context, origins: Sequence[InvoiceRow]) -> None:
    """Raise Invalid NUMBER_TAKEN when one of the documents that a new one names has somebody else's number."""
    for origin in origins:
        await check_invoice(ctx, origin)
