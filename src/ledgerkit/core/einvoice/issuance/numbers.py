"""Number a draft. No other module does, because the fiscal record is sealed in the same transaction (ADR 17)."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from ledgerkit.core.einvoice.authority import channels
from ledgerkit.core.einvoice.chain import append
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.issuance import seals
from ledgerkit.core.einvoice.table import RecordColumns
from ledgerkit.core.einvoice.transmission import number_recovery
from ledgerkit.core.platform.documents import einvoicing_state
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Errors
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices.documents import frozen as documents
from ledgerkit.core.sales.invoices.issuance import day, lifecycle, series
from ledgerkit.core.sales.invoices.issuance.lifecycle import Settlement
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.problems import Code, Invalid, NotFound, PaymentRequired, Rejected, Unavailable

NUMBERING_ERRORS: Errors = [
    (
        Invalid,
        {
            Code.ISSUE_DATE_BEFORE_LAST,
            Code.FISCAL_CHECK_FAILED,
            Code.INVOICE_ANNULLED,
            Code.EINVOICE_UNSUPPORTED,
            Code.ISSUER_INCOMPLETE,
            Code.TAX_RATE_UNKNOWN,
            Code.NUMBER_TAKEN,
        },
    ),
    (PaymentRequired, {Code.EINVOICE_LIMIT}),
    (Unavailable, {Code.CLOCK_WRONG}),
]
"""Refusals of every operation that may give an invoice its number."""

EMISSION_ERRORS: Errors = [
    *NUMBERING_ERRORS,
    (
        Invalid,
        {Code.TAX_ID_INVALID, Code.EINVOICING_OFF, Code.NOT_EMITTED, Code.NOT_CORRECTABLE, Code.INVOICE_EXTERNAL},
    ),
    (NotFound, {Code.NOT_FOUND}),
    (Rejected, {Code.AUTHORITY_REJECTED, Code.NUMBER_TAKEN}),
]
"""Refusals of every operation that has a record sent and waits for the authority's answer."""


class Issued(NamedTuple):
    """An issued document and its fiscal record; the record is None where e-invoicing is off."""

    row: InvoiceRow
    record: RecordColumns | None


async def lock_einvoicing_choice(ctx: Context) -> Context:
    """Return a context in which the account's choice of e-invoicing cannot change before the transaction ends.

    The choice is read again, because it may have changed after the request was authenticated. An account that has
    records needs no lock, because its e-invoicing cannot be switched off. The caller holds the lock on the document,
    and not yet the lock on the chain.
    """
    if einvoicing_state.has_started(ctx.kernel, ctx.account):
        return ctx
    return await accounts.with_locked_profile(ctx, exclusive=einvoicing_state.is_on(ctx))


async def issue(
    ctx: Context, row: InvoiceRow, settle: Callable[[Decimal], Settlement] | None = None, *, awaited: bool = False
) -> Issued:
    """Date the locked draft `row` if it states no date, number it, and seal its record where e-invoicing is on.

    `settle` as for `lifecycle.issue`. With `awaited` the caller sends the record after the commit, so that no job is
    queued for it. The credentials must cover sealing; the role need not, because a member sells at the till.
    Raises before anything is numbered: OutOfScope; Invalid, also FISCAL_CHECK_FAILED, EINVOICE_UNSUPPORTED and
    ISSUER_INCOMPLETE; PaymentRequired EINVOICE_LIMIT.
    """
    ctx = await lock_einvoicing_choice(ctx)
    channels.require_issuer(ctx)
    row = await day.dated(ctx, row)
    if not einvoicing_state.is_on(ctx):
        return Issued(await lifecycle.issue(ctx, await series.settled(ctx, row), settle), None)
    ctx.require_scope(Permission.EINVOICE_EMIT)
    ready = await seals.prepare(ctx, row, channels.reporting(ctx))
    number_recovery.require_known(ctx, ready.head, ready.channel)
    ready = replace(ready, row=await series.settled(ctx, ready.row))
    sealed_records: list[RecordWithStatus] = []

    async def seal(complete_row: InvoiceRow, number: str) -> Settlement:
        is_unchanged = complete_row is ready.row
        unnumbered = ready.document if is_unchanged else await documents.document(ctx, complete_row)
        document = replace(unnumbered, number=number)
        sealed = ready.channel.seal(document, ready.place_now(ctx))
        details = replace(ready.details, document_digest=seals.content_digest(document))
        sealed_records.append(append.new_record(ctx, complete_row, ready.head, sealed, details))
        return seals.settlement(ctx, ready.head, sealed_records[0], details)

    issued = await lifecycle.issue(ctx, ready.row, settle, seal)
    await seals.notify_sender(ctx, ready.head, sealed_records[0], already_written=True, awaited=awaited)
    return Issued(issued, sealed_records[0].record)
