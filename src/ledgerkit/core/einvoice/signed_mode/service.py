"""Whether an issuer's records are reported at once, or signed and kept: read, chosen, and in force from a day on."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import delete, exists, func, select
from sqlalchemy.dialects.postgresql import insert as upsert

from ledgerkit import clock
from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.einvoice import channels, modes
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.event_log import events
from ledgerkit.core.einvoice.event_log.events import SUMMARY_EVERY
from ledgerkit.core.einvoice.event_log.models import fiscal_keeper
from ledgerkit.core.einvoice.event_log.schemas import IssuerMode, ModeInput, Scheduled
from ledgerkit.core.einvoice.models import fiscal_installation, fiscal_record, fiscal_status
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, bilingual, bilingual_field
from ledgerkit.providers.api import Environment, FiscalChannel, Mode, Signing, State


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def mode(ctx: Context) -> IssuerMode:
    """The mode of the account's issuer, and the one to come; none for an account that reports nothing."""
    channel = channels.active(ctx)
    if channel is None or channel.signs is None:
        environment = ctx.settings.einvoice_env.value
        return IssuerMode(
            mode=None, since=None, scheduled=None, choices=[], issuer_tax_id=ctx.account.tax_id, environment=environment
        )
    return await _shown(ctx, channel, channel.signs, await modes.open_head(ctx, channel))


@operation(Permission.EINVOICE_MANAGE)
async def choose(ctx: Context, data: ModeInput) -> IssuerMode:
    """Choose a mode, for every record to come.

    Keeping begins at once for an issuer who has not reported yet, else when reporting may end, which the country
    says; until then it can be taken back. Reporting begins at once. Raises Invalid: an unknown mode, or one that this
    server does not offer.
    """
    channel, signs = _signing(ctx)
    names = {name: one for one, name in signs.names.items()}
    wanted = names.get(data.mode)
    if wanted is None:
        known = ", ".join(names)
        raise bilingual_field(
            "mode",
            (f"is one of {known}", "Choose one of these; GET /api/einvoice/mode says which this server offers."),
            (f"es uno de {known}", "Elige uno de ellos; GET /api/einvoice/mode dice cuáles ofrece este servidor."),
        )
    environment = Environment(ctx.settings.einvoice_env.value)
    if wanted is Mode.KEEPING:
        for problem in await access.signing_obstacles(ctx, channel, environment, ctx.account.tax_id or ""):
            raise Invalid.field("mode", problem.message, remedy=problem.remedy, translations=problem.translations)
    head = await heads.lock_open_head(ctx, channel, environment, ctx.account.tax_id or "")
    changed = await _changed(ctx, head, wanted, signs)
    return await _shown(ctx, channel, signs, changed)


async def _changed(ctx: Context, head: Any, wanted: Mode, signs: Signing) -> Any:
    current = modes.mode_of(ctx, head)
    if wanted is current and head.reporting_until is None:
        return head
    if wanted is current:
        return await _decided(ctx, head, {"mode": current.value, "reporting_until": None})
    if wanted is Mode.REPORTING:
        await events.stop(ctx, head)
        return await _decided(ctx, head, {"mode": wanted.value, "mode_since": clock.now(), "reporting_until": None})
    if await _has_reported(ctx, head):
        return await _decided(ctx, head, {"reporting_until": signs.leaves_reporting(ctx.account.today())})
    changed = await _decided(ctx, head, {"mode": wanted.value, "mode_since": clock.now(), "reporting_until": None})
    await events.ensure_started(ctx, changed)
    return changed


async def _decided(ctx: Context, head: Any, values: dict[str, Any]) -> Any:
    """Kept with the chain and in the activity log; the sweep that sums up learns of it."""
    before = {name: getattr(head, name) for name in values}
    changed = await records.change(ctx, fiscal_installation, head.id, values)
    words = {mode.value: modes.mode_name(ctx, head, mode) for mode in Mode}
    pairs = {name: (before[name], value) for name, value in values.items() if before[name] != value}
    told = {name: (_plain(old, words), _plain(new, words)) for name, (old, new) in pairs.items()}
    await activity.record(ctx, "mode_changed", ("fiscal_installation", head.id), head.issuer_tax_id, told)
    await _watch(ctx, changed)
    return changed


def _plain(value: Any, words: Mapping[str, str]) -> Any:
    return value.isoformat() if isinstance(value, date) else words.get(value, value)


async def _watch(ctx: Context, head: Any) -> None:
    """Let the sweep look at the chain while records are kept, and on the first day on which they will be."""
    mine = fiscal_keeper.c.account_id == ctx.account.id, fiscal_keeper.c.installation_id == head.id
    keeping = modes.mode_of(ctx, head) is Mode.KEEPING
    if not keeping and head.reporting_until is None:
        await ctx.db.execute(delete(fiscal_keeper).where(*mine))
        return
    at = clock.now() if keeping else _midnight(ctx, head.reporting_until + timedelta(days=1)) - SUMMARY_EVERY
    new = upsert(fiscal_keeper).values(account_id=ctx.account.id, installation_id=head.id, summed_at=at)
    keys = ["account_id", "installation_id"]
    await ctx.db.execute(new.on_conflict_do_update(index_elements=keys, set_={"summed_at": at}))


def _midnight(ctx: Context, day: date) -> datetime:
    return datetime.combine(day, time(), ZoneInfo(ctx.account.time_zone))


async def _has_reported(ctx: Context, head: Any) -> bool:
    """Whether a record was sent, or is to be, since the issuer last began to report: that is how it is chosen."""
    mine = (
        fiscal_record.c.environment == head.environment,
        fiscal_record.c.issuer_tax_id == head.issuer_tax_id,
        fiscal_record.c.generated_at >= func.coalesce(head.mode_since, fiscal_record.c.generated_at),
    )
    reported = (
        exists()
        .where(fiscal_record.c.id == fiscal_status.c.record_id, fiscal_status.c.state != State.KEPT.value)
        .where(*mine)
    )
    return bool((await ctx.db.execute(select(reported))).scalar_one())


def _signing(ctx: Context) -> tuple[FiscalChannel, Signing]:
    channel = channels.active(ctx)
    if channel is None or channel.signs is None:
        raise bilingual(
            Invalid,
            (
                "There is no mode to choose: e-invoicing is off for this account.",
                "Set the tax identifier with PUT /api/teams/current {taxId}, and {einvoicing: on} if it was off.",
            ),
            (
                "No hay modo que elegir: esta cuenta tiene desactivada la facturación electrónica.",
                "Indica el NIF con PUT /api/teams/current {taxId}, y {einvoicing: on} si se desactivó.",
            ),
            code=Code.EINVOICE_UNSUPPORTED,
        )
    return channel, channel.signs


async def _shown(ctx: Context, channel: FiscalChannel, signs: Signing, head: Any | None) -> IssuerMode:
    now = modes.mode_of(ctx, head) if head is not None else Mode.REPORTING
    environment = Environment(ctx.settings.einvoice_env.value)
    unsigned = await access.signing_obstacles(ctx, channel, environment, ctx.account.tax_id or "")
    offered = [Mode.REPORTING] if unsigned else list(Mode)
    until = head.reporting_until if head is not None and now is Mode.REPORTING else None
    return IssuerMode(
        mode=signs.names[now],
        since=head.mode_since if head is not None else None,
        scheduled=Scheduled(mode=signs.names[Mode.KEEPING], first_day=until + timedelta(days=1)) if until else None,
        choices=[signs.names[one] for one in offered],
        issuer_tax_id=ctx.account.tax_id,
        environment=environment.value,
    )
