"""A bot of the fake: what is sent to it, what it shows, and the methods by which it asks."""

import asyncio
import json
import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Condition
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from support.botapi.entities import formatted
from support.botapi.faults import ApiError, Fault, bad_request
from support.botapi.rooms import Room, Shown, ShownDocument, keyboard

LONGEST_TEXT = 4096
LONGEST_CAPTION = 1024
LONGEST_NOTICE = 200
LONGEST_POLL = 50
MOST_UPDATES = 100
LARGEST_DOWNLOAD = 20 << 20
LARGEST_UPLOAD = 50 << 20
PORTS = {80, 88, 443, 8443}
PATIENCE = 60.0
"""Seconds for which a test waits for a bot on a busy machine."""

OTHER_POLLER = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
WEBHOOK_ACTIVE = (
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)


@dataclass(frozen=True)
class Upload:
    """A file of a form."""

    name: str
    media_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class Call:
    """A call as it came; files are Uploads. `at` is a moment of the machine's clock."""

    method: str
    parameters: Mapping[str, Any]
    at: float = field(default_factory=monotonic)


@dataclass(frozen=True)
class StoredFile:
    path: str
    content: bytes = field(repr=False)
    size: int


@dataclass(kw_only=True)
class Query:
    """A button that was pressed: `notice` is what its answer shows, None until there is one."""

    id: str
    notice: str | None = None
    is_too_old: bool = False


@dataclass(frozen=True)
class WebhookSet:
    url: str
    secret: str
    allowed_updates: list[str] | None


