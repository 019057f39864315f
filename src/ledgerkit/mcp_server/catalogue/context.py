"""Tools about the business: the caller, what an assistant should know, and the deletion of records."""

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ledgerkit.core.business_context import operations as business_context
from ledgerkit.core.business_context.api import EntryInput, SummaryInput
from ledgerkit.core.catalog import operations as catalog
from ledgerkit.core.declarations import operations as declarations
from ledgerkit.core.einvoice.inspection import alerts
from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.purchases.expenses import operations as expenses
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.core.reports import operations as reports
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.tasks import operations as tasks
from ledgerkit.core.teams import operations as teams
from ledgerkit.mcp_server.shapes import Confirmable, Nothing
from ledgerkit.mcp_server.tool import Tool


class Kind(StrEnum):
    INVOICE = "invoice"
    CLIENT = "client"
    EXPENSE = "expense"
    CATALOG_ITEM = "catalog_item"
    TASK = "task"
    VENDOR = "vendor"
    TAX_DECLARATION = "tax_declaration"
    CONTEXT_ENTRY = "context_entry"


DELETIONS: Mapping[Kind, Callable[[Context, str], Awaitable[object]]] = {
    Kind.INVOICE: invoices.delete,
    Kind.CLIENT: clients.delete,
    Kind.EXPENSE: expenses.delete,
    Kind.CATALOG_ITEM: catalog.deactivate,
    Kind.TASK: tasks.delete,
    Kind.VENDOR: vendors.delete,
    Kind.TAX_DECLARATION: declarations.delete,
    Kind.CONTEXT_ENTRY: business_context.delete_entry,
}


class Deletion(Confirmable):
    """A record to delete. The id of a context entry is its key."""

    kind: Kind
    id: Annotated[ShortText, Field(min_length=1)]


async def _delete(ctx: Context, arguments: Deletion) -> object:
    return await DELETIONS[arguments.kind](ctx, arguments.id)


async def _business_context(ctx: Context, _arguments: Nothing) -> Json:
    async with ctx.reading() as inner:
        context = as_json(await business_context.get(inner))
        has_figures = ctx.actor.may(Permission.REPORTS_READ)
        figures = await reports.business_summary(inner) if has_figures else None
        fiscal = await _fiscal_alerts(inner) if ctx.actor.may(Permission.EINVOICE_READ) else None
    return {**context, "figures": as_json(figures) if figures else None, "fiscalAlerts": fiscal}


async def _fiscal_alerts(ctx: Context) -> Json | None:
    """Return the records that need a correction or wait for the authority; None where there is no such record."""
    shown = await alerts.alerts(ctx)
    return as_json(shown) if shown.needs_action or shown.waiting or shown.troubles else None


async def _whoami(ctx: Context, _arguments: Nothing) -> Json:
    scopes = [scope.value for scope in Scope if scope.permissions <= ctx.actor.scopes]
    return {**as_json(await teams.whoami(ctx)), "scopes": scopes}


TOOLS = (
    Tool(
        name="delete_record",
        title="Delete a record (borrar)",
        description=(
            "Delete one draft invoice, client, expense, task, vendor, draft declaration or context entry (by key); a "
            "catalogue item is deactivated (producto quita prueba elimina borrador parking gastos fuera existe todo "
            "llamar nunca tarea taxi; test get rid bin called remove wipe expense erase remind old never list items "
            "chuck away thing). Issued ones: annul_einvoice, create_credit_note."
        ),
        scope=Scope.WRITE,
        operations=(*DELETIONS.values(),),
        arguments=Deletion,
        run=_delete,
    ),
    Tool(
        name="get_business_context",
        title="The business at a glance",
        description=(
            "Read this first: what the business is, notes, key figures, what is pending (sabes negocio resumen "
            "cuenta general cosas empresa mes reglas prácticas; know thing doing tell rules work run where today "
            "company quick back look worried)."
        ),
        scope=Scope.READ,
        operations=(business_context.get, reports.business_summary, alerts.alerts),
        arguments=Nothing,
        run=_business_context,
    ),
    Tool(
        name="save_context_entry",
        title="Remember something about the business",
        description=(
            "Note a fact about the business for future conversations (siempre tenemos olvide ahora quédate sepas "
            "nunca llevo apúntate acuérdate; always mind keep never know note get forget now day pay say want make "
            "anything good). A known key is changed. Summary: update_context_summary."
        ),
        scope=Scope.WRITE,
        operations=(business_context.save_entry,),
        arguments=EntryInput,
        hints={"key": "As payment_terms"},
        run=business_context.save_entry,
    ),
    Tool(
        name="update_context_summary",
        title="Rewrite the business summary (resumen)",
        description=(
            "Replace the summary that every conversation begins with, up to 5000 characters (reescribir la "
            "presentación; blurb). Single facts: save_context_entry."
        ),
        scope=Scope.WRITE,
        operations=(business_context.save_summary,),
        arguments=SummaryInput,
        run=business_context.save_summary,
    ),
    Tool(
        name="whoami",
        title="Who am I (qué usuario)",
        description=(
            "Read your user, active team (NIF), role, scopes, modules switched on, AI actions left (quién soy, qué "
            "puedo hacer; am I allowed)."
        ),
        scope=Scope.READ,
        operations=(teams.whoami,),
        arguments=Nothing,
        run=_whoami,
    ),
)
