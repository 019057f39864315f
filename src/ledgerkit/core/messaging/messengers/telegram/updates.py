"""Updates of the Bot API in the words of the port. Strangers write them: what is malformed is of no interest.

Source: Bot API, "Getting updates" and "Available types".
"""

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from ledgerkit.core.messaging.messengers.messenger import (
    LONGEST_DATA,
    Event,
    File,
    Json,
    Left,
    Other,
    Tap,
    Text,
    Update,
    Voice,
)
from ledgerkit.core.platform.api_types.fields import is_storable
from ledgerkit.core.platform.oauth.api import readable

KINDS: Final = ("message", "edited_message", "callback_query", "my_chat_member")
"""Updates that are asked for."""

LARGEST_FILE = 20 << 20
"""Bytes of a file that the Bot API lets a bot download."""

LONGEST_SENDER_NAME = 100
LONGEST_FILE_NAME = 200

_DEEPEST = 32
_LARGEST_NUMBER = (1 << 63) - 1
_UNREADABLE = "\ufffd"
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}")
_OTHER_KINDS = (
    *("animation", "checklist", "contact", "dice", "game", "invoice", "live_photo", "location", "paid_media", "poll"),
    *("sticker", "story", "venue", "video", "video_note"),
)
"""Members of a message that a person sends and that is neither text, picture, document nor sound.

An animation is a document too, for older programs.
"""


# ------------------------------------------------------------ what Telegram sends

_Number = Annotated[int, Field(ge=-_LARGEST_NUMBER, le=_LARGEST_NUMBER)]
_Size = Annotated[int, Field(ge=0, le=_LARGEST_NUMBER)]
_Words = Annotated[str, StringConstraints(max_length=16_384)]
_Name = Annotated[str, StringConstraints(max_length=1024)]
_Handle = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,512}$")]


class _Received(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class _Person(_Received):
    id: _Number
    is_bot: bool = False
    first_name: _Name = ""
    last_name: _Name = ""
    username: _Name = ""
    language_code: _Name = ""


class _Chat(_Received):
    id: _Number
    type: _Name


class _Picture(_Received):
    file_id: _Handle
    width: _Size = 0
    height: _Size = 0
    file_size: _Size | None = None


class _Attached(_Received):
    file_id: _Handle
    file_name: _Name = ""
    file_size: _Size | None = None


class _Sound(_Received):
    file_id: _Handle
    duration: _Size = 0
    file_size: _Size | None = None


class _Key(_Received):
    callback_data: _Name = ""


class _Keys(_Received):
    inline_keyboard: list[list[_Key]] = []


class _Answered(_Received):
    sender: _Person | None = Field(None, alias="from")
    via_bot: _Person | None = None
    reply_markup: _Keys = _Keys()


class _Sent(_Received):
    """A message of a person; the members that only say that it is of another kind are in `model_extra`."""

    model_config = ConfigDict(extra="allow")

    message_id: _Size
    sender: _Person = Field(alias="from")
    chat: _Chat
    text: _Words | None = None
    caption: _Words = ""
    photo: list[_Picture] = []
    document: _Attached | None = None
    voice: _Sound | None = None
    audio: _Sound | None = None
    media_group_id: _Handle | None = None
    forward_origin: object = None
    forward_date: object = None
    reply_to_message: _Answered = _Answered()


class _Shown(_Received):
    """The message under which a button stands; it may be too old for more."""

    message_id: _Size
    chat: _Chat


class _Pressed(_Received):
    id: _Handle
    sender: _Person = Field(alias="from")
    message: _Shown
    data: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_DATA)]


class _Membership(_Received):
    status: _Name


class _Changed(_Received):
    sender: _Person = Field(alias="from")
    chat: _Chat
    new_chat_member: _Membership


class _RawUpdate(_Received):
    update_id: _Size
    message: _Sent | None = None
    edited_message: _Sent | None = None
    callback_query: _Pressed | None = None
    my_chat_member: _Changed | None = None


# ------------------------------------------------------------ updates that can be stored


def numbered(updates: Iterable[object]) -> Iterator[tuple[int, Json]]:
    """Yield the updates that have a number, each with it, and with nothing that a database refuses."""
    for update in updates:
        cleaned = _storable(update, _DEEPEST)
        if isinstance(cleaned, dict):
            number = cleaned.get("update_id")
            if type(number) is int and 0 <= number <= _LARGEST_NUMBER:
                yield number, cleaned


def received(body: bytes) -> tuple[int, Json] | None:
    """Return the update that Telegram has sent to a webhook, with its number; None where there is none."""
    try:
        update = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return next(numbered([update]), None)


def _storable(value: object, depth: int) -> object:
    """Return JSON without NUL and lone surrogates in its texts, infinite numbers, and what is nested too deeply."""
    if isinstance(value, str):
        return value if is_storable(value) else "".join(sign if is_storable(sign) else _UNREADABLE for sign in value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict | list) and depth == 0:
        return None
    if isinstance(value, dict):
        return {_storable(name, 0): _storable(member, depth - 1) for name, member in value.items()}
    return [_storable(member, depth - 1) for member in value] if isinstance(value, list) else value


# ------------------------------------------------------------ updates in the words of the port


