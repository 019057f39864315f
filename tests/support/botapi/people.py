"""People who write to a bot of the fake: everything that they can do in a chat."""

from collections.abc import Mapping, Sequence
from time import time
from typing import Any

from support.botapi.bots import PATIENCE, Account, Query
from support.botapi.rooms import Key, Person, Room, Said, Shown

THUMBNAIL = b"\xff\xd8\xff thumbnail"


class Pressed:
    """A button that was pressed."""

    def __init__(self, bot: Account, query: Query) -> None:
        self._bot, self._query = bot, query

    @property
    def notice(self) -> str | None:
        """Words that the bot has answered for a moment; None until it has."""
        return self._query.notice

    async def answered(self, seconds: float = PATIENCE) -> str:
        """Wait for the answer, and return its words. Raises TimeoutError."""
        await self._bot.until(lambda: self.notice is not None, seconds)
        return self.notice or ""

    def expire(self) -> None:
        """Let the press be too old to be answered."""
        self._query.is_too_old = True


class Chat:
    """A person in a chat with the bot, private or of a group. What is said returns the message's number."""

    def __init__(self, bot: Account, person: Person, room: Room) -> None:
        self.bot, self.person, self.room = bot, person, room

    # -------------------------------------------------------- what the person sees

    @property
    def id(self) -> str:
        """The chat, as the port of messengers names it."""
        return str(self.room.id)

    @property
    def sender(self) -> str:
        """The person, as the port of messengers names it."""
        return str(self.person.id)

    @property
    def shown(self) -> Sequence[Shown]:
        """The messages of the bot, as they stand now."""
        with self.bot.changed:
            return self.room.shown

    @property
    def texts(self) -> list[str]:
        return [shown.text for shown in self.shown]

    @property
    def last(self) -> Shown:
        """The bot's newest message. Raises IndexError where there is none."""
        return self.shown[-1]

    @property
    def transcript(self) -> str:
        with self.bot.changed:
            return self.room.transcript

    async def shows(self, count: int, seconds: float = PATIENCE) -> Shown:
        """Wait until the bot has sent `count` messages in all, and return the last of them. Raises TimeoutError."""
        await self.bot.until(lambda: len(self.room.shown) >= count, seconds)
        return self.shown[count - 1]

    async def edited(self, shown: Shown, times: int = 1, seconds: float = PATIENCE) -> Shown:
        """Wait until a message has been edited so many times. Raises TimeoutError."""
        await self.bot.until(lambda: len(shown.earlier) >= times, seconds)
        return shown

    # -------------------------------------------------------- what the person does

    def say(self, text: str, *, reply_to: int | Shown | None = None, is_forwarded: bool = False) -> int:
        """Write a text: words, `/start code`, an answer to a message."""
        return self._send(text, {"text": text}, reply_to=reply_to, is_forwarded=is_forwarded)

    def forward(self, text: str) -> int:
        """Pass on a text of somebody else."""
        return self.say(text, is_forwarded=True)

    def reply(self, to: int | Shown, text: str) -> int:
        return self.say(text, reply_to=to)

    def edit(self, number: int, text: str) -> None:
        """Change the words of a message, or those under a file."""
        said = self.room.find(number)
        assert isinstance(said, Said), "people edit their own messages"
        said.raw = {**said.raw, "text" if "text" in said.raw else "caption": text, "edit_date": int(time())}
        said.words = text
        self.bot.deliver({"edited_message": said.raw})

    def photo(
        self,
        content: bytes,
        *,
        caption: str = "",
        album: str | None = None,
        size: int | None = None,
        is_forwarded: bool = False,
    ) -> int:
        """Send a picture, which Telegram offers in two sizes; `size` is what is said of the larger one."""
        sizes = [
            self._file(THUMBNAIL, "photos", ".jpg", None) | {"width": 90, "height": 120},
            self._file(content, "photos", ".jpg", size) | {"width": 960, "height": 1280},
        ]
        members = {"photo": sizes, **_optional(caption=caption, media_group_id=album)}
        return self._send(f"<photo> {caption}".strip(), members, is_forwarded=is_forwarded)

    def document(
        self,
        content: bytes,
        name: str = "factura.pdf",
        *,
        media_type: str = "application/pdf",
        caption: str = "",
        album: str | None = None,
        size: int | None = None,
        is_forwarded: bool = False,
    ) -> int:
        """Send a document; `size` is what is said of it, where it is too large to be made."""
        suffix = f".{name.rpartition('.')[2]}" if name.isascii() and name.replace(".", "").isalnum() else ""
        file = self._file(content, "documents", suffix, size) | {"file_name": name, "mime_type": media_type}
        members = {"document": file, **_optional(caption=caption, media_group_id=album)}
        return self._send(f"<{name}> {caption}".strip(), members, is_forwarded=is_forwarded)

    def voice(self, content: bytes, *, seconds: int = 3, size: int | None = None, is_forwarded: bool = False) -> int:
        file = self._file(content, "voice", ".oga", size) | {"duration": seconds, "mime_type": "audio/ogg"}
        return self._send(f"<voice, {seconds} s>", {"voice": file}, is_forwarded=is_forwarded)

    def audio(self, content: bytes, *, seconds: int = 3, size: int | None = None) -> int:
        file = self._file(content, "music", ".mp3", size) | {"duration": seconds, "mime_type": "audio/mpeg"}
        return self._send(f"<audio, {seconds} s>", {"audio": file})

    def sticker(self) -> int:
        return self.send_raw({"sticker": {"file_id": "CAAC", "type": "regular", "width": 512, "height": 512}})

    def place(self) -> int:
        return self.send_raw({"location": {"latitude": 43.36, "longitude": -8.41}})

    def send_raw(self, members: Mapping[str, Any]) -> int:
        """Send a message with the given members of the Bot API."""
        return self._send(f"<{next(iter(members))}>", members)

    def tap(self, key: str | Key, under: Shown | None = None) -> Pressed:
        """Press a button by its label or its data: the newest one, unless `under` names a message.

        Raises AssertionError where there is none, with what the chat shows.
        """
        shown, found = self._key(key, under)
        assert found.data is not None, f"{found} opens a page"
        return self.tap_data(found.data, shown)

    def tap_data(self, data: str, under: Shown | int) -> Pressed:
        """Press a button with this data, whether or not it still stands there, as an old screen allows it."""
        with self.bot.changed:
            query = Query(id=f"{self.person.id}{len(self.bot.queries)}")
            self.bot.queries[query.id] = query
            message = self.room.find(under) if isinstance(under, int) else under
            shown = self.bot.raw(self.room, message) if isinstance(message, Shown) else {"message_id": under, "date": 0}
            pressed = {
                "id": query.id,
                "from": self.person.raw,
                "message": {**shown, "chat": self.room.raw},
                "chat_instance": "7",
                "data": data,
            }
            self.bot.deliver({"callback_query": pressed})
        return Pressed(self.bot, query)

    def block(self) -> None:
        """Block the bot, which is told so and can send nothing more."""
        self._change("member", "kicked", is_closed=True)

    def unblock(self) -> None:
        self._change("kicked", "member", is_closed=False)

    # -------------------------------------------------------- how it is sent

    def _send(
        self,
        words: str,
        members: Mapping[str, Any],
        *,
        reply_to: int | Shown | None = None,
        is_forwarded: bool = False,
    ) -> int:
        with self.bot.changed:
            number = self.bot.next_message()
            raw = {
                "message_id": number,
                "from": self.person.raw,
                "chat": self.room.raw,
                "date": int(time()),
                **(_forwarded() if is_forwarded else {}),
                **self._answered(reply_to),
                **members,
            }
            self.room.messages.append(Said(number=number, author=self.person.first_name, words=words, raw=raw))
            self.bot.deliver({"message": raw})
            return number

    def _answered(self, reply_to: int | Shown | None) -> dict[str, Any]:
        message = self.room.find(reply_to) if isinstance(reply_to, int) else reply_to
        if message is None:
            return {}
        raw = self.bot.raw(self.room, message) if isinstance(message, Shown) else message.raw
        return {"reply_to_message": {name: value for name, value in raw.items() if name != "reply_to_message"}}

    def _file(self, content: bytes, folder: str, suffix: str, size: int | None) -> dict[str, Any]:
        handle = self.bot.store(content, folder, suffix, size)
        stored = self.bot.files[handle]
        return {"file_id": handle, "file_unique_id": handle[-12:], "file_size": stored.size}

    def _key(self, wanted: str | Key, under: Shown | None) -> tuple[Shown, Key]:
        with self.bot.changed:
            for shown in [under] if under is not None else reversed(self.room.shown):
                for key in shown.keys:
                    if wanted in {key, key.label, key.data}:
                        return shown, key
        raise AssertionError(f"there is no button {wanted!r} in\n{self.transcript}")

    def _change(self, before: str, now: str, *, is_closed: bool) -> None:
        with self.bot.changed:
            self.room.is_closed = is_closed
            itself = self.bot.itself
            member = {"user": itself, "status": now, **({"until_date": 0} if now == "kicked" else {})}
            changed = {
                "chat": self.room.raw,
                "from": self.person.raw,
                "date": int(time()),
                "old_chat_member": {"user": itself, "status": before},
                "new_chat_member": member,
            }
            self.bot.deliver({"my_chat_member": changed})


