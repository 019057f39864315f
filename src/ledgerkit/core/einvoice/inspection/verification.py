"""Chains as their owner sees them: their state, their verification, and a new beginning."""

from collections.abc import Sequence

from sqlalchemy import select

from ledgerkit.core.einvoice.chain import heads, links, lost_numbers
from ledgerkit.core.einvoice.chain.api import Chain, ChainAlarm, ChainLinkView, ChainOverview, LostDocument, Stretch
from ledgerkit.core.einvoice.inspection import unrecorded, walk
from ledgerkit.core.einvoice.inspection.texts import InspectionMsg
from ledgerkit.core.einvoice.modes import issuers as modes
from ledgerkit.core.einvoice.table import LAST_CHECK, ChainHeadRow, fiscal_installation
from ledgerkit.core.einvoice.values.chains import ChainCheck
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, CrossSiteRequest, Invalid, NotFound
from ledgerkit.providers.api import ChainLink

MOST_AT_ONCE = 10_000
"""Most records that one request verifies or exports: some seconds of work."""


@operation(
    Permission.EINVOICE_READ,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.EINVOICE_UNSUPPORTED}), (CrossSiteRequest, {Code.CSRF_REFUSED})],
    proposable=False,
)
async def overview(ctx: Context, stretch: Stretch | None = None) -> ChainOverview:
    """Return the account's chains, the newest first; with `stretch` after verifying that part of one.

    A verification is recorded as `verify` does.
    Raises Invalid for a stretch of more than 10,000 records.
    """
    verification = await _verify_bounded(ctx, stretch) if stretch is not None else None
    missing = await unrecorded.list_unrecorded(ctx) if stretch is not None else None
    if verification is not None and missing is not None and missing.count:
        verification = verification.model_copy(update={"ok": False})
    return ChainOverview(
        environment=ctx.settings.einvoice_env.value,
        chains=await ctx.read(_chains),
        verification=verification,
        unrecorded=missing,
    )


async def _chains(ctx: Context) -> list[Chain]:
    lost = await lost_numbers.documents(ctx)
    return [chain_view(ctx, row, lost.get(row.id, ())) for row in await _CHAINS.rows(ctx.db)]


_CHAINS = Prepared(select(fiscal_installation).order_by(fiscal_installation.c.id.desc()), ChainHeadRow)


async def _verify_bounded(ctx: Context, stretch: Stretch) -> ChainCheck | None:
    """Verify a stretch of at most `MOST_AT_ONCE` records; None without a chain."""
    chain_walk = await ctx.read(lambda inner: walk.start(inner, stretch))
    if chain_walk is None:
        return None
    if chain_walk.last - chain_walk.first >= MOST_AT_ONCE:
        count = chain_walk.last - chain_walk.first + 1
        raise Invalid(InspectionMsg.TOO_MANY_TO_VERIFY, count=count, most_at_once=MOST_AT_ONCE)
    return await walk.run(ctx, chain_walk, None)


@operation(Permission.EINVOICE_READ, unit=Unit.OWN, proposable=False)
async def verify(ctx: Context, stretch: Stretch, progress: walk.Progress | None = None) -> ChainCheck:
    """Verify a stretch of a chain of any length: count its anomalies and name the first break.

    A verification changes no record of the chain, but it is recorded: its result is stored with the chain, which may
    raise or end an alarm, and in the signed mode it is in the event log (Orden HAC/1177/2024 art. 9, events 03 and 04).
    Raises NotFound when there is no such chain.
    """
    chain_walk = await ctx.read(lambda inner: walk.start(inner, stretch))
    if chain_walk is None:
        raise NotFound(InspectionMsg.NO_SUCH_CHAIN)
    return await walk.run(ctx, chain_walk, progress)


@operation(Permission.EINVOICE_MANAGE, effects=Effect.DESTRUCTIVE, proposable=False)
async def begin_anew(ctx: Context, reason: str) -> Chain:
    """Close the open chain and begin another one under a new installation number.

    Raises NotFound when the account has no open chain.
    """
    chain = await walk.find_chain(ctx, None)
    head = await heads.lock_head(ctx, chain.id) if chain is not None else None
    if head is None or head.closed_at is not None:
        raise NotFound(InspectionMsg.NO_OPEN_CHAIN)
    return chain_view(ctx, await heads.renew(ctx, head, heads.ON_REQUEST, reason))


def chain_view(ctx: Context, row: ChainHeadRow, lost: Sequence[LostDocument] = ()) -> Chain:
    """Return a row of fiscal_installation as callers see it, with the lost documents that it found."""
    alarm = None
    if row.alarm_at is not None:
        alarm = ChainAlarm(at=row.alarm_at, position=row.alarm_position, code=row.alarm_code, message=row.alarm_message)
    return Chain(
        installation_number=row.id.hex,
        provider=row.channel,
        environment=row.environment,
        issuer_tax_id=row.issuer_tax_id,
        mode=modes.mode_name(ctx, row, modes.mode_of(ctx, row)),
        positions=row.position,
        head=_link_view(links.previous_link(row)) if row.position else None,
        continued_from=_link_view(links.origin_link(row)),
        created_at=row.created_at,
        closed_at=row.closed_at,
        closed_reason=row.closed_reason,
        alarm=alarm,
        last_check=LAST_CHECK.decode(row.last_check),
        numbers=lost_numbers.standing(row.numbers),
        lost_documents=list(lost),
    )


def _link_view(link: ChainLink | None) -> ChainLinkView | None:
    if link is None:
        return None
    return ChainLinkView(
        position=link.position or 0,
        number=link.number,
        issue_date=link.issue_date,
        hash=link.fingerprint,
        generated_at=link.generated_at,
    )
