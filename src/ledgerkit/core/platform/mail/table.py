"""Tables of mails: the append-only log of attempts with the server's replies, and the count of the day's mails."""

from datetime import date
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint

from ledgerkit.core.platform.database.row_types import AccountRow, AppendOnlyRow, column
from ledgerkit.core.platform.database.tables import account_table


class MailLogRow(AppendOnlyRow):
    """One attempt to mail something, with the outcome; it never changes."""

    kind: str = column(
        "Purpose of the mail: invoice, einvoice, certificate, invitation, membership or sending (of fiscal records).",
    )
    entity_type: str = column(
        "Kind of the record that the mail is about: invoice, fiscal_certificate, invitation, member or "
        "fiscal_installation.",
    )
    entity_id: UUID = column("Id of that record.")
    recipient: str = column("Address that the mail went to.")
    subject: str = column("Subject of the mail, in one line.")
    message_id: str | None = column("Message-ID of the mail; null for one that could not be composed.")
    transport: str = column(
        "Way of the mail: smtp for the mail server, file where none is configured and the mail is stored on the "
        "server.",
    )
    outcome: str = column("Outcome: accepted, refused, or unknown where the mail server did not answer.")
    reply: str = column("Words of the mail server, path of the file, or the error.")
    user_id: UUID | None = column("Id of the user who had it mailed; null for the system and for a team's key.")


mail_log = account_table(
    "mail_log",
    MailLogRow,
    Index("ix_mail_log_entity", "account_id", "entity_type", "entity_id", "id"),
    erasable=True,
)


class MailCountRow(AccountRow):
    """Number of invoices that an account mailed on the last day on which it mailed any, for the daily limit."""

    day: date = column("Day (UTC) that is counted.")
    mails: int = column("Number of invoices mailed on that day through the mail server, whatever became of the mails.")


mail_count = account_table("mail_count", MailCountRow, UniqueConstraint("account_id"))