class Account:
    """A bot with its token, as the server sees it.

    `calls` are all calls that came, `pending` the updates that it has not confirmed yet.
    """

    def __init__(self, number: int, username: str, token: str, changed: Condition) -> None:
        self.id, self.username, self.token = number, username, token
        self.changed = changed
        self.calls: list[Call] = []
        self.pending: list[dict[str, Any]] = []
        self.rooms: dict[int, Room] = {}
        self.files: dict[str, StoredFile] = {}
        self.queries: dict[str, Query] = {}
        self.webhook: WebhookSet | None = None
        self.is_closing = False
        self._faults: dict[str, deque[Fault]] = {}
        self._allowed: list[str] | None = None
        self._next_update = 1000 * number % 900_000 + 1
        self._next_message = 100
        self._poll = 0
        self._methods: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
            "getMe": self._get_me,
            "getUpdates": self._get_updates,
            "setWebhook": self._set_webhook,
            "deleteWebhook": self._delete_webhook,
            "sendMessage": self._send_message,
            "sendDocument": self._send_document,
            "editMessageText": self._edit_message_text,
            "editMessageCaption": self._edit_message_caption,
            "answerCallbackQuery": self._answer_callback_query,
            "getFile": self._get_file,
        }

    # -------------------------------------------------------- what tests ask and plant

    def calls_of(self, method: str) -> list[Mapping[str, Any]]:
        """The parameters of every call of a method."""
        with self.changed:
            return [call.parameters for call in self.calls if call.method == method]

    def fail(self, method: str, *faults: Fault) -> None:
        """Let the next calls of a method go wrong, one by each fault; `download` for those of files."""
        with self.changed:
            self._faults.setdefault(method, deque()).extend(faults)

    def faults_left(self, method: str) -> int:
        """The faults that no call has met yet."""
        with self.changed:
            return len(self._faults.get(method, ()))

    def clear_faults(self) -> None:
        """Let all calls go right again."""
        with self.changed:
            self._faults.clear()

    def next_fault(self, method: str) -> Fault | None:
        """Take the fault that a call meets: for the server."""
        with self.changed:
            planted = self._faults.get(method)
            self.changed.notify_all()
            return planted.popleft() if planted else None

    async def until(self, condition: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Wait until `condition` is true of what people and the bot have done. Raises TimeoutError."""
        await asyncio.to_thread(self.wait, condition, seconds)

    def wait(self, condition: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Wait for the same in a test without an event loop."""
        with self.changed:
            if not self.changed.wait_for(lambda: bool(condition()), seconds):
                rooms = "\n\n".join(f"{room.title}\n{room.transcript}" for room in self.rooms.values())
                raise TimeoutError(f"it has not come about within {seconds} s; the chats:\n{rooms}")

    async def confirmed(self, seconds: float = PATIENCE) -> None:
        """Wait until the program behind the bot has confirmed all updates, as it does when it has taken them over."""
        await self.until(lambda: not self.pending, seconds)

    def take(self) -> list[dict[str, Any]]:
        """The pending updates, which are then confirmed: for a test that brings them to a webhook itself."""
        with self.changed:
            taken, self.pending[:] = list(self.pending), []
            self.changed.notify_all()
            return taken

    def deliver(self, update: Mapping[str, Any]) -> dict[str, Any] | None:
        """Queue an update, with the next number unless it has one; None where the bot does not ask for its kind."""
        with self.changed:
            kind = next((name for name in update if name != "update_id"), "")
            if self._allowed is not None and kind not in self._allowed:
                return None
            numbered = {"update_id": self._next_update, **update}
            self._next_update = numbered["update_id"] + 1
            self.pending.append(numbered)
            self.changed.notify_all()
            return numbered

    def revoke(self) -> None:
        """Let the token be none any more, as BotFather does."""
        with self.changed:
            self.token = ""

    @property
    def itself(self) -> dict[str, Any]:
        """The bot as updates name it."""
        return {"id": self.id, "is_bot": True, "first_name": self.username.title(), "username": self.username}

    def next_message(self) -> int:
        self._next_message += 1
        return self._next_message

    def store(self, content: bytes, folder: str, suffix: str, size: int | None = None) -> str:
        """Keep a file and return its handle. `size` is what is said of it, where the file itself is not at hand."""
        with self.changed:
            number = len(self.files)
            handle = f"AgACAgQAAx{self.id}-{number}_{folder}"
            path = f"{folder}/file_{number}{suffix}"
            self.files[handle] = StoredFile(path, content, len(content) if size is None else size)
            return handle

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.username}>"

    # -------------------------------------------------------- what the program asks

    def call(self, method: str, parameters: Mapping[str, Any]) -> Any:
        """Carry out a call. Raises ApiError."""
        with self.changed:
            if method not in self._methods:
                raise ApiError(404, "Not Found")
            self.calls.append(Call(method, parameters))
            try:
                return self._methods[method](parameters)
            finally:
                self.changed.notify_all()

    def file_at(self, path: str) -> bytes:
        """The content of a file. Raises ApiError."""
        with self.changed:
            stored = next((file for file in self.files.values() if file.path == path), None)
        if stored is None:
            raise ApiError(404, "Not Found")
        return stored.content

    def end(self) -> None:
        with self.changed:
            self.is_closing = True
            self.changed.notify_all()

    def _get_me(self, _parameters: Mapping[str, Any]) -> dict[str, Any]:
        return self.itself

    def _get_updates(self, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Confirm what comes before `offset`, and wait for more; a wait that is under way ends with 409."""
        if self.webhook is not None:
            raise ApiError(409, WEBHOOK_ACTIVE)
        self._poll += 1
        poll = self._poll
        self.changed.notify_all()
        self._note_allowed(parameters)
        self._confirm(_integer(parameters.get("offset", 0)))
        seconds = min(_integer(parameters.get("timeout", 0)), LONGEST_POLL)
        limit = max(1, min(_integer(parameters.get("limit", MOST_UPDATES)), MOST_UPDATES))
        self.changed.wait_for(
            lambda: self.pending or self._poll != poll or self.webhook is not None or self.is_closing, seconds
        )
        if self.webhook is not None:
            raise ApiError(409, "Conflict: terminated by setWebhook request")
        if self._poll != poll:
            raise ApiError(409, OTHER_POLLER)
        return self.pending[:limit]

    def _confirm(self, offset: int) -> None:
        """Forget what was confirmed. An offset beyond all updates confirms none, as after a change of numbers."""
        if offset < 0:
            self.pending[:] = self.pending[offset:]
        elif offset <= self._next_update:
            self.pending[:] = [update for update in self.pending if update["update_id"] >= offset]

    def _note_allowed(self, parameters: Mapping[str, Any]) -> None:
        allowed = _decoded(parameters.get("allowed_updates"))
        if allowed is not None:
            self._allowed = allowed or None

    def _set_webhook(self, parameters: Mapping[str, Any]) -> bool:
        url, secret = parameters.get("url", ""), parameters.get("secret_token", "")
        if not url:
            return self._delete_webhook(parameters)
        parts = urlsplit(url)
        if parts.scheme != "https":
            raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
        if (parts.port or 443) not in PORTS:
            raise bad_request("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
        if len(secret) > 256:
            raise bad_request("secret token is too long")
        if not re.fullmatch(r"[A-Za-z0-9_-]*", secret):
            raise bad_request("secret token contains unallowed characters")
        self._note_allowed(parameters)
        self.webhook = WebhookSet(url, secret, self._allowed)
        return True

    def _delete_webhook(self, parameters: Mapping[str, Any]) -> bool:
        self.webhook = None
        if parameters.get("drop_pending_updates") in {True, "true", "True"}:
            self.pending.clear()
        return True

    def _send_message(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        room = self._open_room(parameters)
        seen = formatted(parameters.get("text", ""), parameters.get("parse_mode"), LONGEST_TEXT)
        buttons = keyboard(_decoded(parameters.get("reply_markup")))
        shown = Shown(number=self.next_message(), text=seen.text, strong=seen.strong, buttons=buttons)
        room.messages.append(shown)
        return self.raw(room, shown)

    def _send_document(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        room = self._open_room(parameters)
        upload = parameters.get("document")
        if not isinstance(upload, Upload):
            raise bad_request("there is no document in the request")
        if len(upload.content) > LARGEST_UPLOAD:
            raise ApiError(413, "Request Entity Too Large")
        if not upload.content:
            raise bad_request("file must be non-empty")
        caption = parameters.get("caption", "")
        seen = formatted(caption, parameters.get("parse_mode"), LONGEST_CAPTION, is_caption=True)
        shown = Shown(
            number=self.next_message(),
            text=seen.text,
            strong=seen.strong,
            buttons=keyboard(_decoded(parameters.get("reply_markup"))),
            document=ShownDocument(upload.name, upload.media_type, upload.content),
        )
        room.messages.append(shown)
        return self.raw(room, shown)

    def _edit_message_text(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        room, shown = self._editable(parameters)
        if shown.document is not None:
            raise bad_request("there is no text in the message to edit")
        return self._edit(room, shown, parameters, "text", LONGEST_TEXT)

    def _edit_message_caption(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        room, shown = self._editable(parameters)
        if shown.document is None:
            raise bad_request("there is no caption in the message to edit")
        return self._edit(room, shown, parameters, "caption", LONGEST_CAPTION)

    def _edit(self, room: Room, shown: Shown, parameters: Mapping[str, Any], name: str, limit: int) -> dict[str, Any]:
        words, mode = parameters.get(name, ""), parameters.get("parse_mode")
        seen = formatted(words, mode, limit, is_caption=name == "caption")
        buttons = keyboard(_decoded(parameters.get("reply_markup")))
        if (seen.text, seen.strong, buttons) == (shown.text, shown.strong, shown.buttons):
            raise bad_request(
                "message is not modified: specified new message content and reply markup are exactly the same as a"
                " current content and reply markup of the message"
            )
        shown.earlier.append(shown.text)
        shown.text, shown.strong, shown.buttons = seen.text, seen.strong, buttons
        return self.raw(room, shown)

    def _editable(self, parameters: Mapping[str, Any]) -> tuple[Room, Shown]:
        room = self._open_room(parameters)
        message = room.find(_integer(parameters.get("message_id", 0)))
        if message is None:
            raise bad_request("message to edit not found")
        if not isinstance(message, Shown):
            raise bad_request("message can't be edited")
        return room, message

    def _answer_callback_query(self, parameters: Mapping[str, Any]) -> bool:
        query = self.queries.get(parameters.get("callback_query_id", ""))
        notice = parameters.get("text", "")
        if query is None or query.is_too_old:
            raise bad_request("query is too old and response timeout expired or query ID is invalid")
        if len(notice) > LONGEST_NOTICE:
            raise bad_request("MESSAGE_TOO_LONG")
        query.notice = notice
        return True

    def _get_file(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        handle = parameters.get("file_id", "")
        stored = self.files.get(handle)
        if stored is None:
            raise bad_request("wrong file_id or the file is temporarily unavailable")
        if stored.size > LARGEST_DOWNLOAD:
            raise bad_request("file is too big")
        unique = handle[-12:]
        return {"file_id": handle, "file_unique_id": unique, "file_size": stored.size, "file_path": stored.path}

    def _open_room(self, parameters: Mapping[str, Any]) -> Room:
        room = self.rooms.get(_integer(parameters.get("chat_id", 0)))
        if room is None:
            raise bad_request("chat not found")
        if room.is_closed:
            private = room.kind == "private"
            reason = "blocked by the user" if private else "kicked from the group chat"
            raise ApiError(403, f"Forbidden: bot was {reason}")
        return room

    def raw(self, room: Room, shown: Shown) -> dict[str, Any]:
        """A message of the bot as Telegram describes it."""
        part = {"caption" if shown.document else "text": shown.text} if shown.text else {}
        document = {}
        if shown.document is not None:
            document = {"document": {"file_id": f"sent-{shown.number}", "file_name": shown.document.name}}
        return {
            "message_id": shown.number,
            "from": self.itself,
            "chat": room.raw,
            "date": 1_790_000_000,
            **document,
            **part,
            **shown.markup,
        }


def _integer(value: Any) -> int:
    """A number of a call, which may be written as a text; 0 for anything else."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return 0


def _decoded(value: Any) -> Any:
    """The JSON of a parameter of a form; a parameter of a JSON body as it is. Raises ApiError."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if value else None
    except ValueError:
        raise bad_request("can't parse reply keyboard markup JSON object") from None
