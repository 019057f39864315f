"""Shapes of answers about mails."""

from typing import Annotated, Literal

from pydantic import Field

from ledgerkit.core.platform.api_types.wire import Timestamp, Wire


class MailOutcome(Wire):
    """Outcome of a mail; `sentTo` and `sentAt` are null until a mail server has accepted it."""

    ok: Literal[True] = True
    sent_to: str | None
    sent_at: Timestamp | None
    delivered_to: Annotated[
        Literal["smtp", "file", "queue"],
        Field(
            description="`smtp`: a mail server has accepted it. `file`: this server has no mail server, nothing was "
            "mailed. `queue`: the day's mails of the account are used up, it leaves from `queuedUntil` on"
        ),
    ]
    queued_until: Timestamp | None = None
