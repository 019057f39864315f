"""Fifteen everyday goals cost an assistant few calls and few bytes. A confirmed act is two calls."""

import pytest

from mcp_evaluation.everyday import GOALS, Assistant

pytestmark = pytest.mark.whole

MOST_CALLS, MOST_BYTES = 70, 60_000


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
