"""Request and response schemas of cash registers (interface decisions N)."""

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from ledgerkit.core.cash_register.table import CashMovementRow, CashRegisterRow
from ledgerkit.core.platform.api_types.fields import CurrencyCode, Description, Flag, LongText, Remark, ShortText
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.sales.invoices.api import MAX_ITEMS, FiscalDetails, InvoiceClientInput, InvoiceItem, LineInput
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


class Opening(Wire, row=CashRegisterRow):
    opening_amount: Counted
    currency: CurrencyCode | None = None
    notes: LongText | None = None


class LineItemInput(LineInput):
    """One line of a sale or refund. Name, price and tax rate that it leaves out are those of its catalog item."""

    description: Annotated[
        Description | None, Field(description="Default the catalog item's name, else the movement's description")
    ] = None
    unit_price: UnitPrice | None = None
    """Price of one unit in the register's currency, up to four decimals; default the catalog item's."""
    tax_rate: Annotated[Rate | None, Field(description="Percent; default the catalog item's, else the team's")] = None


class MovementInput(Wire, row=CashMovementRow):
    """Money into or out of the drawer; a sale or refund may also be by card or transfer, and say what was sold."""

    type: Kind
    amount: Moved
    description: Remark
    payment_method: Method = Method.CASH
    invoice_id: ShortText | None = None
    """Id of the invoice that a sale pays, or whose sale a refund takes back; null for none."""
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
    """Money counted in the drawer, in the register's currency, two decimals."""
    notes: LongText | None = None
    """Remarks at the closing, up to 5000 characters; null for none."""


class Movement(Wire, row=CashMovementRow):
    id: str
    type: Kind
    amount: Amount
    payment_method: Method
    description: str
    invoice_id: str | None
    credit_note_id: str | None
    consumer_final: Flag | None
    line_items: list[InvoiceItem]
    prices_include_tax: Flag
    created_by: str | None
    channel: str
    created_at: Timestamp


class RefundCandidate(Wire):
    """A sale that a refund may take back, in `candidates` of the problem REFUND_NEEDS_INVOICE."""

    invoice_id: str
    """Id of the invoice made of the sale."""
    number: str
    """Number of that invoice."""
    date: date
    """Date of that invoice."""
    total: Amount
    """Total of that invoice, in the register's currency."""
    remaining: Annotated[Amount, Field(description="What can still be refunded")]


class RegisterTotals(Wire, row=CashRegisterRow):
    """`cash` + `card` + `transfer` = `sales` - `refunds`."""

    sales: Sum
    refunds: Sum
    cash_in: Sum
    cash_out: Sum
    cash: Sum
    card: Sum
    transfer: Sum


class RegisterOverview(Wire, row=CashRegisterRow):
    """A register without its movements, as the history lists it."""

    id: str
    user_id: str | None
    user_name: str
    channel: str
    status: Literal["open", "closed"]
    currency: str
    opening_amount: Amount
    opened_at: Timestamp
    """Moment in UTC of the opening."""
    notes: str | None
    totals: RegisterTotals
    """Sums of the movements since the opening."""
    sales_count: int
    movement_count: int
    expected_amount: Sum
    closing_amount: Amount | None
    difference: Sum | None
    closing_notes: str | None
    closed_at: Timestamp | None
    z_number: int | None
    updated_at: Timestamp


class CashRegister(RegisterOverview):
    movements: list[Movement]
    """All movements of the register, in their order."""
    warnings: Annotated[
        list[str], Field(description="About the movement just made: the sale taken back, stock below zero")
    ]


class RegisterHistory(Wire):
    registers: list[RegisterOverview]
    """Closed registers of this page, the latest closed first."""
    total: int
    """Number of registers on all pages."""
    page: int
    """Number of this page, from 1."""
    pages: int
    """Number of pages."""


class RegisterSummary(Wire):
    """Registers closed in the period, of one currency."""

    register_count: int
    """Number of registers closed in the period."""
    total_sales: Annotated[Sum, Field(description="All sales, refunds not deducted")]
    total_cash: Annotated[Sum, Field(description="Sales less refunds in cash; so are the next two")]
    total_card: Sum
    """Sales less refunds by card."""
    total_transfer: Sum
    """Sales less refunds by transfer."""
    total_difference: Sum
    """Sum of the differences found at the closings; below zero where money was missing."""
    avg_difference: Annotated[Sum, Field(description="Of all registers, rounded to cents; 0 when there are none")]
    sales_count: int
    """Number of sales in all those registers."""
    currency: str
    """ISO 4217 code of the currency of these registers."""
    from_: Annotated[date, Field(alias="from")]
    """First day of the period, by the account's time zone."""
    to: date
    """Last day of the period."""
