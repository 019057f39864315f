"""The messenger fails when updates or files are fetched: nothing is lost or done twice, and the failure is noted."""

import io
from contextlib import contextmanager
from time import monotonic

import pytest
from PIL import Image
from structlog.testing import capture_logs

from ledgerkit.core.messaging.messengers.messenger import OtherPollerError
from ledgerkit.core.messaging.messengers.telegram import adapter
from ledgerkit.core.messaging.messengers.telegram.client import BotApi
from ledgerkit.core.platform.ai.texts import AiMsg
from ledgerkit.core.purchases.reading.receipts import operations as reading
from ledgerkit.problems import Code, Unavailable
from support.botapi import (
    CUT,
    DUPLICATED,
    GARBLED,
    HALF,
    HANGS,
    HUGE,
    LOST,
    OTHER_POLLER,
    REVERSED,
    answers,
    busy,
    fails,
    redirects,
)
from support.delivering import delivering, failure, speaking
from support.modelserver import BILL, reads
from support.office import eventually
from support.talking import linked

PASSING = [fails(500), fails(502), CUT, LOST, HALF, GARBLED, HUGE, redirects(), answers({"no": "list"})]


@contextmanager
def short_calls():
    """Calls wait for a third of a second only, and polls for no time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BotApi.call.__kwdefaults__, "seconds", 0.3)
        patch.setattr(adapter, "CALL_SECONDS", 0.3)
        patch.setattr(adapter, "LONGEST_POLL", 0)
        yield


async def notes(desk, bot, *failures: str | None) -> None:
    """Wait until the failure of the bot is noted, or none of it."""

    async def is_noted() -> bool:
        return await failure(desk, bot) in failures

    await eventually(is_noted, seconds=10)


def warnings(logs, event: str) -> int:
    return [entry["event"] for entry in logs].count(event)


# ------------------------------------------------------------ updates


async def test_every_update_is_answered_once_and_in_order(ana):
    words = ["tareas", "caja", "tareas", "caja"]
    known = [(await ana.says(one))[0].text for one in words[:2]] * 2
    for fault in [*PASSING, DUPLICATED, REVERSED, OTHER_POLLER]:
        before = len(ana.chat.shown)
        ana.bot.fail("getUpdates", fault, fault)
        ana.chat.say(words[0])  # it ends the call that waits already
        await ana.bot.until(lambda: ana.bot.faults_left("getUpdates") < 2)
        for one in words[1:]:
            ana.chat.say(one)
        await ana.bot.until(lambda: ana.bot.faults_left("getUpdates") == 0)
        await ana.settled()
        said = [shown.text for shown in ana.chat.shown[before:]]
        assert sorted(said) == sorted(known), fault
        if fault is not REVERSED:  # what arrives late is answered late
            assert said == known, fault


async def test_silence_of_the_messenger_ends(ana):
    with short_calls():
        ana.bot.fail("getUpdates", HANGS)
        assert len(await ana.says("tareas")) == 1
        assert ana.bot.faults_left("getUpdates") == 0


async def test_nobody_asks_while_the_messenger_asks_to_wait(ana):
    ana.bot.fail("getUpdates", busy(2))
    ana.chat.say("tareas")
    await ana.bot.until(lambda: ana.bot.faults_left("getUpdates") == 0)
    began, before = monotonic(), len(ana.bot.calls)
    await ana.settled()
    calls = [call for call in ana.bot.calls[before:] if call.method == "getUpdates" and call.at > began]
    assert min(call.at for call in calls) - began > 1.8
    assert len(ana.chat.shown) == 2


async def test_other_poller_is_noted_and_said_once(ana, desk):
    with capture_logs() as logs:
        ana.bot.fail("getUpdates", *[OTHER_POLLER] * 4)
        ana.chat.say("tareas")
        await notes(desk, ana.bot, "other_poller")
        await ana.settled()
        await notes(desk, ana.bot, None)
    assert warnings(logs, "messenger gives no updates") == 1
    assert len(ana.chat.shown) == 2


async def test_other_poller_that_goes_on_is_survived(ana, desk, telegram):
    """Another program asks for the updates again and again, and ends."""
    other = speaking(telegram, ana.bot)
    for _ in range(3):
        with pytest.raises(OtherPollerError):
            await other.updates(0, 5)
    await other.close()
    assert len(await ana.says("tareas")) == 1
    await notes(desk, ana.bot, None)


async def test_failure_that_a_former_process_has_noted_is_cleared(desk, telegram, bot):
    async with delivering(desk, speaking(telegram, bot)):
        bot.fail("getUpdates", *[OTHER_POLLER] * 100)
        await notes(desk, bot, "other_poller")
    bot.clear_faults()
    async with delivering(desk, speaking(telegram, bot)):
        await notes(desk, bot, None)


# ------------------------------------------------------------ the token


async def test_revoked_token_is_noted_until_it_is_valid_again(ana, desk):
    token = ana.bot.token
    ana.bot.revoke()
    ana.chat.say("tareas")
    await notes(desk, ana.bot, "token")
    assert await ana.api.get("/api/tasks") == []  # REST goes on
    ana.bot.token = token
    await notes(desk, ana.bot, None)
    await ana.settled()
    assert len(ana.chat.shown) == 2


async def test_token_that_was_revoked_before_the_start_is_noted(desk, telegram, bot):
    async with delivering(desk, speaking(telegram, bot)):
        talk = await linked(desk, bot, await desk.account())
    token = bot.token
    bot.revoke()
    async with delivering(desk, speaking(telegram, bot, token)):
        await notes(desk, bot, "token")
        (installed,) = await talk.api.get("/api/messaging/messengers")
        assert (installed["name"], installed["problem"]) == ("telegram", "token")


# ------------------------------------------------------------ files


def picture(colour: str) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (60, 80), colour).save(content, "JPEG")
    return content.getvalue()


async def test_file_that_is_not_fetched_is_said(ana, model):
    model.says(reads(BILL))
    with short_calls():
        for place in ("getFile", "download"):
            for fault in [fails(500), CUT, HALF, busy(1), fails(401)]:
                ana.bot.fail(place, fault)
                *_, answer = await ana.sends(picture("red"))
                assert answer.text.startswith("No he podido"), (place, fault)
    assert await ana.api.get("/api/approvals") == []
    assert model.requests == []
    *_, card = await ana.sends(picture("red"))
    assert "24,20 EUR" in card.text


async def test_network_that_is_cut_after_the_download(ana, model):
    """A receipt that was read is shown once the network is back: one reading, one proposal, one card."""
    model.says(reads(BILL))
    before = len(model.requests)
    ana.bot.fail("sendMessage", *[CUT] * 5)
    (card,) = await ana.sends(picture("green"))
    assert "24,20 EUR" in card.text
    assert len(model.requests) == before + 1
    assert len(await ana.api.get("/api/approvals")) == 1
    await ana.taps("Guardar")
    assert len(await ana.api.get("/api/expenses")) == 1


async def unavailable(*_) -> None:
    raise Unavailable(AiMsg.MODEL_BUSY, code=Code.AI_BUSY)


async def test_reader_that_is_busy_is_asked_again(ana, model, monkeypatch):
    model.says(reads(BILL))
    attempts = [unavailable, unavailable, reading.scan_receipt]

    async def scan_receipt(*arguments):
        return await attempts.pop(0)(*arguments)

    monkeypatch.setattr(reading, "scan_receipt", scan_receipt)
    progress, card = await ana.sends(picture("blue"))
    assert progress.text == "Lo estoy leyendo…"
    assert "24,20 EUR" in card.text


async def test_reader_that_stays_busy_is_said_in_the_end(ana, monkeypatch):
    monkeypatch.setattr(reading, "scan_receipt", unavailable)
    _, answer = await ana.sends(picture("yellow"))
    assert answer.text.startswith("El modelo tiene demasiado trabajo")
    assert len(await ana.says("tareas")) == 1
