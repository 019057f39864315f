"""The messenger fails when something is shown: it arrives once that works again, in its order, and once."""

import json
from datetime import timedelta
from time import monotonic

import pytest
from sqlalchemy import text

from ledgerkit.core.messaging.conversation import answers as answering
from ledgerkit.core.messaging.conversation import tapping
from ledgerkit.core.messaging.language.requests import Topic
from ledgerkit.core.messaging.messengers.telegram import adapter
from ledgerkit.core.messaging.messengers.telegram.client import BotApi
from ledgerkit.core.messaging.table import MESSAGE, StoredMessage
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.sales.invoices.pdf import PdfPrinter
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Code, Unavailable
from support.botapi import CUT, GARBLED, HALF, HANGS, HUGE, LOST, answers, busy, fails, redirects
from support.database import as_owner
from support.talking import linked

NOTHING_DONE = [fails(500), fails(502), CUT, GARBLED, HUGE, redirects()]
DONE_UNHEARD = [LOST, HALF]
GONE = [fails(400, "Bad Request: message to edit not found"), fails(400, "Bad Request: message can't be edited")]


@pytest.fixture
def hasty(monkeypatch):
    """Calls wait for a third of a second only."""
    monkeypatch.setitem(BotApi.call.__kwdefaults__, "seconds", 0.3)
    monkeypatch.setattr(adapter, "CALL_SECONDS", 0.3)


async def asked_twice(ana) -> list[str]:
    """Two questions at once, and everything that the bot has said to them."""
    before = len(ana.chat.shown)
    ana.chat.say("tareas")
    ana.chat.say("caja")
    await ana.settled()
    return [shown.text for shown in ana.chat.shown[before:]]


@pytest.fixture
async def answered(ana) -> list[str]:
    return await asked_twice(ana)


async def test_answers_arrive_in_order_and_once(ana, answered):
    assert len(answered) == 2
    for faults in [*((fault, fault) for fault in [*NOTHING_DONE, answers("nonsense")]), (busy(1),)]:
        ana.bot.fail("sendMessage", *faults)
        assert await asked_twice(ana) == answered, faults
        assert ana.bot.faults_left("sendMessage") == 0


async def test_what_was_taken_and_not_confirmed_comes_twice_at_most(ana, answered):
    for fault in DONE_UNHEARD:
        ana.bot.fail("sendMessage", fault)
        assert await asked_twice(ana) == [answered[0], *answered], fault


async def test_silence_ends(ana, answered, hasty):
    ana.bot.fail("sendMessage", HANGS)
    assert await asked_twice(ana) == answered


async def test_nobody_is_hammered_while_the_messenger_asks_to_wait(ana, desk, answered):
    """Not for other chats, not for what is said at once, and not for taps."""
    berta = await linked(desk, ana.bot, await desk.account("Berta Gil"), "Berta Gil")
    (card,) = await berta.says("recuérdame llamar a Pepe")
    ana.bot.fail("sendMessage", busy(2))
    ana.chat.say("tareas")
    await ana.bot.until(lambda: ana.bot.faults_left("sendMessage") == 0)
    began, before = monotonic(), len(ana.bot.calls)
    berta.chat.say("caja")
    berta.chat.photo(b"GIF89a")
    berta.chat.tap("Crear la tarea", card)
    ana.chat.say("caja")
    await ana.settled()
    await berta.settled()
    shown = [call for call in ana.bot.calls[before:] if call.method.startswith(("send", "edit", "answer"))]
    assert min(call.at for call in shown) - began > 1.8
    assert ana.chat.texts[-2:] == answered
    assert [shown.text for shown in berta.chat.shown[-2:]] == [answered[1], "Solo leo fotos (JPEG, PNG, WebP) y PDF."]
    assert "La tarea está en la lista" in card.text


async def test_cards_are_replaced_in_the_end(ana):
    for fault in [*NOTHING_DONE, *DONE_UNHEARD, busy(1)]:
        (card,) = await ana.says("recuérdame llamar a Pepe")
        ana.bot.fail("editMessageText", fault)
        assert await ana.taps("Cancelar", card) == [], fault
        assert "no ha cambiado nada" in card.text
        assert len(card.earlier) == 1


async def test_what_cannot_be_replaced_is_said_anew(ana):
    for fault in GONE:
        (card,) = await ana.says("recuérdame llamar a Pepe")
        ana.bot.fail("editMessageText", fault)
        (said,) = await ana.taps("Cancelar", card)
        assert "no ha cambiado nada" in said.text


