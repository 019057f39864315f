"""Conversations of anything: the books change by taps only, of whoever taps, and of nobody else's account."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import pytest
from sqlalchemy import Row, text
from structlog.testing import capture_logs

from ledgerkit.core.messaging.conversation import tapping
from ledgerkit.core.operation.installation.database.all_tables import metadata
from support import babble
from support.botapi import FakeBot
from support.botapi.direct import direct
from support.database import as_owner
from support.delivering import delivering
from support.modelserver import BILL, reads
from support.office import Office
from support.sampling import Extent
from support.talking import Talk, linked

SEEDS, TURNS = (range(10), 1_000) if Extent.whole else (range(1), 300)
BATCH = 20
"""Updates that arrive at once."""

CLIENTS = (
    {"name": "Acme Consulting, S.L.", "taxId": "B12345674", "email": "acme@example.com"},
    {"name": "Talleres Norte, S.L.", "taxId": "B76543214"},
    {"name": "Juan Pérez Gómez", "taxId": "12345678Z"},
    {"name": "Juan Pérez Molina <b>&</b>", "taxId": "11111111H"},
)

UNTAPPED = text(
    "select a.* from activity a where a.channel = 'messaging' and a.action not in ('linked', 'unlinked', 'proposed',"
    " 'approved', 'rejected', 'superseded', 'failed') and not exists (select 1 from activity d join approval p"
    " on p.account_id = d.account_id and p.id = d.entity_id where d.account_id = a.account_id"
    " and d.source_message_id = a.source_message_id and d.user_id = a.user_id and d.channel = 'messaging'"
    " and d.action = 'approved' and p.decided_via = 'messaging' and p.decided_by = a.user_id)"
)
"""Entries of the log that belong to no proposal which the same person has agreed to by the same message."""

APPROVED_TWICE = text(
    "select entity_id from activity where entity_type = 'approval' and action = 'approved'"
    " group by entity_id having count(*) > 1"
)
"""Proposals that were done more than once."""


@dataclass
class Crowd:
    """People who write to a bot. `writers` and `taps` say who has sent an update, and the button of a tap."""

    office: Office
    bot: FakeBot
    dice: Random
    people: Sequence[Talk]
    silent: Talk
    writers: dict[str, Talk] = field(default_factory=dict)
    taps: dict[str, str] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)

    def act(self) -> None:
        """Let somebody do something."""
        talk = self.dice.choice(self.people)
        self._act(talk)
        self.writers.setdefault(self._source, talk)

    @property
    def _source(self) -> str:
        """The newest update, as the log names it."""
        return f"telegram:{self.bot._next_update - 1}"

    def _act(self, talk: Talk) -> None:
        dice = self.dice
        kind = dice.random()
        if kind < 0.45:
            talk.chat.say(babble.words(dice))
        elif kind < 0.75:
            self._tap(talk, talk)
        elif kind < 0.79:
            self._tap(talk, dice.choice([*self.people, self.silent]))
        elif kind < 0.84:
            self._press(talk, babble.button(dice, [*tapping._VERBS, "z"], self.ids))
        elif kind < 0.87:
            talk.chat.say(babble.words(dice), is_forwarded=True)
        elif kind < 0.90:
            talk.chat.edit(dice.choice(self._said(talk)), babble.words(dice))
        elif kind < 0.94:
            talk.chat.reply(dice.choice(talk.chat.room.messages).number, babble.words(dice))
        elif kind < 0.97:
            self._file(talk)
        else:
            dice.choice(
                [talk.chat.place, talk.chat.sticker, lambda: talk.chat.voice(b"ogg"), lambda: self._elsewhere(talk)]
            )()

    def _tap(self, talk: Talk, owner: Talk) -> None:
        """Press a button that somebody has seen, perhaps long ago."""
        keys = [key.data for shown in owner.buttons.values() for key in shown if key.data is not None]
        if keys:
            latest = keys[-6:] if self.dice.random() < 0.7 else keys
            self._press(talk, self.dice.choice(latest))

    def _press(self, talk: Talk, data: str) -> None:
        talk.chat.tap_data(data, self.dice.choice(talk.chat.room.messages).number)
        self.taps[self._source] = data

    def _said(self, talk: Talk) -> list[int]:
        return [message.number for message in talk.chat.room.messages if hasattr(message, "raw")]

    def _file(self, talk: Talk) -> None:
        content = babble.picture(self.dice) if self.dice.random() < 0.2 else babble.content(self.dice)
        if self.dice.random() < 0.5:
            talk.chat.photo(content, caption=babble.words(self.dice)[:1000])
        else:
            talk.chat.document(content, name=babble.junk(self.dice, 30))

    def _elsewhere(self, talk: Talk) -> None:
        """Write in a group, or as somebody who is not linked."""
        chat = self.dice.choice([self.bot.group().member(talk.chat), self.bot.chat("Mallory")])
        chat.say(babble.words(self.dice))

    def keeps(self, entry: Row[tuple[object, ...]]) -> bool:
        """True for a tap that keeps a picture which was not read: that needs no proposal."""
        return self.taps[entry.source_message_id].startswith("f:") and entry.entity_type in {"task", "attachment"}

    async def look(self) -> None:
        """Note what can be pressed and named from now on, and link again whoever has left."""
        for talk in [*self.people, self.silent]:
            talk.buttons.clear()
            talk._note()
        tables = ("approval", "invoice", "client", "task", "attachment", "messaging_link")
        every = " union all ".join(f"select id::text as id from {table}" for table in tables)  # noqa: S608 - ours
        self.ids = [row.id for row in await self.office.rows(f"{every} order by id desc limit 200")]
        linked_now = {row.sender for row in await self.office.rows("select sender from messaging_link")}
        for talk in self.people:
            if talk.chat.sender not in linked_now:
                await talk.api.log_in()
                made = await talk.api.post("/api/messaging/links", {"messenger": "telegram"})
                talk.chat.say(f"/start {made['code']}")
                linked_now.add(talk.chat.sender)


async def person(office: Office, bot: FakeBot, name: str) -> Talk:
    api = await office.account(name)
    for client in CLIENTS:
        await api.post("/api/clients", {"country": "ES", "address": "Calle Mayor 1", "city": "Oviedo", **client})
    return await linked(office, bot, api, name)


async def colleague(office: Office, bot: FakeBot, of: Talk, name: str, role: str) -> Talk:
    """Somebody else of the same account."""
    api = await office.account(name)
    await of.api.post("/api/teams/current/invite", {"email": api.email, "role": role})
    await api.post(f"/api/teams/switch/{of.api.team['id']}")
    api.team = of.api.team
    return await linked(office, bot, api, name)


async def books(office: Office, account: str) -> dict[str, str | None]:
    """Everything that is stored of an account."""
    async with as_owner(office.kernel) as connection:
        return {
            name: (
                await connection.scalar(
                    text(f"select md5(string_agg(t::text, ',' order by t::text)) from {name} t where account_id = :id"),  # noqa: S608 - a table of ours
                    {"id": account},
                )
            )
            for name, table in metadata.tables.items()
            if "account_id" in table.columns
        }


@pytest.fixture
async def crowd(desk, bot, model, seed):
    """An owner with a colleague and a viewer, somebody of another account, and one who only looks on."""
    model.says(reads(BILL))
    async with delivering(desk, direct(bot)) as delivery:
        ana = await person(desk, bot, "Ana Ruiz")
        eva = await colleague(desk, bot, ana, "Eva Gil", "admin")
        ida = await colleague(desk, bot, ana, "Ida Paz", "viewer")
        berta = await person(desk, bot, "Berta Sanz")
        zoe = await person(desk, bot, "Zoe Mas")
        await zoe.says("factura Acme 300")
        await zoe.says("recuérdame llamar a Pepe")
        await ana.api.post("/api/cash-register", {"openingAmount": 100})
        yield Crowd(desk, bot, Random(seed), [ana, ana, eva, ida, berta], zoe), delivery


@pytest.mark.parametrize("seed", SEEDS)
async def test_books_change_by_taps_only(crowd, desk):
    everybody, delivery = crowd
    before = await books(desk, everybody.silent.api.team["id"])
    with capture_logs() as logs:
        for _ in range(TURNS // BATCH):
            await everybody.look()
            for _ in range(BATCH):
                everybody.act()
            await delivery.answered(everybody.bot._next_update - 1)

    assert [entry for entry in logs if entry["log_level"] not in {"debug", "info"}] == []
    waiting = "select * from messaging_update where bot = :bot and (handled_at is null or attempts <> 1)"
    assert await desk.rows(waiting, bot=str(everybody.bot.id)) == []
    shown = [one.text for room in everybody.bot.rooms.values() for one in room.shown]
    assert [words for words in shown if "telegram:" in words] == []
    assert await books(desk, everybody.silent.api.team["id"]) == before

    accounts = {talk.api.team["id"] for talk in everybody.people}
    entries = [
        entry
        for entry in await desk.rows("select * from activity where channel = 'messaging' order by id")
        if str(entry.account_id) in accounts and entry.action not in {"proposed", "linked"}
    ]
    for entry in entries:
        assert str(entry.account_id) == everybody.writers[entry.source_message_id].api.team["id"]
        assert entry.action == "rejected" or entry.source_message_id in everybody.taps
    async with as_owner(desk.kernel) as connection:
        untapped = list(await connection.execute(UNTAPPED))
        assert list(await connection.execute(APPROVED_TWICE)) == []
    assert [entry for entry in untapped if str(entry.account_id) in accounts and not everybody.keeps(entry)] == []
    assert {"approved", "rejected", "created"} <= {entry.action for entry in entries}
