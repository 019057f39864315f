"""The right tool is found by the words of our own requests, in Spanish and English, with bars for both halves.

Their author wrote the descriptions too, so the bars hold what was reached; what others reach is in docs/mcp.md.
"""

import pytest

from ledgerkit.mcp_server.tools import TOOLS
from mcp_evaluation import retrieval


@pytest.fixture(scope="module")
def measured():
    return retrieval.measured()


def test_every_tool_is_asked_for():
    asked = {tool for held_out in (True, False) for one in retrieval.requests(held_out=held_out) for tool in one.tools}

    assert asked == set(TOOLS)


def test_the_right_tool_is_among_the_first_five(measured):
    assert measured["tuned half"].of_five >= 0.95, retrieval.missed()
    assert measured["held-out half"].of_five >= 0.85


@pytest.mark.parametrize("half", ["tuned half", "held-out half"])
def test_the_right_tool_is_first_more_often_than_with_one_tool_per_operation(measured, half):
    assert measured[half].first > measured[f"one per operation, {half}"].first
