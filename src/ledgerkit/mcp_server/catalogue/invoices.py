"""Tools about invoices: drafts, payments, mail and links."""

from typing import Annotated

from pydantic import Field

from ledgerkit.core.einvoice.api import EmailInput
from ledgerkit.core.einvoice.issuance import operations as issuance
from ledgerkit.core.einvoice.status import operations as status
from ledgerkit.core.platform.api_types.fields import Day, Email, ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.mail.api import WithMessage
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices import queries as invoice_queries
from ledgerkit.core.sales.invoices.api import InvoiceChange, InvoiceInput, Payment, SendInput, Status
from ledgerkit.core.sales.invoices.public_links import operations as public_links
from ledgerkit.mcp_server.answers import brief, paged
from ledgerkit.mcp_server.catalogue.names import client_id_of, with_numbers
from ledgerkit.mcp_server.schemas import OTHER
from ledgerkit.mcp_server.shapes import Confirmable, Keyed, PageQuery, RecordId, body_of
from ledgerkit.mcp_server.tool import Tool
from ledgerkit.providers.api import DocumentKind
from ledgerkit.texts import ENGLISH

BRIEF = (
    "id",
    "number",
    "docType",
    "status",
    "clientId",
    "client.name",
    "total",
    "balance",
    "currency",
    "issueDate",
    "dueDate",
)


_FISCAL = ("einvoice.status", "einvoice.errors", "einvoice.refused")
"""Fields of an invoice's fiscal record that a brief row sums up."""

_PLAIN = frozenset({None, "accepted", "kept"})
"""States of a fiscal record that a brief row does not mention: there is nothing to do."""


class NewInvoice(Keyed, InvoiceInput):
    """A draft. It needs client or clientId (a simplified invoice needs neither) and at least one item."""


class ChangedInvoice(RecordId, InvoiceChange):
    """An invoice to change; absent fields keep their values."""


class InvoiceQuery(PageQuery):
    status: Status | None = None
    is_open: Annotated[bool | None, Field(alias="open")] = None
    search: ShortText | None = None
    client_id: ShortText | None = None
    first: Annotated[Day | None, Field(alias="from")] = None
    last: Annotated[Day | None, Field(alias="to")] = None
    doc_type: DocumentKind | None = None

    def conditions(self, client_id: str | None) -> invoice_queries.InvoiceFilter:
        """Return the filter of the list, of the client that was named."""
        return invoice_queries.InvoiceFilter(
            status=self.status,
            is_open=self.is_open,
            text=self.search,
            client_id=client_id,
            first=self.first,
            last=self.last,
            doc_type=self.doc_type,
        )


class Paid(Keyed, Confirmable, Payment, RecordId):
    """A payment of the invoice."""


class Copied(Keyed, RecordId):
    """The invoice to copy."""


class Mailed(Keyed, Confirmable, WithMessage, RecordId):
    """The invoice to mail, by default to its client."""

    email: Email | None = None


class PublicLink(Confirmable, RecordId):
    """The invoice to share, or whose link is revoked."""

    revoke: bool = False


async def _send(ctx: Context, arguments: Mailed) -> Json:
    if arguments.email is None:
        return as_json(await issuance.send_invoice(ctx, arguments.id, body_of(SendInput, arguments)))
    return as_json(await status.send_email(ctx, arguments.id, body_of(EmailInput, arguments)))


async def _share(ctx: Context, arguments: PublicLink) -> Json:
    return as_json(await (public_links.unshare if arguments.revoke else public_links.share)(ctx, arguments.id))


async def _list(ctx: Context, query: InvoiceQuery) -> Json:
    fields = (*BRIEF, *_FISCAL)
    conditions = query.conditions(await client_id_of(ctx, query.client_id))
    page = await paged(lambda request: invoice_queries.listing(ctx, request, conditions), query, fields)
    if query.detail == "full":
        return page
    return {**page, "items": [_with_fiscal_state(ctx, row) for row in page["items"]]}


def _with_fiscal_state(ctx: Context, row: Json) -> Json:
    """Return a brief row with the state of its fiscal record and the first error, where it is not plainly accepted."""
    state, errors, refused = (row.pop(name) for name in ("einvoiceStatus", "einvoiceErrors", "einvoiceRefused"))
    if refused:
        state, errors = "correction_rejected", refused["errors"]
    if state in _PLAIN:
        return row
    return {**row, "fiscalStatus": state, "fiscalError": _words(errors[0], ctx) if errors else None}


def _words(error: Json, ctx: Context) -> str:
    """Return the code of an error of the authority, with its meaning or the authority's own words."""
    cause = error["cause"] or {}
    language = ctx.request_metadata.language
    return f"{error['code']}: {cause.get(language) or cause.get(ENGLISH) or error['message']}"


async def whole_invoice(ctx: Context, arguments: RecordId) -> Json:
    """Return an invoice with the numbers of those that it names."""
    return await with_numbers(ctx, as_json(await invoices.get(ctx, arguments.id)))


_PREVIEWED = (*BRIEF, "amountPaid", "paidAt", "warnings")


def _invoice_previewed(answer: Json) -> Json:
    """Return what a preview shows of the invoice, which get_invoice reads in whole."""
    if isinstance(answer.get("invoice"), dict):
        return {**answer, "invoice": brief(answer["invoice"], _PREVIEWED)}
    return brief(answer, _PREVIEWED) if "number" in answer else answer


