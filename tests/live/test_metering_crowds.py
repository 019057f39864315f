"""Simultaneous AI actions: the last one is taken once, and what fails is there for others (real commits)."""

import asyncio
from uuid import UUID

import pytest

from ledgerkit.core.platform.ai import operations as ai
from ledgerkit.core.platform.ai.balance import ledger
from ledgerkit.core.platform.ai.balance.actions import ActionKind, metered
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.problems import PaymentRequired

CALLERS = 32
FREE = 25


@pytest.fixture
async def ctx(office, ana):
    return await accounts.system_context(office.kernel, UUID(ana.team["id"]))


async def use(ctx, *, failing: bool = False) -> str:
    try:
        async with metered(ctx, ActionKind.SCAN_RECEIPT):
            await asyncio.sleep(0.05)
            _ = 1 // (not failing)
    except PaymentRequired:
        return "refused"
    except ZeroDivisionError:
        return "failed"
    return "done"


async def test_the_last_action_is_taken_once(ctx):
    for _ in range(FREE - 1):
        assert await use(ctx) == "done"

    outcomes = await asyncio.gather(*(use(ctx) for _ in range(CALLERS)))

    assert sorted(outcomes) == ["done"] + ["refused"] * (CALLERS - 1)
    assert (await ai.balance(ctx)).total == 0


async def test_failures_among_successes_give_back_exactly_their_own(ctx):
    async with ctx.transaction() as inner:
        await ledger.grant(inner, CALLERS, None)

    outcomes = await asyncio.gather(*(use(ctx, failing=bool(number % 2)) for number in range(CALLERS)))

    assert sorted(outcomes) == ["done"] * (CALLERS // 2) + ["failed"] * (CALLERS // 2)
    assert (await ai.balance(ctx)).total == FREE + CALLERS // 2
