"""The tool about what clients owe."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.api_types.list_pages import MAX_SIZE
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.reports.receivables import operations as receivables
from ledgerkit.core.reports.receivables.operations import OpenInvoiceFilter
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.mcp_server.answers import paged
from ledgerkit.mcp_server.catalogue.names import client_id_of
from ledgerkit.mcp_server.shapes import PageQuery
from ledgerkit.mcp_server.tool import Tool

CLIENT_BRIEF = ("clientId", "client", "owed", "overdue", "oldestDue", "daysOverdue", "count", "currency")
INVOICE_BRIEF = ("id", "number", "clientId", "client", "balance", "currency", "dueDate", "daysOverdue")
DEFAULT_SIZE = 15
"""Clients or invoices in a page: fewer than elsewhere, so that "who owes me" is answered in 4 kB."""


class ReceivablesView(StrEnum):
    BY_CLIENT = "by_client"
    SUMMARY = "summary"
    INVOICES = "invoices"


class ReceivablesQuery(PageQuery):
    """Without a view: by client for who may read reports, else the open invoices."""

    view: ReceivablesView | None = None
    client_id: ShortText | None = None
    overdue_days: Annotated[int | None, Field(ge=1, le=36_500)] = None
    limit: Annotated[int, Field(ge=1, le=MAX_SIZE)] = DEFAULT_SIZE

    def identity(self, record: Mapping[str, Any]) -> str:
        """Return the id of an invoice; of a client the id, name and currency, for a buyer may have no id."""
        if "id" in record:
            return super().identity(record)
        return " ".join(str(record.get(name)) for name in ("clientId", *self.key))

    @property
    def key(self) -> tuple[str, ...]:
        return () if self.view is ReceivablesView.INVOICES else ("client", "currency")


async def _receivables(ctx: Context, query: ReceivablesQuery) -> Json:
    usual = ReceivablesView.BY_CLIENT if ctx.actor.may(Permission.REPORTS_READ) else ReceivablesView.INVOICES
    async with ctx.reading() as inner:
        client_id = await client_id_of(inner, query.client_id)
        conditions = OpenInvoiceFilter(client_id=client_id, overdue_days=query.overdue_days)
        match query.view or usual:
            case ReceivablesView.SUMMARY:
                return as_json(await receivables.summary(inner, conditions))
            case ReceivablesView.BY_CLIENT:
                return await _by_client(inner, query, conditions)
            case ReceivablesView.INVOICES:
                invoices = await paged(
                    lambda page: receivables.open_invoices(inner, page, conditions), query, INVOICE_BRIEF
                )
                return _counted(query, invoices)


async def _by_client(ctx: Context, query: ReceivablesQuery, conditions: OpenInvoiceFilter) -> Json:
    """Return a page of clients; the first one begins with the sums of all."""
    clients_owing = await paged(lambda page: receivables.by_client(ctx, page, conditions), query, CLIENT_BRIEF)
    sums = {} if query.cursor else as_json(await receivables.summary(ctx, conditions))
    return {**sums, **_counted(query, clients_owing)}


def _counted(query: ReceivablesQuery, page: Json) -> Json:
    """Return a page with the number of records after it."""
    cursor = page["nextCursor"]
    return {**page, "more": 0 if cursor is None else page["total"] - query.place_of(cursor).number}


TOOLS = (
    Tool(
        name="get_receivables",
        title="Who owes us money (morosos)",
        description=(
            "Read what clients owe: views summary, by_client, invoices; days overdue (debe pagar dinero mes algo "
            "retraso; still much pay customers outstanding late yet paid behind chase coughed squared owed waiting "
            "due)."
        ),
        scope=Scope.READ,
        operations=(
            receivables.by_client,
            receivables.summary,
            receivables.open_invoices,
            clients.get,
            clients.listing,
        ),
        arguments=ReceivablesQuery,
        hints={"overdueDays": "At least so many days overdue"},
        run=_receivables,
    ),
)
