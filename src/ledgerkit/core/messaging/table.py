"""Tables of messengers: not tables of an account, since a message arrives before it is known whose it is."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, PrimaryKeyConstraint, UniqueConstraint, func, text

from ledgerkit.core.platform.database.row_types import Row, column
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson, StoredObject
from ledgerkit.core.platform.database.tables import JSON, reference_table

_MEMBERSHIP = "membership.id"


class StoredButton(StoredObject):
    """Button of a message: it sends `data`, or opens `url`."""

    label: str
    data: str | None = None
    url: str | None = None


class StoredMessage(StoredObject):
    """Message that waits to be sent. `replaces` is the number of the message in whose place it is shown.

    `invoice_pdf` is the id of the invoice whose PDF is attached when it is sent, `draft_pdf` that of the proposal of a
    draft whose PDF is.
    """

    title: str = ""
    lines: tuple[str, ...] = ()
    buttons: tuple[tuple[StoredButton, ...], ...] = ()
    replaces: str | None = None
    invoice_pdf: str | None = None
    draft_pdf: str | None = None


class StoredQuestion(StoredObject):
    """Question about a message of the person's: the words of the answer are read with `words`."""

    words: str
    lack: str
    until: datetime


class StoredCorrection(StoredObject):
    """Expense of which the person is about to give or correct a field, as far as it is known (a request's JSON).

    `approval_id` is the proposal that it replaces; null where none could be made yet.
    """

    fields: dict[str, str]
    until: datetime
    approval_id: str | None = None


class StoredState(StoredObject):
    """State of a conversation. `proposed` are the last messages of the person with the proposals made of them."""

    question: StoredQuestion | None = None
    correction: StoredCorrection | None = None
    proposed: tuple[tuple[str, str], ...] = ()


MESSAGE = JsonCodec(StoredMessage, mode="json")
STATE = JsonCodec(StoredState, mode="json")
UPDATE = JsonCodec(dict[str, object])
"""Stored forms of a message, of the state of a conversation, and of an update."""


class BotRow(Row):
    """A bot of a messenger: the next update that is fetched, and the process that fetches."""

    messenger: str = column("Name of the messenger, as telegram.")
    bot: str = column("Id that the messenger has given the bot.")
    name: str = column("Name of the bot in the messenger.")
    next_update: int = column("Number of the first update that was not stored yet.", BigInteger, server_default="0")
    received_at: datetime | None = column("Time (UTC) of the last updates; null before the first.")
    holder: UUID | None = column("Id of the process that fetches updates and sends messages; null where none does.")
    lease_until: datetime | None = column("Time (UTC) until which no other process takes over; null where none does.")
    failure: str | None = column("What the messenger refused last, as other_poller or token; null where it works.")
    failed_at: datetime | None = column("Time (UTC) of that refusal; null where it works.")
    detail: str | None = column("Words of the messenger about it, at most 500 characters; null where it works.")


messaging_bot = reference_table("messaging_bot", BotRow, PrimaryKeyConstraint("messenger", "bot"))


class UpdateRow(Row):
    """An event of a chat, kept until it was handled; after that only its number, so that it is never handled twice."""

    messenger: str = column("Name of the messenger.")
    bot: str = column("Id of the bot.")
    number: int = column("Number that the messenger gave the update; it grows.", BigInteger)
    chat: str = column("Id of the chat, by which updates are handled one at a time.")
    content: StoredJson[dict[str, object]] | None = column(
        "The update as the messenger sent it; null once it was handled.", JSON
    )
    attempts: int = column("Number of attempts begun; it is given up after the fifth.", server_default=text("0"))
    received_at: datetime = column("Time (UTC) at which it was stored.", server_default=func.now())
    handled_at: datetime | None = column("Time (UTC) at which it was handled; null while it waits.")


messaging_update = reference_table(
    "messaging_update",
    UpdateRow,
    PrimaryKeyConstraint("messenger", "bot", "number"),
    Index(
        *("ix_messaging_update_waiting", "messenger", "bot", "chat", "number"),
        postgresql_where=text("handled_at is null"),
    ),
    Index("ix_messaging_update_handled", "handled_at", postgresql_where=text("handled_at is not null")),
)


