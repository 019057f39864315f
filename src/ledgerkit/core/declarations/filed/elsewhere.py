"""Declarations that were filed elsewhere and typed in: compensation and running sums continue from them."""

from datetime import datetime, time
from decimal import Decimal
from zoneinfo import ZoneInfo

from ledgerkit import clock
from ledgerkit.core.declarations import acts
from ledgerkit.core.declarations import output as declaration_output
from ledgerkit.core.declarations import queries as declaration_queries
from ledgerkit.core.declarations.api import PreviousInput, TaxDeclaration
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.table import BOXES, TYPES, WARNINGS, DeclarationRow, tax_declaration
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, Conflict, Invalid

_NOTHING = Decimal("0.00")


@operation(
    Permission.DECLARATIONS_WRITE,
    errors=[(Conflict, {Code.DECLARATION_EXISTS}), (Invalid, {Code.DECLARATION_UNSUPPORTED})],
    effects=Effect.IDEMPOTENT,
    act=acts.FILED_ELSEWHERE,
)
async def record_previous(ctx: Context, data: PreviousInput) -> TaxDeclaration:
    """Record a declaration that was filed elsewhere; another one typed in for the same period is replaced.

    Raises Invalid for an unknown form, period or box; Conflict DECLARATION_EXISTS if the period has a declaration that
    was computed here.
    """
    of = forms.target(ctx, data.country or ctx.account.country, data.form, data.year, data.period)
    forms.check_boxes(of, data.boxes, "boxes")
    row = await declaration_queries.newest(ctx, of, lock=True)
    if row is not None and row.origin != "external":
        raise _exists(of)
    written = await _written(ctx, of, row, data)
    await declaration_queries.keep_content(ctx, written.id)
    await activity.record(ctx, "recorded", ("tax_declaration", written.id), of.label)
    return declaration_output.whole(ctx, written, await declaration_queries.content(ctx, written))


async def _written(ctx: Context, of: FormPeriod, row: DeclarationRow | None, data: PreviousInput) -> DeclarationRow:
    if row is not None:
        return await records.change(ctx, tax_declaration, row.id, _columns(ctx, of, data))
    values = declaration_queries.heading(of) | _nothing_computed() | _columns(ctx, of, data)
    written = await records.add_unless_there(ctx, tax_declaration, values)
    if written is None:
        raise _exists(of)
    return written


def _nothing_computed() -> Values[DeclarationRow]:
    return Values(
        DeclarationRow,
        status="submitted",
        origin="external",
        manual_overrides=BOXES.encode({}),
        warnings=WARNINGS.encode(()),
        output_vat=_NOTHING,
        input_vat=_NOTHING,
        result=_NOTHING,
        result_kind="none",
        invoice_count=0,
        expense_count=0,
    )


def _columns(ctx: Context, of: FormPeriod, data: PreviousInput) -> Values[DeclarationRow]:
    """Return the columns that the caller states; of the day of filing the middle, since only the day is known."""
    return Values(
        DeclarationRow,
        boxes=BOXES.encode(data.boxes),
        effective_boxes=BOXES.encode(data.boxes),
        declaration_types=TYPES.encode({}),
        declaration_type=data.declaration_type,
        notes=data.notes,
        generated_at=clock.now(),
        submitted_at=datetime.combine(data.submitted or of.period.span.last, time(12), ZoneInfo(ctx.account.time_zone)),
        submitted_by=ctx.actor.user_id,
    )


def _exists(of: FormPeriod) -> Conflict:
    return Conflict(DeclarationsMsg.COMPUTED_HERE, code=Code.DECLARATION_EXISTS, form=of.label)
