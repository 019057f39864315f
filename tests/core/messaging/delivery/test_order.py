"""Order and fairness: each chat in its order and once, all chats in turn, and two of them at the same time."""

import asyncio
from collections import Counter
from itertools import groupby

import pytest

from ledgerkit.core.messaging.conversation import answers
from ledgerkit.core.messaging.language.requests import Topic
from support.botapi.direct import direct
from support.delivering import delivering
from support.sampling import Extent
from support.talking import Talk, linked

WAITING, OTHERS = (970, 10) if Extent.whole else (190, 5)
"""Updates that wait after a day off: of one chat, and of each of three others."""


@pytest.fixture
async def berta(ana, desk) -> Talk:
    return await linked(desk, ana.bot, await desk.account("Berta Gil"), "Berta Gil")


def said(words: str) -> str:
    """The answer to `resumen a las ...`."""
    return f"A partir de ahora te mando el resumen del día a las {words}:00."


async def test_day_off_is_worked_off_in_order_and_in_turn(desk, bot):
    async with delivering(desk, direct(bot)):
        busy, *others = [await linked(desk, bot, await desk.account(), f"Persona {number}") for number in range(4)]
    hours = [str(number % 24) for number in range(WAITING)]
    for hour in hours:
        busy.chat.say(f"resumen a las {hour}")
    for talk in others:
        for hour in hours[:OTHERS]:
            talk.chat.say(f"resumen a las {hour}")
    last = bot.pending[-1]["update_id"]
    async with delivering(desk, direct(bot)) as delivery:
        await delivery.answered(last)

    assert busy.chat.texts[1:] == [said(hour) for hour in hours]
    for talk in others:
        assert talk.chat.texts[1:] == [said(hour) for hour in hours[:OTHERS]]
    rows = await desk.rows(
        "select chat, number, attempts, handled_at from messaging_update where bot = :bot and number > :first"
        " order by handled_at, number",
        bot=str(bot.id),
        first=last - WAITING - 3 * OTHERS,
    )
    assert [row.attempts for row in rows] == [1] * (WAITING + 3 * OTHERS)
    for _, of_chat in groupby(sorted(rows, key=lambda row: row.chat), lambda row: row.chat):
        numbers = [row.number for row in of_chat]
        assert numbers == sorted(numbers)
    places = [place for place, row in enumerate(rows) if row.chat != busy.chat.id]
    assert max(places) < WAITING / 2


async def test_repeated_updates_are_answered_once(ana, delivery):
    """Telegram sends again what was handled before, and what waits, and a number that it had left out."""
    left_out = ana.bot._next_update
    ana.bot._next_update += 1
    ana.chat.say("tareas")
    repeated = ana.bot.pending[-1]
    await ana.settled()
    before = len(ana.chat.shown)
    ana.bot.deliver(repeated)
    ana.bot.deliver(repeated)
    ana.bot.deliver({**repeated, "update_id": left_out, "message": {**repeated["message"], "text": "caja"}})
    ana.bot.deliver({**repeated, "update_id": repeated["update_id"] + 1})
    await ana.settled()
    assert ana.chat.texts[before:] == ["No hay ninguna caja abierta.", ana.chat.texts[before - 1]]


async def test_order_within_an_answer_does_not_matter(ana):
    """Updates that come together are handled by their numbers."""
    words = ["tareas", "caja", "tareas"]
    for one in words:
        ana.chat.say(one)
    with ana.bot.changed:
        ana.bot.pending.reverse()
    before = len(ana.chat.shown)
    await ana.settled()
    tasks, till = "No hay tareas pendientes.", "No hay ninguna caja abierta."
    assert ana.chat.texts[before:] == [tasks, till, tasks]


class Meetings:
    """Turns that wait for each other; `most` of one chat were under way at once."""

    def __init__(self, parties: int) -> None:
        self.barrier = asyncio.Barrier(parties)
        self.under_way = Counter()
        self.most = 0

    async def tasks(self, turn, question, page) -> None:
        chat = turn.arrived.update.chat
        self.under_way[chat] += 1
        self.most = max(self.most, self.under_way[chat])
        async with asyncio.timeout(10):
            await self.barrier.wait()
        self.under_way[chat] -= 1
        turn.say("se han encontrado")


async def test_two_chats_are_served_at_the_same_time(ana, berta, monkeypatch):
    """Each turn ends only where one of the other chat is under way; those of one chat wait for each other."""
    meetings = Meetings(2)
    monkeypatch.setattr(answers, "_ANSWERS", {**answers._ANSWERS, Topic.TASKS: meetings.tasks})
    for _ in range(3):
        ana.chat.say("tareas")
        berta.chat.say("tareas")
    await ana.settled()
    await berta.settled()
    assert ana.chat.texts[-3:] == berta.chat.texts[-3:] == ["se han encontrado"] * 3
    assert meetings.most == 1


async def test_slow_turn_keeps_no_other_chat_waiting(ana, berta, monkeypatch):
    goes_on = asyncio.Event()

    async def slow(turn, *_) -> None:
        await goes_on.wait()
        turn.say("por fin")

    monkeypatch.setattr(answers, "_ANSWERS", {**answers._ANSWERS, Topic.TASKS: slow})
    ana.chat.say("tareas")
    ana.chat.say("caja")
    for _ in range(8):
        assert len(await berta.says("caja")) == 1
    goes_on.set()
    await ana.settled()
    assert ana.chat.texts[-2:] == ["por fin", "No hay ninguna caja abierta."]


async def test_taps_at_once_do_it_once(ana):
    (card,) = await ana.says("recuérdame llamar a Pepe")
    pressed = [ana.chat.tap("Crear la tarea", card) for _ in range(5)]
    await ana.settled()
    assert [await one.answered() for one in pressed] == [""] * 5
    assert len(await ana.api.get("/api/tasks")) == 1
    assert [entry.action for entry in await ana.activity()].count("created") == 1
    assert "ya estaba hecho" in card.text


async def test_two_people_who_tap_at_once_do_it_once(ana, desk):
    """A proposal that both may decide, under a button that each of them has."""
    eva = await desk.account("Eva Gil")
    await ana.api.post("/api/teams/current/invite", {"email": eva.email, "role": "admin"})
    await eva.post(f"/api/teams/switch/{ana.api.team['id']}")
    other = await linked(desk, ana.bot, eva, "Eva Gil")
    for number in range(4):
        body = {"operation": "tasks.create", "arguments": {"title": f"Tarea {number}"}}
        approval = (await ana.api.post("/api/approvals", body))["id"]
        for talk in (ana, other):
            talk.chat.tap_data(f"a:{approval}", 999)
            talk.chat.tap_data(f"a:{approval}", 999)
    await ana.settled()
    await other.settled()
    assert sorted(task["title"] for task in await ana.api.get("/api/tasks")) == [f"Tarea {n}" for n in range(4)]
    entries = await ana.activity()
    assert Counter(entry.action for entry in entries if entry.entity_type == "task") == {"created": 4}
