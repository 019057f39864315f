"""Invoices as callers see them: one row is converted here, lists are rendered by the database."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import (
    ColumnElement,
    Numeric,
    Select,
    Subquery,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.documents import exchange_rates, regimes
from ledgerkit.core.platform.documents.einvoicing_state import Off
from ledgerkit.core.platform.documents.exchange_rates import Convertible
from ledgerkit.core.platform.records.listing import Listing
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.api import Invoice
from ledgerkit.core.sales.invoices.content import country_checks
from ledgerkit.core.sales.invoices.content.fields import InvoiceContent
from ledgerkit.core.sales.invoices.dates import warnings as date_warnings
from ledgerkit.core.sales.invoices.dates.issue_and_due import DUE_DATE, ISSUE_DATE, TODAY, dates_of
from ledgerkit.core.sales.invoices.json_columns.codecs import ISSUER
from ledgerkit.core.sales.invoices.link_tokens import tokens
from ledgerkit.core.sales.invoices.posting import standing
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.money import ZERO
from ledgerkit.texts import text

_open = invoice.c.total - invoice.c.amount_paid - invoice.c.credited
balance = case((standing.not_annulled(), _open), else_=literal_column("0.00", Numeric))
"""SQL expression of the amount that is owed; zero for an annulled invoice."""


account_balance = case(
    (
        standing.not_annulled(),
        exchange_rates.account_balance(
            Convertible(invoice.c.total, invoice.c.exchange_rate, invoice.c.converted),
            invoice.c.amount_paid + invoice.c.credited,
        ),
    ),
    else_=literal_column("0.00", Numeric),
)
"""SQL expression of the amount that is owed, in the account's currency where the document counts."""


def overdue(today: date | ColumnElement[date]) -> ColumnElement[bool]:
    """SQL condition: issued, not paid in full, and due before `today`. Derived on every read (decisions B8)."""
    return and_(is_open(), invoice.c.due_date < today)


def is_open() -> ColumnElement[bool]:
    """SQL condition: issued, not paid in full, and not annulled; never null."""
    return and_(invoice.c.status == constant("sent"), unpaid(), standing.not_annulled())


def unpaid() -> ColumnElement[bool]:
    """SQL condition: an amount is still owed, neither paid nor credited."""
    return invoice.c.amount_paid + invoice.c.credited < invoice.c.total


def incomplete() -> ColumnElement[bool]:
    """SQL condition of `is_incomplete`, never null."""
    tax_id = invoice.c.issuer.op("->>")(literal_column("'tax_id'"))
    return and_(invoice.c.unrecorded.is_not_distinct_from(constant(Off.NO_TAX_ID.value)), tax_id.is_(None))


_SHARED_UNDER = bindparam("shared_under", type_=Text)


def parameters(ctx: Context) -> dict[str, object]:
    """Return the values of the parameters that `INVOICES` and a filter on `overdue(TODAY)` use."""
    link = tokens.parameters(ctx.kernel.secret, ctx.account.id)
    return {"today": ctx.account.today(), "shared_under": share_url(ctx, ""), **link}


def _corrections() -> ColumnElement[Any]:
    other = invoice.alias("correction")
    ids = func.json_agg(aggregate_order_by(other.c.id, other.c.id))
    of_invoice = and_(other.c.rectifies == invoice.c.id, other.c.deleted_at.is_(None))
    return func.coalesce(select(ids).where(of_invoice).scalar_subquery(), func.json_build_array())


_TOKEN = tokens.token_column(invoice.c.share_seed)

INVOICES = Listing(
    invoice,
    Invoice,
    order=(invoice.c.issue_date.desc(), invoice.c.created_at.desc(), invoice.c.id.desc()),
    computed={
        "status": case((overdue(TODAY), constant("overdue")), else_=invoice.c.status),
        "balance": balance,
        "share_token": _TOKEN,
        "share_url": _SHARED_UNDER.concat(_TOKEN),
        "rectified_by": _corrections(),
        "substitutes": func.coalesce(invoice.c.substitutes, func.json_build_array()),
        "issuer_incomplete": incomplete(),
        "warnings": func.json_build_array(),
        "issue_date": ISSUE_DATE,
        "issue_date_stated": invoice.c.issue_date.is_not(None),
        "due_date": DUE_DATE,
        "due_date_stated": invoice.c.due_date.is_not(None),
    },
)


def newest_first(
    dated: Sequence[ColumnElement[bool]],
    undated: Sequence[ColumnElement[bool]],
    offset: ColumnElement[int],
    limit: ColumnElement[int],
) -> Subquery:
    """Select the `id`, `day` and `created_at` of `limit` invoices in the usual order, to be joined and ordered by.

    Invoices that have a date meet the conditions `dated`; drafts that have none, whose day is `TODAY`, meet `undated`.
    Either part is read from an index in its order, as far as the page's end, so that no list is sorted whole.
    """
    parts = [
        _keys(invoice.c.issue_date, [invoice.c.issue_date.is_not(None), *dated], offset + limit),
        _keys(TODAY, [invoice.c.issue_date.is_(None), *undated], offset + limit),
    ]
    keys = union_all(*parts).subquery("keys")
    return select(keys).order_by(*order_of(keys)).offset(offset).limit(limit).subquery("page_keys")


