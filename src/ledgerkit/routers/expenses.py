"""/api/expenses."""

from typing import Annotated

from fastapi import Query, Request, Response

from ledgerkit.core.platform.api_types.fields import Day, ShortText
from ledgerkit.core.platform.api_types.list_pages import UNPAGED_SIZE
from ledgerkit.core.purchases.expenses import operations as expenses
from ledgerkit.core.purchases.expenses.api import Expense, ExpenseChange, ExpenseInput, ExpenseVendor
from ledgerkit.core.purchases.expenses.operations import ExpenseFilter
from ledgerkit.core.purchases.reading.api import Categorized, ExpenseWords, ReceiptImage, ScannedReceipt
from ledgerkit.core.purchases.reading.categories import operations as categories
from ledgerkit.core.purchases.reading.receipts import operations as receipts
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, Search, listed, paged, tagged
from ledgerkit.routers.routing import UPLOAD, Router

router = Router(
    prefix="/api/expenses",
    tags=["Expenses"],
    about="What was spent, with its VAT and retention, and the reports made from all documents.",
)


@router.get("", operation=expenses.listing, operation_id="listExpenses", response_model=list[Expense])
async def list_expenses(
    request: Request,
    ctx: Ctx,
    page: PageNumber = None,
    limit: Limit = None,
    category: ShortText | None = None,
    since: Annotated[Day | None, Query(alias="from", description="First day")] = None,
    until: Annotated[Day | None, Query(alias="to", description="Last day")] = None,
    vendor_id: Annotated[ShortText | None, Query(alias="vendorId")] = None,
    search: Search = None,
) -> Response:
    """List expenses, the newest first, fifty a page; all filters given must hold."""
    conditions = ExpenseFilter(category=category, date_from=since, date_to=until, vendor_id=vendor_id, query=search)
    return listed(request, await expenses.listing(ctx, paged(page, limit), conditions))


@router.post("", operation=expenses.create, operation_id="createExpense", status_code=201)
async def create_expense(ctx: Ctx, data: ExpenseInput) -> Expense:
    """Record an expense; net, VAT, retention and deductible VAT are computed from `amount` and the rates."""
    return tagged(ctx, await expenses.create(ctx, data))


@router.post("/scan-receipt", operation=receipts.scan_receipt, operation_id="scanReceipt", max_body_size=UPLOAD)
async def scan_receipt(ctx: Ctx, data: ReceiptImage) -> ScannedReceipt:
    """Read a photo or PDF of a receipt, and propose the fields of its expense: one AI action, charged with a result.

    Fields that were not read beyond doubt are null. The image is kept: `receiptId` attaches it to the expense that is
    created with it, else it goes after a day. A configured model reads first, then the recognition without a network.
    """
    return await receipts.scan_receipt(ctx, data)


@router.post("/categorize", operation=categories.categorize, operation_id="categorizeExpense")
async def categorize_expense(ctx: Ctx, data: ExpenseWords) -> Categorized:
    """Propose the category of an expense from its words, with the probability that it is right: one AI action.

    A configured model is asked first. Without one, or when it fails, the proposal is learned from the expenses of the
    account, and from the words of its country while it has few.
    """
    return await categories.categorize(ctx, data)


@router.get(
    "/vendors", operation=expenses.named_vendors, operation_id="listExpenseVendors", response_model=list[ExpenseVendor]
)
async def list_expense_vendors(request: Request, ctx: Ctx, page: PageNumber = None, limit: Limit = None) -> Response:
    """List the vendors that expenses name, the most frequent first, for autocompletion."""
    return listed(request, await expenses.named_vendors(ctx, paged(page, limit, unasked=UNPAGED_SIZE)))


@router.get("/{id}", operation=expenses.get, operation_id="getExpense")
async def get_expense(ctx: Ctx, id: str) -> Expense:
    """Return one expense, with its version as ETag."""
    return tagged(ctx, await expenses.get(ctx, id))


@router.put("/{id}", operation=expenses.update, operation_id="updateExpense")
async def update_expense(ctx: Ctx, id: str, data: ExpenseChange) -> Expense:
    """Change the fields given; absent ones keep their value, and the amounts are computed again."""
    return tagged(ctx, await expenses.update(ctx, id, data))


@router.delete("/{id}", operation=expenses.delete, operation_id="deleteExpense")
async def delete_expense(ctx: Ctx, id: str) -> Ok:
    """Delete an expense: it leaves every list and report."""
    await expenses.delete(ctx, id)
    return Ok()
