"""Entries that one transaction has written into the activity log."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Select, Table, Text, Uuid, bindparam, func, select

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


class RecordVersion(NamedTuple):
    """A record at the version that is stored at this moment."""

    type: str
    id: str
    label: str | None
    version: int


async def versions(
    ctx: Context, entries: Sequence[ActivityLog], further: Mapping[tuple[str, str], str | None]
) -> list[RecordVersion]:
    """Return the `further` records and those that entries of a preview are about, as they are stored; no new ones."""
    written = {**further, **{(entry.entity_type, entry.entity_id): entry.entity_label for entry in entries}}
    new = {(entry.entity_type, entry.entity_id) for entry in entries if entry.action == "created"}
    labels = {subject: label for subject, label in written.items() if subject not in new}
    if not labels:
        return []
    async with ctx.reading() as inner:
        return await stored_versions(inner, labels)


async def stored_versions(
    ctx: Context, labels: Mapping[tuple[str, str], str | None], *, lock: bool = False
) -> list[RecordVersion]:
    """Return the records of these types and ids, with their labels; with `lock` nobody changes them meanwhile."""
    record_versions = []
    for (entity_type, entity_id), label in labels.items():
        table = metadata.tables.get(entity_type)
        if table is None or not {"id", "version"} <= set(table.c.keys()):
            continue
        version = await ctx.db.scalar(_version(table, lock=lock), {"record_id": UUID(entity_id)})
        if version is not None:
            record_versions.append(RecordVersion(entity_type, entity_id, label, version))
    return record_versions


@cache
def _version(table: Table, *, lock: bool) -> Select[Any]:
    statement = select(table.c.version).where(table.c.id == bindparam("record_id", type_=Uuid))
    return statement.with_for_update() if lock else statement


async def labels(ctx: Context, subjects: Iterable[tuple[str, str]]) -> list[str | None]:
    """Return the number or name by which the log last called each of these records (type and id)."""
    return [await ctx.db.scalar(_LAST_LABEL, {"kind": kind, "record": UUID(record_id)}) for kind, record_id in subjects]


_LAST_LABEL = (
    select(activity.c.entity_label)
    .where(
        activity.c.entity_type == bindparam("kind", type_=Text),
        activity.c.entity_id == bindparam("record", type_=Uuid),
    )
    .order_by(activity.c.id.desc())
    .limit(1)
)


async def written(ctx: Context, since: UUID) -> list[ActivityLog]:
    """Return the entries that the open transaction has written since the id `since`, in their order."""
    page = await fetch_page(ctx.db, _WRITTEN, PageRequest(1, MOST), since=since)
    return _ENTRIES.validate_python(loads_exact(page.body.decode()))


_OF_TRANSACTION = (activity.c.created_at == func.now(), activity.c.id >= bindparam("since", type_=Uuid))
_WRITTEN = page_statement(
    select(*ENTRY).where(*_OF_TRANSACTION).order_by(activity.c.id),
    select(func.count()).select_from(activity).where(*_OF_TRANSACTION).scalar_subquery(),
)
