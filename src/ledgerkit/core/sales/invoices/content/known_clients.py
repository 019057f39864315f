"""Clients as they have been until now, by their last invoice and mail: their records may have just changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Uuid, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.documents.origin import EXTERNAL
from ledgerkit.core.platform.mail import queries as mails
from ledgerkit.core.sales.invoices.json_columns.codecs import CLIENT, StoredClient
from ledgerkit.core.sales.invoices.table import invoice


@dataclass(frozen=True)
class KnownClient:
    """Client as the last invoice issued here names it, and the mail addresses of that invoice and of the last mail."""

    client: StoredClient
    emails: Sequence[str]

    def is_named_by(self, party: Mapping[str, object]) -> bool:
        """Return True if a document's client has the same tax id, or the same name where neither has one."""
        tax_id = party.get("taxId") or None
        if tax_id or self.client.tax_id:
            return tax_id == self.client.tax_id
        return str(party.get("name") or "").casefold() == str(self.client.name or "").casefold()


class LastRow(Row):
    """Client as on its last issued invoice, and the id of the invoice that was mailed last."""

    client: StoredJson[StoredClient]
    mailed_id: UUID | None


_OF_CLIENT = (invoice.c.client_id == bindparam("client_id", type_=Uuid), invoice.c.deleted_at.is_(None))
_MAILED = (
    select(invoice.c.id)
    .where(*_OF_CLIENT, invoice.c.sent_at.is_not(None))
    .order_by(invoice.c.sent_at.desc())
    .limit(1)
    .scalar_subquery()
)
_LAST = Prepared(
    select(invoice.c.client, _MAILED.label("mailed_id"))
    .where(
        *_OF_CLIENT,
        invoice.c.number.is_not(None),
        invoice.c.origin != EXTERNAL,
    )
    .order_by(invoice.c.issued_at.desc(), invoice.c.id.desc())
    .limit(1),
    LastRow,
)


async def find(db: AsyncConnection, client_id: UUID) -> KnownClient | None:
    """Return what a client has been until now; None if no invoice was issued to it here.

    An imported document does not count: whoever imports says what is in it.
    """
    row = await _LAST.row(db, client_id=client_id)
    if row is None:
        return None
    client = CLIENT.decode(row.client)
    mailed_to = None if row.mailed_id is None else await mails.last_recipient(db, ("invoice", row.mailed_id))
    return KnownClient(client, [email for email in (mailed_to, client.email) if email])
