"""A mistaken call is put right by what its problem says."""

from collections import Counter

import pytest
from repairs import mistakes, nested_as_text, repaired
from traces import TRACES, Player

from ledgerkit.mcp_server.tools import TOOLS

BAR = 0.9
ERA = "2026-07-28"
FAST = ("pay_a_supplier_a_part", "draft_with_retention")


class Mender:
    """Makes every mistake that a golden call allows before the call itself, which gets the repaired arguments."""

    def __init__(self) -> None:
        self.made: Counter[str] = Counter()
        self.repaired: Counter[str] = Counter()
        self.failures: list[str] = []

    async def before_call(self, client, tool, intended, step):
        if "refused" in step:
            return intended
        for mistake in mistakes(TOOLS[tool], intended):
            answer = await client.call_tool(tool, mistake.arguments)
            problem = answer.structured_content
            self.made[mistake.kind] += 1
            if answer.is_error and repaired(mistake.arguments, problem, intended) == intended:
                self.repaired[mistake.kind] += 1
            else:
                self.failures.append(f"{tool} {mistake.kind} {mistake.path}: {problem}"[:600])
        if (as_text := nested_as_text(intended)) != intended:
            self.made["JSON as text"] += 1
            self.repaired["JSON as text"] += 1  # the golden call goes on with it, and fails the trace otherwise
        return as_text


async def _mended(site, names) -> Mender:
    mender = Mender()
    for name in names:
        await Player(site, TRACES[name], mender.before_call).perform(ERA)
    return mender


async def test_mistakes_in_two_tasks_are_put_right(site):
    mender = await _mended(site, FAST)

    assert mender.made.total() > 20
    assert mender.failures == []


@pytest.mark.whole
async def test_nine_of_ten_mistakes_are_put_right(site, scores):
    mender = await _mended(site, TRACES)

    for kind, number in mender.made.items():
        scores.note(f"  repaired: {kind}", f"{mender.repaired[kind]} of {number}")
    scores.at_least("share of mistaken calls repaired", mender.repaired.total() / mender.made.total(), BAR)
