"""Where an emitted invoice stands with its authority, and what may still happen to it."""

from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, and_

from ledgerkit.core.database.statements import constant
from ledgerkit.core.invoices.models import invoice
from ledgerkit.problems import Code, Invalid, bilingual


class Standing(StrEnum):
    """What the authority holds of an invoice, and what is on its way to it.

    OPEN: a record of it is on its way. REFUSED: the authority holds nothing. HELD: it holds the invoice.
    ANNULLING: an annulment is on its way. ANNULLED: it took that. REACTIVATING: a new record is on its way.
    """

    OPEN = "open"
    REFUSED = "refused"
    HELD = "held"
    ANNULLING = "annulling"
    ANNULLED = "annulled"
    REACTIVATING = "reactivating"


ANNULLED = (Standing.ANNULLED, Standing.REACTIVATING)
"""Out of the books: from the authority's yes to an annulment until its yes to a new record."""

_CLOSED = (Standing.ANNULLING, *ANNULLED)


def annulled(row: Any) -> bool:
    """Out of the books by an annulment that the authority has taken."""
    return row.fiscal_standing in ANNULLED


def not_annulled() -> ColumnElement[bool]:
    """The same of the table's rows, turned round."""
    return and_(*(invoice.c.fiscal_standing.is_distinct_from(constant(one.value)) for one in ANNULLED))


def is_alive(row: Any) -> bool:
    """Neither annulled nor about to be."""
    return row.fiscal_standing not in _CLOSED


def check_alive(row: Any) -> None:
    """Raises Invalid INVOICE_ANNULLED for an invoice that is annulled, or about to be."""
    if is_alive(row):
        return
    number, look, again = row.number, "GET /api/einvoice/status/{id}", "POST /api/einvoice/emit"
    match row.fiscal_standing:
        case Standing.ANNULLING:
            english = f"{number} is being annulled.", f"Wait for the authority's answer: {look}."
            spanish = f"{number} se está anulando.", f"Espera la respuesta de la administración: {look}."
        case Standing.REACTIVATING:
            english = f"{number} was annulled and is being emitted again.", f"Wait for the answer: {look}."
            spanish = f"{number} se anuló y se está emitiendo de nuevo.", f"Espera la respuesta: {look}."
        case _:
            how = f"{again} {{invoiceId, correct: true}}"
            english = f"{number} has been annulled.", f"Make a new invoice; or, if this one holds after all, {how}."
            spanish = f"{number} se ha anulado.", f"Haz una factura nueva; o, si al final esta vale, {how}."
    raise bilingual(Invalid, english, spanish, code=Code.INVOICE_ANNULLED)
