"""Tools about expenses and receipts."""

from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.api_types.fields import Day, ShortText
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.purchases.expenses import operations as expenses
from ledgerkit.core.purchases.expenses.api import ExpenseChange, ExpenseInput
from ledgerkit.core.purchases.expenses.operations import ExpenseFilter
from ledgerkit.core.purchases.reading.api import ExpenseWords, ReceiptImage
from ledgerkit.core.purchases.reading.categories import operations as categories
from ledgerkit.core.purchases.reading.receipts import operations as receipts
from ledgerkit.mcp_server.answers import paged
from ledgerkit.mcp_server.schemas import OTHER
from ledgerkit.mcp_server.shapes import Keyed, PageQuery, RecordId, body_of
from ledgerkit.mcp_server.tool import Tool

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

    def conditions(self) -> ExpenseFilter:
        """Return the filter of the list."""
        return ExpenseFilter(
            category=self.category,
            date_from=self.first,
            date_to=self.last,
            vendor_id=self.vendor_id,
            query=self.search,
        )


TOOLS = (
    Tool(
        name="categorize_expense",
        title="Suggest an expense's category",
        description=(
            "Suggest the category of an expense (clasificar un gasto o compra, en qué categoría va) by its "
            "description and vendor; costs one AI action, stores nothing."
        ),
        scope=Scope.WRITE,
        operations=(categories.categorize,),
        arguments=WordsOfExpense,
        run=lambda ctx, arguments: categories.categorize(ctx, body_of(ExpenseWords, arguments)),
    ),
    Tool(
        name="create_expense",
        title="Record an expense",
        description=(
            "Record an expense (apuntar un gasto, compra, ticket, recibo) that was paid or spent, with its "
            "deductible IVA. amount is gross, IVA included. For a photo use scan_receipt first and send its "
            "receiptId; a supplier's invoice to pay later is create_supplier_invoice."
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
        title="Get one expense",
        description=(
            "Read one expense (ver un gasto, detalle) by id: gross and net amount, IVA and how much of it is "
            "deductible, vendor, category, dates and payment. Ids: list_expenses."
        ),
        scope=Scope.READ,
        operations=(expenses.get,),
        arguments=RecordId,
        is_long=True,
        run=lambda ctx, arguments: expenses.get(ctx, arguments.id),
    ),
    Tool(
        name="list_expenses",
        title="Find expenses",
        description=(
            "Find expenses (gastos, compras, tickets, tiques), newest first, by category, vendor, dates or text: "
            "what was spent (gastado). Sums: get_report with profit_loss. Supplier invoices: "
            "list_supplier_invoices."
        ),
        scope=Scope.READ,
        operations=(expenses.listing,),
        arguments=ExpenseQuery,
        run=lambda ctx, query: paged(lambda page: expenses.listing(ctx, page, query.conditions()), query, BRIEF),
    ),
    Tool(
        name="scan_receipt",
        title="Read a receipt's picture",
        description=(
            "Read (leer, escanear) a photo (foto) or PDF of a receipt (ticket, tique, recibo, bill) into the "
            "fields of an expense; costs one AI action. The expense is not stored: check it and send it with "
            "receiptId to create_expense."
        ),
        scope=Scope.WRITE,
        operations=(receipts.scan_receipt,),
        arguments=PictureOfReceipt,
        hints={"image": "data:image/jpeg;base64,... (JPEG, PNG, WebP, PDF)"},
        run=lambda ctx, arguments: receipts.scan_receipt(ctx, body_of(ReceiptImage, arguments)),
    ),
    Tool(
        name="update_expense",
        title="Change an expense",
        description=(
            "Change (cambiar, modificar, corregir) an expense (gasto) by id: amount, date, category (categoría), "
            "vendor, IVA, deductible or payment; absent fields stay."
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