class Group:
    """A group with the bot in it."""

    def __init__(self, bot: Account, room: Room) -> None:
        self.bot, self.room = bot, room

    def member(self, chat: Chat) -> Chat:
        """The person of another chat, in this group."""
        return Chat(self.bot, chat.person, self.room)


class FakeBot(Account):
    """A bot with the people who write to it."""

    def chat(self, name: str = "Ana García", *, language: str | None = "es", username: str = "") -> Chat:
        """Let a person open a private chat; each call makes another person, whom no other bot knows."""
        with self.changed:
            first_name, _, last_name = name.partition(" ")
            number = 500_000_001 + 10_000 * (self.id % 7_000_000_001) + len(self.rooms)
            person = Person(id=number, first_name=first_name, last_name=last_name, username=username, language=language)
            self.rooms[number] = Room(id=number, kind="private", title=first_name)
            return Chat(self, person, self.rooms[number])

    def group(self, title: str = "Taller") -> Group:
        """Make a group with the bot in it."""
        with self.changed:
            number = -1_001_000_000_001 - len(self.rooms)
            self.rooms[number] = Room(id=number, kind="supergroup", title=title)
            return Group(self, self.rooms[number])


def _forwarded() -> dict[str, Any]:
    origin = {"type": "hidden_user", "sender_user_name": "Somebody", "date": 1_700_000_000}
    return {"forward_origin": origin, "forward_date": 1_700_000_000}


def _optional(**members: str | None) -> dict[str, str]:
    return {name: value for name, value in members.items() if value}
