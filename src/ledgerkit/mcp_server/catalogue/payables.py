"""Tools about vendors, their invoices and payments to them."""

from collections.abc import Awaitable
from enum import StrEnum
from functools import partial
from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.api_types.fields import Day, ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.purchases.supplier_invoices import operations as supplier_invoices
from ledgerkit.core.purchases.supplier_invoices import queries as supplier_invoice_queries
from ledgerkit.core.purchases.supplier_invoices.api import (
    Cancellation,
    Order,
    Sort,
    Status,
    SupplierInvoiceInput,
    SupplierPaymentInput,
)
from ledgerkit.core.purchases.supplier_invoices.payables import operations as payables
from ledgerkit.core.purchases.supplier_invoices.payments import operations as payments
from ledgerkit.core.purchases.supplier_invoices.queries import SupplierInvoiceFilter, SupplierPaymentFilter
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.core.purchases.vendors.api import VendorChange, VendorInput
from ledgerkit.core.reports.vendor_page import operations as vendor_pages
from ledgerkit.mcp_server.answers import brief, paged
from ledgerkit.mcp_server.catalogue.expenses import BRIEF as EXPENSE
from ledgerkit.mcp_server.catalogue.names import vendor_id_of, with_names
from ledgerkit.mcp_server.shapes import Confirmable, Keyed, OptionalId, PageQuery, RecordId, body_of
from ledgerkit.mcp_server.tool import Tool, saving

INVOICE_BRIEF = (
    "id",
    "vendorId",
    "vendorName",
    "invoiceNumber",
    "invoiceDate",
    "dueDate",
    "total",
    "balance",
    "currency",
    "status",
)
VENDOR_BRIEF = ("id", "name", "taxId", "email", "defaultCategory", "paymentTermDays")
PAYMENT_BRIEF = (
    "id",
    "supplierInvoiceId",
    "vendorId",
    "vendorName",
    "amount",
    "currency",
    "paymentMethod",
    "paymentDate",
    "reference",
)
LATEST = 5
"""Number of expenses that get_vendor shows."""


class InvoiceToCancel(Confirmable, RecordId, Cancellation):
    """The invoice to cancel."""


class NewSupplierInvoice(Keyed, SupplierInvoiceInput):
    """An invoice that a vendor has sent."""


class PayablesView(StrEnum):
    SUMMARY = "summary"
    AGING = "aging"
    BY_VENDOR = "by_vendor"
    ALERTS = "alerts"


class PayablesQuery(PageQuery):
    view: PayablesView = PayablesView.SUMMARY


class SupplierInvoiceQuery(PageQuery):
    vendor_id: ShortText | None = None
    status: Status | None = None
    overdue: bool | None = None
    is_open: Annotated[bool | None, Field(alias="open")] = None
    date_from: Day | None = None
    date_to: Day | None = None
    search: ShortText | None = None
    sort: Sort = "dueDate"
    order: Order = "asc"

    def conditions(self, vendor_id: str | None) -> SupplierInvoiceFilter:
        """Return the filter of the list, of the vendor that was named."""
        return SupplierInvoiceFilter(
            vendor_id=vendor_id,
            status=self.status,
            overdue=self.overdue,
            is_open=self.is_open,
            date_from=self.date_from,
            date_to=self.date_to,
            query=self.search,
        )


class SupplierPaymentQuery(PageQuery):
    id: ShortText | None = None
    vendor_id: ShortText | None = None
    payment_method: ShortText | None = None
    date_from: Day | None = None
    date_to: Day | None = None

    def conditions(self, vendor_id: str | None) -> SupplierPaymentFilter:
        """Return the filter of the list, of the vendor that was named."""
        return SupplierPaymentFilter(
            vendor_id=vendor_id,
            payment_method=self.payment_method,
            date_from=self.date_from,
            date_to=self.date_to,
        )


class VendorQuery(PageQuery):
    search: ShortText | None = None


class NewSupplierPayment(Keyed, SupplierPaymentInput):
    """A payment of a supplier invoice."""

    id: Annotated[ShortText, Field(min_length=1)]


class SavedVendor(Keyed, Confirmable, OptionalId, VendorChange):
    """A vendor to create or, with its id, to change."""


