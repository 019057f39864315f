"""Golden traces in both eras of the protocol, and no effect without a confirmation in any of them."""

from collections import Counter

import pytest
from traces import TRACES, Player

from ledgerkit.mcp_server.tool import Confirmed
from ledgerkit.mcp_server.tools import TOOLS

ERAS = ("legacy", "2026-07-28")
FAST = ("credit_a_part", "pay_a_supplier_a_part", "a_viewer_changes_nothing", "emission_without_agreement")
PERFORMANCES = [
    pytest.param(name, era, id=f"{name}-{era}", marks=() if name in FAST else pytest.mark.whole)
    for name in TRACES
    for era in ERAS
]


@pytest.mark.parametrize(("name", "era"), PERFORMANCES)
async def test_a_task_ends_as_it_should(site, scores, name, era):
    await Player(site, TRACES[name]).perform(era)

    scores.count(f"golden traces of {len(TRACES)}, {era}")


def test_the_traces_are_forty_and_call_every_tool_that_is_confirmed():
    called = Counter(step["tool"] for trace in TRACES.values() for step in trace["calls"] if "refused" not in step)
    confirmed = {tool.name for tool in TOOLS.values() if tool.confirmed is not Confirmed.NEVER}

    assert len(TRACES) >= 40
    assert confirmed <= called.keys()
    assert all(trace["goal"] for trace in TRACES.values())
