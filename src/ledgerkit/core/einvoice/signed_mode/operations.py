"""The mode of an issuer: records are reported at once, or signed and stored. Read it, and choose another one."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import delete, exists, select
from sqlalchemy.dialects.postgresql import insert as upsert

from ledgerkit import clock
from ledgerkit.core.einvoice.authority import channels
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.modes import issuers as modes
from ledgerkit.core.einvoice.signed_mode import acts, events
from ledgerkit.core.einvoice.signed_mode.api import IssuerMode, ModeInput, Scheduled
from ledgerkit.core.einvoice.signed_mode.events import SUMMARY_EVERY
from ledgerkit.core.einvoice.signed_mode.table import fiscal_signed_chain
from ledgerkit.core.einvoice.signed_mode.texts import SignedModeMsg
from ledgerkit.core.einvoice.table import ChainHeadRow, fiscal_installation, fiscal_record, fiscal_status
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, Invalid
from ledgerkit.providers.api import Environment, FiscalChannel, Mode, Signing, State
from ledgerkit.texts import fixed


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def mode(ctx: Context) -> IssuerMode:
    """Return the mode of the account's issuer and the one to come; null for an account that reports nothing."""
    channel = channels.active(ctx)
    if channel is None or channel.signs is None:
        environment = ctx.settings.einvoice_env.value
        return IssuerMode(
            mode=None, since=None, scheduled=None, choices=[], issuer_tax_id=ctx.account.tax_id, environment=environment
        )
    return await _view(ctx, channel, channel.signs, await modes.open_head(ctx, channel))


@operation(
    Permission.EINVOICE_MANAGE,
    errors=[(Invalid, {Code.EINVOICE_UNSUPPORTED})],
    effects=Effect.IDEMPOTENT,
    act=acts.CHOICE,
)
async def choose(ctx: Context, data: ModeInput) -> IssuerMode:
    """Choose the mode for every record to come.

    The signed mode begins at once for an issuer who has not reported yet. Otherwise it begins after the last day of
    reporting that the country allows; until then the choice can be cancelled. Reporting begins at once. Raises Invalid:
    an unknown mode, or one that this server does not offer.
    """
    channel, signs = _channel_with_modes(ctx)
    modes_by_name = {name: each for each, name in signs.names.items()}
    chosen = modes_by_name.get(data.mode)
    if chosen is None:
        choices = ", ".join(modes_by_name)
        raise Invalid.field("mode", SignedModeMsg.UNKNOWN_MODE, choices=choices)
    environment = Environment(ctx.settings.einvoice_env.value)
    if chosen is Mode.SIGNING:
        for problem in await access.signing_obstacles(ctx, channel, environment, ctx.account.tax_id or ""):
            raise Invalid.field("mode", fixed(problem.message, problem.remedy, problem.translations))
    head = await heads.lock_open_head(ctx, channel, environment, ctx.account.tax_id or "")
    changed = await _change(ctx, head, chosen, signs)
    return await _view(ctx, channel, signs, changed)


async def _change(ctx: Context, head: ChainHeadRow, chosen: Mode, signs: Signing) -> ChainHeadRow:
    """Change the mode of the chain with this locked head, now or from the day on which it may; return its head."""
    current = modes.mode_of(ctx, head)
    if chosen is current and head.reporting_until is None:
        return head
    if chosen is current:
        return await _store(ctx, head, Values(ChainHeadRow, mode=current.value, reporting_until=None))
    if chosen is Mode.REPORTING:
        await events.log_stop(ctx, head)
        return await _store(
            ctx, head, Values(ChainHeadRow, mode=chosen.value, mode_since=clock.now(), reporting_until=None)
        )
    if await _has_reported(ctx, head):
        return await _store(
            ctx, head, Values(ChainHeadRow, reporting_until=signs.leaves_reporting(ctx.account.today()))
        )
    changed = await _store(
        ctx, head, Values(ChainHeadRow, mode=chosen.value, mode_since=clock.now(), reporting_until=None)
    )
    await events.ensure_started(ctx, changed)
    return changed