async def _payables(ctx: Context, arguments: PayablesQuery) -> object:
    match arguments.view:
        case PayablesView.SUMMARY:
            return await payables.summary(ctx)
        case PayablesView.BY_VENDOR:
            return await paged(partial(payables.accounts_payable, ctx), arguments, VENDOR_PAYABLE)
        case PayablesView.AGING:
            aging = as_json(await payables.aging(ctx))
            return {**aging, "details": _briefly(aging["details"], arguments)}
        case PayablesView.ALERTS:
            return _briefly(as_json(await payables.alerts(ctx)), arguments)


VENDOR_PAYABLE = (
    "vendorId",
    "vendorName",
    "totalInvoiced",
    "totalPaid",
    "balance",
    "invoiceCount",
    "overdueCount",
    "nextDue",
)


def _briefly(invoices_by_group: Json, arguments: PayablesQuery) -> Json:
    if arguments.detail == "full":
        return invoices_by_group
    return {
        group: [brief(invoice, INVOICE_BRIEF) for invoice in invoices] for group, invoices in invoices_by_group.items()
    }


async def _vendor(ctx: Context, arguments: RecordId) -> Json:
    async with ctx.reading() as inner:
        vendor = as_json(await vendor_pages.vendor_page(inner, arguments.id))
        latest = as_json(await vendor_pages.vendor_expenses(inner, arguments.id, PageRequest(1, LATEST)))
    return {**vendor, "latestExpenses": [brief(expense, EXPENSE) for expense in latest["items"]]}


async def _invoices(ctx: Context, arguments: SupplierInvoiceQuery) -> Json:
    conditions = arguments.conditions(await vendor_id_of(ctx, arguments.vendor_id))
    return await paged(
        lambda page: supplier_invoice_queries.listing(ctx, page, conditions, arguments.sort, arguments.order),
        arguments,
        INVOICE_BRIEF,
    )


async def _payments(ctx: Context, arguments: SupplierPaymentQuery) -> Json:
    conditions = arguments.conditions(await vendor_id_of(ctx, arguments.vendor_id))

    def page_of(page: PageRequest) -> Awaitable[Page]:
        if arguments.id is not None:
            return supplier_invoice_queries.payments_of(ctx, arguments.id, page)
        return supplier_invoice_queries.all_payments(ctx, page, conditions)

    return await with_names(ctx, await paged(page_of, arguments, PAYMENT_BRIEF))


