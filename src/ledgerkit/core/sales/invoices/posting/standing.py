"""Fiscal standing of an emitted invoice, and the conditions that follow from it.

The fiscal standing says whether the authority has a valid record of the invoice, and which request is under way. A
document that counts (for VAT, income, its client's figures and the stock) is called posted.
"""

from enum import StrEnum

from sqlalchemy import ColumnElement, and_, or_

from ledgerkit.core.platform.database.statements import constant
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Code, Invalid


class Standing(StrEnum):
    """Fiscal standing: what the authority has of an invoice, and what has been sent and awaits its answer.

    OPEN: a record awaits its answer. REFUSED: the authority refused the record and has none. HELD: the authority has
    accepted the record. ANNULLING: an annulment awaits its answer. ANNULLED: the authority has accepted the annulment.
    REACTIVATING: a new record of the annulled invoice awaits its answer.
    """

    OPEN = "open"
    REFUSED = "refused"
    HELD = "held"
    ANNULLING = "annulling"
    ANNULLED = "annulled"
    REACTIVATING = "reactivating"


ANNULLED = (Standing.ANNULLED, Standing.REACTIVATING)
"""Not posted: from the acceptance of an annulment until the acceptance of a new record."""

_NOT_IN_FORCE = (Standing.ANNULLING, *ANNULLED)


def is_annulled(row: InvoiceRow) -> bool:
    """Return True when the authority has accepted an annulment and no new record since."""
    return row.fiscal_standing in ANNULLED


def not_annulled() -> ColumnElement[bool]:
    """SQL condition for invoices that are not annulled: the opposite of `is_annulled`."""
    return and_(*(invoice.c.fiscal_standing.is_distinct_from(constant(state.value)) for state in ANNULLED))


def is_posted() -> ColumnElement[bool]:
    """SQL condition for documents that count: issued, neither voided nor annulled.

    An emitted invoice counts also when it is deleted, since its record keeps its effect (interface decisions B10).
    """
    not_voided = or_(invoice.c.deleted_at.is_(None), invoice.c.einvoice.is_not(None))
    return and_(invoice.c.status != constant("draft"), not_voided, not_annulled())


def is_in_force(row: InvoiceRow) -> bool:
    """Return True for an invoice that is neither annulled nor being annulled."""
    return row.fiscal_standing not in _NOT_IN_FORCE


def check_in_force(row: InvoiceRow) -> None:
    """Raise Invalid INVOICE_ANNULLED for an invoice that is annulled or being annulled."""
    if is_in_force(row):
        return
    match row.fiscal_standing:
        case Standing.ANNULLING:
            message = InvoicesMsg.BEING_ANNULLED
        case Standing.REACTIVATING:
            message = InvoicesMsg.BEING_REACTIVATED
        case _:
            message = InvoicesMsg.ANNULLED
    raise Invalid(message, code=Code.INVOICE_ANNULLED, number=row.number)
