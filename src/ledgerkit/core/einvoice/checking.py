"""Chains as their owner sees them: where they stand, walked and judged, continued and begun anew."""

from typing import Any

from sqlalchemy import select

from ledgerkit import clock
from ledgerkit.core import records
from ledgerkit.core.context import Context
from ledgerkit.core.db import persist
from ledgerkit.core.einvoice import chains, events, sealing, walking
from ledgerkit.core.einvoice.chain_schemas import (
    Chain,
    ChainAlarm,
    ChainCheck,
    ChainLinkView,
    ChainOverview,
    ContinueInput,
    Stretch,
)
from ledgerkit.core.einvoice.models import fiscal_installation
from ledgerkit.core.operation import Unit, operation
from ledgerkit.core.permissions import Permission
from ledgerkit.problems import Code, FieldError, Invalid, NotFound
from ledgerkit.providers.api import Auditing, ChainLink, Environment

MOST_AT_ONCE = 10_000
"""Records that one request checks: seconds of work."""


@operation(Permission.EINVOICE_READ, unit=Unit.OWN)
async def overview(ctx: Context, stretch: Stretch | None = None) -> ChainOverview:
    """The account's chains, the newest first; before, with `stretch`, that much of one is walked.

    Raises Invalid for a stretch of more than 10,000 records.
    """
    verification = await _checked(ctx, stretch) if stretch is not None else None
    query = select(fiscal_installation).order_by(fiscal_installation.c.id.desc())

    async def read() -> list[Chain]:
        async with ctx.reading() as inner:
            return [shown(ctx, row) for row in await inner.db.execute(query)]

    found = await persist(read)
    return ChainOverview(environment=ctx.settings.einvoice_env.value, chains=found, verification=verification)


async def _checked(ctx: Context, stretch: Stretch) -> ChainCheck | None:
    walk = await persist(lambda: walking.begun(ctx, stretch))
    if walk is None:
        return None
    if walk.last - walk.first >= MOST_AT_ONCE:
        raise Invalid(
            f"This asks for {walk.last - walk.first + 1} records; a request checks {MOST_AT_ONCE} at most.",
            remedy="Ask for a shorter stretch with from= and to=, or run `ledgerkit verifactu verify` on the server.",
        )
    return await walking.walked(ctx, walk, None)


@operation(Permission.EINVOICE_READ, unit=Unit.OWN)
async def verify(ctx: Context, stretch: Stretch, progress: walking.Progress | None = None) -> ChainCheck:
    """Walk a stretch of a chain of any length, count what does not hold and name the first break.

    Raises NotFound when there is no such chain.
    """
    walk = await persist(lambda: walking.begun(ctx, stretch))
    if walk is None:
        raise NotFound("There is no such chain.", remedy="GET /api/einvoice/chain lists the account's chains.")
    return await walking.walked(ctx, walk, progress)


@operation(Permission.EINVOICE_MANAGE)
async def continue_from(ctx: Context, data: ContinueInput) -> Chain:
    """Let the first record be linked to the last one of the software before, instead of beginning a chain.

    Raises Invalid: CHAIN_BEGUN when there is a record already, or what is wrong with the link.
    """
    channel = sealing.active(ctx)
    if channel is None or channel.audits is None:
        raise Invalid(
            "There is no chain to continue: the account has no tax identifier, or its country no electronic invoicing.",
            code=Code.EINVOICE_UNSUPPORTED,
            remedy="Set the tax identifier with PUT /api/teams/current {taxId}.",
        )
    head = await chains.locked_head(
        ctx, channel, Environment(ctx.settings.einvoice_env.value), ctx.account.tax_id or ""
    )
    _check_continuation(ctx, head, data, channel.audits)
    last = {
        "number": data.last_number,
        "issue_date": data.last_issue_date,
        "fingerprint": data.last_fingerprint,
        "generated_at": data.last_generated_at,
    }
    values = {f"{part}_{name}": value for part in ("origin", "last") for name, value in last.items()}
    row = await records.change(ctx, fiscal_installation, head.id, values)
    await chains.note(ctx, "chain_continued", row, {"last_number": (None, data.last_number)})
    return shown(ctx, row)


@operation(Permission.EINVOICE_MANAGE)
async def begin_anew(ctx: Context, reason: str) -> Chain:
    """Close the open chain and begin another one under a new installation number.

    Raises NotFound when the account has no open chain.
    """
    found = await walking.find(ctx, None)
    head = await chains.locked(ctx, found.id) if found is not None else None
    if head is None or head.closed_at is not None:
        raise NotFound("There is no open chain.", remedy="The first record begins one by itself.")
    return shown(ctx, await chains.renew(ctx, head, chains.ASKED, reason))


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
        mode=events.mode_of(ctx, row).value,
        positions=row.position,
        head=_view(chains.previous(row)) if row.position else None,
        continued_from=_view(chains.origin(row)),
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


def _check_continuation(ctx: Context, head: Any, data: ContinueInput, audits: Auditing) -> None:
    if head.position:
        raise Invalid(
            f"The chain of installation {head.id.hex} has {head.position} records already.",
            code=Code.CHAIN_BEGUN,
            remedy="A chain can be continued before its first record only; it goes on from its own last one.",
        )
    link = ChainLink(
        issuer_tax_id=head.issuer_tax_id,
        number=data.last_number,
        issue_date=data.last_issue_date,
        fingerprint=data.last_fingerprint,
    )
    names = {"issuer_tax_id": "issuer.taxId", "number": "lastNumber", "issue_date": "lastIssueDate"}
    found = [
        FieldError(field=names.get(one.field, "lastFingerprint"), code=one.code, message=f"{one.message}. {one.remedy}")
        for one in audits.continues(link, ctx.account.today())
    ]
    if data.last_generated_at is not None and data.last_generated_at > clock.now():
        found.append(FieldError(field="lastGeneratedAt", code="VALIDATION_ERROR", message="lies in the future"))
    if found:
        raise Invalid(
            f"{found[0].field} {found[0].message}", errors=found, remedy="Copy it from the last record, as it was made."
        )
