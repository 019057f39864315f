"""Metering of AI actions: reserved before the work, charged with its result, released when it fails."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from uuid import UUID

import structlog

from ledgerkit import clock
from ledgerkit.core.platform.ai.balance import ledger
from ledgerkit.core.platform.ai.operations import balance
from ledgerkit.core.platform.ai.texts import AiMsg
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.jobs import operations as jobs
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.core.platform.request.operation import Errors
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.problems import Code, PaymentRequired, Problem
from ledgerkit.texts import text

METERING_ERRORS: Errors = [(PaymentRequired, {Code.OUT_OF_TOKENS})]
"""Refusals of `metered`, for the declaration of an operation that uses it."""

RELEASE_EXPIRED = "ai.release-expired"
"""Name of the job that gives back the reservations of processes that have died."""

log = structlog.get_logger()


class ActionKind(StrEnum):
    """Operation that an AI action pays for, as the interface calls it."""

    SCAN_RECEIPT = "scan-receipt"
    CATEGORIZE = "categorize"
    IMPORT_INVOICE = "import-invoice"


@dataclass(kw_only=True)
class MeteredAction:
    """Reserved action. The work sets `engine` to the name of the program that gave the result, such as `rapidocr`."""

    id: UUID
    kind: ActionKind
    engine: str | None = None


@asynccontextmanager
async def metered(ctx: Context, kind: ActionKind) -> AsyncIterator[MeteredAction]:
    """Reserve one AI action for the work within; charge it when the work ends, release it when the work raises.

    For operations declared `unit=Unit.OWN`, outside of any transaction: the reservation and its end are short
    transactions. A reservation whose process dies expires (`ledger.RESERVED_FOR`). Raises PaymentRequired
    (OUT_OF_TOKENS) before the work begins, if no action is left. A dry run ends before the work, because its answer
    would cost nothing.
    """
    assert ctx.connection is None, "metering within a transaction"  # noqa: S101 - our own mistake, never a caller's
    action = await _reserved(ctx, kind)
    try:
        yield action
    except BaseException:
        await asyncio.shield(_release(ctx, action))  # also when the caller has gone away
        raise
    await _charge(ctx, action)


async def _reserved(ctx: Context, kind: ActionKind) -> MeteredAction:
    async def attempt() -> MeteredAction:
        async with ctx.transaction() as inner:
            row = await ledger.reserve(inner, kind.value)
            if row is None:
                raise await _out_of_tokens(inner)
            if inner.kernel.dry_run is not None:
                inner.kernel.dry_run.end_at(DryRunMsg.AI_ACTION)
            await _enqueue_release(inner, ledger.RESERVED_FOR)
            return MeteredAction(id=row.id, kind=kind)

    return await retry_on_conflict(attempt)


async def _out_of_tokens(ctx: Context) -> PaymentRequired:
    left, url = await balance(ctx), ctx.settings.ai_top_up_url
    resets_on = left.resets_at.date().isoformat()
    remedy = text(AiMsg.ASK_OPERATOR, day=resets_on) if url is None else text(AiMsg.TOP_UP_AT, day=resets_on, url=url)
    return PaymentRequired(
        AiMsg.OUT_OF_TOKENS,
        code=Code.OUT_OF_TOKENS,
        remedy=remedy,
        extra={"balance": left.model_dump(mode="json", by_alias=True), "topUpUrl": url},
        limit=left.monthly_limit,
    )


async def _charge(ctx: Context, action: MeteredAction) -> None:
    async def attempt() -> bool:
        async with ctx.transaction() as inner:
            return await ledger.charge(inner, action.id, action.engine)

    if not await retry_on_conflict(attempt):
        log.warning("ai.uncharged", action=str(action.id), kind=action.kind.value)


async def _release(ctx: Context, action: MeteredAction) -> None:
    """Release the action. If the database is away, log that: the reservation expires, and the work fails by itself."""

    async def attempt() -> None:
        async with ctx.transaction() as inner:
            await ledger.release(inner, action.id)

    try:
        await retry_on_conflict(attempt)
    except Problem as problem:
        log.warning("ai.unreleased", action=str(action.id), reason=problem.detail)


async def release_expired(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Give back the expired reservations of an account, and look again when the next one expires."""
    ctx = await accounts.system_context(kernel, UUID(str(payload["accountId"])))

    async def attempt() -> None:
        async with ctx.transaction() as inner:
            next_expiry = await ledger.release_expired(inner)
            if next_expiry is not None:
                await _enqueue_release(inner, next_expiry - clock.now())

    await retry_on_conflict(attempt)


async def _enqueue_release(ctx: Context, delay: timedelta) -> None:
    account_id = str(ctx.account.id)
    await jobs.enqueue(ctx, RELEASE_EXPIRED, {"accountId": account_id}, delay=delay, dedupe_key=account_id)
