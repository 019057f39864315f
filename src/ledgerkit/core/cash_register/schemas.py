"""Request and response schemas of cash registers (interface decisions N)."""

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from ledgerkit.core.platform.api_types.fields import (
    CurrencyCode,
    Description,
    Flag,
    LongText,
    Remark,
    ShortText,
)
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.sales.invoices.schemas import MAX_ITEMS, FiscalDetails, InvoiceClientInput, InvoiceItem, LineInput
from ledgerkit.money import CENT, LARGEST, ZERO, Amount, Number, Rate, Sum, UnitPrice

Counted = Annotated[
    Decimal, Number(low=ZERO, high=LARGEST, places=2, description="Money counted in the drawer, two decimals")
]
Moved = Annotated[
    Decimal, Number(low=CENT, high=LARGEST, places=2, description="Amount above 0, two decimals; `type` has the sign")
]


class Kind(StrEnum):
    SALE = "sale"
    REFUND = "refund"
    CASH_IN = "cash_in"
    CASH_OUT = "cash_out"


class Method(StrEnum):
    CASH = "cash"
    CARD = "card"
    TRANSFER = "transfer"


class Opening(Wire):
    opening_amount: Counted
    currency: CurrencyCode | None = None
    notes: LongText | None = None


class LineItemInput(LineInput):
    """One line of a sale or refund. Name, price and tax rate that it leaves out are those of its catalog item."""

    description: Annotated[
        Description | None, Field(description="Default the catalog item's name, else the movement's description")
    ] = None
    unit_price: UnitPrice | None = None
    tax_rate: Annotated[Rate | None, Field(description="Percent; default the catalog item's, else the team's")] = None


class MovementInput(Wire):
    """Money into or out of the drawer; a sale or refund may also be by card or transfer, and say what was sold."""

    type: Kind
    amount: Moved
    description: Remark
    payment_method: Method = Method.CASH
    invoice_id: ShortText | None = None
    tax_rate: Annotated[Rate | None, Field(description="Percent, of a sale without lineItems; default the team's")] = (
        None
    )
    consumer_final: Flag | None = None
    line_items: Annotated[
        list[LineItemInput] | None,
        Field(max_length=MAX_ITEMS, description="Must come to `amount` within 0.02, tax on top or included"),
    ] = None
    client_id: Annotated[ShortText | None, Field(description="To whom it is sold: named on the simplified invoice")] = (
        None
    )
    client: Annotated[
        InvoiceClientInput | None,
        Field(description="That client, or the fields that the invoice states differently"),
    ] = None
    fiscal_details: Annotated[
        FiscalDetails | None,
        Field(description="Of the simplified invoice: flags and references, by the country's keys"),
    ] = None


class Closing(Wire):
    closing_amount: Counted
    notes: LongText | None = None


class Movement(Wire):
    id: str
    type: Kind
    amount: Amount
    payment_method: Method
    description: str
    invoice_id: Annotated[
        str | None, Field(description="Given, or made of the sale, or of the sale that a refund takes back")
    ]
    credit_note_id: Annotated[str | None, Field(description="Made of a refund of an emitted invoice")]
    consumer_final: Flag | None
    line_items: list[InvoiceItem]
    prices_include_tax: Annotated[Flag, Field(description="Whether the line items' prices contain their tax")]
    created_by: str | None
    channel: str
    created_at: Timestamp


class RefundCandidate(Wire):
    """A sale that a refund may take back, in `candidates` of the problem REFUND_NEEDS_INVOICE."""

    invoice_id: str
    number: str
    date: date
    total: Amount
    remaining: Annotated[Amount, Field(description="What can still be refunded")]


class RegisterTotals(Wire):
    """`cash` + `card` + `transfer` = `sales` - `refunds`."""

    sales: Annotated[Sum, Field(description="All sales, refunds not deducted")]
    refunds: Sum
    cash_in: Sum
    cash_out: Sum
    cash: Annotated[Sum, Field(description="Sales less refunds in cash")]
    card: Annotated[Sum, Field(description="Sales less refunds by card")]
    transfer: Annotated[Sum, Field(description="Sales less refunds by transfer")]


class RegisterOverview(Wire):
    """A register without its movements, as the history lists it."""

    id: str
    user_id: Annotated[str | None, Field(description="Null when the team's key opened it")]
    user_name: str
    channel: str
    status: Literal["open", "closed"]
    currency: str
    opening_amount: Amount
    opened_at: Timestamp
    notes: str | None
    totals: RegisterTotals
    sales_count: int
    movement_count: int
    expected_amount: Annotated[
        Sum, Field(description="openingAmount + totals.cash + totals.cashIn - totals.cashOut, of this session only")
    ]
    closing_amount: Amount | None
    difference: Annotated[Sum | None, Field(description="closingAmount - expectedAmount, frozen at closing")]
    closing_notes: str | None
    closed_at: Timestamp | None
    z_number: Annotated[int | None, Field(description="The account's closings, counted without a gap")]
    updated_at: Timestamp


class CashRegister(RegisterOverview):
    movements: list[Movement]
    warnings: Annotated[
        list[str], Field(description="About the movement just made: the sale taken back, stock below zero")
    ]


class RegisterHistory(Wire):
    registers: list[RegisterOverview]
    total: int
    page: int
    pages: int


class RegisterSummary(Wire):
    """Registers closed in the period, of one currency."""

    register_count: int
    total_sales: Annotated[Sum, Field(description="All sales, refunds not deducted")]
    total_cash: Annotated[Sum, Field(description="Sales less refunds in cash; so are the next two")]
    total_card: Sum
    total_transfer: Sum
    total_difference: Sum
    avg_difference: Annotated[Sum, Field(description="Of all registers, rounded to cents; 0 when there are none")]
    sales_count: int
    currency: str
    from_: Annotated[date, Field(alias="from")]
    to: date
