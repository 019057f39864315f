"""The only way to a number: where e-invoicing is on, the record is sealed in the transaction that gives the number."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from ledgerkit.core.documents import einvoicing_state
from ledgerkit.core.einvoice import channels
from ledgerkit.core.einvoice.chain import append
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.issuance import sealing
from ledgerkit.core.identity import accounts
from ledgerkit.core.invoices import document as documents
from ledgerkit.core.invoices import lifecycle
from ledgerkit.core.invoices.lifecycle import Settlement
from ledgerkit.core.request.context import Context


class Issued(NamedTuple):
    """The row of an issued document, and that of its record; None where e-invoicing is off."""

    row: Any
    record: Any


async def decided(ctx: Context) -> Context:
    """The same, where whether e-invoicing is on holds to the end of the transaction.

    It may have been switched since the request came in. Of an account that has records nothing is asked: it is on for
    good. Whoever calls this holds the lock on the document already, and not yet the one on the chain.
    """
    if einvoicing_state.has_started(ctx.kernel, ctx.account):
        return ctx
    return await accounts.held(ctx, alone=einvoicing_state.is_on(ctx))


async def issue(
    ctx: Context, row: Any, settle: Callable[[Decimal], Settlement] | None = None, *, awaited: bool = False
) -> Issued:
    """Number the locked draft `row`, and seal its record where e-invoicing is on.

    `settle` as for `lifecycle.issue`. `awaited`: the caller sends the record after the commit, so that nobody else
    needs to be called. Raises before anything is numbered: Invalid, also FISCAL_CHECK_FAILED and
    EINVOICE_UNSUPPORTED; PaymentRequired EINVOICE_LIMIT.
    """
    ctx = await decided(ctx)
    if not einvoicing_state.is_on(ctx):
        return Issued(await lifecycle.issue(ctx, row, settle), None)
    ready = await sealing.prepare(ctx, row, channels.reporting(ctx))
    made: list[RecordWithStatus] = []

    async def seal(complete: Any, number: str) -> Settlement:
        same = ready.document if complete is ready.row else await documents.document(ctx, complete)
        whole = replace(same, number=number)
        sealed = ready.channel.seal(whole, ready.at_once(ctx))
        kept = replace(ready.sealing, document_digest=sealing.digest(whole))
        made.append(append.new_record(ctx, complete, ready.head, sealed, kept))
        return sealing.written(ctx, ready.head, made[0], kept)

    issued = await lifecycle.issue(ctx, ready.row, settle, seal)
    await sealing.pass_on(ctx, ready.head, made[0], woken=True, awaited=awaited)
    return Issued(issued, made[0].record)