async def _store(ctx: Context, head: ChainHeadRow, values: Values[ChainHeadRow]) -> ChainHeadRow:
    """Store the choice with the chain and in the activity, schedule summaries; return the chain's head."""
    before = {name: getattr(head, name) for name in values}
    place = Values(ChainHeadRow, mode_position=head.position) if "mode_since" in values else Values(ChainHeadRow)
    changed = await records.change(ctx, fiscal_installation, head.id, values | place)
    names = {mode.value: modes.mode_name(ctx, head, mode) for mode in Mode}
    pairs = {name: (before[name], value) for name, value in values.items() if before[name] != value}
    changes = {name: (_readable(old, names), _readable(new, names)) for name, (old, new) in pairs.items()}
    await activity.record(ctx, "mode_changed", ("fiscal_installation", head.id), head.issuer_tax_id, changes)
    await _schedule_summaries(ctx, changed)
    return changed


def _readable(value: object, names: Mapping[str, str]) -> str | None:
    if value is None:
        return None
    return value.isoformat() if isinstance(value, date) else names.get(str(value), str(value))


async def _schedule_summaries(ctx: Context, head: ChainHeadRow) -> None:
    """Let the job that logs summaries visit the chain in the signed mode, or from the first day of that mode on."""
    of_chain = fiscal_signed_chain.c.account_id == ctx.account.id, fiscal_signed_chain.c.installation_id == head.id
    if modes.mode_of(ctx, head) is Mode.SIGNING:
        at = clock.now()
    elif head.reporting_until is not None:
        at = _midnight(ctx, head.reporting_until + timedelta(days=1)) - SUMMARY_EVERY
    else:
        await ctx.db.execute(delete(fiscal_signed_chain).where(*of_chain))
        return
    new = upsert(fiscal_signed_chain).values(account_id=ctx.account.id, installation_id=head.id, summed_at=at)
    keys = ["account_id", "installation_id"]
    await ctx.db.execute(new.on_conflict_do_update(index_elements=keys, set_={"summed_at": at}))


def _midnight(ctx: Context, day: date) -> datetime:
    return datetime.combine(day, time(), ZoneInfo(ctx.account.time_zone))


async def _has_reported(ctx: Context, head: ChainHeadRow) -> bool:
    """Return True when a record was sent, or waits to be, since the issuer last chose to report.

    It is told by the places in the chain, and in the chains before that have the same choice: a record and a choice may
    bear the same second, and a clock may be put back.
    """
    chain = fiscal_installation.c
    since_choice = (
        chain.environment == head.environment,
        chain.issuer_tax_id == head.issuer_tax_id,
        chain.mode_since.is_not_distinct_from(head.mode_since),
        fiscal_record.c.position > chain.mode_position,
    )
    reported = (
        exists()
        .where(fiscal_record.c.id == fiscal_status.c.record_id, fiscal_status.c.state != State.SIGNED.value)
        .where(fiscal_record.c.installation_id == chain.id, *since_choice)
    )
    return bool((await ctx.db.execute(select(reported))).scalar_one())


def _channel_with_modes(ctx: Context) -> tuple[FiscalChannel, Signing]:
    """Return the account's channel. Raises Invalid EINVOICE_UNSUPPORTED for one without a signed mode."""
    channel = channels.active(ctx)
    if channel is None or channel.signs is None:
        raise Invalid(SignedModeMsg.NO_MODE_TO_CHOOSE, code=Code.EINVOICE_UNSUPPORTED)
    return channel, channel.signs


async def _view(ctx: Context, channel: FiscalChannel, signs: Signing, head: ChainHeadRow | None) -> IssuerMode:
    current = modes.mode_of(ctx, head) if head is not None else Mode.REPORTING
    environment = Environment(ctx.settings.einvoice_env.value)
    unsigned = await access.signing_obstacles(ctx, channel, environment, ctx.account.tax_id or "")
    offered = [Mode.REPORTING] if unsigned else list(Mode)
    until = head.reporting_until if head is not None and current is Mode.REPORTING else None
    return IssuerMode(
        mode=signs.names[current],
        since=head.mode_since if head is not None else None,
        scheduled=Scheduled(mode=signs.names[Mode.SIGNING], first_day=until + timedelta(days=1)) if until else None,
        choices=[signs.names[each] for each in offered],
        issuer_tax_id=ctx.account.tax_id,
        environment=environment.value,
    )
