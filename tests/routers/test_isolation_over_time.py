"""Records once in reach are out of reach at once when a role, a team, a membership or a key ends."""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import uuid4

import pytest

from support.api import Api
from support.cases import try_each
from support.database import set_role
from support.interface import OF_LOGINS
from support.scenes import ASKS, EMISSION, PRINTING, address, body, scene
from support.scenes.ask import ROLES, named_in

OF_NOBODY = {"GET /api/countries/{code}"}
"""Operations on what everybody may see."""

WITH_IDS = [row for row, ask in ASKS.items() if ask.of and row not in {*EMISSION, *OF_NOBODY}]
LEAVING = {"POST /api/teams", "POST /api/teams/switch/{teamId}"}
"""Operations that change the caller's team: called last, if at all."""


OF_THE_PERSON = {"DELETE /api/oauth/grants/{id}"}
"""Operations on what is a person's own in whichever team they are."""


async def answer(caller: Api, row: str, ids: Mapping[str, str]) -> Any:
    method, path = address(row, ids)
    return await caller.request(method, path, body(ASKS[row], ids))


async def as_if_missing(caller: Api, theirs: Mapping[str, str], besides: Collection[str] = ()) -> None:
    """Every row that takes an id answers to another account's as to one that does not exist."""
    left_out = (LEAVING | OF_LOGINS if "x-api-key" in caller.headers else LEAVING).union(besides)
    for row in WITH_IDS:
        if row in left_out:
            continue
        missing = {**theirs, ASKS[row].of or "": str(uuid4())}
        seen, absent = await answer(caller, row, theirs), await answer(caller, row, missing)

        assert seen.status_code in {403, 404}, (row, seen.text)
        assert (absent.status_code, absent.json()["code"]) == (seen.status_code, seen.json()["code"]), row


async def member(kernel: Any, team: Api, role: str, email: str = "rosa@example.com") -> Api:
    """Somebody with that role in the team, which is their active one."""
    rosa = await Api.register(team.client, email)
    await set_role(kernel, team_id=team.team["id"], user_email=email, role=role)
    return rosa


@pytest.mark.parametrize("role", ROLES[1:])
async def test_whatever_the_role_foreign_ids_are_missing_ones(kernel, ana, berta, role):
    theirs = await scene(ana)
    rosa = await member(kernel, berta, role)

    await as_if_missing(rosa, theirs)


async def test_after_a_switch_the_other_teams_records_are_missing(ana):
    there = await scene(ana)
    await ana.post("/api/teams", {"name": "Otra", "country": "ES"})

    await as_if_missing(ana, there, OF_THE_PERSON)


async def test_a_removed_member_finds_nothing_there_any_more(kernel, ana):
    theirs = await scene(ana)
    rosa = await member(kernel, ana, "admin")
    me = (await rosa.get("/auth/me"))["user"]["id"]
    key = Api(ana.client, {"x-api-key": rosa.api_key})

    await ana.delete(f"/api/teams/current/members/{me}")

    for caller in (rosa, key):
        await as_if_missing(caller, theirs)
        problem = await caller.refused(403, "GET", "/api/invoices", **{"X-Team-Id": ana.team["id"]})
        assert problem["code"] == "NOT_TEAM_MEMBER"


async def test_a_key_that_was_replaced_opens_nothing(kernel, ana):
    old = Api(ana.client, {"x-api-key": ana.team["apiKey"]})
    await ana.post("/api/teams/current/regenerate-key")

    async def attempt(row):
        method, path = address(row, {})
        problem = await old.refused(401, method, path, body(ASKS[row], {}))

        assert problem["code"] == "UNAUTHENTICATED"

    await try_each(kernel, ASKS, attempt)


async def test_a_lowered_role_counts_for_the_very_next_request(kernel, ana):
    ids = await scene(ana)
    rosa = await member(kernel, ana, "admin")
    assert (await answer(rosa, "PUT /api/clients/{id}", ids)).is_success

    me = (await rosa.get("/auth/me"))["user"]["id"]
    await ana.patch(f"/api/teams/current/members/{me}/role", {"role": "viewer"})

    for row, ask in ASKS.items():
        if "viewer" not in (ask.allowed or ()) and row not in PRINTING:
            seen = await answer(rosa, row, ids)
            assert (seen.status_code, seen.json()["code"]) == (403, "FORBIDDEN_ROLE"), row


def test_every_way_to_name_a_record_is_swept():
    named = {name for ask in ASKS.values() for name in [ask.of, *named_in([ask.body, ask.query])] if name}

    assert len(WITH_IDS) > 40
    assert len(named) > 10
