"""Series in which a draft gets its number: its own, unless its issuer cannot have that series.

A draft keeps the series that its team had when it was made. Meanwhile the team may have another tax identifier, or
another series because the first one is taken. Corrections of an earlier identifier's documents stay in the series of
that identifier, because each issuer has its own numbers (RD 1619/2012 art. 6.1.a).
"""

from sqlalchemy import ARRAY, Text, any_, bindparam, exists, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.documents.series import prefix
from ledgerkit.core.platform.identity.accounts import issuer_series
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.accounts.issuer_series import SeriesIssuer
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.documents import frozen as documents
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice
from ledgerkit.providers.api import DocumentKind


async def settled(ctx: Context, row: InvoiceRow) -> InvoiceRow:
    """Return the locked draft `row` with the series in which it gets its number; the issuer then holds that series.

    Runs under the lock of the issuer's chain, if there is one, because a series may end under that lock.
    """
    party = await documents.issuer(ctx, row)
    if not party.tax_id:
        return row
    issuer = SeriesIssuer(account_id=ctx.account.id, country=party.country, tax_id=party.tax_id)
    if not is_present(ctx, issuer):
        return await _in_series(ctx, row, await _of_earlier(ctx, issuer, DocumentKind(row.doc_type)))
    if await issuer_series.use(ctx.db, issuer, row.series):
        return row
    return await _in_series(ctx, row, await _another(ctx, issuer, row))


def is_present(ctx: Context, issuer: SeriesIssuer) -> bool:
    """Return True for the account as it is now, False for one of its earlier tax identifiers."""
    return (issuer.country, issuer.tax_id) == (ctx.account.country, ctx.account.tax_id)


async def held_for_earlier(ctx: Context, issuer: SeriesIssuer, kind: DocumentKind) -> str:
    """Return the series in which documents of an earlier tax identifier continue; that issuer then holds it.

    It is the series of the latest document of the kind, else the country's prefix for the kind, else another name. It
    is never a present series of the team, because those stay as they are.
    """
    of_team = (await accounts.current_profile(ctx)).series
    avoided = {prefix(of_team, ctx.country, other) for other in DocumentKind}
    default = prefix({}, ctx.country, kind)
    used_series = await issuer_series.used(ctx.db, issuer)
    latest = await _LATEST.row(ctx.db, names=list(used_series), doc_type=kind.value)
    for name in [default] if latest is None else [latest.series, default]:
        if name not in avoided and await issuer_series.hold(ctx.db, issuer, name):
            return name
    return await issuer_series.hold_another(ctx.db, issuer, default, avoided)


async def _of_earlier(ctx: Context, issuer: SeriesIssuer, kind: DocumentKind) -> str:
    series = await held_for_earlier(ctx, issuer, kind)
    while not await issuer_series.use(ctx.db, issuer, series):
        series = await held_for_earlier(ctx, issuer, kind)
    return series


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
    while not await issuer_series.use(ctx.db, issuer, name):
        name = await issuer_series.hold_another(ctx.db, issuer, series, avoided)
    await accounts.change_series(ctx, {**of_team, kind.value: name})
    changes = {f"series.{kind.value}": (series, name)}
    await activity.record(ctx, "series_changed", ("team", ctx.account.id), ctx.account.name, changes)
    return name


async def _is_shared(ctx: Context, issuer: SeriesIssuer, series: str) -> bool:
    """Return True for a series of another account in which this one has given numbers under the same identifier."""
    if not await issuer_series.held_by_others(ctx.db, issuer, [series]):
        return False
    return (await _NUMBERED.one(ctx.db, series=series, tax_id=issuer.tax_id)).found


async def _in_series(ctx: Context, row: InvoiceRow, series: str) -> InvoiceRow:
    if series == row.series:
        return row
    return await records.change(ctx, invoice, row.id, Values(InvoiceRow, series=series))


class _SeriesRow(Row):
    series: str


class _FoundRow(Row):
    found: bool


_is_numbered = invoice.c.number.is_not(None)
_LATEST = Prepared(
    select(invoice.c.series)
    .where(
        invoice.c.series == any_(bindparam("names", type_=ARRAY(Text))),
        invoice.c.doc_type == bindparam("doc_type", type_=Text),
        _is_numbered,
    )
    .order_by(invoice.c.issued_at.desc(), invoice.c.id.desc())
    .limit(1),
    _SeriesRow,
)
_NUMBERED = Prepared(
    select(
        exists()
        .where(
            invoice.c.series == bindparam("series", type_=Text),
            invoice.c.issuer["tax_id"].as_string() == bindparam("tax_id", type_=Text),
            _is_numbered,
        )
        .label("found")
    ),
    _FoundRow,
)