async def test_deleted_card_is_said_anew(ana):
    (card,) = await ana.says("recuérdame llamar a Pepe")
    ana.chat.room.messages.remove(card)
    ana.chat.tap_data(card.keys[0].data, card.number)
    await ana.settled()
    assert "La tarea está en la lista" in ana.chat.last.text
    assert len(await ana.api.get("/api/tasks")) == 1


async def test_what_nobody_can_show_is_left_out(ana, answered):
    """The messenger refuses it for good: those after it do not wait."""
    ana.bot.fail("sendMessage", fails(400, "Bad Request: can't parse entities"))
    assert await asked_twice(ana) == answered[1:]


async def test_blocked_bot_unlinks_when_it_writes(ana):
    """Telegram has not told that the bot was blocked: the next message learns it."""
    ana.chat.say("tareas")
    ana.chat.room.is_closed = True
    await ana.settled()
    assert await ana.api.get("/api/messaging/links") == []
    ana.chat.room.is_closed = False
    ana.chat.say("caja")
    assert (await ana.chat.shows(len(ana.chat.shown) + 1)).text == "Este bot solo contesta a chats vinculados."


async def stored(desk, talk, content, age: timedelta = timedelta(0)) -> None:
    """A message that waits for a chat, in whatever form."""
    statement = text(
        "insert into messaging_outgoing (id, messenger, bot, chat, link_id, content, created_at) select :id, messenger,"
        " bot, chat, id, cast(:content as json), now() - cast(:age as interval) from messaging_link where chat = :chat"
    )
    values = {"id": new_id(), "content": json.dumps(content), "age": age, "chat": talk.chat.id}
    async with as_owner(desk.kernel) as connection:
        await connection.execute(statement, values)


async def test_message_of_an_unknown_form_keeps_nobody_waiting(ana, desk, answered):
    berta = await linked(desk, ana.bot, await desk.account("Berta Gil"), "Berta Gil")
    await stored(desk, ana, {"written by": "a later version"})
    assert await asked_twice(ana) == answered
    assert [shown.text for shown in await berta.says("tareas")] == answered[:1]


async def test_old_message_is_given_up(ana, desk, answered):
    """Nobody wants to read it a day later; what is newer is sent."""
    old = MESSAGE.encode(StoredMessage(lines=("de ayer",)))
    ana.bot.fail("sendMessage", fails(500))
    await stored(desk, ana, old, timedelta(hours=25))
    await ana.settled()
    assert await asked_twice(ana) == answered
    assert "de ayer" not in ana.chat.texts


async def test_invoice_without_its_printer_is_sent_without_pdf(ana, desk, monkeypatch):
    """A printer that is busy for ever does not keep the chat from being answered."""

    async def busy_for_ever(*_):
        raise Unavailable(InvoicesMsg.PRINTER_BUSY, code=Code.PDF_FAILED)

    await ana.api.post("/api/clients", {"name": "Acme", "country": "ES", "taxId": "B12345674"})
    await ana.says("factura Acme 300")
    monkeypatch.setattr(PdfPrinter, "print", busy_for_ever)
    (draft,) = await ana.taps("Crear borrador")
    assert draft.document is None
    assert draft.labels == [["Emitir y enviar"]]


async def test_turn_that_fails_keeps_nobody_waiting(ana, monkeypatch, answered):
    """Our own fault is said, with a reference; the next message is answered as ever."""
    (card,) = await ana.says("recuérdame llamar a Pepe")

    async def fails_on(*_):
        raise ZeroDivisionError

    monkeypatch.setitem(tapping._VERBS, "a", fails_on)
    (said,) = await ana.taps("Crear la tarea", card)
    assert "telegram:" in said.text
    assert await asked_twice(ana) == answered


async def test_unlinked_meanwhile_is_told_nothing_more(ana, desk, monkeypatch):
    """Between the reading of the books and the answer, an admin unlinks the chat."""
    genuine = answering._ANSWERS[Topic.TASKS]

    async def slow(turn, question, page):
        await genuine(turn, question, page)
        await ana.api.delete(f"/api/messaging/links/{turn.link_id}")

    monkeypatch.setattr(answering, "_ANSWERS", {**answering._ANSWERS, Topic.TASKS: slow})
    assert await ana.says("tareas") == []


async def test_end_is_an_end(delivery, bot, monkeypatch):
    """A failure in the moment of the end does not make it go on."""
    await bot.until(lambda: bot.calls_of("getUpdates"))

    async def release(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("ledgerkit.core.messaging.delivery.inbox.Inbox.release", release)
    await delivery.stop()
    assert delivery._task.done()
