"""Kept records that the authority demands."""

import asyncio
from datetime import date, timedelta

import pytest
from lxml import etree

from ledgerkit import clock
from ledgerkit.core.einvoice.signed_mode import requests
from ledgerkit.problems import Invalid
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.sandbox import Fault, Spoil
from support.keeping import SF, demand, keep, system
from support.office import emit, nif


async def test_a_demand_is_answered_with_the_very_bytes_that_were_kept(office, ana, schema):
    await keep(ana)
    for _ in range(3):
        await emit(ana, await ana.invoice())

    answered = await requests.answer(await system(office, ana), demand())

    message = office.authority.received[-1]
    assert (answered.records, answered.complete, answered.messages[0].problem) == (3, True, None)
    assert answered.messages[0].csv
    assert all(record.content in message for record in await office.records(ana))
    root = etree.fromstring(message)
    schema.assertValid(root[-1][0])
    assert root.findtext(f".//{SF}SuministroInformacion.xsd}}FinRequerimiento") == "S"
    assert [record.state for record in await office.records(ana)] == ["kept"] * 3


async def test_only_what_the_demanded_issuer_kept_on_these_days_is_shown(office, ana):
    today = clock.today("Europe/Madrid")
    await keep(ana)
    await emit(ana, await ana.invoice())
    await ana.put("/api/teams/current", {"taxId": nif(29_100_001)})
    await keep(ana)
    second = await emit(ana, await ana.invoice())
    ctx = await system(office, ana)

    shown = await requests.answer(ctx, demand())

    assert (shown.records, second["number"].encode() in office.authority.received[-1]) == (1, True)
    for since, until in ((-9, -1), (1, 9)):
        days = {"since": today + timedelta(days=since), "until": today + timedelta(days=until)}
        with pytest.raises(Invalid, match="no record"):
            await requests.answer(ctx, demand(f"REQ{since % 10}").model_copy(update=days))
    feed = await ana.get("/api/invoices/activity/feed")
    assert [one["entityLabel"] for one in feed if one["action"] == "demand_answered"] == ["REQ2026A"]


async def test_nothing_is_sent_after_a_message_that_was_not_taken(office, ana, monkeypatch):
    monkeypatch.setattr(VerifactuChannel, "max_batch", 1)
    await keep(ana)
    for _ in range(2):
        await emit(ana, await ana.invoice())
    office.authority.faults.add(Fault(spoil=Spoil.LOST))
    before = len(office.authority.received)

    answered = await requests.answer(await system(office, ana), demand())

    assert [one.delivered for one in answered.messages] == [False, False]
    assert len(office.authority.received) == before + 1


async def test_many_records_go_in_several_messages_and_only_the_last_says_so(office, ana, monkeypatch):
    monkeypatch.setattr(VerifactuChannel, "max_batch", 2)
    await keep(ana)
    for _ in range(5):
        await emit(ana, await ana.invoice())

    answered = await requests.answer(await system(office, ana), demand())

    assert [one.records for one in answered.messages] == [2, 2, 1]
    assert ["FinRequerimiento" in one.decode() for one in office.authority.received[-3:]] == [False, False, True]


async def test_the_pause_that_is_asked_for_lies_between_the_messages_of_a_demand(office, ana, monkeypatch):
    monkeypatch.setattr(VerifactuChannel, "max_batch", 1)
    monkeypatch.setattr(office.authority, "wait_seconds", 1)
    await keep(ana)
    for _ in range(3):
        await emit(ana, await ana.invoice())
    begin = asyncio.get_running_loop().time()

    answered = await requests.answer(await system(office, ana), demand())

    assert [one.delivered for one in answered.messages] == [True] * 3
    assert asyncio.get_running_loop().time() - begin >= 2


async def test_a_pause_that_is_asked_for_has_its_limit(office, ana, monkeypatch):
    monkeypatch.setattr(VerifactuChannel, "max_batch", 1)
    monkeypatch.setattr(office.authority, "wait_seconds", 9999)
    monkeypatch.setattr(requests, "LONGEST_PAUSE", 1)
    await keep(ana)
    for _ in range(2):
        await emit(ana, await ana.invoice())

    async with asyncio.timeout(30):
        answered = await requests.answer(await system(office, ana), demand())

    assert [one.delivered for one in answered.messages] == [True, True]


async def test_after_the_last_message_of_a_demand_nobody_waits(office, ana, monkeypatch):
    monkeypatch.setattr(office.authority, "wait_seconds", 9999)
    await keep(ana)
    await emit(ana, await ana.invoice())

    async with asyncio.timeout(requests.LONGEST_PAUSE / 2):
        answered = await requests.answer(await system(office, ana), demand())

    assert answered.complete


async def test_what_was_not_taken_is_sent_again_byte_for_byte(office, ana, monkeypatch):
    monkeypatch.setattr(VerifactuChannel, "max_batch", 1)
    await keep(ana)
    for _ in range(2):
        await emit(ana, await ana.invoice())
    ctx = await system(office, ana)
    office.authority.faults.add(Fault())
    office.authority.faults.add(Fault(spoil=Spoil.LOST))

    first = await requests.answer(ctx, demand())
    second = await requests.answer(ctx, demand())

    assert ([one.delivered for one in first.messages], first.complete) == ([True, False], False)
    assert (second.complete, office.authority.received[-1]) == (True, office.authority.received[-2])
    answers = await office.rows("select delivered from fiscal_demand_answer order by id")
    assert [row.delivered for row in answers][-3:] == [True, False, True]


async def test_a_demand_for_a_period_without_kept_records_or_another_period_is_refused(office, ana):
    ctx = await system(office, ana)
    await emit(ana, await ana.invoice())
    with pytest.raises(Invalid, match="kept"):
        await requests.answer(ctx, demand())

    berta = await office.account("Berta")
    await keep(berta)
    await emit(berta, await berta.invoice())
    hers = await system(office, berta)
    await requests.answer(hers, demand())
    backwards = demand("REQ2026B").model_copy(update={"until": date(2026, 1, 1)})
    with pytest.raises(Invalid, match="lies before"):
        await requests.answer(hers, backwards)
    longer = demand().model_copy(update={"since": date(2026, 1, 1)})
    with pytest.raises(Invalid, match="was answered for"):
        await requests.answer(hers, longer)


async def test_the_authority_says_what_is_wrong_with_a_reference(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())

    answered = await requests.answer(await system(office, ana), demand("not/alphanumeric"))

    assert (answered.complete, answered.messages[0].delivered) == (False, False)
    assert "4133" in answered.messages[0].problem
