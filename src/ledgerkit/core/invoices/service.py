"""Invoices: find, draft, change, copy, delete."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, and_, func, select

from ledgerkit import clock
from ledgerkit.core import einvoicing, records, search, tally
from ledgerkit.core.activity import service as activity
from ledgerkit.core.context import Context
from ledgerkit.core.invoices import books, credit_notes, drafting, editing, goods, lifecycle, origins, shapes, standing
from ledgerkit.core.invoices.editing import Changed
from ledgerkit.core.invoices.models import CHANGES, invoice
from ledgerkit.core.invoices.schemas import Deleted, Invoice, InvoiceChange, InvoiceInput, Status
from ledgerkit.core.operation import Unit, operation
from ledgerkit.core.paging import KeptPages, Page, PageRequest, page_statement
from ledgerkit.core.permissions import Permission
from ledgerkit.core.statements import Prepared, constant
from ledgerkit.problems import Code, Invalid

_ORDER = (invoice.c.issue_date.desc(), invoice.c.created_at.desc(), invoice.c.id.desc())
_COUNTED = ("invoice.draft", "invoice.sent", "invoice.paid")


@operation(Permission.INVOICES_READ, unit=Unit.READING)
async def listing(
    ctx: Context,
    page: PageRequest,
    status: Status | None = None,
    query: str | None = None,
    *,
    include_deleted: bool = False,
) -> Page:
    """Invoices, the newest first. `query` looks into number, client, tax id, item texts and notes."""
    searching = bool(query and query.strip())
    statement = _list_statement(status, searching=searching, include_deleted=include_deleted)
    sought = search.sought(query or "") if searching else {}
    kept = ctx.kernel.part(KeptPages)
    return await kept.fetch(ctx.db, ctx.account.id, statement, page, **shapes.parameters(ctx), **sought)


@operation(Permission.INVOICES_READ, unit=Unit.READING)
async def get(ctx: Context, invoice_id: str) -> Invoice:
    row = await records.fetch(ctx, invoice, invoice_id, "invoice")
    return await shapes.as_invoice(ctx, row)


@operation(Permission.INVOICES_DRAFT)
async def create(ctx: Context, data: InvoiceInput) -> Invoice:
    """A draft: no number, nothing fiscal. Raises Invalid naming each wrong field."""
    values = await drafting.new_values(ctx, data, await origins.require(ctx, data))
    row = await lifecycle.add(ctx, values)
    return shapes.shape(ctx, row, [])


@operation(Permission.INVOICES_DRAFT)
async def update(ctx: Context, invoice_id: str, data: InvoiceChange) -> Invoice:
    """Change the fields given. A draft: all; issued: all but number and series; emitted: see `editing`.

    Raises Invalid INVOICE_LOCKED for what an emitted record already tells the authority, INVOICE_ANNULLED.
    """
    old = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    _require_right_to_change(ctx, old)
    values = await drafting.changed_values(ctx, old, data)
    changes = activity.changed(_plain(old), values)
    if old.einvoice is not None:
        await editing.check(ctx, old, Changed(old, values), changes)
    elif old.status != "draft" and einvoicing.is_on(ctx):
        editing.check_unrecorded(old, Changed(old, values), changes)
    moved = await _adjusted_issued(ctx, old, values) if old.status != "draft" else {}
    await tally.add(ctx.db, {CHANGES: 1, **moved})
    row = await records.change(ctx, invoice, old.id, values)
    shown = {field: change for field, change in changes.items() if field != "search_text"}
    await activity.record(ctx, "updated", ("invoice", row.id), row.number or row.client["name"], shown)
    return await shapes.as_invoice(ctx, row)


@operation(Permission.INVOICES_DELETE)
async def delete(ctx: Context, invoice_id: str) -> Deleted:
    """Hide an invoice; nothing is removed. An issued number stays burnt, an emitted record keeps its effect.

    Raises Invalid INVOICE_LOCKED for one that lacks its record while e-invoicing is on.
    """
    row = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    editing.check_deletable(ctx, row)
    hidden = await records.change(ctx, invoice, row.id, {"deleted_at": clock.now()})
    left = await _left_books(ctx, row) if books.voided(hidden) else {}
    await tally.add(ctx.db, {f"invoice.{row.status}": -1, "invoice.deleted": 1, CHANGES: 1, **left})
    await activity.record(ctx, "deleted", ("invoice", row.id), row.number or row.client["name"])
    if row.einvoice is None or standing.annulled(row):
        return Deleted()
    fiscal_id = row.einvoice["fiscalId"]
    return Deleted(
        warning=f"{row.number} was reported to the tax authority: it stays in the books. To take it out issue a credit "
        "note; or annul it, if it should never have been issued: "
        f'POST /api/einvoice/annul {{"fiscalId": "{fiscal_id}", "reason": ...}}.'
    )


async def _left_books(ctx: Context, row: Any) -> dict[str, int]:
    await books.require_unreplaced(ctx, row)
    return await books.leave(ctx, row)


@operation(Permission.INVOICES_DRAFT)
async def duplicate(ctx: Context, invoice_id: str) -> Invoice:
    """A new draft with the same client and lines, dated today; of a credit note, for the same invoice.

    Raises Invalid for a credit note that could not be issued a second time: not as much is left of its invoice.
    """
    old = await records.fetch(ctx, invoice, invoice_id, "invoice")
    values = drafting.copied_values(ctx, old)
    values |= {"rectifies": old.rectifies}
    if old.rectifies is not None:
        await credit_notes.check_copy(ctx, Changed(old, values))
    row = await lifecycle.add(ctx, values)
    return shapes.shape(ctx, row, [])


async def _adjusted_issued(ctx: Context, old: Any, values: Mapping[str, Any]) -> dict[str, int]:
    """What changes in the client's figures. It takes the right to issue, and keeps the order of dates."""
    ctx.require(Permission.INVOICES_ISSUE)
    if values["items"] != old.items:
        await goods.hand_over(ctx, Changed(old, values), before=old)
    if values["issue_date"] != old.issue_date:
        await lifecycle.check_order(ctx, old, values["issue_date"])
    if values["total"] < old.amount_paid + old.credited and old.status != "paid":
        raise Invalid.field("items", "the total would fall below what has been paid or credited")
    if old.amount_paid and values["currency"] != old.currency:
        message = f"has been paid in {old.currency}, in part or in full"
        raise Invalid.field("currency", message, code=Code.INVOICE_LOCKED)
    settled = old.status == "paid" or old.rectifies is not None
    if settled and values["total"] != old.total:
        raise Invalid.field(
            "items", "the amounts of a paid invoice or of an issued credit note are settled", code=Code.INVOICE_LOCKED
        )
    return books.moved_figures(ctx, old, Changed(old, values))


