"""Simplified invoices that are exchanged for a full one: which may be, and what that does to them.

The full invoice does not count again: neither for VAT, nor as income, nor for the stock. The simplified ones stay in
the books with their payments, and the full one is born settled by them.
Source: RD 1619/2012 arts. 6 and 15.6; AEAT, record design, TipoFactura F3.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, any_, bindparam, select

from ledgerkit.core import records
from ledgerkit.core.database.ids import as_id, missing
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.documents.totals import TOLERANCE
from ledgerkit.core.invoices.models import CHANGES, invoice
from ledgerkit.core.invoices.posting import remaining, standing
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.problems import bilingual_field
from ledgerkit.providers.api import DocumentKind

_FIELD = "substitutes"


async def require(ctx: Context, ids: Sequence[str]) -> list[Any]:
    """The simplified invoices of these ids, which may be exchanged now. Raises NotFound, Invalid."""
    wanted = [as_id(one, "invoice") for one in ids]
    if len(set(wanted)) != len(wanted):
        raise bilingual_field(
            _FIELD,
            ("names an invoice twice", "Name each once."),
            ("nombra dos veces la misma factura", "Indica cada una una vez."),
        )
    found = {row.id: row for row in await _THESE.rows(ctx.db, ids=wanted)}
    for known in wanted:
        if known not in found or found[known].deleted_at is not None:
            raise missing("invoice", str(known))
    rows = [found[known] for known in wanted]
    for row in rows:
        _check(row, None)
    return rows


async def lock(ctx: Context, row: Any) -> Sequence[Any]:
    """The rows of what `row` substitutes, locked in the order of their ids until the transaction ends."""
    return await _LOCKED.rows(ctx.db, ids=_ids(row)) if row.substitutes else []


async def take(ctx: Context, row: Any, taken: Sequence[Any]) -> dict[str, Any]:
    """Exchange the locked invoices `taken` for `row`, which is being issued; the columns that settle it.

    Raises Invalid when one of them may not be exchanged any more, or they do not come to the same.
    """
    for one in taken:
        _check(one, row.id)
    await _check_sum(ctx, row, taken)
    for one in taken:
        await records.change(ctx, invoice, one.id, {"substituted_by": row.id})
    if taken:
        await counters.add(ctx.db, {CHANGES: 1})
    columns: dict[str, Any] = {"credited": row.total}
    days = [one.paid_at for one in taken]
    if all(one.status == "paid" for one in taken):
        columns |= {"status": "paid", "paid_at": max((day for day in days if day), default=date.min)}
    return columns


async def release(ctx: Context, row: Any) -> None:
    """The reverse, for a full invoice that leaves the books: what it stood for may be exchanged again."""
    for one in await lock(ctx, row):
        if one.substituted_by == row.id:
            await records.change(ctx, invoice, one.id, {"substituted_by": None})
            await counters.add(ctx.db, {CHANGES: 1})


def _ids(row: Any) -> list[UUID]:
    return [UUID(one) for one in row.substitutes]


def _check(row: Any, by: UUID | None) -> None:
    """Whether a simplified invoice may be exchanged for the full one `by`."""
    why = None
    if row.status == "draft" or row.einvoice is None:
        why = "has not been emitted", "no se ha emitido"
    elif row.doc_type != DocumentKind.SIMPLIFIED:
        why = "is no simplified invoice", "no es una factura simplificada"
    elif not standing.is_alive(row):
        why = "has been annulled", "se ha anulado"
    elif row.substituted_by not in {None, by}:
        why = "has been exchanged already", "ya se ha canjeado"
    if why:
        name = row.number or row.id
        raise bilingual_field(
            _FIELD,
            (f"{name} {why[0]}", "Leave it out; only emitted simplified invoices are exchanged, each once."),
            (f"{name} {why[1]}", "No la indiques; solo se canjean simplificadas emitidas, cada una una vez."),
        )


async def _check_sum(ctx: Context, row: Any, taken: Sequence[Any]) -> None:
    """Bases and taxes are those of the simplified invoices, corrections included; cents may be rounded otherwise."""
    currencies = {one.currency for one in taken}
    if currencies != {row.currency}:
        theirs = ", ".join(sorted(currencies))
        raise bilingual_field(
            "currency",
            (f"must be that of the simplified invoices, {theirs}", "Correct currency."),
            (f"tiene que ser la de las facturas simplificadas, {theirs}", "Corrige currency."),
        )
    wanted = sum([(await remaining.of(ctx, one)).gross for one in taken], ZERO)
    gross = row.subtotal + row.tax_amount + row.surcharge_amount
    if abs(gross - wanted) > TOLERANCE * len(taken):
        raise bilingual_field(
            _FIELD,
            (
                f"come to {wanted} with tax, and this invoice to {gross}",
                "Leave items out to take theirs, or correct them.",
            ),
            (
                f"suman {wanted} con impuestos, y esta factura {gross}",
                "No indiques items y se toman las suyas, o corrígelas.",
            ),
        )


def _these(*, locked: bool) -> Prepared[Any]:
    query = select(invoice).where(invoice.c.id == any_(bindparam("ids", type_=ARRAY(Uuid)))).order_by(invoice.c.id)
    return Prepared(query.with_for_update() if locked else query)


_THESE, _LOCKED = _these(locked=False), _these(locked=True)
