"""Filed declarations of a day, for the warning about an invoice that belongs into them."""

from collections.abc import Sequence
from datetime import date

from sqlalchemy import Date, bindparam, select

from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.table import DeclarationRow, tax_declaration
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.dates.warnings import FiledDeclaration


async def of_day(ctx: Context, day: date) -> Sequence[FiledDeclaration]:
    """Return the submitted declarations that count sales of a day, the last one of each form and period."""
    newest = {(row.country, row.form, row.year, row.period): row for row in await _SUBMITTED.rows(ctx.db, day=day)}
    return [declaration for row in newest.values() if (declaration := _filed(ctx, row)) is not None]


def _filed(ctx: Context, row: DeclarationRow) -> FiledDeclaration | None:
    """Return the declaration; None for a form that counts no sales. One that is not installed any more may count."""
    of = forms.installed(ctx, row)
    if row.submitted_at is None or (of is not None and not of.form.counts_sales):
        return None
    return FiledDeclaration(f"{row.form} {row.year} {row.period}", row.submitted_at)


_declaration = tax_declaration.c
_SUBMITTED = Prepared(
    select(tax_declaration)
    .where(
        _declaration.status == "submitted",
        bindparam("day", type_=Date).between(_declaration.period_start, _declaration.period_end),
    )
    .order_by(_declaration.year, _declaration.period, _declaration.form, _declaration.amendment),
    DeclarationRow,
)
