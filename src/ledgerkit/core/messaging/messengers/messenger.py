"""Port of a messenger: the events of chats that it reports, the messages that it shows, and what it can do.

A distribution adds a messenger by an entry point of the group `ledgerkit.messengers` that names a `MessengerPlugin`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from ledgerkit.settings import Settings

Json = Mapping[str, Any]
"""An update as the messenger sends it; it is stored so until it has been handled."""

LONGEST_DATA = 64
"""Most bytes of a button's data."""


# ------------------------------------------------------------ what happens in a chat


@dataclass(frozen=True, kw_only=True)
class Text:
    """Words of a person; `answers` is the data of the buttons of the message that they reply to."""

    message: str
    words: str
    is_forwarded: bool = False
    is_edited: bool = False
    answers: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Tap:
    """A button that was pressed: `tap` is acknowledged, `data` is the button's, `message` is the one above it."""

    tap: str
    message: str
    data: str


@dataclass(frozen=True, kw_only=True)
class File:
    """A picture or a document. `size` in bytes; None where the messenger does not say. `album` joins several."""

    message: str
    handle: str
    name: str
    size: int | None = None
    caption: str = ""
    album: str | None = None


@dataclass(frozen=True, kw_only=True)
class Voice:
    """Spoken words."""

    message: str
    handle: str
    seconds: int
    size: int | None = None
    is_forwarded: bool = False


@dataclass(frozen=True, kw_only=True)
class Other:
    """Anything else that a person sends: a place, a sticker."""

    message: str


@dataclass(frozen=True)
class Left:
    """The person has blocked the bot."""


Event = Text | Tap | File | Voice | Other | Left


@dataclass(frozen=True, kw_only=True)
class Update:
    """An event of a chat, with its sender. `sender` is the number of the person, which never changes.

    `is_private`: nobody else reads the chat.
    """

    id: int
    chat: str
    sender: str
    sender_name: str
    is_private: bool
    event: Event
    language: str | None = None


# ------------------------------------------------------------ what is shown


@dataclass(frozen=True, kw_only=True)
class ChatButton:
    """Button that sends `data` when it is pressed, of LONGEST_DATA bytes at most."""

    label: str
    data: str

    def __post_init__(self) -> None:
        assert len(self.data.encode()) <= LONGEST_DATA, self.data  # noqa: S101 - ours


@dataclass(frozen=True, kw_only=True)
class PageButton:
    """Button that opens a page."""

    label: str
    url: str


@dataclass(frozen=True, kw_only=True)
class SentFile:
    """File that is sent with a message."""

    name: str
    media_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class BotMessage:
    """Message to a chat: plain texts, which the messenger escapes. `title` is shown stronger than `lines`.

    With a `document` the texts stand under it.
    """

    title: str = ""
    lines: Sequence[str] = ()
    buttons: Sequence[Sequence[ChatButton | PageButton]] = ()
    document: SentFile | None = None


# ------------------------------------------------------------ what goes wrong


class MessengerError(Exception):
    """The messenger has not done what it was asked for; `str()` is for the log and holds no token."""


class UnreachableError(MessengerError):
    """The messenger did not answer: later it may."""


class WaitError(MessengerError):
    """The messenger asks to wait for `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"asks to wait for {seconds} s")
        self.seconds = seconds


class BlockedError(MessengerError):
    """The person has blocked the bot, or the chat is gone."""


class TokenError(MessengerError):
    """The messenger does not accept the bot's token."""


class OtherPollerError(MessengerError):
    """Another program fetches the updates of this bot, or a webhook is set."""


class RejectedError(MessengerError):
    """The messenger cannot do this, now or later: a message that is gone, a file that is too large."""


# ------------------------------------------------------------ what a messenger does


@dataclass(frozen=True, kw_only=True)
class Bot:
    """Account that the messenger knows ledgerkit by."""

    id: str
    name: str


class Messenger(Protocol):
    """A messenger with its bot. All methods raise MessengerError."""

    longest_text: int
    """Characters of a message, and as many under a document as `longest_caption`."""
    longest_caption: int
    largest_file: int
    """Bytes of a file that can be fetched."""

    async def identify(self) -> Bot:
        """Return the bot, which proves the token."""

    async def updates(self, first: int, wait: float) -> Sequence[tuple[int, Json]]:
        """Return the updates from the number `first` on, each with its number; wait up to `wait` seconds for one."""

    def read(self, update: Json) -> Update | None:
        """Return an update in the port's words; None for what is of no interest."""

    async def send(self, chat: str, message: BotMessage) -> str:
        """Send a message and return its number in the chat."""

    async def replace(self, chat: str, number: str, message: BotMessage) -> None:
        """Show another message in place of one that was sent. Unchanged content is no error."""

    async def acknowledge(self, tap: str, words: str = "") -> None:
        """Show that a button was pressed, with `words` for a moment. A tap that is too old is no error."""

    async def fetch(self, handle: str) -> bytes:
        """Return a file that was sent. Raises RejectedError for one that is too large or gone."""

    def link(self, bot_name: str, code: str) -> str | None:
        """Return the address that opens the chat and sends `code`; None where a person types it."""

    async def close(self) -> None:
        """Close connections."""


@dataclass(frozen=True)
class WebhookReceiver:
    """Address to which a messenger brings its updates, and what proves that they come from there.

    `path` is the last part of the address, which only the messenger knows. `secret` is given to `set_webhook`.
    """

    path: str
    secret: str = field(repr=False)
    is_genuine: Callable[[Mapping[str, str]], bool]
    """Returns True where the headers of a request prove it."""
    received: Callable[[bytes], tuple[int, Json] | None]
    """Returns the update of a body with its number; None where there is none."""


@runtime_checkable
class Webhook(Protocol):
    """A messenger that can also send its updates to an address. Both methods raise MessengerError."""

    async def set_webhook(self, url: str, secret: str) -> None:
        """Have updates sent to `url`. Each proves its origin by what the messenger derives from `secret`."""

    async def delete_webhook(self) -> None:
        """Have updates kept until they are fetched. Without a webhook there is nothing to do."""


@dataclass(frozen=True, kw_only=True)
class MessengerPlugin:
    """A messenger that is installed. `name` as telegram, `title` as Telegram.

    `create` returns the messenger; None where the settings do not ask for it. `receiver` returns the address to which
    it is to bring updates; None where they are fetched.
    """

    name: str
    title: str
    create: Callable[[Settings], Messenger | None]
    receiver: Callable[[Settings], WebhookReceiver | None] = lambda _: None