def _keys(
    day: ColumnElement[date], conditions: Sequence[ColumnElement[bool]], count: ColumnElement[int]
) -> Select[Any]:
    columns = (invoice.c.id, day.label("day"), invoice.c.created_at)
    return select(*columns).where(*conditions).order_by(*INVOICES.order).limit(count)


def order_of(keys: Subquery) -> Sequence[ColumnElement[Any]]:
    """Return the usual order of invoices, by the columns of `newest_first`."""
    return [keys.c.day.desc(), keys.c.created_at.desc(), keys.c.id.desc()]


async def as_invoice(ctx: Context, row: InvoiceRow, warnings: Sequence[str] | None = None) -> Invoice:
    """Return the invoice as callers see it, with the ids of the documents that correct it.

    `warnings` are about its content; of a draft without them they are computed. Those about a draft's dates are added.
    """
    corrections: list[str] = []
    if row.status == "draft":
        if warnings is None:
            warnings = await country_checks.doubts(ctx, InvoiceContent.of(row, ctx.account.today()))
        warnings = [*warnings, *await date_warnings.of_invoice(ctx, row)]
    if row.status != "draft":
        corrections = [str(correction.id) for correction in await _CORRECTIONS.rows(ctx.db, corrected=row.id)]
    return with_corrections(ctx, row, corrections, warnings or ())


class CorrectionRow(Row):
    id: UUID


_CORRECTIONS = Prepared(
    select(invoice.c.id)
    .where(invoice.c.rectifies == bindparam("corrected", type_=Uuid), invoice.c.deleted_at.is_(None))
    .order_by(invoice.c.id),
    CorrectionRow,
)


def with_corrections(
    ctx: Context, row: InvoiceRow, corrections: Sequence[str], warnings: Sequence[str] = ()
) -> Invoice:
    """Return the invoice as callers see it; `corrections` are the ids of the documents that correct it."""
    token = share_token(ctx, row)
    dates = dates_of(row, ctx.account.today())
    return INVOICES.shape(
        row,
        status=status_of(ctx, row),
        balance=owed(row),
        share_token=token,
        share_url=None if token is None else share_url(ctx, token),
        rectified_by=list(corrections),
        substitutes=row.substitutes or [],
        issuer_incomplete=is_incomplete(row),
        warnings=[*warnings, *_unrecorded_warnings(ctx, row)],
        issue_date=dates.issue_date,
        issue_date_stated=dates.issue_date_stated,
        due_date=dates.due_date,
        due_date_stated=dates.term_days is None,
    )


def is_incomplete(row: InvoiceRow) -> bool:
    """Return True for a numbered document without its issuer's tax identifier.

    Source: RD 1619/2012 arts. 6.1.c and 7.1.d, by which it is no invoice.
    """
    if row.unrecorded != Off.NO_TAX_ID:
        return False
    issuer = ISSUER.decode(row.issuer)
    return issuer is None or not issuer.tax_id


def _unrecorded_warnings(ctx: Context, row: InvoiceRow) -> list[str]:
    """Return why a numbered document is not an invoice, or what its issuer must do elsewhere by its regime."""
    language = ctx.request_metadata.language
    if is_incomplete(row):
        return [text(InvoicesMsg.NO_INVOICE).in_language(language)]
    if row.unrecorded != Off.REGIME or row.issued_at is None:
        return []
    duty = regimes.duty(ctx.kernel, ctx.account, row.issued_at.astimezone(ZoneInfo(ctx.account.time_zone)).date())
    return [] if duty is None else [duty.in_language(language)]


def owed(row: InvoiceRow) -> Decimal:
    """Return the amount that is still owed, below zero for an amount owed to the client; zero when annulled."""
    return ZERO if standing.is_annulled(row) else row.total - row.amount_paid - row.credited


def share_token(ctx: Context, row: InvoiceRow) -> str | None:
    """Return the token of the invoice's public page; None where it has none."""
    return None if row.share_seed is None else tokens.token(ctx.kernel.secret, ctx.account.id, row.share_seed)


def share_url(ctx: Context, token: str) -> str:
    return f"{ctx.settings.public_url}/s/{token}"


def status_of(ctx: Context, row: InvoiceRow) -> str:
    """Return the invoice's status, `overdue` included."""
    today = ctx.account.today()
    is_overdue = row.status == "sent" and owed(row) > ZERO and dates_of(row, today).due_date < today
    return "overdue" if is_overdue else row.status


def as_text(value: object) -> object:
    """Return an id as text, and any other value as it is."""
    return str(value) if isinstance(value, UUID) else value