class LinkCodeRow(Row):
    """A code that links a chat to a member: for ten minutes, and once."""

    code_hash: str = column("SHA-256 of the code, in hexadecimal; the code itself is stored nowhere.", primary_key=True)
    link_id: UUID = column("Id that the link gets.")
    messenger: str = column("Name of the messenger that it is for.")
    membership_id: UUID = column("Id of the membership.", ForeignKey(_MEMBERSHIP, ondelete="CASCADE"))
    expires_at: datetime = column("Time (UTC) from which it links nothing.")
    used_at: datetime | None = column("Time (UTC) at which it was used; null before.")


messaging_link_code = reference_table(
    "messaging_link_code", LinkCodeRow, Index("ix_messaging_link_code_membership", "membership_id")
)


class LinkRow(Row):
    """A chat that is linked to a member of an account; it ends with the membership."""

    id: UUID = column("Id of the link.", primary_key=True)
    messenger: str = column("Name of the messenger, as telegram.")
    bot: str = column("Id of the bot that the person writes to.")
    sender: str = column("Number by which the messenger knows the person; names and telephones do not count.")
    chat: str = column("Id of the person's private chat with the bot.")
    external_name: str = column("Name of the person in the messenger, as it was when they linked it.")
    membership_id: UUID = column(
        "Id of the membership for which the chat acts, with the role of each moment.",
        ForeignKey(_MEMBERSHIP, ondelete="CASCADE"),
    )
    state: StoredJson[StoredState] = column("State of the conversation as JSON.", JSON)
    linked_at: datetime = column("Time (UTC) at which it was linked.", server_default=func.now())
    last_seen_at: datetime | None = column("Time (UTC) of the person's last message; null before the first.")


messaging_link = reference_table(
    "messaging_link",
    LinkRow,
    UniqueConstraint("messenger", "sender"),
    Index("ix_messaging_link_membership", "membership_id"),
)


class OutgoingRow(Row):
    """A message that waits to be sent to a chat; it is deleted once the messenger has taken it."""

    id: UUID = column("Id of the message; those of a chat are sent in the order of their ids.", primary_key=True)
    messenger: str = column("Name of the messenger.")
    bot: str = column("Id of the bot.")
    chat: str = column("Id of the chat.")
    link_id: UUID | None = column(
        "Id of the link whose person reads it; null for somebody who is not linked.",
        ForeignKey("messaging_link.id", ondelete="CASCADE"),
    )
    content: StoredJson[StoredMessage] = column("The message as JSON.", JSON)
    attempts: int = column("Number of attempts begun.", server_default=text("0"))
    due_at: datetime = column("Time (UTC) from which it may be sent.", server_default=func.now())
    created_at: datetime = column("Time (UTC) at which it was written.", server_default=func.now())


messaging_outgoing = reference_table(
    "messaging_outgoing",
    OutgoingRow,
    Index("ix_messaging_outgoing_chat", "messenger", "bot", "chat", "id"),
    Index("ix_messaging_outgoing_link", "link_id"),
)


class PreferencesRow(Row):
    """Messages that a member wants in their chats, and when."""

    membership_id: UUID = column("Id of the membership.", ForeignKey(_MEMBERSHIP, ondelete="CASCADE"), primary_key=True)
    digest: bool = column("True where a digest of the day is sent.", server_default=text("true"))
    digest_hour: int = column("Hour of the digest in the account's time zone, 0 to 23.", server_default=text("8"))
    quiet: bool = column("True where nothing is sent of the bot's own accord.", server_default=text("false"))
    quiet_until: datetime | None = column("Time (UTC) at which that ends; null for no end.")
    language: str | None = column("Language of the chat, as es; null for that of the person.")
    digested_on: datetime | None = column("Time (UTC) of the last digest; null before the first.")
    version: int = column("Number of the settings in force, from 1.", server_default=text("1"))


messaging_preferences = reference_table("messaging_preferences", PreferencesRow)

Buttons = Sequence[Sequence[StoredButton]]
"""Rows of buttons."""
