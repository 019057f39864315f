"""Fifteen everyday goals cost an assistant few calls and few bytes. A confirmed act is two calls."""

from collections.abc import AsyncIterator

import pytest

from ledgerkit.settings import Settings
from mcp_evaluation.everyday import GOALS, Assistant
from mcp_server.conftest import Site, served
from support.modelserver import ModelServer, model_server
from support.office import cloned

pytestmark = pytest.mark.whole

MOST_CALLS, MOST_BYTES = 70, 60_000


@pytest.fixture
async def reader() -> AsyncIterator[ModelServer]:
    async with model_server() as server:
        yield server


@pytest.fixture
async def reading_site(postgres, cheap_passwords, tmp_path, reader) -> AsyncIterator[Site]:
    """The application with a model that reads pictures."""
    async with cloned(postgres) as url:
        settings = Settings(
            _env_file=None,
            data_dir=tmp_path,
            database_url=url,
            rate_limit="off",
            secret_key="a secret of the tests, forty characters long",
            ai_base_url=reader.url,
            ai_monthly_actions=20,
        )
        async with served(settings, cheap_passwords) as running:
            yield running


async def test_fifteen_goals_cost_few_calls_and_few_bytes(reading_site, reader, scores):
    calls = size = 0
    for kind in GOALS:
        goal = kind(reading_site, reader)
        assistant = Assistant(reading_site.agent(await goal.prepared()))
        await goal.pursue(assistant)
        await goal.judge()
        scores.note(f"  {kind.__name__}", f"{assistant.calls} / {assistant.bytes:,}")
        calls, size = calls + assistant.calls, size + assistant.bytes

    assert len(GOALS) == 15
    scores.at_most("calls of fifteen everyday goals", calls, MOST_CALLS)
    scores.at_most("bytes that they read", size, MOST_BYTES)
