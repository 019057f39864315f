"""A person who talks to the bot of a running application: through the fake Bot API, as with Telegram."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from support.api import Api
from support.botapi import Chat, FakeBot, Key, Shown
from support.office import Office, eventually

_WAITING = (
    "select 1 from messaging_update where handled_at is null and chat = :chat"
    " union all select 1 from messaging_outgoing where chat = :chat"
)


@dataclass
class Talk:
    """A linked chat, and the same person over REST."""

    office: Office
    bot: FakeBot
    chat: Chat
    api: Api
    buttons: dict[int, list[Key]] = field(default_factory=dict)
    """Buttons that each message of the bot has had."""

    async def settled(self) -> None:
        """Wait until everything that was written is answered."""
        await self.bot.confirmed()

        async def is_answered() -> bool:
            return not await self.office.rows(_WAITING, chat=self.chat.id)

        await eventually(is_answered, pause=0.02)
        self._note()

    async def says(self, words: str, **how: Any) -> Sequence[Shown]:
        """Write words and return what the bot shows because of them: new messages."""
        return await self._after(lambda: self.chat.say(words, **how))

    async def sends(self, content: bytes, **how: Any) -> Sequence[Shown]:
        """Send a photo and return what the bot shows because of it."""
        return await self._after(lambda: self.chat.photo(content, **how))

    async def taps(self, label: str, under: Shown | None = None) -> Sequence[Shown]:
        """Press a button and return what the bot shows because of it: new messages."""
        return await self._after(lambda: self.chat.tap(label, under))

    async def taps_old(self, label: str, under: Shown) -> Sequence[Shown]:
        """Press a button that an old screen still shows, although the bot has taken it away."""
        key = next(key for key in self.buttons[under.number] if key.label == label)
        return await self._after(lambda: self.chat.tap_data(key.data or "", under))

    async def _after(self, act: Any) -> Sequence[Shown]:
        before = len(self.chat.shown)
        act()
        await self.settled()
        return self.chat.shown[before:]

    def _note(self) -> None:
        """Remember the buttons that were shown, which an old screen may still have."""
        for shown in self.chat.shown:
            self.buttons.setdefault(shown.number, []).extend(shown.keys)

    async def activity(self) -> Sequence[Any]:
        """The entries of the activity log that this chat has caused, the oldest first."""
        return await self.office.rows(
            "select action, entity_type, channel, client, source_message_id from activity"
            " where account_id = :account and channel = 'messaging' order by id",
            account=self.api.team["id"],
        )


async def linked(office: Office, bot: FakeBot, api: Api, name: str = "Ana Ruiz") -> Talk:
    """Link a new private chat to a person."""
    await api.log_in()
    code = (await api.post("/api/messaging/links", {"messenger": "telegram"}))["code"]
    chat = bot.chat(name, language="es")
    chat.say(f"/start {code}")
    talk = Talk(office, bot, chat, api)
    await talk.settled()
    return talk
