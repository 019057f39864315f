"""/api/cash-register."""

from typing import Annotated

from fastapi import Query, Request, Response

from ledgerkit.core.cash_register import operations as registers
from ledgerkit.core.cash_register.api import (
    CashRegister,
    Closing,
    MovementInput,
    Opening,
    RegisterHistory,
    RegisterOverview,
    RegisterSummary,
)
from ledgerkit.core.platform.api_types.fields import CurrencyCode, Day
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, enveloped, listed, paged, rendered
from ledgerkit.routers.routing import DOCUMENT, Router

router = Router(
    prefix="/api/cash-register", tags=["Cash register"], about="The till: movements, closing, reconciliation."
)

HISTORY_SIZE = 20

From = Annotated[Day | None, Query(alias="from", description="First day, default the first of the month of `to`")]
To = Annotated[Day | None, Query(description="Last day, default today")]
Currency = Annotated[CurrencyCode | None, Query(description="Of the registers, default the account's")]


@router.post(
    "", operation=registers.open_register, operation_id="openCashRegister", status_code=201, response_model=CashRegister
)
async def open_cash_register(ctx: Ctx, data: Opening) -> Response:
    """Open the caller's register; each user, and a team's key, has one open at a time in an account."""
    return rendered(ctx, await registers.open_register(ctx, data), 201)


@router.get("/summary", operation=registers.summary, operation_id="getCashRegisterSummary")
async def get_summary(ctx: Ctx, first: From = None, to: To = None, currency: Currency = None) -> RegisterSummary:
    """Compute sums over the registers closed in a period, by default the current month."""
    return await registers.summary(ctx, first, to, currency)


@router.get(
    "/current", operation=registers.current, operation_id="getCurrentCashRegister", response_model=CashRegister | None
)
async def get_current(ctx: Ctx) -> Response:
    """Return the caller's open register, or null."""
    return rendered(ctx, await registers.current(ctx))


@router.get(
    "/open", operation=registers.still_open, operation_id="listOpenCashRegisters", response_model=list[RegisterOverview]
)
async def list_open(request: Request, ctx: Ctx, page: PageNumber = None, limit: Limit = None) -> Response:
    """List open registers without their movements, the oldest first; for members only their own."""
    return listed(request, await registers.still_open(ctx, paged(page, limit)))


@router.get(
    "/history", operation=registers.history, operation_id="listClosedCashRegisters", response_model=RegisterHistory
)
async def list_closed(request: Request, ctx: Ctx, page: PageNumber = None, limit: Limit = None) -> Response:
    """List closed registers without their movements, the latest first; for members only their own."""
    closed = await registers.history(ctx, paged(page, limit or HISTORY_SIZE))
    return enveloped(request, closed, "registers")


@router.get("/{id}", operation=registers.get, operation_id="getCashRegister", response_model=CashRegister)
async def get_cash_register(ctx: Ctx, id: str) -> Response:
    """Return one register with all its movements; another user's only for those who may read them."""
    return rendered(ctx, await registers.get(ctx, id))


@router.post(
    "/{id}/movement",
    operation=registers.move,
    operation_id="addCashMovement",
    max_body_size=DOCUMENT,
    response_model=CashRegister,
)
async def add_movement(ctx: Ctx, id: str, data: MovementInput) -> Response:
    """Move money in an open register. With e-invoicing on, a sale makes its invoice, a refund its credit note.

    A sale without lineItems is one line of its description, with the tax in `amount`. A refund without invoiceId takes
    the one sale of the register that it fits; else it is 400 REFUND_NEEDS_INVOICE with `candidates`.
    """
    return rendered(ctx, await registers.move(ctx, id, data))


@router.post("/{id}/close", operation=registers.close, operation_id="closeCashRegister", response_model=CashRegister)
async def close_cash_register(ctx: Ctx, id: str, data: Closing) -> Response:
    """Count the drawer and close the register: difference and Z number are final.

    The register of another user, for instance of one who has left: only owner, admin and finance close it.
    """
    return rendered(ctx, await registers.close(ctx, id, data))
