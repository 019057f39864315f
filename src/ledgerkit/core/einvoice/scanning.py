"""The log of events as its owner sees it, and checks of a whole chain on demand."""

from typing import Any

from sqlalchemy import Integer, Text, cast, func, select

from ledgerkit.core.context import Context
from ledgerkit.core.einvoice.models import fiscal_event, fiscal_event_log
from ledgerkit.core.operation import Unit, operation
from ledgerkit.core.paging import Page, PageRequest, fetch_page, page_statement
from ledgerkit.core.permissions import Permission
from ledgerkit.core.wire import wire_time, wired


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def listing(ctx: Context, page: PageRequest) -> Page:
    """The account's events, the newest first."""
    return await fetch_page(ctx.db, _LIST, page)


def _listed() -> Any:
    query = select(
        wired("installation_number", func.replace(cast(fiscal_event.c.installation_id, Text), "-", "")),
        wired("position", fiscal_event.c.position),
        wired("kind", fiscal_event.c.kind),
        wired("code", fiscal_event.c.code),
        wired("hash", fiscal_event.c.fingerprint),
        wired("at", wire_time(fiscal_event.c.generated_at)),
    ).order_by(fiscal_event.c.id.desc())
    total = select(func.coalesce(func.sum(fiscal_event_log.c.position), 0)).scalar_subquery()
    return page_statement(query, cast(total, Integer))


_LIST = _listed()
