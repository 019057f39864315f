"""Tools about clients."""

from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.api_types.list_pages import PageRequest
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.clients.api import ClientChange, ClientInput
from ledgerkit.core.sales.invoices import queries as invoice_queries
from ledgerkit.core.sales.invoices.api import Status
from ledgerkit.mcp_server.answers import paged
from ledgerkit.mcp_server.catalogue.invoices import BRIEF as INVOICE
from ledgerkit.mcp_server.shapes import DEFAULT_PAGE_SIZE, Keyed, OptionalId, PageQuery, RecordId
from ledgerkit.mcp_server.tool import Tool, saving

BRIEF = ("id", "name", "taxId", "city", "email", "invoiceCount", "totalInvoiced", "balance")
OPEN: tuple[Status, ...] = ("overdue", "sent")


class SavedClient(Keyed, OptionalId, ClientChange):
    """A client to create or, with its id, to change."""


class ClientQuery(PageQuery):
    search: ShortText | None = None


async def _get(ctx: Context, arguments: RecordId) -> Json:
    async with ctx.reading() as inner:
        client = as_json(await clients.get(inner, arguments.id))
        open_invoices: list[Json] = []
        for status in OPEN:
            conditions = invoice_queries.InvoiceFilter(client_id=client["id"], status=status)
            page = await invoice_queries.listing(inner, PageRequest(1, DEFAULT_PAGE_SIZE, INVOICE), conditions)
            open_invoices += as_json(page)["items"]
    return {**client, "openInvoices": open_invoices}


TOOLS = (
    Tool(
        name="get_client",
        title="A client's details (ficha)",
        description=(
            "Read one client by id (list_clients): contact, NIF, terms, totals, what they owe us (ficha: teléfono, "
            "dirección)."
        ),
        scope=Scope.READ,
        operations=(clients.get, invoice_queries.listing),
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
