"""/api/cash-register."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from ledgerkit.core.cash_register import service as registers
from ledgerkit.core.cash_register.schemas import (
    CashRegister,
    Closing,
    MovementInput,
    Opening,
    RegisterHistory,
    RegisterSummary,
)
from ledgerkit.core.fields import CurrencyCode, Day
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, enveloped, paged, tagged

router = APIRouter(prefix="/api/cash-register", tags=["Cash register"])

HISTORY_SIZE = 20

From = Annotated[Day | None, Query(alias="from", description="First day, default the first of the month of `to`")]
To = Annotated[Day | None, Query(description="Last day, default today")]
Currency = Annotated[CurrencyCode | None, Query(description="Of the registers, default the account's")]


@router.post("", operation_id="openCashRegister", status_code=201)
async def open_cash_register(ctx: Ctx, data: Opening) -> CashRegister:
    """Open a register of one's own; each user has one open at a time in an account, and a team's key one too."""
    return tagged(ctx, await registers.open_register(ctx, data))


@router.get("/summary", operation_id="getCashRegisterSummary")
async def get_summary(ctx: Ctx, first: From = None, to: To = None, currency: Currency = None) -> RegisterSummary:
    """Sums over the registers closed in a period, by default the current month."""
    return await registers.summary(ctx, first, to, currency)


@router.get("/current", operation_id="getCurrentCashRegister")
async def get_current(ctx: Ctx) -> CashRegister | None:
    """One's own open register, or null."""
    found = await registers.current(ctx)
    return None if found is None else tagged(ctx, found)


@router.get("/history", operation_id="listClosedCashRegisters", response_model=RegisterHistory)
async def list_closed(request: Request, ctx: Ctx, page: PageNumber = None, limit: Limit = None) -> Response:
    """Closed registers without their movements, the latest first; only one's own for members."""
    found = await registers.history(ctx, paged(page, limit or HISTORY_SIZE))
    return enveloped(request, found, "registers")


@router.get("/{id}", operation_id="getCashRegister")
async def get_cash_register(ctx: Ctx, id: str) -> CashRegister:
    """One register with all its movements; another user's only for those who may read them."""
    return tagged(ctx, await registers.get(ctx, id))


@router.post("/{id}/movement", operation_id="addCashMovement")
async def add_movement(ctx: Ctx, id: str, data: MovementInput) -> CashRegister:
    """Move money in one's own open register. With e-invoicing on, a sale of line items makes its simplified invoice."""
    return tagged(ctx, await registers.move(ctx, id, data))


@router.post("/{id}/close", operation_id="closeCashRegister")
async def close_cash_register(ctx: Ctx, id: str, data: Closing) -> CashRegister:
    """Count the drawer and close the register: difference and Z number are final."""
    return tagged(ctx, await registers.close(ctx, id, data))
