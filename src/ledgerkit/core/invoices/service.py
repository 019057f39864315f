"""Invoices: read, draft, change, copy, delete."""

from collections.abc import Mapping
from typing import Any

from ledgerkit import clock
from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.documents import einvoicing_state
from ledgerkit.core.invoices import credit_notes, drafting, edit_rules, lifecycle, origins, representation
from ledgerkit.core.invoices.drafting import DRAFTING_ERRORS
from ledgerkit.core.invoices.edit_rules import Changed
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.invoices.models import CHANGES, invoice
from ledgerkit.core.invoices.posting import effects, standing, stock_moves
from ledgerkit.core.invoices.schemas import Deleted, Invoice, InvoiceChange, InvoiceInput
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, NotFound


@operation(Permission.INVOICES_READ, unit=Unit.READING)
async def get(ctx: Context, invoice_id: str) -> Invoice:
    row = await records.fetch(ctx, invoice, invoice_id, "invoice")
    return await representation.as_invoice(ctx, row)


@operation(Permission.INVOICES_DRAFT, errors=[*DRAFTING_ERRORS, (NotFound, {Code.NOT_FOUND})])
async def create(ctx: Context, data: InvoiceInput) -> Invoice:
    """A draft: no number, nothing fiscal. Raises Invalid naming each wrong field."""
    made = await drafting.new_values(ctx, data, await origins.resolve(ctx, data))
    row = await lifecycle.add(ctx, made.columns)
    return representation.shape(ctx, row, [], made.warnings)


@operation(
    Permission.INVOICES_DRAFT,
    errors=[
        (
            Invalid,
            {
                Code.TAX_ID_INVALID,
                Code.TAX_RATE_UNKNOWN,
                Code.INVOICE_LOCKED,
                Code.ISSUE_DATE_BEFORE_LAST,
                Code.CLIENT_CONFLICT,
                Code.INVOICE_ANNULLED,
            },
        )
    ],
    effects=Effect.IDEMPOTENT,
)
async def update(ctx: Context, invoice_id: str, data: InvoiceChange) -> Invoice:
    """Change the fields given. A draft: all; issued: all but number and series; emitted: see `editing`.

    Raises Invalid INVOICE_LOCKED for what an emitted record already tells the authority, INVOICE_ANNULLED.
    """
    old = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    _require_right_to_change(ctx, old)
    values, warnings = await drafting.changed_values(ctx, old, data)
    changes = activity.changed(_plain(old), values)
    if old.einvoice is not None:
        await edit_rules.check(ctx, old, Changed(old, values), changes)
    elif old.status != "draft" and einvoicing_state.is_on(ctx):
        edit_rules.check_unrecorded(old, Changed(old, values), changes)
    moved = await _adjusted_issued(ctx, old, values) if old.status != "draft" else {}
    await counters.add(ctx.db, {CHANGES: 1, **moved})
    row = await records.change(ctx, invoice, old.id, values)
    shown = {field: change for field, change in changes.items() if field != "search_text"}
    await activity.record(ctx, "updated", ("invoice", row.id), row.number or row.client["name"], shown)
    return await representation.as_invoice(ctx, row, warnings if old.status == "draft" else ())


@operation(
    Permission.INVOICES_DELETE,
    errors=[(Invalid, {Code.INVOICE_LOCKED})],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
)
async def delete(ctx: Context, invoice_id: str) -> Deleted:
    """Hide an invoice; nothing is removed. An issued number stays burnt, an emitted record keeps its effect.

    Raises Invalid INVOICE_LOCKED for one that lacks its record while e-invoicing is on.
    """
    row = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    edit_rules.check_deletable(ctx, row)
    hidden = await records.change(ctx, invoice, row.id, {"deleted_at": clock.now()})
    left = await _left_books(ctx, row) if effects.is_voided(hidden) else {}
    await counters.add(ctx.db, {f"invoice.{row.status}": -1, "invoice.deleted": 1, CHANGES: 1, **left})
    await activity.record(ctx, "deleted", ("invoice", row.id), row.number or row.client["name"])
    if row.einvoice is None or standing.is_annulled(row):
        return Deleted()
    return Deleted(warning=_stays(ctx, row))


def _stays(ctx: Context, row: Any) -> str:
    call = f'POST /api/einvoice/annul {{"fiscalId": "{row.einvoice["fiscalId"]}", "reason": ...}}'
    if ctx.request_metadata.language == "es":
        return (
            f"{row.number} se comunicó a la administración tributaria: sigue en los libros. Para sacarla, emite una "
            f"factura rectificativa; o anúlala, si nunca debió expedirse: {call}."
        )
    return (
        f"{row.number} was reported to the tax authority: it stays in the books. To take it out issue a credit "
        f"note; or annul it, if it should never have been issued: {call}."
    )


async def _left_books(ctx: Context, row: Any) -> dict[str, int]:
    await effects.require_unreplaced(ctx, row)
    return await effects.reverse(ctx, row)


@operation(Permission.INVOICES_DRAFT)
async def duplicate(ctx: Context, invoice_id: str) -> Invoice:
    """A new draft with the same client and lines, dated today; of a credit note, for the same invoice.

    Raises Invalid for a credit note that could not be issued a second time: not as much is left of its invoice.
    """
    old = await records.fetch(ctx, invoice, invoice_id, "invoice")
    made = await drafting.copied_values(ctx, old)
    values = made.columns | {"rectifies": old.rectifies}
    if old.rectifies is not None:
        await credit_notes.check_copy(ctx, Changed(old, values))
    row = await lifecycle.add(ctx, values)
    return representation.shape(ctx, row, [], made.warnings)


async def _adjusted_issued(ctx: Context, old: Any, values: Mapping[str, Any]) -> dict[str, int]:
    """What changes in the client's figures. It takes the right to issue, and keeps the order of dates."""
    ctx.require(Permission.INVOICES_ISSUE)
    if values["items"] != old.items:
        await stock_moves.post_stock(ctx, Changed(old, values), before=old)
    if values["issue_date"] != old.issue_date:
        await lifecycle.check_order(ctx, old, values["issue_date"])
    if values["total"] < old.amount_paid + old.credited and old.status != "paid":
        raise Invalid.field("items", InvoicesMsg.TOTAL_BELOW_PAID)
    if old.amount_paid and values["currency"] != old.currency:
        raise Invalid.field("currency", InvoicesMsg.CURRENCY_OF_PAID, code=Code.INVOICE_LOCKED, currency=old.currency)
    settled = old.status == "paid" or old.rectifies is not None
    if settled and values["total"] != old.total:
        raise Invalid.field("items", InvoicesMsg.AMOUNTS_SETTLED, code=Code.INVOICE_LOCKED)
    return effects.changed_figures(ctx, old, Changed(old, values))


def _require_right_to_change(ctx: Context, row: Any) -> None:
    """A member changes drafts of their own, operations any draft (interface decisions R)."""
    if row.created_by is None or row.created_by != ctx.actor.user_id:
        ctx.require(Permission.INVOICES_DRAFT_ANY)


def _plain(row: Any) -> dict[str, Any]:
    return {column.name: getattr(row, column.name) for column in invoice.c}
