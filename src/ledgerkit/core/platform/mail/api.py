"""Shapes of answers about mails."""

from typing import Annotated, Literal

from pydantic import Field

from ledgerkit.core.platform.api_types.wire import Timestamp, Wire


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
