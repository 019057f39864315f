"""Metering: reserved before the work, charged with its result, given back when it fails or its process dies."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
import time_machine

from ledgerkit.core.platform.ai import operations as ai
from ledgerkit.core.platform.ai.balance import actions, ledger
from ledgerkit.core.platform.ai.balance.actions import ActionKind, metered
from ledgerkit.core.platform.api_types.list_pages import PageRequest
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.problems import PaymentRequired

FREE = 2
SCAN = ActionKind.SCAN_RECEIPT


@pytest.fixture
def settings(settings):
    return settings.model_copy(update={"ai_monthly_actions": FREE})


@pytest.fixture
async def ctx(kernel, ana):
    return await accounts.system_context(kernel, UUID(ana.team["id"]))


async def left(ctx) -> tuple[int, int]:
    """The free actions that remain, and those of packs."""
    balance = await ai.balance(ctx)
    return balance.monthly_remaining, balance.purchased


async def use(ctx, kind: ActionKind = SCAN) -> None:
    async with metered(ctx, kind) as action:
        action.engine = "seer"


async def fail(ctx, error: BaseException) -> None:
    with pytest.raises(type(error)):
        async with metered(ctx, SCAN):
            raise error


async def grant(ctx, number: int, reference: str | None = None) -> bool:
    async with ctx.transaction() as inner:
        return (await ledger.grant(inner, number, reference)).is_new


async def abandon(ctx) -> UUID:
    """A reservation whose process dies."""
    async with ctx.transaction() as inner:
        return (await ledger.reserve(inner, SCAN.value)).id


async def charge(ctx, action_id: UUID) -> bool:
    async with ctx.transaction() as inner:
        return await ledger.charge(inner, action_id, "seer")


async def statuses(ctx) -> list[str]:
    """The states of all actions, oldest first."""
    usage = await ai.usage(ctx, PageRequest())
    return [action.status for action in reversed(usage.actions)]


async def test_a_reserved_action_counts_as_used_and_a_result_charges_it(ctx):
    async with metered(ctx, SCAN):
        assert await left(ctx) == (FREE - 1, 0)
        assert await statuses(ctx) == ["reserved"]

    assert await left(ctx) == (FREE - 1, 0)
    assert await statuses(ctx) == ["charged"]


@pytest.mark.parametrize("error", [ValueError("no"), asyncio.CancelledError()])
async def test_a_failure_gives_the_action_back(ctx, error):
    await fail(ctx, error)

    assert await left(ctx) == (FREE, 0)
    assert await statuses(ctx) == ["released"]


async def test_free_ones_go_first_then_packs_then_nothing(ctx):
    await grant(ctx, 1)
    seen = []
    for _ in range(FREE + 1):
        await use(ctx)
        seen.append(await left(ctx))

    assert seen == [(1, 1), (0, 1), (0, 0)]
    with pytest.raises(PaymentRequired) as caught:
        async with metered(ctx, SCAN):
            pytest.fail("the work must not begin")
    assert await left(ctx) == (0, 0)
    problem = caught.value
    assert (problem.status, problem.code) == (402, "OUT_OF_TOKENS")
    assert problem.extra["balance"]["total"] == 0
    assert problem.extra["topUpUrl"] is None
    assert set(problem.translations) == {"ca", "en", "es"}


async def test_a_failure_gives_back_to_the_pack(ctx):
    await grant(ctx, 1)
    for _ in range(FREE):
        await use(ctx)

    await fail(ctx, ValueError())

    assert await left(ctx) == (0, 1)


class TestTopUp:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"ai_monthly_actions": 0, "ai_top_up_url": "https://shop.example/ai"})

    async def test_the_operators_page_is_named(self, ctx):
        with pytest.raises(PaymentRequired) as caught:
            await use(ctx)

        assert caught.value.extra["topUpUrl"] == "https://shop.example/ai"
        for wording in caught.value.translations.values():
            assert "https://shop.example/ai" in wording.remedy


class TestUnlimited:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"ai_monthly_actions": -1})

    async def test_packs_are_not_touched(self, ctx):
        await grant(ctx, 1)
        for _ in range(FREE + 2):
            await use(ctx)

        assert await left(ctx) == (-1, 1)


# ---------------------------------------------------------------- a process that died


async def test_the_next_reservation_takes_what_a_dead_process_had(ctx):
    with time_machine.travel(datetime(2026, 11, 10, 12, tzinfo=UTC)) as traveller:
        for _ in range(FREE):
            await abandon(ctx)
        with pytest.raises(PaymentRequired):
            await use(ctx)
        traveller.shift(ledger.RESERVED_FOR)

        await use(ctx)

        assert await left(ctx) == (FREE - 1, 0)
    assert await statuses(ctx) == ["released", "released", "charged"]


async def test_a_job_gives_back_what_a_dead_process_had(ctx, kernel, ana):
    payload = {"accountId": ana.team["id"]}
    with time_machine.travel(datetime(2026, 11, 10, 12, tzinfo=UTC)) as traveller:
        await abandon(ctx)
        await actions.release_expired(kernel, payload)
        assert await left(ctx) == (FREE - 1, 0)
        traveller.shift(ledger.RESERVED_FOR)

        await actions.release_expired(kernel, payload)
        await actions.release_expired(kernel, payload)

        assert await left(ctx) == (FREE, 0)


async def test_a_reservation_leaves_a_job_that_looks_after_it(ctx, connection):
    async with metered(ctx, SCAN), metered(ctx, SCAN):
        rows = (await connection.exec_driver_sql("select name, due_at - now() as delay from job")).all()

    mine = [row.delay for row in rows if row.name == actions.RELEASE_EXPIRED]
    assert len(mine) == 1
    assert timedelta(minutes=9) < mine[0] <= ledger.RESERVED_FOR


async def test_work_that_outlasts_its_reservation_takes_another_action(ctx):
    with time_machine.travel(datetime(2026, 11, 10, 12, tzinfo=UTC)) as traveller:
        slow = await abandon(ctx)
        traveller.shift(ledger.RESERVED_FOR)
        await use(ctx)

        assert await charge(ctx, slow)

        assert await left(ctx) == (0, 0)


async def test_work_that_outlasts_its_reservation_never_overdraws(ctx):
    with time_machine.travel(datetime(2026, 11, 10, 12, tzinfo=UTC)) as traveller:
        slow = await abandon(ctx)
        traveller.shift(ledger.RESERVED_FOR)
        for _ in range(FREE):
            await use(ctx)

        assert not await charge(ctx, slow)

        assert await left(ctx) == (0, 0)


async def test_an_action_ends_once(ctx):
    action = await abandon(ctx)
    await charge(ctx, action)
    async with ctx.transaction() as inner:
        await ledger.release(inner, action)
    await charge(ctx, action)

    assert await left(ctx) == (FREE - 1, 0)
    assert await statuses(ctx) == ["charged"]


# ---------------------------------------------------------------- the month's end


MIDNIGHTS = [
    ("Europe/Madrid", datetime(2026, 11, 30, 23, 0, tzinfo=UTC)),
    ("Atlantic/Canary", datetime(2026, 12, 1, 0, 0, tzinfo=UTC)),
    ("America/Los_Angeles", datetime(2026, 12, 1, 8, 0, tzinfo=UTC)),
]
"""Beginnings of December 2026: UTC+1, UTC+0 and UTC-8 in winter."""


@pytest.mark.parametrize(("zone", "midnight"), MIDNIGHTS)
async def test_the_month_begins_at_midnight_of_the_account(kernel, ana, zone, midnight):
    await ana.put("/api/teams/current", {"timezone": zone})
    ctx = await accounts.system_context(kernel, UUID(ana.team["id"]))
    with time_machine.travel(midnight - timedelta(seconds=2), tick=False) as traveller:
        for _ in range(FREE):
            await use(ctx)
        before = await left(ctx)
        resets_at = (await ai.balance(ctx)).resets_at
        traveller.move_to(midnight)

        await use(ctx)

        assert (before, await left(ctx)) == ((0, 0), (FREE - 1, 0))
        assert resets_at == midnight
        assert (await ai.usage(ctx, PageRequest())).month_by_kind == {"scan-receipt": 1}


@pytest.mark.parametrize(("zone", "midnight"), MIDNIGHTS)
async def test_a_free_action_of_the_old_month_gives_nothing_to_the_new_one(kernel, ana, zone, midnight):
    await ana.put("/api/teams/current", {"timezone": zone})
    ctx = await accounts.system_context(kernel, UUID(ana.team["id"]))
    with time_machine.travel(midnight - timedelta(seconds=2), tick=False) as traveller:
        old = await abandon(ctx)
        traveller.move_to(midnight)
        await use(ctx)
        async with ctx.transaction() as inner:
            await ledger.release(inner, old)

        assert await left(ctx) == (FREE - 1, 0)


async def test_a_pack_gets_its_action_back_in_any_month(ctx):
    midnight = MIDNIGHTS[0][1]
    with time_machine.travel(midnight - timedelta(seconds=2), tick=False) as traveller:
        await grant(ctx, 1)
        for _ in range(FREE):
            await use(ctx)
        await abandon(ctx)
        assert await left(ctx) == (0, 0)
        traveller.move_to(midnight + ledger.RESERVED_FOR)

        await use(ctx)

        assert await left(ctx) == (FREE - 1, 1)


# ---------------------------------------------------------------- packs and use


async def test_a_reference_is_granted_once(ctx):
    assert await grant(ctx, 5, "invoice 7")
    assert not await grant(ctx, 5, "invoice 7")
    assert await grant(ctx, 5, "invoice 8")

    assert await left(ctx) == (FREE, 10)


async def test_use_is_shown_with_its_packs_and_pages(ctx, ana, berta):
    await grant(ctx, 5, "invoice 7")
    await use(ctx)
    await use(ctx, ActionKind.CATEGORIZE)
    await fail(ctx, ValueError())

    first = await ana.get("/api/ai/usage?limit=2")
    second = await ana.get("/api/ai/usage?limit=2&page=2")
    of_another = await berta.get("/api/ai/usage")

    assert first["balance"] == (await ana.get("/auth/me"))["tokens"]
    assert first["monthByKind"] == {"categorize": 1, "scan-receipt": 1}
    assert [(pack["actions"], pack["reference"]) for pack in first["packs"]] == [(5, "invoice 7")]
    shown = [(one["kind"], one["status"], one["paidBy"]) for one in [*first["actions"], *second["actions"]]]
    assert shown == [
        ("scan-receipt", "released", "pack"),
        ("categorize", "charged", "free"),
        ("scan-receipt", "charged", "free"),
    ]
    assert second["actions"][0]["engine"] == "seer"
    assert (first["actionCount"], first["month"]) == (3, f"{ctx.account.today():%Y-%m}")
    assert (of_another["actions"], of_another["packs"], of_another["balance"]["monthlyUsed"]) == ([], [], 0)
