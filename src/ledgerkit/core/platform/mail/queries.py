"""Queries of the log of mails."""

from uuid import UUID

from sqlalchemy import Text, Uuid, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.mail.operations import Delivery, Outcome
from ledgerkit.core.platform.mail.table import mail_log


class RecipientRow(Row):
    """Address that a mail went to."""

    recipient: str


_LAST_RECIPIENT = Prepared(
    select(mail_log.c.recipient)
    .where(
        mail_log.c.entity_type == bindparam("entity_type", type_=Text),
        mail_log.c.entity_id == bindparam("entity_id", type_=Uuid),
        mail_log.c.outcome == Outcome.ACCEPTED.value,
        mail_log.c.transport == Delivery.SMTP.value,
    )
    .order_by(mail_log.c.id.desc())
    .limit(1),
    RecipientRow,
)


async def last_recipient(db: AsyncConnection, entity: tuple[str, UUID]) -> str | None:
    """Return the address of the last mail about a record that a mail server has accepted; None if there is none."""
    row = await _LAST_RECIPIENT.row(db, entity_type=entity[0], entity_id=entity[1])
    return None if row is None else row.recipient
