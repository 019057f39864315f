"""Boxes of sectors that deduct apart (Ley 37/1992, arts. 9.1.c and 101): section 13 of forms 303 and 390.

No document says of which sector it is: they are given by hand, and inform; the deductions of the form have them all.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ledgerkit.providers.api import Box, TaxPeriod
from ledgerkit.providers.es.tax_forms import layouts
from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts
from ledgerkit.providers.es.tax_forms.messages import TaxFormMsg
from ledgerkit.providers.es.tax_forms.sheet import Formula, sum_of
from ledgerkit.providers.es.tax_forms.vat.rate_boxes import RateBoxes
from ledgerkit.texts import Number, text


def rate_pairs(form: BoxTexts, name: str, table: Iterable[RateBoxes], marks: str) -> Iterator[Box]:
    """Yield the boxes of a table of rates, whose lines have the name and the rate."""
    for rates in table:
        row = text(TaxFormMsg.ROW_AT_RATE, row=form.row(name), rate=Number(rates.rate))
        yield from form.pair(rates.base, rates.quota, marks, row=row)


def prorrata_boxes(form: BoxTexts, place: int, operations: str, with_right: str, percent: str) -> Iterator[Box]:
    """Yield the boxes of one of the form's prorratas."""
    yield form.box(operations, "-", name=text(TaxFormMsg.PRORRATA_OPERATIONS, place=place))
    yield form.box(with_right, "-", name=text(TaxFormMsg.PRORRATA_WITH_RIGHT, place=place))
    yield form.box(percent, name=text(TaxFormMsg.PRORRATA_PERCENT, place=place))


def boxes_of_design(form: str, period: TaxPeriod, boxes: Iterable[Box]) -> Mapping[str, Box]:
    """Return those boxes that the nearest design of a form has."""
    official = layouts.nearest_fields(form, period)
    return MappingProxyType({box.key: box for box in boxes if box.key in official})


_DEDUCTIONS = (
    TaxFormMsg.SECTOR_DOMESTIC,
    TaxFormMsg.SECTOR_DOMESTIC_INVESTMENT,
    TaxFormMsg.SECTOR_IMPORTS,
    TaxFormMsg.SECTOR_IMPORTS_INVESTMENT,
    TaxFormMsg.SECTOR_INTRA_EU,
    TaxFormMsg.SECTOR_INTRA_EU_INVESTMENT,
    TaxFormMsg.SECTOR_FARMERS,
)


@dataclass(frozen=True, kw_only=True)
class SectorBoxes:
    """Boxes of one sector: `pairs` of base and quota by the order of the form, the adjustment, and the sum."""

    place: int
    pairs: tuple[tuple[str, str], ...]
    rectified: tuple[str, str]
    adjustment: str
    total: str

    def boxes(self, form: BoxTexts, *, marks: str = "") -> Iterator[Box]:
        """Yield the boxes; `marks` are those of the first pairs, the last ones may be below zero in every design."""
        for (base, quota), name in zip(self.pairs, _DEDUCTIONS, strict=True):
            yield from form.pair(base, quota, marks, row=text(name, place=self.place))
        yield from form.pair(*self.rectified, "-", row=text(TaxFormMsg.SECTOR_RECTIFIED, place=self.place))
        yield form.box(self.adjustment, "-", name=text(TaxFormMsg.SECTOR_ADJUSTMENT, place=self.place))
        yield form.box(self.total, "-", name=text(TaxFormMsg.SECTOR_TOTAL, place=self.place))

    @property
    def formula(self) -> Formula:
        """Formula of the sector's sum."""
        return sum_of(self.total, (*(quota for _, quota in self.pairs), self.rectified[1], self.adjustment))


def _sector(place: int, first: int, rectified: tuple[str, str], after: int) -> SectorBoxes:
    """Return a sector whose pairs have seven times two numbers from `first` on, adjustment and sum those of `after`."""
    pairs = tuple((str(number), str(number + 1)) for number in range(first, first + 14, 2))
    return SectorBoxes(place=place, pairs=pairs, rectified=rectified, adjustment=str(after), total=str(after + 1))


SECTORS_303 = (_sector(1, 700, ("714", "715"), 716), _sector(2, 718, ("732", "733"), 734))
SECTORS_390 = (
    _sector(1, 139, ("640", "153"), 154),
    _sector(2, 156, ("641", "170"), 171),
    _sector(3, 173, ("642", "187"), 188),
)


def formulas(sectors: Iterable[SectorBoxes]) -> tuple[Formula, ...]:
    """Return the formula of each sector's sum."""
    return tuple(sector.formula for sector in sectors)
