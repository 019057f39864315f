"""Numbers of documents that other software issued, and their place among ledgerkit's own numbers.

If the account's own numbering would give an imported number later, the number takes its place in the series, and the
counter goes past it. So ledgerkit continues the series of the other software, and never gives a number that exists.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy import ARRAY, Integer, Text, any_, bindparam, func, select
from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.imports.cells import RowError
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.table import invoice, invoice_counter
from ledgerkit.core.sales.invoices.texts import InvoicesMsg

LONGEST_SERIES = 20
"""Characters of a series that are looked for; prefixes of teams are shorter."""

_LARGEST_ORDINAL = 2**31 - 2
_FIRST_YEAR, _LAST_YEAR = 2000, 2100


@dataclass(frozen=True)
class OwnPlace:
    """Place of an imported number in the account's own numbering, and the day of its document."""

    series: str
    year: int
    ordinal: int
    issue_date: date

    @property
    def key(self) -> tuple[str, int]:
        """Series and year, which have one counter."""
        return self.series, self.year


def own_place(ctx: Context, number: str, issue_date: date) -> OwnPlace | None:
    """Return the series, year and ordinal for which the account's numbering gives `number`; None if there is none.

    Every series is tried, also those that the account does not use now, because it may choose them later.
    """
    digits = len(number) - len(number.rstrip("0123456789"))
    tail_lengths = range(1, min(digits, 10) + 1)
    for year in _years(number, issue_date):
        for series in (number[:length] for length in range(min(len(number), LONGEST_SERIES))):
            for length in tail_lengths:
                ordinal = int(number[-length:])
                fits = 0 < ordinal <= _LARGEST_ORDINAL
                if fits and lifecycle.number_text(ctx, series, year, ordinal) == number:
                    return OwnPlace(series, year, ordinal, issue_date)
    return None


def _years(number: str, issue_date: date) -> list[int]:
    """Return the years that a number may name, that of its issue first."""
    windows = (number[start : start + 4] for start in range(len(number) - 3))
    years = (int(window) for window in windows if window.isascii() and window.isdigit())
    return list(dict.fromkeys([issue_date.year, *(year for year in years if _FIRST_YEAR <= year <= _LAST_YEAR)]))


class _CounterRow(Row):
    series: str
    year: int
    next: int
    issued: int


class SeriesCounters:
    """Counters of the series that imported numbers are in."""

    def __init__(self, rows: Iterable[_CounterRow]) -> None:
        self._rows = {(row.series, row.year): row for row in rows}

    def is_behind(self, place: OwnPlace) -> bool:
        """Return True when ledgerkit has issued in the series and year, and has not come to this number yet."""
        row = self._rows.get(place.key)
        return row is not None and bool(row.issued) and place.ordinal >= row.next

    def refusal(self, place: OwnPlace) -> RowError | None:
        """Return the reason against a number after those that ledgerkit has issued in the same series and year."""
        if not self.is_behind(place):
            return None
        last = self._rows[place.key].next - 1
        return RowError(
            InvoicesMsg.IMPORT_SERIES_CONTINUED, field="number", series=place.series, year=place.year, last=last
        )

    def continues(self, place: OwnPlace) -> bool:
        """Return True when ledgerkit has issued nothing in the series and year, which then goes on after it."""
        row = self._rows.get(place.key)
        return row is None or not row.issued


async def counters_of(ctx: Context, places: Iterable[OwnPlace]) -> SeriesCounters:
    """Return the counters of the series and years of these numbers, with the count of what ledgerkit issued there."""
    keys = sorted({place.key for place in places})
    if not keys:
        return SeriesCounters([])
    series, years = zip(*keys, strict=True)
    return SeriesCounters(await _COUNTERS.rows(ctx.db, series=list(series), years=list(years)))


