"""Answering requests of the authority with signed records."""

import asyncio
from datetime import date, timedelta

import pytest
from lxml import etree

from ledgerkit import clock
from ledgerkit.core.einvoice.signed_mode import requests
from ledgerkit.problems import Invalid
from ledgerkit.providers.es.sandbox import Fault, Spoil
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from support.office import emit, nif
from support.signed_mode import SF, keep, request, system


async def test_a_request_is_answered_with_the_stored_bytes(office, ana, schema):
    await keep(ana)
    for _ in range(3):
        await emit(ana, await ana.invoice())

    answered = await requests.answer_request(await system(office, ana), request())

    message = office.authority.received[-1]
    assert (answered.records, answered.complete, answered.messages[0].problem) == (3, True, None)
    assert answered.messages[0].csv
    assert all(record.content in message for record in await office.records(ana))
    root = etree.fromstring(message)
    schema.assertValid(root[-1][0])
    assert root.findtext(f".//{SF}SuministroInformacion.xsd}}FinRequerimiento") == "S"
    assert [record.state for record in await office.records(ana)] == ["kept"] * 3


async def test_only_signed_records_of_that_issuer_and_period_are_sent(office, ana):
    today = clock.today("Europe/Madrid")
    await keep(ana)
    await emit(ana, await ana.invoice())
    await ana.put("/api/teams/current", {"taxId": nif(29_100_001)})
    await keep(ana)
    second = await emit(ana, await ana.invoice())
    ctx = await system(office, ana)

    answer = await requests.answer_request(ctx, request())

    assert (answer.records, second["number"].encode() in office.authority.received[-1]) == (1, True)
    for since, until in ((-9, -1), (1, 9)):
        days = {"since": today + timedelta(days=since), "until": today + timedelta(days=until)}
        with pytest.raises(Invalid, match="no record"):
            await requests.answer_request(ctx, request(f"REQ{since % 10}").model_copy(update=days))
    feed = await ana.get("/api/invoices/activity/feed")
    assert [one["entityLabel"] for one in feed if one["action"] == "demand_answered"] == ["REQ2026A"]


async def test_nothing_is_sent_after_a_message_that_was_not_accepted(office, ana, monkeypatch):
    monkeypatch.setattr(VerifactuChannel, "max_batch", 1)
    await keep(ana)
    for _ in range(2):
        await emit(ana, await ana.invoice())
    office.authority.faults.add(Fault(spoil=Spoil.LOST))
    before = len(office.authority.received)

    answered = await requests.answer_request(await system(office, ana), request())

    assert [one.delivered for one in answered.messages] == [False, False]
    assert len(office.authority.received) == before + 1


async def test_many_records_go_in_several_messages_and_only_the_last_says_so(office, ana, monkeypatch):
    monkeypatch.setattr(VerifactuChannel, "max_batch", 2)
    await keep(ana)
    for _ in range(5):
        await emit(ana, await ana.invoice())

    answered = await requests.answer_request(await system(office, ana), request())

    assert [one.records for one in answered.messages] == [2, 2, 1]
    assert ["FinRequerimiento" in one.decode() for one in office.authority.received[-3:]] == [False, False, True]


async def test_the_authoritys_pause_lies_between_the_messages_of_a_request(office, ana, monkeypatch):
    monkeypatch.setattr(VerifactuChannel, "max_batch", 1)
    monkeypatch.setattr(office.authority, "wait_seconds", 1)
    await keep(ana)
    for _ in range(3):
        await emit(ana, await ana.invoice())
    begin = asyncio.get_running_loop().time()

    answered = await requests.answer_request(await system(office, ana), request())

    assert [one.delivered for one in answered.messages] == [True] * 3
    assert asyncio.get_running_loop().time() - begin >= 2


async def test_the_authoritys_pause_has_a_limit(office, ana, monkeypatch):
    monkeypatch.setattr(VerifactuChannel, "max_batch", 1)
    monkeypatch.setattr(office.authority, "wait_seconds", 9999)
    monkeypatch.setattr(requests, "LONGEST_PAUSE", 1)
    await keep(ana)
    for _ in range(2):
        await emit(ana, await ana.invoice())

    async with asyncio.timeout(60):
        answered = await requests.answer_request(await system(office, ana), request())

    assert [one.delivered for one in answered.messages] == [True, True]


async def test_there_is_no_pause_after_the_last_message_of_a_request(office, ana, monkeypatch):
    monkeypatch.setattr(office.authority, "wait_seconds", 9999)
    await keep(ana)
    await emit(ana, await ana.invoice())

    async with asyncio.timeout(requests.LONGEST_PAUSE / 2):
        answered = await requests.answer_request(await system(office, ana), request())

    assert answered.complete


async def test_a_message_that_was_not_accepted_is_sent_again_byte_for_byte(office, ana, monkeypatch):
    monkeypatch.setattr(VerifactuChannel, "max_batch", 1)
    await keep(ana)
    for _ in range(2):
        await emit(ana, await ana.invoice())
    ctx = await system(office, ana)
    office.authority.faults.add(Fault())
    office.authority.faults.add(Fault(spoil=Spoil.LOST))

    first = await requests.answer_request(ctx, request())
    second = await requests.answer_request(ctx, request())

    assert ([one.delivered for one in first.messages], first.complete) == ([True, False], False)
    assert (second.complete, office.authority.received[-1]) == (True, office.authority.received[-2])
    answers = await office.rows("select delivered from fiscal_demand_answer order by id")
    assert [row.delivered for row in answers][-3:] == [True, False, True]


async def test_a_request_for_a_period_without_signed_records_or_for_another_period_is_refused(office, ana):
    ctx = await system(office, ana)
    await emit(ana, await ana.invoice())
    with pytest.raises(Invalid, match="kept"):
        await requests.answer_request(ctx, request())

    berta = await office.account("Berta")
    await keep(berta)
    await emit(berta, await berta.invoice())
    ctx_of_berta = await system(office, berta)
    await requests.answer_request(ctx_of_berta, request())
    backwards = request("REQ2026B").model_copy(update={"until": date(2026, 1, 1)})
    with pytest.raises(Invalid, match="lies before"):
        await requests.answer_request(ctx_of_berta, backwards)
    longer = request().model_copy(update={"since": date(2026, 1, 1)})
    with pytest.raises(Invalid, match="was answered for"):
        await requests.answer_request(ctx_of_berta, longer)


async def test_the_authoritys_error_about_a_reference_is_shown(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())

    answered = await requests.answer_request(await system(office, ana), request("not/alphanumeric"))

    assert (answered.complete, answered.messages[0].delivered) == (False, False)
    assert "4133" in answered.messages[0].problem
