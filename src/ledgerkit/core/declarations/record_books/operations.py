"""Record books of a period as files, in the columns that the country's authority prescribes."""

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Literal

from ledgerkit.core.declarations.computation import books
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.reports import ledger as ledgers
from ledgerkit.core.reports.record_books import files as book_files
from ledgerkit.problems import Code, Invalid
from ledgerkit.providers.api import CountryProvider, Ledger, RecordBook, TaxPeriod, TaxProfile

BookFormat = Literal["xlsx", "csv"]

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV = "text/csv; charset=utf-8"


@dataclass(frozen=True, kw_only=True)
class BooksRequest:
    """Books to write: of a year's period (`Q1` to `Q4`, `M01` to `M12` or `Y`); all, or one by its key."""

    year: int
    period: str
    book: str | None = None
    file_format: BookFormat = "xlsx"
    country: str | None = None


@dataclass(frozen=True)
class BooksFile:
    name: str
    media_type: str
    content: bytes


@operation(
    Permission.DECLARATIONS_READ,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.DECLARATION_UNSUPPORTED})],
    effects=Effect.READ_ONLY,
)
async def export(ctx: Context, request: BooksRequest) -> BooksFile:
    """Return the record books of a period: a workbook with all of them or with one, or the text file of one.

    Raises Invalid for a country without books, an unknown period or book, and a text file of no book.
    """
    provider = forms.country_of(ctx, request.country)
    chosen = _chosen(provider, request)
    ledger, profile = await ctx.read_snapshot(lambda inner: _read(inner, provider, _period(request)))
    first = chosen[0]
    name = first.file_name(ledger.owner, request.year)
    if request.file_format == "csv":
        content = await asyncio.to_thread(book_files.text_file, first, ledger, profile)
        return BooksFile(f"{name}-{first.sheet}.csv", CSV, content)
    return BooksFile(f"{name}.xlsx", XLSX, await asyncio.to_thread(book_files.workbook, chosen, ledger, profile))


async def _read(ctx: Context, provider: CountryProvider, period: TaxPeriod) -> tuple[Ledger, TaxProfile]:
    return await ledgers.read(ctx, period.span), await books.profile(ctx, provider)


def _chosen(provider: CountryProvider, request: BooksRequest) -> list[RecordBook]:
    listed = ", ".join(book.key for book in provider.books) or "-"
    chosen = [book for book in provider.books if request.book in {None, book.key}]
    refused = partial(Invalid.field, "book", listed=listed)
    if not chosen:
        raise refused(DeclarationsMsg.BOOK_UNKNOWN, book=request.book or provider.code)
    if request.file_format == "csv" and request.book is None:
        raise refused(DeclarationsMsg.BOOK_MISSING)
    return chosen


def _period(request: BooksRequest) -> TaxPeriod:
    period = TaxPeriod(request.year, request.period)
    try:
        _ = period.span
    except ValueError:
        raise Invalid.field("period", DeclarationsMsg.BOOK_PERIOD_UNKNOWN, period=request.period) from None
    return period
