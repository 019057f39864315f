"""Series in which a draft gets its number: its own, unless another account numbers in it under the same tax identifier.

A draft keeps the series that its team had when it was made. Meanwhile the team may have another tax identifier, or
another series because the first one is taken.
"""

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.documents.series import prefix
from ledgerkit.core.identity import accounts, issuer_series
from ledgerkit.core.identity.issuer_series import SeriesIssuer
from ledgerkit.core.invoices import document as documents
from ledgerkit.core.invoices.importing import numbers
from ledgerkit.core.invoices.models import InvoiceRow, invoice
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import DocumentKind


async def settled(ctx: Context, row: InvoiceRow) -> InvoiceRow:
    """Return the locked draft `row` with the series in which it gets its number; the issuer then holds that series.

    Runs under the lock of the issuer's chain, where there is one, because a series may be given up under it.
    """
    party = await documents.issuer(ctx, row)
    if not party.tax_id:
        return row
    issuer = SeriesIssuer(account_id=ctx.account.id, country=party.country, tax_id=party.tax_id)
    if await issuer_series.use(ctx.db, issuer, row.series):
        return row
    return await _in_series(ctx, row, await _another(ctx, issuer, row))


async def _another(ctx: Context, issuer: SeriesIssuer, row: InvoiceRow) -> str:
    """Return the series of the team for this kind of document, or a free name where that is taken too.

    An account that has given numbers in the series already goes on in it: it was shared before accounts were apart.
    """
    kind = DocumentKind(row.doc_type)
    of_team = (await accounts.current_profile(ctx)).series
    series = prefix(of_team, ctx.country, kind)
    if series != row.series and await issuer_series.use(ctx.db, issuer, series):
        return series
    if await _is_shared(ctx, issuer, series):
        return series
    avoided = {prefix(of_team, ctx.country, other) for other in DocumentKind}
    name = await issuer_series.hold_another(ctx.db, issuer, series, avoided)
    await issuer_series.use(ctx.db, issuer, name)
    await accounts.change_series(ctx, {**of_team, kind.value: name})
    changes = {f"series.{kind.value}": (series, name)}
    await activity.record(ctx, "series_changed", ("team", ctx.account.id), ctx.account.name, changes)
    return name


async def _is_shared(ctx: Context, issuer: SeriesIssuer, series: str) -> bool:
    """Return True for a series of another account in which this one has given numbers."""
    is_of_another = await issuer_series.held_by_others(ctx.db, issuer, [series])
    return bool(is_of_another) and any(name == series for name, _ in await numbers.known_counters(ctx))


async def _in_series(ctx: Context, row: InvoiceRow, series: str) -> InvoiceRow:
    if series == row.series:
        return row
    return await records.change(ctx, invoice, row.id, {"series": series})
