"""Shapes of answers about mails."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from ledgerkit.core.platform.api_types.fields import PRINTABLE
from ledgerkit.core.platform.api_types.texts import FormMsg
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.request.readable import readable
from ledgerkit.texts.refusals import refusal

_HIDDEN = re.compile("[\u0080-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that control the output, or change the direction of writing."""


def _without_controls(message: str) -> str:
    if _HIDDEN.search(message):
        raise refusal("text_invalid", FormMsg.CONTROL_CHARACTERS)
    return message


MailMessage = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=2000),
    PRINTABLE,
    AfterValidator(_without_controls),
]
"""Plain text of a sender, of several lines."""

_BREAKING = re.compile("[\t\n\r]")


def _on_a_seen_line(subject: str) -> str:
    if _BREAKING.search(subject) or not readable(subject):
        raise refusal("text_invalid", FormMsg.CONTROL_CHARACTERS)
    return subject


MailSubject = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=150),
    PRINTABLE,
    AfterValidator(_without_controls),
    AfterValidator(_on_a_seen_line),
]
"""Subject of a sender's own, of which something is seen. A line break would make another header of the mail."""


class WithMessage(Wire):
    """A mail with words of the sender's own."""

    subject: MailSubject | None = None
    """Subject of the mail, one line of up to 150 characters; by default the usual one, which names the document."""
    message: MailMessage | None = None
    """Plain text that stands above the usual words of the mail, up to 2,000 characters; by default none."""


class MailOutcome(Wire):
    """Outcome of a mail; `sentTo` and `sentAt` are null until a mail server has accepted it."""

    ok: Literal[True] = True
    """Always true: a failure is a problem."""
    sent_to: str | None
    """Address that the mail went to; null until a mail server has accepted it."""
    sent_at: Timestamp | None
    """Moment in UTC at which a mail server accepted it; null until then."""
    delivered_to: Annotated[
        Literal["smtp", "file", "queue"],
        Field(
            description="`smtp`: a mail server has accepted it. `file`: this server has no mail server, nothing was "
            "mailed. `queue`: the day's mails of the account are used up, it leaves from `queuedUntil` on"
        ),
    ]
    queued_until: Timestamp | None = None
    """Moment in UTC before which it does not leave; null unless it is queued."""
