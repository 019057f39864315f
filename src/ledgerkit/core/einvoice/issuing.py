"""The only way to a number: where e-invoicing is on, the record is sealed in the transaction that gives the number."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from ledgerkit.core import einvoicing
from ledgerkit.core.context import Context
from ledgerkit.core.einvoice import channels, recording, sealing
from ledgerkit.core.einvoice.history import Found
from ledgerkit.core.identity import accounts
from ledgerkit.core.invoices import document as documents
from ledgerkit.core.invoices import lifecycle
from ledgerkit.core.invoices.lifecycle import Settlement


class Issued(NamedTuple):
    """The row of an issued document, and that of its record; None where e-invoicing is off."""

    row: Any
    record: Any


async def issue(
    ctx: Context, row: Any, settle: Callable[[Decimal], Settlement] | None = None, *, awaited: bool = False
) -> Issued:
    """Number the locked draft `row`, and seal its record where e-invoicing is on.

    `settle` as for `lifecycle.issue`. `awaited`: the caller sends the record after the commit, so that nobody else
    needs to be called. Raises before anything is numbered: Invalid, also FISCAL_CHECK_FAILED and
    EINVOICE_UNSUPPORTED; PaymentRequired EINVOICE_LIMIT.
    """
    if not einvoicing.is_on(ctx):
        ctx = await accounts.held(ctx)  # it may have been switched on since the request came in
    if not einvoicing.is_on(ctx):
        return Issued(await lifecycle.issue(ctx, row, settle), None)
    ready = await sealing.prepare(ctx, row, channels.reporting(ctx))
    made: list[Found] = []

    async def seal(complete: Any, number: str) -> Settlement:
        same = ready.document if complete is ready.row else await documents.document(ctx, complete)
        whole = replace(same, number=number)
        sealed = ready.channel.seal(whole, ready.at_once(ctx))
        kept = replace(ready.sealing, told=sealing.digest(whole))
        made.append(recording.made(ctx, complete, ready.head, sealed, kept))
        return sealing.written(ctx, ready.head, made[0], kept)

    issued = await lifecycle.issue(ctx, ready.row, settle, seal)
    await sealing.pass_on(ctx, ready.head, made[0], woken=True, awaited=awaited)
    return Issued(issued, made[0].record)
