"""Several processes for one bot: one serves it, and another takes over when that has ended, died or stood still."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import datetime, timedelta

import pytest

from ledgerkit.core.messaging.conversation import answers, done
from ledgerkit.core.messaging.delivery import inbox, running_bot
from ledgerkit.core.messaging.language.requests import Topic
from ledgerkit.core.messaging.messengers.telegram.client import BotApi
from support.delivering import delivering, speaking
from support.office import eventually, until
from support.talking import linked

TASKS, TILL = "No hay tareas pendientes.", "No hay ninguna caja abierta."


@pytest.fixture(autouse=True)
def short_leases(monkeypatch):
    monkeypatch.setattr(inbox, "LEASE", timedelta(seconds=2))
    monkeypatch.setattr(running_bot, "RENEW_SECONDS", 0.2)


async def nothing(*_) -> None:
    pass


class Process:
    """A process of the bot. `calls` are the methods that it has called; `hesitates` is awaited before it sends."""

    def __init__(self, telegram, bot) -> None:
        self.messenger = speaking(telegram, bot)
        self.calls: list[str] = []
        api = self.messenger._api

        async def call(method, parameters, **how):
            self.calls.append(method)
            if method == "sendMessage":
                await self.hesitates()
            return await BotApi.call(api, method, parameters, **how)

        api.call = call
        self.hesitates: Callable[[], Awaitable[None]] = nothing
        self.stack = AsyncExitStack()

    async def begins(self, desk) -> None:
        self.delivery = await self.stack.enter_async_context(delivering(desk, self.messenger))

    async def ends(self) -> None:
        await self.stack.aclose()

    async def dies(self) -> None:
        """End as by `kill -9`: the lease is not given back."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(inbox.Inbox, "release", nothing)
            await self.ends()

    @property
    def fetches(self) -> bool:
        return "getUpdates" in self.calls

    @property
    def sent(self) -> int:
        return self.calls.count("sendMessage") + self.calls.count("editMessageText")


@pytest.fixture
async def processes(desk, telegram, bot):
    """Two processes, of which the first one serves the bot, and a linked chat."""
    first, second = Process(telegram, bot), Process(telegram, bot)
    async with first.stack, second.stack:
        await first.begins(desk)
        talk = await linked(desk, bot, await desk.account())
        await second.begins(desk)
        await until(lambda: second.calls)
        yield first, second, talk


