"""The trial of an account goes into its archive, in one transaction: all of it, or nothing."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import text as sql

from ledgerkit.core.catalog.stock import ledger as stock
from ledgerkit.core.catalog.stock.ledger import Cause
from ledgerkit.core.einvoice.chain import trials as chains
from ledgerkit.core.einvoice.issuance.seals import TRANSMIT
from ledgerkit.core.operation.going_live.texts import GoingLiveMsg
from ledgerkit.core.operation.going_live.trial import parts
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.attachments.store import account as attachments
from ledgerkit.core.platform.database.statements import driver
from ledgerkit.core.platform.identity.accounts import trials
from ledgerkit.core.platform.jobs import operations as jobs
from ledgerkit.core.platform.request import idempotency
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.changes import by_others as invoices
from ledgerkit.core.sales.invoices.mail.delivery import MAIL_INVOICE
from ledgerkit.core.sales.invoices.public_links import operations as public_links
from ledgerkit.core.tasks import operations as tasks
from ledgerkit.money import dumps_exact
from ledgerkit.problems import Code, Unavailable

_SET_ASIDE = sql("select set_trial_aside(:archive, cast(:parts as jsonb))")


async def set_aside(ctx: Context, archive_id: UUID, *, keep_purchases: bool) -> None:
    """Move the trial of the account, whose profile is locked, into its archive, and note that it is live.

    Raises Unavailable SERVER_BUSY while a message to the authority is under way.
    """
    if not await chains.close_all(ctx):
        raise Unavailable(GoingLiveMsg.BUSY, code=Code.SERVER_BUSY, headers={"Retry-After": "5"})
    await _end_what_refers_to_it(ctx, archive_id)
    await _move(ctx, parts.parts(keep_purchases=keep_purchases), archive_id)
    await chains.hand_over(ctx, archive_id)
    await attachments.recount(ctx, archive_id)
    await invoices.count_change(ctx)
    await trials.go_live(ctx.db, ctx.account.id, archive_id)
    changes = {"archive": (None, str(archive_id)), "keepPurchases": (None, keep_purchases)}
    await activity.record(ctx, "went_live", ("team", ctx.account.id), ctx.account.name, changes)


async def _end_what_refers_to_it(ctx: Context, archive_id: UUID) -> None:
    """End public links, mails that wait, and stored answers; give back the stock that was sold."""
    await public_links.revoke_all(ctx.db, ctx.account.id)
    await jobs.drop(ctx, [MAIL_INVOICE, TRANSMIT])
    await tasks.forget_invoices(ctx)
    await idempotency.forget_answers(ctx.db)
    await stock.take_back(ctx, parts.SALE_CAUSES, Cause("voided", "invoice", archive_id, None))


async def _move(ctx: Context, touched: Sequence[parts.TablePart], archive_id: UUID) -> None:
    described = dumps_exact([part.as_json() for part in touched])
    await driver(ctx.db).execute("set local statement_timeout = 0")
    await ctx.db.execute(_SET_ASIDE, {"archive": archive_id, "parts": described})
