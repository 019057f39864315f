"""Tools about expenses and receipts."""

from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.api_types.fields import Day, ShortText
from ledgerkit.core.platform.api_types.json_answers import Json
from ledgerkit.core.platform.api_types.list_pages import PageRequest
from ledgerkit.core.platform.request.acts import short
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.purchases.expenses import operations as expenses
from ledgerkit.core.purchases.expenses.api import CATEGORIES, ExpenseChange, ExpenseInput
from ledgerkit.core.purchases.expenses.operations import ExpenseFilter
from ledgerkit.core.purchases.reading.api import ExpenseWords, ReceiptImage
from ledgerkit.core.purchases.reading.categories import operations as categories
from ledgerkit.core.purchases.reading.receipts import operations as receipts
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.mcp_server.answers import paged
from ledgerkit.mcp_server.catalogue.names import vendor_id_of
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.schemas import OTHER
from ledgerkit.mcp_server.shapes import Keyed, PageQuery, RecordId, body_of
from ledgerkit.mcp_server.tool import Tool
from ledgerkit.problems import Invalid

BRIEF = (
    "id",
    "date",
    "description",
    "vendor",
    "vendorId",
    "invoiceNumber",
    "category",
    "amount",
    "taxAmount",
    "currency",
    "status",
)
DESCRIBED = ("description", "amount", "date", "category", "vendor", "vendorTaxId", "invoiceNumber", "taxRate")


class NewExpense(Keyed, ExpenseInput):
    """An expense to record."""


class ChangedExpense(RecordId, ExpenseChange):
    """An expense to change; absent fields keep their values."""


class WordsOfExpense(Keyed, ExpenseWords):
    """Words of an expense."""


class PictureOfReceipt(Keyed, ReceiptImage):
    """Picture of a receipt."""


class ExpenseQuery(PageQuery):
    category: ShortText | None = None
    vendor_id: ShortText | None = None
    first: Annotated[Day | None, Field(alias="from")] = None
    last: Annotated[Day | None, Field(alias="to")] = None
    search: ShortText | None = None

    def conditions(self, vendor_id: str | None) -> ExpenseFilter:
        """Return the filter of the list, of the vendor that was named."""
        return ExpenseFilter(
            category=self.category,
            date_from=self.first,
            date_to=self.last,
            vendor_id=vendor_id,
            query=self.search,
        )


async def _list(ctx: Context, query: ExpenseQuery) -> Json:
    """Return a page of expenses. Raises NotFound for an unknown vendor, Invalid for a category that none is in."""
    conditions = query.conditions(await vendor_id_of(ctx, query.vendor_id))
    page = await paged(lambda request: expenses.listing(ctx, request, conditions), query, BRIEF)
    if query.category and query.category not in CATEGORIES and page["total"] == 0:
        every = await expenses.listing(ctx, PageRequest(1, 1), ExpenseFilter(category=query.category))
        if every.total == 0:
            raise Invalid.field(
                "category", McpMsg.NO_SUCH_CATEGORY, category=short(query.category), usual=", ".join(CATEGORIES)
            )
    return page


TOOLS = (
    Tool(
        name="categorize_expense",
        title="Suggest an expense category (categoría)",
        description=(
            "Suggest the category of an expense (pon material oficina mete clasifica vehículo representación "
            "gasolina varios curso seguridad; should travel belongs office software file put supplies train vehicle "
            "stick consumables sit payment). Costs one AI action, stores nothing."
        ),
        scope=Scope.WRITE,
        operations=(categories.categorize,),
        arguments=WordsOfExpense,
        run=lambda ctx, arguments: categories.categorize(ctx, body_of(ExpenseWords, arguments)),
    ),
    Tool(
        name="create_expense",
        title="Record an expense (gasto)",
        description=(
            "Record an expense paid already (euros parking apunta hoy tarjeta cuota; bought spent card today paid "
            "cash vat menu lunch). amount is gross, IVA included. Photo: scan_receipt first, then its receiptId. To "
            "pay later: create_supplier_invoice."
        ),
        scope=Scope.WRITE,
        operations=(expenses.create,),
        arguments=NewExpense,
        described=(*DESCRIBED, "retentionRate", "receiptId"),
        hints={"category": "As software, travel, meals, fuel, rent, office"},
        is_long=True,
        run=lambda ctx, arguments: expenses.create(ctx, body_of(ExpenseInput, arguments)),
    ),
    Tool(
        name="get_expense",
        title="Expense details (ver un gasto)",
        description=(
            "Read one expense by id (list_expenses): gross, net, deductible IVA, vendor, category, date, payment "
            "(detalle de una compra, ticket; what's that purchase)."
        ),
        scope=Scope.READ,
        operations=(expenses.get,),
        arguments=RecordId,
        is_long=True,
        run=lambda ctx, arguments: expenses.get(ctx, arguments.id),
    ),
    Tool(
        name="list_expenses",
        title="Find expenses (gastos)",
        description=(
            "Find expenses by category, vendor, dates or text (gastos llevo ticket dinero mes ver enséñame pasado "
            "saca todo semana gasoil peaje tique dietas hemos; spending show costs much see month where spent last "
            "over cash outgoings train diesel travel money gone). Sums: get_report. Bills: list_supplier_invoices."
        ),
        scope=Scope.READ,
        operations=(expenses.listing, vendors.get, vendors.listing),
        arguments=ExpenseQuery,
        run=_list,
    ),
    Tool(
        name="scan_receipt",
        title="Read a receipt's picture (foto de un ticket)",
        description=(
            "Read a photo or PDF of a receipt into an expense's fields (pdf foto saca lee ver pon escaneado recibo "
            "iva papel; date attached crumpled slip upload paper scanned dropped get). Costs one AI action. Stores "
            "no expense: check, then create_expense with receiptId. For stock: read_supplier_invoice_image."
        ),
        scope=Scope.WRITE,
        operations=(receipts.scan_receipt,),
        arguments=PictureOfReceipt,
        hints={"image": "data:image/jpeg;base64,... (JPEG, PNG, WebP, PDF)"},
        run=lambda ctx, arguments: receipts.scan_receipt(ctx, body_of(ReceiptImage, arguments)),
    ),
    Tool(
        name="update_expense",
        title="Change an expense (corregir un gasto)",
        description=(
            "Change an expense by id: amount, date, category, vendor, IVA, deductible or payment (euros compra taxi "
            "eran gasoil anota ticket; down put stamps quid date got toll fix)."
        ),
        scope=Scope.WRITE,
        operations=(expenses.update,),
        arguments=ChangedExpense,
        described=("id", *DESCRIBED, "status", "notes"),
        like={OTHER: "create_expense"},
        is_long=True,
        run=lambda ctx, arguments: expenses.update(ctx, arguments.id, body_of(ExpenseChange, arguments)),
    ),
)
