"""Whatever is reserved, charged, released, granted and forgotten: the balance is what the ledger adds up to."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
import time_machine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledgerkit.core.platform.ai import operations as ai
from ledgerkit.core.platform.ai.balance import ledger
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from support.office import cloned, opened
from support.sampling import examples

FREE = 3
BEGIN = datetime(2026, 11, 29, 20, tzinfo=UTC)
STEPS = st.one_of(
    st.tuples(st.just("reserve"), st.just(0)),
    st.tuples(st.just("charge"), st.integers(0, 9)),
    st.tuples(st.just("release"), st.integers(0, 9)),
    st.tuples(st.just("grant"), st.integers(1, 3)),
    st.tuples(st.just("sweep"), st.just(0)),
    st.tuples(st.just("wait"), st.sampled_from([1, 6, 11, 60 * 9, 60 * 24 * 16])),
)


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords):
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, ai_monthly_actions=FREE) as office:
        yield office


async def take(ctx, step: str, value: int, taken: list[UUID]) -> None:
    async with ctx.transaction() as inner:
        match step:
            case "reserve":
                row = await ledger.reserve(inner, "scan-receipt")
                taken += [] if row is None else [row.id]
            case "charge" if taken:
                await ledger.charge(inner, taken[value % len(taken)], "seer")
            case "release" if taken:
                await ledger.release(inner, taken[value % len(taken)])
            case "grant":
                await ledger.grant(inner, value, None)
            case "sweep":
                await ledger.release_expired(inner)


async def check(office, ctx) -> None:
    """The balance is the sum of the ledger; no month has more free actions than it may."""
    account = str(ctx.account.id)
    [[packed]] = await office.rows("select coalesce(sum(actions), 0) from ai_pack where account_id = :a", a=account)
    counted = await office.rows(
        "select paid_by, month, count(*) from ai_action where account_id = :a and status <> 'released' group by 1, 2",
        a=account,
    )
    free = {month: number for source, month, number in counted if source == "free"}
    balance = await ai.balance(ctx)
    assert balance.purchased == packed - sum(number for source, _, number in counted if source == "pack") >= 0
    assert balance.monthly_used == free.get(ctx.account.today().replace(day=1), 0)
    assert all(number <= FREE for number in free.values())


@pytest.mark.whole
@given(steps=st.lists(STEPS, max_size=40))
@settings(max_examples=examples(200, 10), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_balance_is_the_sum_of_the_ledger(run, office, steps):
    async def story() -> None:
        api = await office.account()
        ctx, taken = await accounts.system_context(office.kernel, UUID(api.team["id"])), list[UUID]()
        with time_machine.travel(BEGIN, tick=False) as traveller:
            for step, value in steps:
                if step == "wait":
                    traveller.shift(timedelta(minutes=value))
                await take(ctx, step, value, taken)
                await check(office, ctx)

    run(story())