def read(update: Json, bot: int | None) -> Update | None:
    """Return an update in the port's words; None for what is malformed or of no interest.

    `bot` is the number of our bot: only buttons of its messages count as answered.
    """
    try:
        raw = _RawUpdate.model_validate(_storable(update, _DEEPEST))
    except ValidationError:
        return None
    if raw.message is not None:
        return _update(raw, raw.message.sender, raw.message.chat, _sent(raw.message, bot))
    if raw.edited_message is not None:
        return _update(raw, raw.edited_message.sender, raw.edited_message.chat, _edited(raw.edited_message, bot))
    if raw.callback_query is not None:
        pressed = raw.callback_query
        return _update(raw, pressed.sender, pressed.message.chat, _tap(pressed))
    if raw.my_chat_member is not None:
        changed = raw.my_chat_member
        return _update(
            raw, changed.sender, changed.chat, Left() if changed.new_chat_member.status == "kicked" else None
        )
    return None


def _update(raw: _RawUpdate, sender: _Person, chat: _Chat, event: Event | None) -> Update | None:
    """Return the update; None without an event, or where another bot writes."""
    if event is None or sender.is_bot:
        return None
    return Update(
        id=raw.update_id,
        chat=str(chat.id),
        sender=str(sender.id),
        sender_name=_name_of(sender),
        is_private=chat.type == "private",
        event=event,
        language=sender.language_code if _LANGUAGE.fullmatch(sender.language_code) else None,
    )


def _name_of(sender: _Person) -> str:
    """Return the name that the person goes by, on one line; else the one that Telegram knows, or the number."""
    names = (f"{sender.first_name} {sender.last_name}", sender.username)
    cleaned = (readable(" ".join(name.split())) for name in names)
    return next(filter(None, cleaned), str(sender.id))[:LONGEST_SENDER_NAME]


def _sent(sent: _Sent, bot: int | None) -> Event | None:
    kinds = sent.model_extra or {}
    if sent.text is not None:
        return _text(sent, bot, sent.text)
    if any(kind in kinds for kind in _OTHER_KINDS):
        return Other(message=str(sent.message_id))
    if sent.photo or sent.document is not None:
        return _file(sent)
    sound = sent.voice or sent.audio
    return _voice(sent, sound) if sound is not None else None


def _edited(sent: _Sent, bot: int | None) -> Event | None:
    """Return the words that a person has changed, of a message or under a file: the file itself has been sent before.

    None for other changes: a place that is shared for an hour is edited every few seconds.
    """
    words = sent.text if sent.text is not None else sent.caption
    return _text(sent, bot, words, is_edited=True) if words else None


def _text(sent: _Sent, bot: int | None, words: str, *, is_edited: bool = False) -> Text:
    return Text(
        message=str(sent.message_id),
        words=words,
        is_forwarded=_is_forwarded(sent),
        is_edited=is_edited,
        answers=_answers(sent.reply_to_message, bot),
    )


def _answers(replied_to: _Answered, bot: int | None) -> tuple[str, ...]:
    """Return the data of the buttons of our message; those under a message of another bot are not ours."""
    if replied_to.sender is None or replied_to.sender.id != bot or replied_to.via_bot is not None:
        return ()
    data = (key.callback_data for row in replied_to.reply_markup.inline_keyboard for key in row)
    return tuple(entry for entry in data if 0 < len(entry.encode()) <= LONGEST_DATA)


def _is_forwarded(sent: _Sent) -> bool:
    return sent.forward_origin is not None or sent.forward_date is not None


def _file(sent: _Sent) -> File:
    """Return the picture in the largest of its sizes that can be fetched, or the document."""
    fetchable = [size for size in sent.photo if (size.file_size or 0) <= LARGEST_FILE]
    picture = max(fetchable or sent.photo, key=lambda size: size.width * size.height, default=None)
    attached = picture or sent.document
    assert attached is not None  # noqa: S101 - the caller has looked
    return File(
        message=str(sent.message_id),
        handle=attached.file_id,
        name=_file_name(sent),
        size=attached.file_size,
        caption=sent.caption,
        album=sent.media_group_id,
    )


def _file_name(sent: _Sent) -> str:
    """Return the name of a document, on one line and without folders; a picture of Telegram's has none of its own."""
    if sent.photo or sent.document is None:
        return f"photo-{sent.message_id}.jpg"
    name = readable(re.sub(r"[\\/]", "_", sent.document.file_name))
    return name[-LONGEST_FILE_NAME:] or "document"


def _voice(sent: _Sent, sound: _Sound) -> Voice:
    return Voice(
        message=str(sent.message_id),
        handle=sound.file_id,
        seconds=sound.duration,
        size=sound.file_size,
        is_forwarded=_is_forwarded(sent),
    )


def _left(changed: _Changed) -> Left | None:
    """Return the end of a chat; any other change of what the bot may do there is of no interest."""
    return Left() if changed.new_chat_member.status == "kicked" else None


def _tap(pressed: _Pressed) -> Tap | None:
    """Return the press of a button; None where its data is longer than Telegram lets it be."""
    if len(pressed.data.encode()) > LONGEST_DATA:
        return None
    return Tap(tap=pressed.id, message=str(pressed.message.message_id), data=pressed.data)
