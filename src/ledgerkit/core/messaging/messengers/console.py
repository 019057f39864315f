"""Messenger in a terminal: lines are words, a number presses a button, and a path is a file that is sent."""

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ledgerkit.core.messaging.messengers.messenger import (
    Bot,
    BotMessage,
    ChatButton,
    File,
    Json,
    PageButton,
    RejectedError,
    Tap,
    Text,
    Update,
)

NAME, TITLE = "console", "Terminal"
CHAT = "terminal"

_LARGEST_FILE = 20 << 20
_NUMBER = re.compile(r"\d{1,2}")

Show = Callable[[str], None]


class Console:
    """Messenger of one terminal: `type_line` takes what was typed, `show` prints. Documents are written to `folder`."""

    longest_text = 4096
    longest_caption = 1024
    largest_file = _LARGEST_FILE

    def __init__(self, sender: str, name: str, language: str, show: Show, folder: Path) -> None:
        self._sender, self._name, self._language = sender, name, language
        self._show = show
        self._folder = folder
        self._typed: asyncio.Queue[dict[str, str | int]] = asyncio.Queue()
        self._buttons: list[ChatButton] = []
        self.last_number = 0
        """Number of the last line that was typed; 0 before the first."""
        self._sent = 0

    def type_line(self, line: str) -> None:
        """Take a line: the number of a button, the path of a file, or words."""
        line = line.strip()
        if not line:
            return
        self.last_number = max(self.last_number + 1, int(time.time() * 1000))
        event: dict[str, str | int] = {"number": self.last_number, "words": line}
        if _NUMBER.fullmatch(line) and 1 <= int(line) <= len(self._buttons):
            event = {"number": self.last_number, "data": self._buttons[int(line) - 1].data}
        elif _is_file(line):
            event = {"number": self.last_number, "file": line}
        self._typed.put_nowait(event)

    async def identify(self) -> Bot:
        return Bot(id=self._sender, name="ledgerkit")

    async def updates(self, first: int, wait: float) -> Sequence[tuple[int, Json]]:
        """Return the next line; one that was typed before the number `first` was handled already."""
        try:
            async with asyncio.timeout(wait):
                event = await self._typed.get()
        except TimeoutError:
            return []
        number = int(event["number"])
        return [(number, event)] if number >= first else []

    def read(self, update: Json) -> Update | None:
        number = int(update["number"])
        if "data" in update:
            event: Tap | File | Text = Tap(tap=str(number), message=str(number), data=str(update["data"]))
        elif "file" in update:
            path = Path(str(update["file"]))
            event = File(message=str(number), handle=str(path), name=path.name, size=path.stat().st_size)
        else:
            event = Text(message=str(number), words=str(update["words"])[: self.longest_text])
        return Update(
            id=number,
            chat=CHAT,
            sender=self._sender,
            sender_name=self._name,
            is_private=True,
            language=self._language,
            event=event,
        )

    async def send(self, chat: str, message: BotMessage) -> str:  # noqa: ARG002 - there is one chat
        lines = [f"\033[1m{message.title}\033[0m"] if message.title else []
        lines += message.lines
        if message.document is not None:
            path = self._folder / Path(message.document.name).name
            await asyncio.to_thread(path.write_bytes, message.document.content)
            lines.append(f"📄 {path}")
        buttons = [one for row in message.buttons for one in row]
        if buttons or _asks(message):
            self._buttons = [one for one in buttons if isinstance(one, ChatButton)]
        if buttons:
            lines.append("   ".join(self._shown(one) for one in buttons))
        self._show("\n".join(lines))
        self._sent += 1
        return str(self._sent)

    def _shown(self, key: ChatButton | PageButton) -> str:
        return (
            f"{key.label}: {key.url}"
            if isinstance(key, PageButton)
            else f"[{self._buttons.index(key) + 1}] {key.label}"
        )

    async def replace(self, chat: str, number: str, message: BotMessage) -> None:  # noqa: ARG002 - paper stays
        await self.send(chat, message)

    async def acknowledge(self, tap: str, words: str = "") -> None:
        """Do nothing: what follows shows that the button was pressed."""

    async def fetch(self, handle: str) -> bytes:
        try:
            return await asyncio.to_thread(_read, Path(handle))
        except OSError as error:
            raise RejectedError(str(error)) from None

    def link(self, bot_name: str, code: str) -> None:  # noqa: ARG002 - a person types the code
        return None

    async def close(self) -> None:
        """Do nothing: a terminal has no connections."""


def _asks(message: BotMessage) -> bool:
    """Return True where a message wants an answer in words: a number is then one, and no old button."""
    return any(line.rstrip().endswith("?") for line in (message.title, *message.lines))


def _is_file(line: str) -> bool:
    try:
        return ("/" in line or "." in line) and Path(line).expanduser().is_file()
    except OSError:
        return False


def _read(path: Path) -> bytes:
    with path.expanduser().open("rb") as file:
        content = file.read(_LARGEST_FILE + 1)
    if len(content) > _LARGEST_FILE:
        msg = "the file is too large"
        raise OSError(msg)
    return content
