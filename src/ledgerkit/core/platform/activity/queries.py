"""Entries that one transaction has written into the activity log."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Uuid, bindparam, func, select

from ledgerkit.core.platform.activity.api import ActivityLog
from ledgerkit.core.platform.activity.operations import ENTRY
from ledgerkit.core.platform.activity.table import activity
from ledgerkit.core.platform.api_types.list_pages import PageRequest, fetch_page, page_statement
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.database.transactions import Database
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.previews import WriteLog
from ledgerkit.money import loads_exact

MOST = 500
"""Entries that a preview shows of one account."""

_ENTRIES = TypeAdapter(list[ActivityLog])


class ActivityEntries(WriteLog):
    """Reader of the log for previews."""

    async def entries(self, database: Database, account_ids: Iterable[UUID], since: UUID) -> list[Wire]:
        written: list[Wire] = []
        for account_id in account_ids:
            async with database.transaction(account_id) as db:
                page = await fetch_page(db, _WRITTEN, PageRequest(1, MOST), since=since)
            written += _ENTRIES.validate_python(loads_exact(page.body.decode()))
        return written

    def in_dry_run(self, _dry_run: object) -> "ActivityEntries":
        """Return this object, which only reads."""
        return self


async def versions(ctx: Context, entries: Sequence[ActivityLog]) -> list[tuple[str, int]]:
    """Return the versions of the records that entries of a preview are about, as they are stored at this moment."""
    subjects = dict.fromkeys((entry.entity_type, UUID(entry.entity_id)) for entry in entries)
    stored_versions = []
    async with ctx.reading() as inner:
        for entity_type, entity_id in subjects:
            table = metadata.tables.get(entity_type)
            if table is None or not {"id", "version"} <= set(table.c.keys()):
                continue
            version = await inner.db.scalar(select(table.c.version).where(table.c.id == entity_id))
            if version is not None:
                stored_versions.append((entity_type, version))
    return stored_versions


_OF_TRANSACTION = (activity.c.created_at == func.now(), activity.c.id >= bindparam("since", type_=Uuid))
_WRITTEN = page_statement(
    select(*ENTRY).where(*_OF_TRANSACTION).order_by(activity.c.id),
    select(func.count()).select_from(activity).where(*_OF_TRANSACTION).scalar_subquery(),
)
