"""Mails, and their form by RFC 5322 and MIME, in which no value can become a header of its own."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.header import Header
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, quote
from uuid import uuid4

from email_validator import EmailNotValidError, validate_email

from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.problems import Invalid

MAX_HEADER_CHARACTERS = 200

_BREAKING = {"Cc", "Cs", "Zl", "Zp"}
_DIRECTION_CHANGING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the reading direction: they make one address or file name look like another."""


@dataclass(frozen=True)
class Attachment:
    """File attached to a mail; `media_type` as `application/pdf`."""

    filename: str
    media_type: str
    content: bytes


@dataclass(frozen=True, kw_only=True)
class Mail:
    """One mail to one address.

    `sender_name` is shown beside the server's own address, `reply_to` is where answers go. `key` makes the
    Message-ID: mails of one key are one mail to programs that look at it. `language` is a code as `es`.
    """

    to: str
    subject: str
    text: str
    html: str | None = None
    sender_name: str | None = None
    reply_to: str | None = None
    attachments: Sequence[Attachment] = ()
    language: str | None = None
    key: str | None = None


@dataclass(frozen=True)
class Composed:
    """Mail in the form that mail servers accept: ASCII, in lines of bounded length."""

    content: bytes
    sender: str
    recipient: str
    message_id: str


def compose(mail: Mail, sender: str, date: datetime) -> Composed:
    """Compose `mail` from the server's own address `sender`, marked as automatic so that no program answers it.

    `Auto-Submitted` is RFC 3834, section 5; Exchange looks at a header of its own instead ([MS-OXCMAIL] 2.1.3.2.20).
    Line breaks and control characters in names and subject become spaces. Raises Invalid for an address to which no
    mail can be sent.
    """
    from_address, to_address = address(sender, "from"), address(mail.to, "to")
    message_id = f"<{_identifier(mail.key or str(uuid4()))}@{from_address.rpartition('@')[2]}>"
    headers = {
        "From": f"{_phrase(mail.sender_name, 'From')} <{from_address}>"
        if one_line(mail.sender_name or "")
        else from_address,
        "To": to_address,
        "Reply-To": None if mail.reply_to is None else address(mail.reply_to, "replyTo"),
        "Subject": _encoded(one_line(mail.subject), "Subject"),
        "Date": format_datetime(date),
        "Message-ID": message_id,
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "OOF, AutoReply",
        "Content-Language": None if mail.language is None else _encoded(one_line(mail.language), "Content-Language"),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value is not None)
    content = head.encode("ascii") + _body(mail).as_bytes()
    return Composed(content if content.endswith(b"\r\n") else content + b"\r\n", from_address, to_address, message_id)


def _body(mail: Mail) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    message.set_content(_encodable(mail.text), cte="quoted-printable")
    if mail.html is not None:
        message.add_alternative(_encodable(mail.html), subtype="html", cte="quoted-printable")
    for attachment in mail.attachments:
        maintype, _, subtype = attachment.media_type.partition("/")
        filename = one_line(attachment.filename).replace("/", "-").replace("\\", "-")
        message.add_attachment(attachment.content, maintype=maintype, subtype=subtype, filename=filename)
    return message


def address(value: str, field: str) -> str:
    """Return the address in ASCII, its domain in punycode. Raises Invalid naming `field` for one that is not valid."""
    try:
        checked = validate_email(value, check_deliverability=False, globally_deliverable=False, allow_smtputf8=False)
    except EmailNotValidError as error:
        raise Invalid.field(
            field,
            MailMsg.NOT_AN_ADDRESS,
            remedy=MailMsg.CORRECT_ADDRESS,
            address=repr(one_line(value)),
            error=error,
        ) from error
    return checked.ascii_email or checked.normalized


def one_line(value: str) -> str:
    """Return `value` without characters that break lines or change their direction, at most 200 characters."""
    printable = (
        " " if unicodedata.category(character) in _BREAKING or character in _DIRECTION_CHANGING else character
        for character in value
    )
    return " ".join("".join(printable).split())[:MAX_HEADER_CHARACTERS]


def _phrase(name: str | None, header: str) -> str:
    """Return a display name: a quoted string where it is ASCII (RFC 5322 §3.2.4), else encoded words."""
    line = one_line(name or "")
    return f'"{quote(line)}"' if _is_plain(line) else _encoded(line, header)


def _encoded(line: str, header: str) -> str:
    """Return one line of text of this header as encoded words (RFC 2047), folded; plain ASCII stays as it is.

    Uses the older `Header`, which limits a word to 75 characters; the newer header classes of Python 3.11 do not.
    """
    if _is_plain(line):
        return line
    return Header(line, "utf-8", maxlinelen=75, header_name=header).encode(linesep="\r\n")


def _is_plain(line: str) -> bool:
    """Return True when the line can stand in a header as it is, and nobody will take it for an encoded word."""
    return line.isascii() and "=?" not in line


def _identifier(key: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]+", "-", key)[:MAX_HEADER_CHARACTERS]


def _encodable(value: str) -> str:
    return value.encode("utf-8", "replace").decode("utf-8")
