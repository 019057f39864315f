"""Servers that are killed at every step of a conversation: the next one goes on, and everything is done once."""

import asyncio
import io
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import asyncpg
import httpx2
import pytest
from PIL import Image

from support.api import Api
from support.botapi import Chat, FakeBot, Shown
from support.killing import STEPS, Moment, dying
from support.modelserver import BILL, reads
from support.office import cloned, nif
from support.periods import YEAR
from support.sampling import Extent
from support.sandboxes import certified
from support.serving import Server, start

KILLS = 4
"""Kills of one conversation: an update that ends five servers is given up."""

SEEDS = range(6) if Extent.whole else range(1)
"""Three conversations meet every step once: all of them meet each twice, in two orders."""

READING, READ_BEFORE = "Lo estoy leyendo…", "⚠️ Esta imagen ya se había leído."
"""The first is kept nowhere; the second is true of a picture whose reader was killed after it had read."""

FIRST_DICE = 16
"""The first conversation meets what is hardest: done and not noted, not answered, sent and not removed, half done."""

EXPECTED = [
    ("✓ Borrador guardado. Todavía no tiene número.", "draft.pdf"),
    ("Borrador", "draft.pdf"),
    ("✓ La tarea está en la lista.", ""),
    ("✓ Borrador guardado. Todavía no tiene número.", "draft.pdf"),
    ("✓ Emitida. El correo no ha salido", ""),
    ("✓ Aceptada por la autoridad fiscal", f"F{YEAR}-0001.pdf"),
    ("✓ Gasto guardado, con su imagen.", ""),
]
"""End of each message after the linking, and its document."""

_WAITING = (
    "select count(*) from (select 1 from messaging_update where handled_at is null"
    " union all select 1 from messaging_outgoing) as waiting"
)


def picture() -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (60, 80), "red").save(content, "JPEG")
    return content.getvalue()


@dataclass
class World:
    """A server that begins again whenever it has ended, at the latest when its last planned moment has come."""

    directory: Path
    settings: dict[str, str]
    bot: FakeBot
    database: asyncpg.Connection
    plan: list[Moment]
    killed_at: list[str] = field(default_factory=list)
    server: Server | None = None

    async def up(self) -> None:
        """Begin, again where it ends before it is ready."""
        while True:
            self.server = start(self.directory, dying(self.plan[0] if self.plan else None), **self.settings)
            try:
                return await self.server.ready()
            except AssertionError:
                if self.server.process.poll() != -9:
                    raise
                self._note_kill()

    def _note_kill(self) -> None:
        self.killed_at.append(self.plan.pop(0).step)

    async def settled(self) -> None:
        """Wait until everything that was said is answered, by however many servers."""
        async with asyncio.timeout(90):
            while self.bot.pending or await self.database.fetchval(_WAITING):
                if self.server.process.poll() is not None:
                    assert self.server.process.poll() == -9, self.server.said
                    self._note_kill()
                    await self.up()
                await asyncio.sleep(0.02)

    async def down(self) -> None:
        if self.server is not None and self.server.process.poll() is None:
            await self.server.stop()


@dataclass
class Conversation:
    """A person who writes, takes up what is shown, and taps."""

    world: World
    chat: Chat

    async def says(self, words: str) -> Shown:
        self.chat.say(words)
        return await self._shown()

    async def sends(self, content: bytes) -> Shown:
        self.chat.photo(content)
        return await self._shown()

    async def taps(self, label: str) -> Shown:
        self.chat.tap(label)
        return await self._shown()

    async def _shown(self) -> Shown:
        await self.world.settled()
        return self.chat.last

    async def held(self) -> None:
        """One invoice that stays a draft, one that is issued, a task and an expense."""
        await self.says("factura Acme 300 consultoría")
        await self.taps("Crear borrador")
        await self.says("recuérdame llamar al gestor")
        await self.taps("Crear la tarea")
        await self.says("factura Acme 100 logo")
        await self.taps("Emitir y enviar")
        await self.taps("Emitir y enviar")
        await self.sends(picture())
        await self.taps("Guardar")

    @property
    def shown(self) -> list[Shown]:
        """The words of the bot, but for those that a kill may add or take away."""
        return [shown for shown in self.chat.shown if shown.text not in {READING, READ_BEFORE}]


