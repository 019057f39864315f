"""Tools about clients."""

from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.reports.receivables import operations as receivables
from ledgerkit.core.reports.receivables.operations import OpenInvoiceFilter
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.clients.api import ClientChange, ClientInput
from ledgerkit.mcp_server.answers import continued, paged
from ledgerkit.mcp_server.catalogue.receivables import INVOICE_BRIEF, ReceivablesQuery, ReceivablesView
from ledgerkit.mcp_server.shapes import Keyed, OptionalId, PageQuery, RecordId
from ledgerkit.mcp_server.tool import Tool, saving

BRIEF = ("id", "name", "taxId", "city", "email", "invoiceCount", "totalInvoiced", "balance")
_INVOICE = tuple(name for name in INVOICE_BRIEF if name not in {"clientId", "client"})
_SHOWN = 10
"""Open invoices that a client's record has."""


class SavedClient(Keyed, OptionalId, ClientChange):
    """A client to create or, with its id, to change."""


class ClientQuery(PageQuery):
    search: ShortText | None = None


async def _get(ctx: Context, arguments: RecordId) -> Json:
    async with ctx.reading() as inner:
        client = as_json(await clients.get(inner, arguments.id))
        query = ReceivablesQuery(view=ReceivablesView.INVOICES, client_id=client["id"], limit=_SHOWN)
        conditions = OpenInvoiceFilter(client_id=client["id"])
        page = await paged(lambda request: receivables.open_invoices(inner, request, conditions), query, _INVOICE)
    return {**client, "openInvoiceCount": page["total"], "openInvoices": page["items"], **_rest(client["id"], page)}


def _rest(client_id: str, page: Json) -> Json:
    """Return the call that shows the open invoices after a page."""
    if (cursor := page["nextCursor"]) is None:
        return {}
    return {"more": continued("get_receivables", view="invoices", clientId=client_id, cursor=cursor)}


TOOLS = (
    Tool(
        name="get_client",
        title="A client's details (ficha)",
        description=(
            "Read one client by id (list_clients): contact, NIF, terms, totals, what they owe us (ficha: teléfono, "
            "dirección)."
        ),
        scope=Scope.READ,
        operations=(clients.get, receivables.open_invoices),
        arguments=RecordId,
        is_long=True,
        run=_get,
    ),
    Tool(
        name="list_clients",
        title="Find clients (clientes)",
        description=(
            "Find clients by name, NIF, e-mail or city, with their debts (cliente tengo tenemos busca nif teléfono "
            "ficha vendemos gente alta llevo correo algo; customers got books customer email number file company "
            "sell phone work called give bill show). Suppliers: list_vendors."
        ),
        scope=Scope.READ,
        operations=(clients.listing,),
        arguments=ClientQuery,
        run=lambda ctx, query: paged(lambda page: clients.listing(ctx, page, query.search), query, BRIEF),
    ),
    Tool(
        name="save_client",
        title="Create or change a client (alta)",
        description=(
            "Create a client, or change one by id: name, NIF, address, e-mail, phone, terms (calle nuevo ahora cif "
            "cambio pon correo nif ficha dni; new customer now update add put number want bill contact called admin "
            "pay fix set ltd account)."
        ),
        scope=Scope.WRITE,
        operations=(clients.create, clients.update),
        arguments=SavedClient,
        creates=ClientInput,
        described=("id", "name", "taxId", "country", "email", "phone", "address", "postalCode", "city", "notes"),
        hints={"id": "Only to change"},
        run=saving(clients.create, ClientInput, clients.update, ClientChange),
    ),
)
