"""Chains as their owner sees them: where they stand, walked and judged, and begun anew."""

from typing import Any

from sqlalchemy import select

from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice import modes
from ledgerkit.core.einvoice.chain import heads, links
from ledgerkit.core.einvoice.chain.schemas import (
    Chain,
    ChainAlarm,
    ChainCheck,
    ChainLinkView,
    ChainOverview,
    Stretch,
)
from ledgerkit.core.einvoice.inspection import unrecorded, walk
from ledgerkit.core.einvoice.models import fiscal_installation
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Invalid, NotFound, bilingual
from ledgerkit.providers.api import ChainLink

MOST_AT_ONCE = 10_000
"""Records that one request checks: seconds of work."""


@operation(Permission.EINVOICE_READ, unit=Unit.OWN)
async def overview(ctx: Context, stretch: Stretch | None = None) -> ChainOverview:
    """The account's chains, the newest first; before, with `stretch`, that much of one is walked.

    Raises Invalid for a stretch of more than 10,000 records.
    """
    verification = await _checked(ctx, stretch) if stretch is not None else None
    missing = await unrecorded.documents(ctx) if stretch is not None else None
    if verification is not None and missing is not None and missing.count:
        verification = verification.model_copy(update={"ok": False})
    return ChainOverview(
        environment=ctx.settings.einvoice_env.value,
        chains=await retry_on_conflict(lambda: _chains(ctx)),
        verification=verification,
        unrecorded=missing,
    )


async def _chains(ctx: Context) -> list[Chain]:
    query = select(fiscal_installation).order_by(fiscal_installation.c.id.desc())
    async with ctx.reading() as inner:
        return [shown(ctx, row) for row in await inner.db.execute(query)]


async def _checked(ctx: Context, stretch: Stretch) -> ChainCheck | None:
    chain_walk = await retry_on_conflict(lambda: walk.begun(ctx, stretch))
    if chain_walk is None:
        return None
    if chain_walk.last - chain_walk.first >= MOST_AT_ONCE:
        count = chain_walk.last - chain_walk.first + 1
        raise bilingual(
            Invalid,
            (
                f"This asks for {count} records; a request checks {MOST_AT_ONCE} at most.",
                "Ask for a shorter stretch with from= and to=, or run `ledgerkit verifactu verify` on the server.",
            ),
            (
                f"Se piden {count} registros; una petición comprueba {MOST_AT_ONCE} como mucho.",
                "Pide un tramo más corto con from= y to=, o ejecuta `ledgerkit verifactu verify` en el servidor.",
            ),
        )
    return await walk.walked(ctx, chain_walk, None)


@operation(Permission.EINVOICE_READ, unit=Unit.OWN)
async def verify(ctx: Context, stretch: Stretch, progress: walk.Progress | None = None) -> ChainCheck:
    """Walk a stretch of a chain of any length, count what does not hold and name the first break.

    Raises NotFound when there is no such chain.
    """
    chain_walk = await retry_on_conflict(lambda: walk.begun(ctx, stretch))
    if chain_walk is None:
        raise bilingual(
            NotFound,
            ("There is no such chain.", "GET /api/einvoice/chain lists the account's chains."),
            ("No existe esa cadena.", "GET /api/einvoice/chain muestra las cadenas de la cuenta."),
        )
    return await walk.walked(ctx, chain_walk, progress)


@operation(Permission.EINVOICE_MANAGE)
async def begin_anew(ctx: Context, reason: str) -> Chain:
    """Close the open chain and begin another one under a new installation number.

    Raises NotFound when the account has no open chain.
    """
    found = await walk.find(ctx, None)
    head = await heads.lock_head(ctx, found.id) if found is not None else None
    if head is None or head.closed_at is not None:
        raise bilingual(
            NotFound,
            ("There is no open chain.", "The first record begins one by itself."),
            ("No hay ninguna cadena abierta.", "El primer registro abre una por sí solo."),
        )
    return shown(ctx, await heads.renew(ctx, head, heads.ON_REQUEST, reason))


def shown(ctx: Context, row: Any) -> Chain:
    """A row of fiscal_installation as its owner sees it."""
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
        head=_view(links.previous_link(row)) if row.position else None,
        continued_from=_view(links.origin_link(row)),
        created_at=row.created_at,
        closed_at=row.closed_at,
        closed_reason=row.closed_reason,
        alarm=alarm,
        last_check=ChainCheck.model_validate(row.last_check) if row.last_check else None,
    )


def _view(link: ChainLink | None) -> ChainLinkView | None:
    if link is None:
        return None
    return ChainLinkView(
        position=link.position or 0,
        number=link.number,
        issue_date=link.issue_date,
        hash=link.fingerprint,
        generated_at=link.generated_at,
    )