TOOLS = (
    Tool(
        name="create_invoice",
        title="Draft an invoice (factura)",
        description=(
            "Create a draft invoice (factura preparando iva euros hacer revisar obra cobrar; day get write send vat "
            "list start need together yet check look something finished irpf). Without taxRate the team's IVA holds. "
            "Nothing fiscal happens until emit_einvoice."
        ),
        scope=Scope.WRITE,
        operations=(invoices.create,),
        arguments=NewInvoice,
        described=(
            "client",
            "clientId",
            "items",
            "docType",
            "taxRate",
            "retentionRate",
            "issueDate",
            "dueDate",
            "placeOfSupply",
            "notes",
        ),
        hints={
            "items": "Without IVA: taxCategory, with exemptionCode E1 to E6 or notSubjectReason",
            "taxRate": "IVA percent, as 21",
            "retentionRate": "IRPF percent, as 15",
            "placeOfSupply": "Country that taxes it, as ES",
        },
        is_long=True,
        run=lambda ctx, arguments: invoices.create(ctx, body_of(InvoiceInput, arguments)),
    ),
    Tool(
        name="duplicate_invoice",
        title="Repeat an invoice (duplicar)",
        description=(
            "Copy an invoice into a draft, dated when issued (otra mismo mes hoy igual repite siempre anterior todo; "
            "last same again another identical retainer usual clone bill number previous different)."
        ),
        scope=Scope.WRITE,
        operations=(invoices.duplicate,),
        arguments=Copied,
        is_long=True,
        run=lambda ctx, arguments: invoices.duplicate(ctx, arguments.id),
    ),
    Tool(
        name="get_invoice",
        title="Invoice details (ver una factura)",
        description=(
            "Read one invoice by id: client, lines, base, IVA, IRPF, total, paid, fiscal state, link (abre ver "
            "última línea iva enséñame detalle exactamente llevo vencimiento vence; invoice open number line much "
            "last due total put see charge look exactly check tax latest withholding date). Ids: list_invoices. PDF: "
            "get_document."
        ),
        scope=Scope.READ,
        operations=(invoices.get,),
        arguments=RecordId,
        is_long=True,
        run=whole_invoice,
    ),
    Tool(
        name="list_invoices",
        title="Find issued invoices (facturas)",
        description=(
            "Find invoices by status, client, dates or text (factura cobrar pagar euros dime pasado hecho emitir "
            "enséñame busca todo queda borrador tengo vence semana cuantas tenemos ver abono; still invoices bill "
            "show draft over last year everything find sent invoice unpaid look see between send above many). "
            "Totals: get_report; debts: get_receivables."
        ),
        scope=Scope.READ,
        operations=(invoice_queries.listing, clients.get, clients.listing),
        arguments=InvoiceQuery,
        hints={"open": "Still owed"},
        run=_list,
    ),
    Tool(
        name="mark_invoice_paid",
        title="A client paid an invoice (cobrada)",
        description=(
            "Record that a client paid, partly with amount (bizum fin ingresos entrar transferencia efectivo pagar "
            "pasta banco dio; cash money coughed settled account today transfer half rest finally came got bank last "
            "hand wire). A draft is emitted first, which is final. Bills: record_supplier_payment."
        ),
        scope=Scope.WRITE,
        operations=(issuance.pay,),
        arguments=Paid,
        hints={"paidAt": "Default today", "amount": "Default all that is owed", "method": "transfer, card, cash"},
        is_long=True,
        run=lambda ctx, arguments: issuance.pay(ctx, arguments.id, body_of(Payment, arguments)),
        previewed=_invoice_previewed,
    ),
    Tool(
        name="send_invoice",
        title="E-mail an invoice (enviar por correo)",
        description=(
            "E-mail an invoice with PDF to its client, or an emitted one with PDF and XML to another address "
            "(mandado llegado mail pasado reenvía llegue copia; email send over never inbox fire get account shoot "
            "forward drop say). A draft is emitted first. Cannot be recalled."
        ),
        scope=Scope.WRITE,
        operations=(issuance.send_invoice, status.send_email),
        arguments=Mailed,
        hints={"email": "Default the client's", "message": "Plain text above the usual words"},
        is_long=True,
        run=_send,
        previewed=_invoice_previewed,
    ),
    Tool(
        name="share_invoice",
        title="Share an invoice by link (enlace)",
        description=(
            "Create the public link of an invoice, so that a client views it online; revoke ends it (url whatsapp "
            "web pasado vea ver móvil pasta algo; link open see something text login shareable)."
        ),
        scope=Scope.WRITE,
        operations=(public_links.share, public_links.unshare),
        arguments=PublicLink,
        run=_share,
    ),
    Tool(
        name="update_invoice",
        title="Change a draft invoice (borrador)",
        description=(
            "Change a draft invoice: client, lines, dates, notes (pon preparando cambio quita línea descuento fecha "
            "añade antes sube saca; draft off unfinished yet make date before pending should swap two still unsent "
            "day); items replaces all lines. An emitted one takes notes, dueDate; a rejected one also client, texts, "
            "tax categories: then emit_einvoice. Amounts: create_credit_note."
        ),
        scope=Scope.WRITE,
        operations=(invoices.update,),
        arguments=ChangedInvoice,
        described=(
            "id",
            "client",
            "clientId",
            "items",
            "taxRate",
            "retentionRate",
            "issueDate",
            "dueDate",
            "placeOfSupply",
            "notes",
        ),
        like={"client": "create_invoice", "items": "create_invoice", OTHER: "create_invoice"},
        is_long=True,
        run=lambda ctx, arguments: invoices.update(ctx, arguments.id, body_of(InvoiceChange, arguments)),
    ),
)