class StandingStill:
    """A process that stands still: its first turn of a kind until `goes_on`, its renewals of the lease until `renews`.

    `swept` counts its looks at what waits, `ended` the turns that it has ended.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.begun, self.goes_on, self.renews = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.swept = self.ended = 0
        self._holders = set[object]()
        take, waiting, end = inbox.Inbox.take, inbox.Inbox.waiting, inbox.Inbox.end

        async def taken(own: inbox.Inbox) -> int | None:
            if own._holder in self._holders:
                await self.renews.wait()
            return await take(own)

        async def looked(own: inbox.Inbox) -> list[str]:
            self.swept += own._holder in self._holders
            return await waiting(own)

        async def handled(own: inbox.Inbox, *arguments: object) -> bool:
            self.ended += own._holder in self._holders
            return await end(own, *arguments)

        patch.setattr(inbox.Inbox, "take", taken)
        patch.setattr(inbox.Inbox, "waiting", looked)
        patch.setattr(inbox.Inbox, "end", handled)

    def after(self, work: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def stands_still(*arguments) -> None:
            is_first = not self.begun.is_set()
            self.begun.set()
            await work(*arguments)
            if is_first:
                await self.goes_on.wait()

        return stands_still

    def holds(self, process: Process) -> None:
        self._holders.add(process.delivery._served[0]._holder)

    async def is_there_again(self, process: Process) -> None:
        """Let it end its turn, and learn after that that its lease has ended."""
        if self.begun.is_set():
            self.goes_on.set()
            await until(lambda: self.ended)
        self.renews.set()
        await until(lambda: process.calls.count("getMe") == 2)


@pytest.fixture
def still(monkeypatch) -> StandingStill:
    return StandingStill(monkeypatch)


async def lasts_until(talk) -> datetime:
    (row,) = await talk.office.rows("select lease_until from messaging_bot where bot = :bot", bot=str(talk.bot.id))
    return row.lease_until


async def renewed(talk, enough: datetime) -> None:
    """Wait until the lease lasts longer than that."""

    async def is_renewed() -> bool:
        return await lasts_until(talk) > enough

    await eventually(is_renewed)


async def test_one_process_serves(processes):
    first, second, talk = processes
    for _ in range(3):
        await renewed(talk, await lasts_until(talk) + inbox.LEASE)
        assert [shown.text for shown in await talk.says("tareas")] == [TASKS]
    assert second.calls == ["getMe"]
    assert first.calls.count("getMe") == 1


async def test_another_takes_over_at_once_after_an_end_in_order(processes, monkeypatch):
    first, second, talk = processes
    before = await lasts_until(talk)
    monkeypatch.setattr(inbox, "LEASE", timedelta(hours=1))
    await renewed(talk, before + timedelta(minutes=30))
    talk.chat.say("tareas")
    await first.ends()
    assert [shown.text for shown in await talk.says("caja")][-1] == TILL
    assert talk.chat.texts[1:] == [TASKS, TILL]
    assert second.fetches


async def test_another_takes_over_after_a_death(processes):
    first, second, talk = processes
    await first.dies()
    assert not second.fetches
    assert [shown.text for shown in await talk.says("tareas")] == [TASKS]
    assert second.fetches


async def test_turn_of_the_dead_is_done_by_the_other(processes, monkeypatch, still):
    """The first one has fetched the updates and begun to handle one."""
    reads = still.after(answers._ANSWERS[Topic.TASKS])
    monkeypatch.setattr(answers, "_ANSWERS", {**answers._ANSWERS, Topic.TASKS: reads})
    first, second, talk = processes
    talk.chat.say("tareas")
    talk.chat.say("caja")
    await still.begun.wait()
    await first.dies()
    await talk.settled()
    assert talk.chat.texts[1:] == [TASKS, TILL]
    assert second.sent == 2


async def test_holder_that_stood_still_answers_nothing_more(processes, monkeypatch, still):
    """The other has answered meanwhile: what the first one read is not sent, and it stops."""
    reads = still.after(answers._ANSWERS[Topic.TASKS])
    monkeypatch.setattr(answers, "_ANSWERS", {**answers._ANSWERS, Topic.TASKS: reads})
    first, _, talk = processes
    talk.chat.say("tareas")
    await still.begun.wait()
    still.holds(first)
    talk.chat.say("caja")
    await until(lambda: len(talk.chat.shown) == 3)
    before = first.sent
    await still.is_there_again(first)
    assert [shown.text for shown in await talk.says("caja")] == [TILL]
    assert first.sent == before
    assert talk.chat.texts[1:] == [TASKS, TILL, TILL]


async def test_tap_of_a_holder_that_stood_still_is_done_once(processes, monkeypatch, still):
    """The first one has done it and not said so: the other says it, and the first one nothing."""
    monkeypatch.setattr(done, "say", still.after(done.say))
    first, second, talk = processes
    (card,) = await talk.says("recuérdame llamar a Pepe")
    talk.chat.tap("Crear la tarea")
    await still.begun.wait()
    still.holds(first)
    await until(lambda: card.earlier)
    await still.is_there_again(first)
    assert [shown.text for shown in await talk.says("caja")] == [TILL]
    assert "La tarea está en la lista" in card.text
    assert len(await talk.api.get("/api/tasks")) == 1
    assert second.calls.count("editMessageText") == 1


async def test_nothing_is_begun_or_sent_without_the_lease(processes, monkeypatch, still):
    """The first one looks at what waits while the other is at work, and leaves it alone."""
    genuine, handled_by = answers._ANSWERS[Topic.TASKS], []

    async def looks() -> None:
        swept = still.swept
        await until(lambda: still.swept > swept + 2)

    async def reads(turn, *more) -> None:
        handled_by.append(turn.arrived.messenger._messenger)
        await looks()
        await genuine(turn, *more)

    first, second, talk = processes
    still.holds(first)
    await until(lambda: second.fetches)
    monkeypatch.setattr(answers, "_ANSWERS", {**answers._ANSWERS, Topic.TASKS: reads})
    second.hesitates = looks
    before = first.sent
    for _ in range(3):
        assert [shown.text for shown in await talk.says("tareas")] == [TASKS]
    assert handled_by == [second.messenger] * 3
    assert first.sent == before
    await still.is_there_again(first)