TOOLS = (
    Tool(
        name="cancel_supplier_invoice",
        title="Cancel a supplier invoice (anular)",
        description=(
            "Cancel a supplier invoice of which nothing is paid, as the vendor has withdrawn or replaced it (factura "
            "vale efecto quita error otra final cuenta baja pagar queda devolví nada debe pedir; bill invoice void "
            "sent charge off never say counted strike valid make scrap end ignore twice back kill another want). "
            "Cannot be undone. Own invoices: annul_einvoice."
        ),
        scope=Scope.WRITE,
        operations=(supplier_invoices.cancel,),
        arguments=InvoiceToCancel,
        run=lambda ctx, arguments: supplier_invoices.cancel(ctx, arguments.id, body_of(Cancellation, arguments)),
    ),
    Tool(
        name="create_supplier_invoice",
        title="Record a supplier invoice (factura recibida)",
        description=(
            "Enter a bill that a supplier sent, to pay later, by total or items (iva euros mete llegado retención "
            "vence base apunta número mes incluido pasado; invoice vat number due date got put charge new day "
            "received pop net came ref tax get irpf end). vendorId: list_vendors, save_vendor. Paid already: "
            "create_expense."
        ),
        scope=Scope.WRITE,
        operations=(supplier_invoices.create,),
        arguments=NewSupplierInvoice,
        described=(
            "vendorId",
            "invoiceNumber",
            "invoiceDate",
            "dueDate",
            "items",
            "total",
            "taxRate",
            "retentionRate",
            "category",
            "notes",
        ),
        is_long=True,
        run=lambda ctx, arguments: supplier_invoices.create(ctx, body_of(SupplierInvoiceInput, arguments)),
    ),
    Tool(
        name="get_payables",
        title="What we owe to suppliers (cuánto debo)",
        description=(
            "Read what the business owes: views summary, aging, by_vendor, alerts (pagar debe proveedor tengo semana "
            "vence algo pendiente queda antes mes pasta falta; much still month before total money pay behind end "
            "overdue waiting outstanding bill paid week got due tell)."
        ),
        scope=Scope.READ,
        operations=(payables.summary, payables.aging, payables.accounts_payable, payables.alerts),
        arguments=PayablesQuery,
        run=_payables,
    ),
    Tool(
        name="get_supplier_invoice",
        title="Supplier invoice details (factura de proveedor)",
        description=(
            "Read one supplier invoice by id (list_supplier_invoices): lines, deductible IVA, payments, what is left "
            "to pay (qué nos cobraron)."
        ),
        scope=Scope.READ,
        operations=(supplier_invoices.get,),
        arguments=RecordId,
        is_long=True,
        run=lambda ctx, arguments: supplier_invoices.get(ctx, arguments.id),
    ),
    Tool(
        name="get_vendor",
        title="A vendor's details (ficha, proveedor)",
        description=(
            "Read one vendor by id (list_vendors): contact, address, NIF, IBAN, terms, how much was bought there "
            "(ficha: teléfono, correo)."
        ),
        scope=Scope.READ,
        operations=(vendor_pages.vendor_page, vendor_pages.vendor_expenses),
        arguments=RecordId,
        run=_vendor,
    ),
    Tool(
        name="list_supplier_invoices",
        title="Find supplier invoices (recibidas)",
        description=(
            "Find supplier invoices by vendor, status, dates or text (factura proveedor recibo ver todo enséñame "
            "trimestre tengo cuantas mes saca llegado luz mandado; everything suppliers show sent bill pull invoice "
            "year see over came charge look month received send lately yet). One's own: list_invoices."
        ),
        scope=Scope.READ,
        operations=(supplier_invoice_queries.listing, vendors.get, vendors.listing),
        arguments=SupplierInvoiceQuery,
        run=_invoices,
    ),
    Tool(
        name="list_supplier_payments",
        title="Payments to suppliers (pagos)",
        description=(
            "List payments made to suppliers by vendor, method or dates; with id those of one invoice (pagos a "
            "proveedores, cuándo le pagué; did I pay)."
        ),
        scope=Scope.READ,
        operations=(
            *(supplier_invoice_queries.all_payments, supplier_invoice_queries.payments_of, supplier_invoices.get),
            *(vendors.get, vendors.listing),
        ),
        arguments=SupplierPaymentQuery,
        hints={"id": "Of a supplier invoice"},
        run=_payments,
    ),
    Tool(
        name="list_vendors",
        title="Find vendors (proveedores)",
        description=(
            "Find vendors by name, NIF or e-mail (proveedor compra teléfono tengo tenemos cif llamaba mete busca; "
            "buy number suppliers got list supplier contact give show purchase off company find supplies wholesalers "
            "phone). Clients: list_clients."
        ),
        scope=Scope.READ,
        operations=(vendors.listing,),
        arguments=VendorQuery,
        run=lambda ctx, query: paged(lambda page: vendors.listing(ctx, page, query.search), query, VENDOR_BRIEF),
    ),
    Tool(
        name="record_supplier_payment",
        title="Record a payment to a supplier (he pagado)",
        description=(
            "Record that a supplier invoice was paid, all or in part: at most its balance (factura banco "
            "transferencia bizum euros apunta hoy cuenta ayer recibo abono queda gestoría pagué acabo carga; settled "
            "cash money yesterday half transfer card bank squared debit off tick cleared rent full owed wire company "
            "today month). No money moves. Clients: mark_invoice_paid."
        ),
        scope=Scope.WRITE,
        operations=(payments.pay,),
        arguments=NewSupplierPayment,
        hints={"paymentMethod": "transfer, card, cash, direct_debit", "paymentDate": "Default today"},
        described=("id", "amount", "paymentMethod", "paymentDate", "bank", "reference", "notes"),
        run=lambda ctx, arguments: payments.pay(ctx, arguments.id, body_of(SupplierPaymentInput, arguments)),
    ),
    Tool(
        name="save_vendor",
        title="Create or change a vendor (nuevo proveedor)",
        description=(
            "Create a vendor, or change one by id: name, NIF, IBAN, e-mail, terms (ahora cambio nif cuenta pon pedir "
            "alta pagar mete apunta ficha; new now buy add supplier put email bank update pay moved payment set "
            "number details phone)."
        ),
        scope=Scope.WRITE,
        operations=(vendors.create, vendors.update),
        arguments=SavedVendor,
        creates=VendorInput,
        described=(
            "id",
            "name",
            "taxId",
            "country",
            "email",
            "iban",
            "paymentTermDays",
            "defaultCategory",
            "notes",
        ),
        hints={"id": "Only to change"},
        run=saving(vendors.create, VendorInput, vendors.update, VendorChange),
    ),
)
