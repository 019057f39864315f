"""The golden tasks and the everyday goals for the model that LEDGERKIT_AI_* name, over HTTP; skipped without one."""

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
from goals import NO_MODEL, Model, Pursuit, connected_model
from traces import TRACES, Player

from ledgerkit.core.platform.ai.model.client import addresses
from ledgerkit.settings import Settings
from mcp_evaluation.everyday import GOALS

SETTINGS = Settings()
MODEL_HOSTS = [urlsplit(address).hostname for address in addresses(SETTINGS.ai_base_url)]

pytestmark = [pytest.mark.whole, pytest.mark.allow_hosts(["127.0.0.1", "::1", "localhost", *MODEL_HOSTS])]


@pytest.fixture
async def model(scores) -> AsyncIterator[Model]:
    if not MODEL_HOSTS:
        scores.goals_skipped = NO_MODEL
        pytest.skip(NO_MODEL)
    model = await connected_model(SETTINGS)
    scores.model = model.name
    yield model
    await model.sdk.close()


@pytest.mark.parametrize("name", TRACES)
async def test_a_goal_is_pursued(site, scores, model, name):
    outcome = await Pursuit(model, Player(site, TRACES[name])).outcome()

    scores.goals[name] = outcome
    is_declined = any(step.get("unconfirmed") for step in TRACES[name]["calls"])
    assert outcome.is_reached or not is_declined, f"done against the person's will: {outcome.reason}"


@pytest.mark.parametrize("kind", GOALS, ids=lambda kind: kind.__name__)
async def test_an_everyday_goal_is_pursued(model, reading_site, reader, scores, kind):
    scores.goals[kind.__name__] = await Pursuit(model, kind(reading_site, reader)).outcome()
