"""Sale of a refund that names none: the only sale of its register that fits (interface decisions P8)."""

from collections.abc import AsyncIterator, Callable, Sequence
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Uuid, bindparam, func, select

from ledgerkit.core.cash_register.api import Kind, MovementInput, RefundCandidate
from ledgerkit.core.cash_register.table import CashRegisterRow, cash_movement
from ledgerkit.core.cash_register.texts import CashRegisterMsg
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.documents.totals import TOLERANCE
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.json_columns.codecs import LINES
from ledgerkit.core.sales.invoices.posting.refundable import Refundable, refundable
from ledgerkit.money import CENT, ZERO
from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.texts import Joined, Text, problem_text, text
from ledgerkit.texts.common import CommonMsg

MOST_LISTED = 10
"""Candidates of a refusal: as many as a person reads."""

_BATCH = 200
"""Sales that are looked at in one statement."""


async def one_sale(ctx: Context, register: CashRegisterRow, data: MovementInput) -> Refundable:
    """Return the only sale of the register that fits a refund: by its remaining amount, and by the lines if given.

    The register's row is locked, so that no other refund of it takes the same. Raises Invalid REFUND_NEEDS_INVOICE with
    the candidates when no sale fits, or several do.
    """
    lines = _Wanted.of(data)
    fitting = await _sales(ctx, register, data.amount - TOLERANCE, lines.are_of)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise _choice(CashRegisterMsg.REFUND_FITS_SEVERAL, fitting, register.currency)
    others = await _sales(ctx, register, CENT, lambda _: True)
    raise _choice(CashRegisterMsg.REFUND_FITS_NONE, others, register.currency)


def notice(ctx: Context, sale: Refundable) -> str:
    """Return the sentence that names the sale which a refund has taken back."""
    return text(CashRegisterMsg.REFUND_TAKES_SALE, number=sale.invoice.number).in_language(
        ctx.request_metadata.language
    )


# ---------------------------------------------------------------- what fits


class _Wanted(NamedTuple):
    """Lines of a refund: pieces of catalog items, and the names of what is in no catalog."""

    pieces: dict[tuple[str, int | None], Decimal]
    names: set[str]

    @classmethod
    def of(cls, data: MovementInput) -> "_Wanted":
        pieces: dict[tuple[str, int | None], Decimal] = {}
        names = set()
        for line in data.line_items or []:
            if line.catalog_item_id is None:
                names.add((line.description or data.description).casefold())
            else:
                item = (line.catalog_item_id.lower(), line.variant_index)
                pieces[item] = pieces.get(item, ZERO) + line.quantity
        return cls(pieces, names)

    def are_of(self, sale: Refundable) -> bool:
        """Return True when the sale had these lines, and as many pieces of the catalog items are still out."""
        out = {(good.catalog_item_id.lower(), good.variant_index): good.quantity for good in sale.left.goods()}
        if any(quantity > out.get(item, ZERO) for item, quantity in self.pieces.items()):
            return False
        return self.names <= {line.description.casefold() for line in LINES.decode(sale.invoice.items)}


async def _sales(
    ctx: Context, register: CashRegisterRow, least: Decimal, fits: Callable[[Refundable], bool]
) -> list[Refundable]:
    """Return the register's sales of which `least` is left and that fit, the latest first: MOST_LISTED at most."""
    fitting: list[Refundable] = []
    async for batch in _batches(ctx, register):
        sales = await refundable(ctx, batch, register.currency, max(least, CENT))
        fitting += [sale for sale in sales if fits(sale)]
        if len(fitting) >= MOST_LISTED:
            break
    return fitting[:MOST_LISTED]


async def _batches(ctx: Context, register: CashRegisterRow) -> AsyncIterator[Sequence[UUID]]:
    """Yield the ids of the invoices of the register's sales, the latest first."""
    ids = [row.invoice_id for row in await _INVOICES.rows(ctx.db, register_id=register.id)]
    for first in range(0, len(ids), _BATCH):
        yield ids[first : first + _BATCH]


# ---------------------------------------------------------------- what is answered


def _choice(message: CashRegisterMsg, sales: Sequence[Refundable], currency: str) -> Invalid:
    """Return the refusal that lists the sales among which a person chooses."""
    texts: list[Text] = [_line(sale, currency) for sale in sales]
    listed = Joined(texts, "; ") if texts else text(CommonMsg.NONE)
    problem = problem_text(message, {"field": "invoiceId", "listed": listed}, None)
    candidates = [_candidate(sale).model_dump(mode="json", by_alias=True) for sale in sales]
    errors = [FieldError(field="invoiceId", code=Code.REFUND_NEEDS_INVOICE.value, text=problem)]
    return Invalid(
        problem.about("invoiceId"),
        code=Code.REFUND_NEEDS_INVOICE,
        errors=errors,
        extra={"candidates": candidates},
    )


def _line(sale: Refundable, currency: str) -> Text:
    return text(
        CashRegisterMsg.REFUND_CANDIDATE,
        number=sale.invoice.number,
        date=sale.invoice.issue_date,
        remaining=sale.amount,
        currency=currency,
    )


def _candidate(sale: Refundable) -> RefundCandidate:
    return RefundCandidate(
        invoice_id=str(sale.invoice.id),
        number=sale.invoice.number or "",
        date=sale.invoice.issue_date,
        total=sale.invoice.total,
        remaining=sale.amount,
    )


class _InvoiceIdRow(Row):
    invoice_id: UUID


_INVOICES = Prepared(
    select(cash_movement.c.invoice_id)
    .where(
        cash_movement.c.register_id == bindparam("register_id", type_=Uuid),
        cash_movement.c.type == constant(Kind.SALE.value),
        cash_movement.c.invoice_id.is_not(None),
    )
    .group_by(cash_movement.c.invoice_id)
    .order_by(func.max(cash_movement.c.ordinal).desc()),
    _InvoiceIdRow,
)
