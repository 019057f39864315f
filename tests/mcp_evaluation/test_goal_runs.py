"""Pursuits of goals, with a scripted model in place of a real one."""

import json
from dataclasses import replace

import pytest
from goals import MOST_TURNS, Pursuit, connected_model
from scores import Scores
from traces import TRACES, Player, resolved

from ledgerkit.settings import Settings
from mcp_evaluation.everyday import KeepTheTill
from support.modelserver import calls_tool, completion, model_server

DONE = completion("Done.")


class GoldenModel:
    """Model that makes the calls of a golden trace, and repeats a preview's call with its token.

    `asks` makes it ask the person before it repeats a call.
    """

    def __init__(self, player, *, asks=False):
        self.player, self.asks, self.steps, self.sent = player, asks, list(player.trace["calls"]), None

    def __call__(self, request):
        last = request["messages"][-1]
        answer = json.loads(last["content"]) if last["role"] == "tool" else {}
        if answer.get("confirmationRequired"):
            self.sent["arguments"] |= {"confirmation_token": answer["confirmationToken"]}
            return completion("Shall I?") if self.asks else self._call()
        if last["role"] == "user" and self.sent:
            return self._call() if last["content"].startswith("Yes") else DONE
        if self.sent and "as" in self.sent["step"]:
            self.player.names[self.sent["step"]["as"]] = answer
        if not self.steps:
            return DONE
        step = self.steps.pop(0)
        self.sent = {"step": step, "arguments": resolved(step.get("with", {}), self.player.names)}
        return self._call()

    def _call(self):
        return calls_tool(self.sent["step"]["tool"], json.dumps(self.sent["arguments"]))


@pytest.fixture
async def server():
    async with model_server() as server:
        yield server


@pytest.fixture
async def model(server):
    settings = Settings(_env_file=None, ai_base_url=server.origin, ai_model=None)
    model = await connected_model(settings)
    yield model
    await model.sdk.close()


async def pursued(site, server, model, name, reply=None, *, asks=False):
    player = Player(site, TRACES[name])
    server.says(reply or GoldenModel(player, asks=asks))
    return await Pursuit(model, player).outcome()


@pytest.mark.parametrize(
    ("name", "turns"), [("record_an_expense", 2), ("emit_an_invoice", 5), ("a_viewer_changes_nothing", 4)]
)
async def test_a_model_that_makes_the_golden_calls_reaches_the_goal(site, server, model, name, turns):
    outcome = await pursued(site, server, model, name)

    assert (outcome.is_reached, outcome.turns, outcome.tokens, outcome.reason) == (True, turns, 100 * turns, "")
    rules, goal = server.requests[0]["messages"]
    assert "confirmation_token" in rules["content"]
    assert goal == {"role": "user", "content": TRACES[name]["goal"]}


async def test_the_model_gets_the_tools_that_the_caller_sees(site, server, model):
    await pursued(site, server, model, "a_viewer_changes_nothing", DONE)

    listed = {tool["function"]["name"]: tool["function"] for tool in server.requests[0]["tools"]}
    assert "list_invoices" in listed
    assert "create_invoice" not in listed
    assert listed["get_invoice"]["parameters"]["required"] == ["id"]


async def test_a_model_that_asks_is_answered_by_the_person(site, server, model):
    outcome = await pursued(site, server, model, "delete_a_draft", asks=True)

    assert outcome.is_reached, outcome.reason
    assert [one["content"] for one in server.requests[-1]["messages"] if one["role"] == "user"][1:] == [
        "Yes, I agree: do it."
    ]


async def test_a_person_who_does_not_agree_says_so(site, server, model):
    outcome = await pursued(site, server, model, "deletion_without_agreement", asks=True)

    assert outcome.is_reached, outcome.reason
    assert server.requests[-1]["messages"][-1]["content"] == "No, do not do it."


async def test_a_model_that_confirms_by_itself_what_nobody_wanted_fails(site, server, model):
    outcome = await pursued(site, server, model, "deletion_without_agreement")

    assert not outcome.is_reached


async def test_a_model_that_stops_early_fails(site, server, model):
    outcome = await pursued(site, server, model, "record_an_expense", DONE)

    assert (outcome.is_reached, outcome.turns) == (False, 1)
    assert outcome.reason


async def test_a_model_that_never_stops_is_stopped(site, server, model):
    outcome = await pursued(site, server, model, "another_teams_invoice", calls_tool("whoami", "{}"))

    assert (outcome.is_reached, outcome.turns) == (False, MOST_TURNS)
    assert outcome.reason == "did not come to an end"


async def test_calls_that_are_no_calls_are_answered(site, server, model):
    player = Player(site, TRACES["record_an_expense"])
    server.says(calls_tool("create_expense", "{"), calls_tool("no_such_tool", "{}"), GoldenModel(player))
    outcome = await Pursuit(model, player).outcome()

    assert outcome.is_reached, outcome.reason
    answers = [one["content"] for one in server.requests[-1]["messages"] if one["role"] == "tool"]
    assert answers[0].startswith("The call is not valid")
    assert "no_such_tool" in answers[1]


async def test_an_everyday_goal_is_told_in_the_words_of_a_person_and_judged(site, server, model):
    server.says(calls_tool("open_cash_register", json.dumps({"openingAmount": 80})), DONE)
    outcome = await Pursuit(model, KeepTheTill(site, server)).outcome()

    assert (outcome.is_reached, outcome.turns) == (False, 2)
    assert server.requests[0]["messages"][1]["content"] == KeepTheTill.words


async def test_the_table_shows_each_goal_and_the_share(site, server, model):
    reached = await pursued(site, server, model, "record_an_expense")
    failed = replace(reached, is_reached=False, reason="nothing is stored")
    lines = list(Scores(goals={"one": reached, "two": failed}, model="seer").lines())

    assert lines[1].split() == ["one", "passed", "2", "turns", "200", "tokens"]
    assert lines[2].endswith("nothing is stored")
    assert lines[3].split()[3:] == ["seer", "1", "of", "2", "(0.500),", "400", "tokens"]
