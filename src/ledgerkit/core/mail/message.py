"""A mail as its author thinks of it, and as RFC 5322 and MIME write it: no value can become a header of its own."""

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

from ledgerkit.problems import bilingual_field

MAX_HEADER_CHARACTERS = 200

_BREAKING = {"Cc", "Cs", "Zl", "Zp"}
_TURNING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the reading direction: they make one address or file name look like another."""


@dataclass(frozen=True)
class Attachment:
    """`media_type` as `application/pdf`."""

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
    """A mail as the mail server gets it: all ASCII, in lines it takes."""

    content: bytes
    sender: str
    recipient: str
    message_id: str


def compose(mail: Mail, sender: str, date: datetime) -> Composed:
    """`mail`, sent from the server's own address `sender`, marked as made by a program: no machine answers it.

    `Auto-Submitted` is RFC 3834, section 5; Exchange looks at a header of its own instead ([MS-OXCMAIL] 2.1.3.2.20).
    Line breaks and control characters in names and subject become spaces. Raises Invalid for an address that no
    mail could be sent to.
    """
    own, to = address(sender, "from"), address(mail.to, "to")
    message_id = f"<{_identifier(mail.key or str(uuid4()))}@{own.rpartition('@')[2]}>"
    headers = {
        "From": f"{_phrase(mail.sender_name)} <{own}>" if one_line(mail.sender_name or "") else own,
        "To": to,
        "Reply-To": None if mail.reply_to is None else address(mail.reply_to, "replyTo"),
        "Subject": _encoded(one_line(mail.subject)),
        "Date": format_datetime(date),
        "Message-ID": message_id,
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "OOF, AutoReply",
        "Content-Language": None if mail.language is None else _encoded(one_line(mail.language)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value is not None)
    content = head.encode("ascii") + _body(mail).as_bytes()
    return Composed(content if content.endswith(b"\r\n") else content + b"\r\n", own, to, message_id)


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


def address(written: str, field: str) -> str:
    """The address in ASCII, its domain in punycode. Raises Invalid, naming `field`, when nothing can be sent there."""
    try:
        checked = validate_email(written, check_deliverability=False, globally_deliverable=False, allow_smtputf8=False)
    except EmailNotValidError as error:
        raise bilingual_field(
            field,
            (f"{one_line(written)!r} is not an address: {error}", "Correct the e-mail address."),
            (f"{one_line(written)!r} no es una dirección de correo", "Corrige la dirección de correo."),
        ) from error
    return checked.ascii_email or checked.normalized


def one_line(value: str) -> str:
    """`value` without anything that breaks or turns a line, at most 200 characters."""
    plain = (" " if unicodedata.category(one) in _BREAKING or one in _TURNING else one for one in value)
    return " ".join("".join(plain).split())[:MAX_HEADER_CHARACTERS]


def _phrase(name: str | None) -> str:
    """A display name: a quoted string where it is ASCII (RFC 5322 §3.2.4), else encoded words."""
    line = one_line(name or "")
    return f'"{quote(line)}"' if _is_plain(line) else _encoded(line)


def _encoded(line: str) -> str:
    """One line of header text as encoded words (RFC 2047), folded; plain ASCII stays as it is.

    By the older `Header`, which keeps a word within 75 characters; the newer header classes of Python 3.11 do not.
    """
    return line if _is_plain(line) else Header(line, "utf-8", maxlinelen=75).encode(linesep="\r\n")


def _is_plain(line: str) -> bool:
    """Whether it can stand in a header as it is, and no reader will take it for an encoded word."""
    return line.isascii() and "=?" not in line


def _identifier(key: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]+", "-", key)[:MAX_HEADER_CHARACTERS]


def _encodable(value: str) -> str:
    return value.encode("utf-8", "replace").decode("utf-8")
