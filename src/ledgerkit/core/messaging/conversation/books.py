"""The books as a conversation needs them: names that can be mentioned, and the invoices that can be meant."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

from ledgerkit.core.messaging.conversation.turn import Turn
from ledgerkit.core.messaging.language.grammar import Speaker
from ledgerkit.core.messaging.language.names import Names
from ledgerkit.core.messaging.language.references import KnownInvoice
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.invoices import queries as invoices
from ledgerkit.core.sales.invoices.queries import InvoiceFilter
from ledgerkit.core.tasks import operations as tasks
from ledgerkit.core.tasks.api import TaskStatus
from ledgerkit.core.tasks.operations import TaskFilter
from ledgerkit.money import loads_exact

MOST_CLIENTS = 5_000
MOST_TASKS = 1_000
MOST_INVOICES = 500
"""Records that a conversation knows: clients by name, tasks by place, invoices the newest first."""

Record = dict[str, Any]
"""A record as REST sends it, in brief."""


_RECORDS = TypeAdapter(list[Record])
_MOST_KEPT = 16
"""Accounts whose names stay in memory: those of the largest ones take a few MiB."""


@dataclass(frozen=True)
class NamedClient:
    """A client by name. `country` as ISO 3166 alpha-2."""

    id: str
    name: str
    country: str
    email: str | None


@dataclass(frozen=True)
class KnownTask:
    id: str
    name: str
    """Title of the task."""


async def speaker(turn: Turn, *, only: str | None = None) -> Speaker:
    """Return whoever writes, with the names that they may mention; `only` is the id of the client who is meant."""
    ctx = turn.reading
    page = await clients.listing(ctx, _page(MOST_CLIENTS, "id", "name", "country", "email"))
    tasks_by_title = Names([KnownTask(row["id"], row["title"]) for row in await open_tasks(ctx)])
    return Speaker(
        today=ctx.account.today(), language=turn.language, clients=_names(page.body, only), tasks=tasks_by_title
    )


@lru_cache(maxsize=_MOST_KEPT)
def _names(body: bytes, only: str | None) -> Names:
    """Return the clients of a rendered page by name: what a turn before has made of the same page is used again."""
    rows = _RECORDS.validate_python(loads_exact(body.decode()))
    everybody = [NamedClient(row["id"], row["name"], row["country"], row["email"]) for row in rows]
    return Names([client for client in everybody if only in {None, client.id}])


async def open_tasks(ctx: Context) -> list[Record]:
    """Return the tasks that are not done, those that are due first before the others."""
    page = _page(MOST_TASKS, "id", "title", "status", "dueDate", "assignedTo")
    rows = [row for row in records(await tasks.listing(ctx, page, TaskFilter())) if row["status"] != TaskStatus.DONE]
    return sorted(rows, key=lambda row: row["dueDate"] or "9999")


async def known_invoices(ctx: Context, client_id: str | None = None) -> list[KnownInvoice]:
    """Return invoices, the newest first: all that may be meant, or those of a client."""
    fields = ("id", "number", "client.name", "total", "balance", "issueDate", "dueDate", "status", "docType")
    rows = records(await invoices.listing(ctx, _page(MOST_INVOICES, *fields), InvoiceFilter(client_id=client_id)))
    return [_known(row) for row in rows]


def _known(row: Record) -> KnownInvoice:
    is_draft = row["status"] == "draft"
    due = Decimal(str(row["balance"]))
    return KnownInvoice(
        id=row["id"],
        number=row["number"],
        client_name=row["clientName"] or "",
        total=Decimal(str(row["total"])),
        due=due,
        issue_date=date.fromisoformat(row["issueDate"]),
        due_date=date.fromisoformat(row["dueDate"]),
        is_draft=is_draft,
        is_open=not is_draft and due > 0,
        is_overdue=row["status"] == "overdue",
    )


def records(page: Page) -> list[Record]:
    """Return the records of a page."""
    return _RECORDS.validate_python(loads_exact(page.body.decode()))


def _page(size: int, *fields: str) -> PageRequest:
    return PageRequest(size=size, fields=fields)
