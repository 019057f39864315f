"""Bytes of an account's attachments, and the lock under which they change."""

from sqlalchemy import BigInteger, bindparam, func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.attachments.table import attachment_usage
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared


class BytesRow(Row):
    bytes: int


_new = insert(attachment_usage).values(bytes=bindparam("change", type_=BigInteger))
_CHANGE = Prepared(
    _new.on_conflict_do_update(
        index_elements=[attachment_usage.c.account_id],
        set_={
            "bytes": attachment_usage.c.bytes + _new.excluded.bytes,
            "version": attachment_usage.c.version + 1,
            "updated_at": func.now(),
        },
    ).returning(attachment_usage.c.bytes),
    BytesRow,
)


async def change(db: AsyncConnection, difference: int) -> int:
    """Count bytes, and return the account's new sum. No attachment is added until the transaction ends."""
    return (await _CHANGE.one(db, change=difference)).bytes
