"""Links that were mailed to people: reference rows, looked up before anybody is logged in."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, func

from ledgerkit.core.platform.database.row_types import Row, column
from ledgerkit.core.platform.database.tables import reference_table


class MailedLinkRow(Row):
    """A single-use link mailed to a person, removed eight days after it was made; its token is in the mail only."""

    id: UUID = column("Id of the link.", primary_key=True)
    user_id: UUID = column(
        "Id of the person (app_user) whom it was mailed to.",
        ForeignKey("app_user.id", ondelete="CASCADE"),
    )
    purpose: str = column("What it is for: verification (of the address) or reset (of the password).")
    token_hash: str = column("SHA-256 of the token, in hexadecimal.", unique=True)
    created_at: datetime = column("Time (UTC) at which the link was made.", server_default=func.now())
    expires_at: datetime = column(
        "Time (UTC) until which it can be used: seven days for a verification, an hour for a reset.",
    )
    used_at: datetime | None = column(
        "Time (UTC) at which it was used, or voided by another one's use or a change of the password; null while it "
        "is neither.",
    )


mailed_link = reference_table(
    "mailed_link",
    MailedLinkRow,
    Index("ix_mailed_link_user", "user_id", "purpose", "created_at"),
)
