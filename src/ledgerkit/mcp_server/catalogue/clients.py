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
            "Read one client by id (list_clients): number, e-mail, address, NIF (datos del cliente: teléfono, "
            "correo, dirección, CIF), terms, total, what they owe us (cuánto me debe)."
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
            "Find clients by name, NIF/CIF, e-mail or city, with their debts: customers, whom I sell to, whose "
            "number (buscar, qué clientes tengo, a quién vendo, quién me compra, cómo se llamaba). Suppliers: "
            "list_vendors."
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
            "Create a client (nuevo cliente, guarda; set up a new customer), or change one by id: name, NIF, address "
            "(dirección), e-mail, phone number, terms (cambiar el móvil, otro correo, se ha mudado; street). Absent "
            "fields stay."
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
