"""Telegram as a messenger: the port by the Bot API. The entry point `telegram` names `PLUGIN`."""

import re
from collections.abc import Mapping, Sequence

from pydantic import SecretStr

from ledgerkit.core.messaging.messengers.messenger import (
    Bot,
    BotMessage,
    Json,
    MessengerPlugin,
    RejectedError,
    SentFile,
    UnreachableError,
    Update,
)
from ledgerkit.core.messaging.messengers.telegram import markup, updates
from ledgerkit.core.messaging.messengers.telegram.client import CALL_SECONDS, FILE_SECONDS, BotApi
from ledgerkit.core.messaging.messengers.telegram.failures import RejectedCallError, WebhookSetError
from ledgerkit.core.messaging.messengers.telegram.webhook import receiver, webhook_header
from ledgerkit.settings import Settings

MOST_UPDATES = 100
LONGEST_POLL = 50
"""Seconds for which Telegram waits for an update."""
LONGEST_NOTICE = 200
"""Characters of the words that are shown when a button was pressed."""
WEBHOOK_CONNECTIONS = 10

_CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UNCHANGED = "message is not modified"
_TOO_OLD = ("query is too old", "query id is invalid")
_NO_TEXT = "no text in the message to edit"


class TelegramMessenger:
    """`Messenger` and `Webhook` by the Bot API at the address `base`.

    `keeps_webhook`: a webhook that is set is ours, so fetching updates leaves it alone.
    """

    longest_text = markup.LONGEST_TEXT
    longest_caption = markup.LONGEST_CAPTION
    largest_file = updates.LARGEST_FILE

    def __init__(self, base: str, token: SecretStr, *, keeps_webhook: bool = False) -> None:
        self._api = BotApi(base, token)
        self._bot = _number(token)
        self._may_delete_webhook = not keeps_webhook
        self._webhook_in_the_way = False

    async def identify(self) -> Bot:
        account = _object("getMe", await self._api.call("getMe", {}))
        number, name = account.get("id"), account.get("username")
        if type(number) is not int or not isinstance(name, str):
            raise UnreachableError("getMe: no account in the answer")
        return Bot(id=str(number), name=name)

    async def updates(self, first: int, wait: float) -> Sequence[tuple[int, Json]]:
        """Return the updates from the number `first` on; wait up to `wait` seconds, LONGEST_POLL at most.

        After a week without any, Telegram counts from another number, which may be lower than `first`.
        """
        await self._remove_webhook_in_the_way()
        seconds = max(0, min(int(wait), LONGEST_POLL))
        parameters = {
            "offset": max(first, 0),
            "limit": MOST_UPDATES,
            "timeout": seconds,
            "allowed_updates": updates.KINDS,
        }
        try:
            result = await self._api.call("getUpdates", parameters, seconds=seconds + CALL_SECONDS)
        except WebhookSetError:
            self._webhook_in_the_way = self._may_delete_webhook
            raise
        if not isinstance(result, list):
            raise UnreachableError("getUpdates: no list in the answer")
        return list(updates.numbered(result))

    def read(self, update: Json) -> Update | None:
        return updates.read(update, self._bot)

    async def send(self, chat: str, message: BotMessage) -> str:
        """Send a message and return its number; a text that does not fit under its document follows it.

        The number is that of the message with the buttons, which is the last one.
        """
        if message.document is None:
            return await self._send_text(chat, message)
        if markup.fits(message, self.longest_caption):
            return await self._send_document(chat, message.document, message)
        await self._send_document(chat, message.document, BotMessage())
        return await self._send_text(chat, message)

    async def replace(self, chat: str, number: str, message: BotMessage) -> None:
        """Show another text and other buttons. Under a document the text is cut to `longest_caption`.

        Raises RejectedError for a message with a document: one cannot take the place of another message.
        """
        if message.document is not None:
            raise RejectedError("a document cannot take the place of a message")
        place = {"chat_id": chat, "message_id": number}
        try:
            await self._api.call("editMessageText", {**place, **_text(message)})
        except RejectedCallError as refusal:
            if refusal.says(_NO_TEXT):
                await self._replace_caption(place, message)
            elif not refusal.says(_UNCHANGED):
                raise

    async def acknowledge(self, tap: str, words: str = "") -> None:
        notice = markup.cut(markup.plain(words), LONGEST_NOTICE)
        try:
            await self._api.call("answerCallbackQuery", {"callback_query_id": tap, "text": notice})
        except RejectedCallError as refusal:
            if not refusal.says(*_TOO_OLD):
                raise

    async def fetch(self, handle: str) -> bytes:
        file = _object("getFile", await self._api.call("getFile", {"file_id": handle}))
        size, path = file.get("file_size"), file.get("file_path")
        if type(size) is int and size > self.largest_file:
            raise RejectedError(f"getFile: {size} bytes are too many")
        if not isinstance(path, str):
            raise RejectedError("getFile: the file cannot be downloaded")
        return await self._api.download(path, self.largest_file)

    def link(self, bot_name: str, code: str) -> str | None:
        """Return the address that opens the chat and sends `/start code`; None for a code with other signs."""
        return f"https://t.me/{bot_name}?start={code}" if _CODE.fullmatch(code) else None

    async def set_webhook(self, url: str, secret: str) -> None:
        """Have updates sent to `url`, with the header that `webhook_header` derives from the secret of the settings."""
        parameters = {
            "url": url,
            "secret_token": webhook_header(secret),
            "max_connections": WEBHOOK_CONNECTIONS,
            "allowed_updates": updates.KINDS,
        }
        await self._api.call("setWebhook", parameters)

    async def delete_webhook(self) -> None:
        """Have updates kept until they are fetched. Without a webhook there is nothing to do."""
        await self._api.call("deleteWebhook", {})

    async def close(self) -> None:
        await self._api.close()

    async def _remove_webhook_in_the_way(self) -> None:
        """Delete a webhook that nobody needs any more, once: who sets it again is another program."""
        if self._webhook_in_the_way:
            await self.delete_webhook()
            self._webhook_in_the_way = self._may_delete_webhook = False

    async def _send_text(self, chat: str, message: BotMessage) -> str:
        return _sent("sendMessage", await self._api.call("sendMessage", {"chat_id": chat, **_text(message)}))

    async def _send_document(self, chat: str, document: SentFile, message: BotMessage) -> str:
        named = SentFile(
            name=markup.one_line(document.name, markup.LONGEST_NAME) or "document",
            media_type=document.media_type,
            content=document.content,
        )
        parameters = {"chat_id": chat, **_caption(message)}
        return _sent(
            "sendDocument",
            await self._api.call("sendDocument", parameters, document=named, seconds=FILE_SECONDS),
        )

    async def _replace_caption(self, place: Mapping[str, str], message: BotMessage) -> None:
        try:
            await self._api.call("editMessageCaption", {**place, **_caption(message)})
        except RejectedCallError as refusal:
            if not refusal.says(_UNCHANGED):
                raise