async def go_past(ctx: Context, places: Sequence[OwnPlace], counters: SeriesCounters) -> None:
    """Let each series that ledgerkit has not begun continue after these numbers and days."""
    last: dict[tuple[str, int], tuple[int, date]] = {}
    for place in places:
        if counters.continues(place):
            ordinal, day = last.get(place.key, (0, place.issue_date))
            last[place.key] = (max(ordinal, place.ordinal), max(day, place.issue_date))
    for (series, year), (ordinal, day) in sorted(last.items()):
        await _GO_PAST.run(ctx.db, series=series, year=year, next=ordinal + 1, last_date=day)


async def advance(ctx: Context, place: OwnPlace) -> None:
    """Let a series continue after a number and its day, whether ledgerkit has begun the series or not."""
    values = {"series": place.series, "year": place.year, "next": place.ordinal + 1, "last_date": place.issue_date}
    await _GO_PAST.run(ctx.db, **values)


class KnownCounterRow(Row):
    """Series and year with the next ordinal and the last day."""

    series: str
    year: int
    next: int
    last_date: date


async def known_counters(ctx: Context) -> dict[tuple[str, int], KnownCounterRow]:
    """Return the counters of all series and years in which the account has numbers."""
    return {(row.series, row.year): row for row in await _ALL.rows(ctx.db)}


async def lock_series(ctx: Context, places: Iterable[OwnPlace]) -> None:
    """Lock the counters of these numbers' series until the transaction ends: nothing is issued there meanwhile."""
    days: dict[tuple[str, int], date] = {}
    for place in places:
        days[place.key] = min(place.issue_date, days.get(place.key, place.issue_date))
    for (series, year), day in sorted(days.items()):
        await _LOCK.run(ctx.db, series=series, year=year, next=1, last_date=day)


class ExistingNumberRow(Row):
    id: UUID
    number: str
    issue_date: date


async def existing(ctx: Context, numbers: Sequence[str]) -> dict[str, UUID]:
    """Return the ids of the stored documents that have one of these numbers, by number."""
    rows = await _EXISTING.rows(ctx.db, numbers=list(numbers)) if numbers else []
    return {row.number: row.id for row in rows}


async def issue_days(ctx: Context, numbers: Sequence[str]) -> dict[str, date]:
    """Return the issue dates of the stored documents that have one of these numbers, by number."""
    rows = await _EXISTING.rows(ctx.db, numbers=list(numbers)) if numbers else []
    return {row.number: row.issue_date for row in rows}


_document = invoice.c
_counter = invoice_counter.c
_keys = func.unnest(bindparam("series", type_=ARRAY(Text)), bindparam("years", type_=ARRAY(Integer)))
_places = _keys.table_valued("series", "year", name="place").render_derived()
_issued = (
    select(func.count())
    .where(
        _document.series == _counter.series,
        _document.year == _counter.year,
        _document.origin == constant("own"),
        _document.ordinal.is_not(None),
    )
    .correlate(invoice_counter)
    .scalar_subquery()
)
_COUNTERS = Prepared(
    select(_counter.series, _counter.year, _counter.next, _issued.label("issued")).select_from(
        invoice_counter.join(_places, (_places.c.series == _counter.series) & (_places.c.year == _counter.year))
    ),
    _CounterRow,
)
_ALL = Prepared(select(_counter.series, _counter.year, _counter.next, _counter.last_date), KnownCounterRow)
_new = insert(invoice_counter)
_LOCK = Prepared(
    _new.on_conflict_do_update(index_elements=["account_id", "series", "year"], set_={"next": _counter.next}),
    columns=["series", "year", "next", "last_date"],
)
_GO_PAST = Prepared(
    _new.on_conflict_do_update(
        index_elements=["account_id", "series", "year"],
        set_={
            "next": func.greatest(_counter.next, _new.excluded.next),
            "last_date": func.greatest(_counter.last_date, _new.excluded.last_date),
        },
    ),
    columns=["series", "year", "next", "last_date"],
)
_EXISTING = Prepared(
    select(_document.id, _document.number, _document.issue_date).where(
        _document.number == any_(bindparam("numbers", type_=ARRAY(Text))),
        (_document.origin == constant("own")) | _document.deleted_at.is_(None),
    ),
    ExistingNumberRow,
)
