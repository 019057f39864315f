"""No statement of a request takes for ever; background work has more time."""

from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import text

from ledgerkit.core.platform.database.sessions import unhurried
from ledgerkit.core.platform.database.transactions import Database, Pooling, retry_on_conflict
from ledgerkit.problems import Unavailable

SLEEP = text("select pg_sleep(1.5)")
ME = uuid4()


@pytest.fixture
async def hurried(fresh_url):
    made = Database(fresh_url, Pooling(size=2, statement_limit=timedelta(seconds=0.5)))
    yield made
    await made.close()


WAYS = {
    "writing": lambda database: database.transaction(ME),
    "reading": lambda database: database.reading(ME),
    "asking": lambda database: database.asking(),
}


async def slept(database, way) -> bool:
    async def work() -> bool:
        async with WAYS[way](database) as connection:
            await connection.execute(SLEEP)
        return True

    return await retry_on_conflict(work)


@pytest.mark.parametrize("way", WAYS)
async def test_a_statement_over_the_limit_is_a_problem_that_says_what_to_do(hurried, way):
    with pytest.raises(Unavailable) as caught:
        await slept(hurried, way)

    assert (caught.value.status, caught.value.code) == (503, "DATABASE_TIMEOUT")
    assert "LEDGERKIT_STATEMENT_TIMEOUT" in caught.value.remedy
    assert caught.value.headers["Retry-After"] == "30"


@pytest.mark.parametrize("way", ["writing", "reading"])
async def test_background_work_has_more_time_and_leaves_none_of_it_behind(hurried, way):
    with unhurried():
        assert await slept(hurried, way)

    with pytest.raises(Unavailable):
        await slept(hurried, way)


async def test_commands_have_no_limit(fresh_url):
    patient = Database(fresh_url, Pooling(size=2))

    async with patient.reading(ME) as connection:
        assert (await connection.execute(text("show statement_timeout"))).scalar_one() == "0"
    await patient.close()
