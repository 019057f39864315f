"""Chats as they stand on the screens of people: what was said, and what a bot has shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from support.botapi.faults import bad_request

MAX_DATA = 64
"""Bytes of a button's data."""
MAX_BUTTONS = 100


@dataclass(frozen=True, kw_only=True)
class Person:
    id: int
    first_name: str
    last_name: str = ""
    username: str = ""
    language: str | None = None

    @property
    def raw(self) -> dict[str, Any]:
        """The person as an update names it."""
        optional = {"last_name": self.last_name, "username": self.username, "language_code": self.language}
        given = {name: value for name, value in optional.items() if value}
        return {"id": self.id, "is_bot": False, "first_name": self.first_name, **given}


@dataclass(frozen=True)
class Key:
    """A button: it sends `data` or opens `url`."""

    label: str
    data: str | None = None
    url: str | None = None

    @property
    def raw(self) -> dict[str, str]:
        action = {"callback_data": self.data} if self.data is not None else {"url": self.url or ""}
        return {"text": self.label, **action}


Keyboard = Sequence[Sequence[Key]]


@dataclass(frozen=True)
class ShownDocument:
    name: str
    media_type: str
    content: bytes = field(repr=False)


@dataclass(kw_only=True)
class Shown:
    """A message of the bot as it stands now: its text as people see it, with the passages in bold.

    `earlier` are the texts that it had before it was edited, oldest first.
    """

    number: int
    text: str
    strong: list[str] = field(default_factory=list)
    buttons: Keyboard = ()
    document: ShownDocument | None = None
    earlier: list[str] = field(default_factory=list)

    @property
    def labels(self) -> list[list[str]]:
        return [[key.label for key in row] for row in self.buttons]

    @property
    def keys(self) -> list[Key]:
        return [key for row in self.buttons for key in row]

    @property
    def markup(self) -> dict[str, Any]:
        """The keyboard as an update repeats it; empty without one."""
        rows = [[key.raw for key in row] for row in self.buttons]
        return {"reply_markup": {"inline_keyboard": rows}} if rows else {}

    def __str__(self) -> str:
        document = [f"<{self.document.name}>"] if self.document else []
        rows = [" ".join(f"[{label}]" for label in row) for row in self.labels]
        return "\n".join([*document, *([self.text] if self.text else []), *rows])


@dataclass(kw_only=True)
class Said:
    """A message of a person, in words for the transcript and as an update has it."""

    number: int
    author: str
    words: str
    raw: dict[str, Any] = field(repr=False)


@dataclass(kw_only=True)
class Room:
    """A chat: private ones have the number of their person. `is_closed` once the bot is blocked or removed."""

    id: int
    kind: str
    title: str
    is_closed: bool = False
    messages: list[Shown | Said] = field(default_factory=list)

    @property
    def raw(self) -> dict[str, Any]:
        return {"id": self.id, "type": self.kind, "first_name" if self.kind == "private" else "title": self.title}

    @property
    def shown(self) -> list[Shown]:
        return [message for message in self.messages if isinstance(message, Shown)]

    def find(self, number: int) -> Shown | Said | None:
        return next((message for message in self.messages if message.number == number), None)

    @property
    def transcript(self) -> str:
        """Everything in the chat, for people: `Ana: hola`, `bot: Hola, Ana`, `     [Sí] [No]`."""
        return "\n".join(
            f"bot: {str(message).replace(chr(10), chr(10) + '     ')}"
            if isinstance(message, Shown)
            else f"{message.author}: {message.words}"
            for message in self.messages
        )


def keyboard(markup: Any) -> Keyboard:
    """The buttons of a call. Raises ApiError as Telegram refuses them."""
    if markup is None:
        return ()
    rows = markup.get("inline_keyboard") if isinstance(markup, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad_request("object expected as reply markup")
    keys = tuple(tuple(_key(key) for key in row) for row in rows)
    if sum(map(len, keys)) > MAX_BUTTONS:
        raise bad_request("reply markup is too long")
    return tuple(row for row in keys if row)


def _key(raw: Mapping[str, Any]) -> Key:
    label, data, url = raw.get("text"), raw.get("callback_data"), raw.get("url")
    if not isinstance(label, str) or not label.strip():
        raise bad_request('can\'t parse inline keyboard button: Field "text" must be of type String')
    if data is not None:
        if not 1 <= len(data.encode()) <= MAX_DATA:
            raise bad_request("BUTTON_DATA_INVALID")
        return Key(label, data=data)
    if url is None:
        raise bad_request("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    _check_link(url)
    return Key(label, url=url)


def _check_link(url: str) -> None:
    """Refuse a link without a name that has a dot, such as one to `localhost` (td, LinkManager::check_link)."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https", "tg"} or ("." not in (parts.hostname or "") and "[" not in parts.netloc):
        raise bad_request(f"inline keyboard button URL '{url}' is invalid: Wrong HTTP URL")