def once(messages: Sequence[Shown]) -> list[Shown]:
    """The messages without those that were sent again: the later one is that under which a person taps."""
    first = [shown.earlier[0] if shown.earlier else shown.text for shown in messages]
    return [shown for place, shown in enumerate(messages) if first[place : place + 1] != first[place + 1 : place + 2]]


def ends(shown: Shown) -> tuple[str, str]:
    """The last line of a message as far as its colon, and its document."""
    return shown.text.splitlines()[-1].partition(":")[0], "" if shown.document is None else shown.document.name


async def linked(client: httpx2.AsyncClient, bot: FakeBot) -> Chat:
    """The chat of a new owner, in which its code was just sent."""
    api = await Api.with_team(client, "ana@example.com", "Ana Ruiz", nif(20_000_101))
    acme = {"name": "Acme Consulting, S.L.", "taxId": "B12345674", "email": "acme@example.com"}
    await api.post("/api/clients", {"country": "ES", "address": "Calle Mayor 1", "city": "Oviedo", **acme})
    await api.log_in()
    code = (await api.post("/api/messaging/links", {"messenger": "telegram"}))["code"]
    chat = bot.chat("Ana Ruiz", language="es")
    chat.say(f"/start {code}")
    return chat


def planned(seed: int) -> list[Moment]:
    """The moments at which the servers of a conversation end: a third of all steps, in some order."""
    round_of_all, part = divmod(seed, len(STEPS) // KILLS)
    dice = Random(FIRST_DICE + round_of_all)
    shuffled = dice.sample(list(STEPS), len(STEPS))
    return [
        Moment(step, 1 if step == "decided" else dice.randint(1, 3))
        for step in shuffled[part * KILLS : (part + 1) * KILLS]
    ]


@asynccontextmanager
async def world(postgres, directory: Path, telegram, model, plan: list[Moment]) -> AsyncIterator[Conversation]:
    """A linked person, and servers that end as planned."""
    model.says(reads(BILL))
    bot = telegram.bot()
    async with cloned(postgres) as url:
        database = await asyncpg.connect(url.replace("+asyncpg", ""))
        settings = {
            "DATABASE_URL": url.replace("+asyncpg", ""),
            "TELEGRAM_TOKEN": bot.token,
            "TELEGRAM_API_BASE": telegram.base,
            "AI_BASE_URL": model.url,
            "AI_MODEL": "seer",
            "EINVOICE_WAIT": "20",
        }
        certified(directory / "data" / "sandbox" / "es")
        world = World(directory / "data", settings, bot, database, plan)
        try:
            await world.up()
            async with httpx2.AsyncClient(base_url=world.server.url, timeout=60) as client:
                chat = await linked(client, bot)
            await world.settled()
            yield Conversation(world, chat)
        finally:
            await world.down()
            await database.close()


@pytest.mark.parametrize("seed", SEEDS)
async def test_everything_is_done_once_and_answered(seed, postgres, tmp_path, telegram, model):
    plan = planned(seed)
    async with world(postgres, tmp_path, telegram, model, list(plan)) as conversation:
        await conversation.held()
        database, killed_at = conversation.world.database, conversation.world.killed_at
        assert killed_at, plan
        shown = once(conversation.shown)
        assert shown[0].text.startswith(("Este chat queda vinculado", "Este chat ya está vinculado"))
        assert [ends(one) for one in shown[1:]] == EXPECTED, conversation.chat.transcript
        assert len(conversation.shown) - len(shown) <= killed_at.count("sent")
        assert await books(database) == {
            "invoices": ["draft 363.00", "sent 121.00"],
            "tasks": ["Llamar al gestor"],
            "expenses": ["24.20"],
            "records": 1,
            "approvals": ["done"] * 5,
        }


async def books(database: asyncpg.Connection) -> dict[str, object]:
    """Everything that the conversation has made."""

    async def column(statement: str) -> list[object]:
        return [row[0] for row in await database.fetch(statement)]

    return {
        "invoices": await column("select status || ' ' || total::numeric(9, 2) from invoice order by 1"),
        "tasks": await column("select title from task"),
        "expenses": await column("select amount::numeric(9, 2)::text from expense"),
        "records": await database.fetchval("select count(*) from fiscal_record"),
        "approvals": await column("select status from approval order by id"),
    }