def create(settings: Settings) -> TelegramMessenger | None:
    """Return Telegram where the settings have a token."""
    token = settings.telegram_token
    if token is None or not token.get_secret_value().strip():
        return None
    stripped = SecretStr(token.get_secret_value().strip())
    return TelegramMessenger(
        settings.telegram_api_base, stripped, keeps_webhook=settings.telegram_webhook_secret is not None
    )


PLUGIN = MessengerPlugin(name="telegram", title="Telegram", create=create, receiver=receiver)


def _number(token: SecretStr) -> int | None:
    """Return the number of the bot, with which its token begins; None for a token of another form."""
    number = token.get_secret_value().partition(":")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 20 else None


def _text(message: BotMessage) -> Mapping[str, object]:
    return {
        "text": markup.rendered(message, markup.LONGEST_TEXT),
        "parse_mode": "HTML",
        "link_preview_options": {"is_disabled": True},
        **_reply_markup(message),
    }


def _caption(message: BotMessage) -> Mapping[str, object]:
    return {
        "caption": markup.rendered(message, markup.LONGEST_CAPTION),
        "parse_mode": "HTML",
        **_reply_markup(message),
    }


def _reply_markup(message: BotMessage) -> Mapping[str, object]:
    keyboard = markup.keyboard(message)
    return {"reply_markup": {"inline_keyboard": keyboard}} if keyboard else {}


def _object(method: str, result: object) -> Mapping[str, object]:
    if not isinstance(result, dict):
        raise UnreachableError(f"{method}: no object in the answer")
    return result


def _sent(method: str, result: object) -> str:
    """Return the number of the message that was sent."""
    number = _object(method, result).get("message_id")
    if type(number) is not int:
        raise UnreachableError(f"{method}: no message in the answer")
    return str(number)
