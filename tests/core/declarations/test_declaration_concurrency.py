"""Simultaneous requests about one period: one row, one file, and nothing that was decided is lost."""

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from support.declarations import PATH, QUARTER, Declarant
from support.office import cloned, opened

CROWD = 16


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords, countries):
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords) as office:
        state = office.client._transport.app.state
        state.kernel = replace(state.kernel, countries=countries)
        yield office


@pytest.fixture
async def ana(office) -> Declarant:
    api = await office.account()
    await api.put("/api/teams/current", {"einvoicing": "off"})
    return Declarant(api.client, api.headers, team=api.team, kernel=office.kernel)


async def at_once(*requests) -> Counter:
    answers = await asyncio.gather(*requests)
    return Counter(answer.status_code for answer in answers)


async def listed(ana) -> list:
    return (await ana.get(PATH))["declarations"]


@pytest.mark.whole
async def test_a_crowd_that_generates_a_period_makes_one_declaration(ana):
    await ana.sold(1000, "2026-07-10")

    answers = await asyncio.gather(*(ana.request("POST", f"{PATH}/generate", QUARTER) for _ in range(CROWD)))

    assert {answer.status_code for answer in answers} == {200}
    [one] = await listed(ana)
    assert {answer.json()["declaration"]["id"] for answer in answers} == {one["id"]}
    assert one["effectiveBoxes"]["30"] == 210


@pytest.mark.whole
async def test_what_is_decided_while_others_generate_stays(ana):
    made = await ana.generated()
    path = f"{PATH}/{made['id']}"
    generating = [ana.request("POST", f"{PATH}/generate", QUARTER) for _ in range(3)]

    seen = await at_once(*generating, ana.request("PATCH", path, {"manualOverrides": {"20": 5}}))

    assert seen == {200: 4}
    [one] = await listed(ana)
    assert (one["manualOverrides"], one["effectiveBoxes"]["30"]) == ({"20": 5}, -5)


async def test_it_is_submitted_once(ana):
    made = await ana.generated()

    seen = await at_once(*(ana.request("PATCH", f"{PATH}/{made['id']}/submit") for _ in range(CROWD)))

    assert seen == {200: 1, 400: CROWD - 1}


@pytest.mark.whole
async def test_a_crowd_that_amends_a_period_begins_one_amendment(ana):
    await ana.submitted(await ana.generated())
    wanted = QUARTER | {"amends": {"receiptNumber": "1"}}

    seen = await at_once(*(ana.request("POST", f"{PATH}/generate", wanted) for _ in range(3)))

    assert seen == {200: 3}
    assert [one["status"] for one in await listed(ana)] == ["draft", "submitted"]


@pytest.mark.whole
async def test_what_is_typed_in_by_a_crowd_is_there_once(ana):
    typed = QUARTER | {"boxes": {"30": 1}}

    seen = await at_once(*(ana.request("POST", f"{PATH}/previous", typed) for _ in range(CROWD)))

    assert set(seen) <= {201, 409}
    assert len(await listed(ana)) == 1