def _require_right_to_change(ctx: Context, row: Any) -> None:
    """A member changes drafts of their own, operations any draft (interface decisions R)."""
    if row.created_by is None or row.created_by != ctx.actor.user_id:
        ctx.require(Permission.INVOICES_DRAFT_ANY)


def _plain(row: Any) -> dict[str, Any]:
    return {column.name: getattr(row, column.name) for column in invoice.c}


@cache
def _list_statement(status: Status | None, *, searching: bool, include_deleted: bool) -> Prepared:
    wanted = _filter(status, searching=searching, include_deleted=include_deleted)
    rows = select(*shapes.wire_columns()).where(*wanted).order_by(*_ORDER)
    counted = select(func.count()).select_from(invoice).where(*wanted).scalar_subquery()
    by_tally = not searching and status != "overdue" and not (include_deleted and status)
    total = _tallied(status, include_deleted=include_deleted) if by_tally else counted
    return page_statement(rows, total, tally.total([CHANGES]))


def _filter(status: Status | None, *, searching: bool, include_deleted: bool) -> list[ColumnElement[bool]]:
    wanted: list[ColumnElement[bool]] = [] if include_deleted else [invoice.c.deleted_at.is_(None)]
    late = shapes.overdue(shapes.TODAY)
    if status == "overdue":
        wanted.append(late)
    elif status == "sent":
        wanted.append(and_(invoice.c.status == constant("sent"), ~late))
    elif status is not None:
        wanted.append(invoice.c.status == constant(status))
    if searching:
        wanted.append(search.contains(invoice))
    return wanted


def _tallied(status: Status | None, *, include_deleted: bool) -> ColumnElement[int]:
    """How many there are, at the same cost whatever their number."""
    if status == "sent":
        late = and_(invoice.c.deleted_at.is_(None), shapes.overdue(shapes.TODAY))
        return tally.total(["invoice.sent"]) - select(func.count()).select_from(invoice).where(late).scalar_subquery()
    if status:
        return tally.total([f"invoice.{status}"])
    return tally.total([*_COUNTED, "invoice.deleted"] if include_deleted else _COUNTED)
