"""Boxes of forms 303 and 390: their tables of rates, prorratas and sectors, and which of them a design has."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType

from ledgerkit.providers.api import Box, TaxPeriod
from ledgerkit.providers.es.tax_forms import layouts
from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts
from ledgerkit.providers.es.tax_forms.messages import TaxFormMsg
from ledgerkit.providers.es.tax_forms.sheet import Formula, sum_of
from ledgerkit.providers.es.tax_forms.vat import rate_boxes as rates
from ledgerkit.providers.es.tax_forms.vat.rate_boxes import RateBoxes
from ledgerkit.texts import Number, text


def rate_pairs(form: BoxTexts, name: str, table: Iterable[RateBoxes], marks: str) -> Iterator[Box]:
    """Yield the boxes of a table of rates, whose lines have the name and the rate."""
    for boxes in table:
        row = text(TaxFormMsg.ROW_AT_RATE, row=form.row(name), rate=Number(boxes.rate))
        yield from form.pair(boxes.base, boxes.quota, marks, row=row)


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
    """Boxes of a sector that deducts apart (section 13): `pairs` of base and quota, the adjustment, and the sum.

    No document says of which sector it is: the boxes are filled by hand, and inform; the deductions of the form include
    all sectors. Source: Ley 37/1992, arts. 9.1.c and 101.
    """

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


_303 = BoxTexts("303")
BOXES_303: tuple[Box, ...] = (
    *_303.in_section(
        "output",
        _303.listed(
            "150/152s 165/167s 01/03s 153/155s 04/06s 07/09s 10/11s 12/13s 14/15s- 156/158s 168/170s 16/18s "
            "19/21s 22/24s 25/26s- 27-"
        ),
    ),
    *_303.in_section("input", _303.listed("28/29s 30/31s 32/33s 34/35s 36/37s 38/39s 40/41s- 42s- 43- 44- 45- 46-")),
    *_303.in_section("information", _303.listed("59s- 60s- 120s- 122s- 123s- 124s- 62/63s- 74/75s-")),
    *_303.in_section("result", _303.listed("76- 64- 65 66- 77 110 78 87 68- 108- 69- 70 109 112 71- 111")),
    *_303.in_section(
        "volume",
        _303.listed("80s- 81s- 93s- 94s- 83s- 84s- 125s- 126s- 127s- 128- 86s- 95s- 96s- 97s- 98s- 79- 99- 88-"),
    ),
    *_303.in_section(
        "prorrata",
        chain.from_iterable(
            prorrata_boxes(_303, place + 1, *(str(500 + 5 * place + column) for column in (1, 2, 4)))
            for place in range(5)
        ),
    ),
    *_303.in_section("sectors", chain.from_iterable(sector.boxes(_303) for sector in SECTORS_303)),
)
"""Boxes of form 303, in its order, of all designs (DR303e23, DR303e24 and DR303e26 of the AEAT); the words are ours.

Which of them a period has, its design tells. The rates' own boxes (02, 05, 08 ...) are constants of the file, and so
are the percents of the foral territories (89 to 92 and 107), which are zero in every design. Page 2 (simplified regime)
is not here.
"""

_390 = BoxTexts("390")
_OUTPUT = (
    *rate_pairs(_390, "output", rates.OUTPUT_390, "s-"),
    *rate_pairs(_390, "group", rates.GROUP_390, "-"),
    *rate_pairs(_390, "cash", rates.CASH_390, "s-"),
    *rate_pairs(_390, "used_goods", rates.USED_GOODS_390, "s-"),
    *rate_pairs(_390, "travel", rates.TRAVEL_390, "s-"),
    *rate_pairs(_390, "intra_eu_goods", rates.INTRA_EU_GOODS_390, "s-"),
    *rate_pairs(_390, "intra_eu_services", rates.INTRA_EU_SERVICES_390, "s-"),
    *_390.listed("27/28s- 29/30s- 649/650- 31/32s- 33/34-"),
)
_SURCHARGE = (
    *rate_pairs(_390, "surcharge", rates.SURCHARGE_390, "s-"),
    *_390.listed("43/44s- 45/46s- 47-"),
)
_INPUT = (
    *rate_pairs(_390, "domestic", rates.DOMESTIC_390, "s-"),
    *_390.listed("48/49-"),
    *rate_pairs(_390, "group_input", rates.GROUP_INPUT_390, "-"),
    *_390.listed("512/513-"),
    *rate_pairs(_390, "domestic_investment", rates.DOMESTIC_INVESTMENT_390, "s-"),
    *_390.listed("50/51-"),
    *rate_pairs(_390, "group_investment", rates.GROUP_INVESTMENT_390, "-"),
    *_390.listed("520/521-"),
    *rate_pairs(_390, "import", rates.IMPORT_390, "s-"),
    *_390.listed("52/53-"),
    *rate_pairs(_390, "import_investment", rates.IMPORT_INVESTMENT_390, "s-"),
    *_390.listed("54/55-"),
    *rate_pairs(_390, "intra_eu_input", rates.INTRA_EU_INPUT_390, "s-"),
    *_390.listed("56/57-"),
    *rate_pairs(_390, "intra_eu_investment", rates.INTRA_EU_INVESTMENT_390, "s-"),
    *_390.listed("58/59-"),
    *rate_pairs(_390, "services_input", rates.SERVICES_INPUT_390, "s-"),
    *_390.listed("597/598- 60/61s- 660/661- 639/62s- 651/652- 63- 522- 64- 65-"),
)
BOXES_390: tuple[Box, ...] = (
    *_390.in_section("output", _OUTPUT),
    *_390.in_section("surcharge", _SURCHARGE),
    *_390.in_section("input", _INPUT),
    *_390.in_section("simplified_regime", _390.listed("74- 75- 76- 77- 78- 79- 80- 81- 82- 83-")),
    *_390.in_section("result", _390.listed("658 84- 659 85 86- 87 88 89 90 91 92- 93 94- 95 96 524 97 98 662 525 526")),
    *_390.in_section(
        "turnover",
        _390.listed(
            "99s- 653s- 103s- 104s- 105s- 110s- 125s- 126s- 127s- 128- 100s- 101s- 102s- 227s- 228s- 106- 107- 108-"
        ),
    ),
    *_390.in_section("specific", _390.listed("230s- 109s- 231s- 232s- 111- 113- 523s- 654/655s- 656/657s-")),
    *_390.in_section(
        "prorrata",
        (
            *prorrata_boxes(_390, 1, "115", "116", "118"),
            *prorrata_boxes(_390, 2, "120", "121", "123"),
            *prorrata_boxes(_390, 4, "130", "131", "133"),
            *prorrata_boxes(_390, 5, "135", "136", "138"),
        ),
    ),
    *_390.in_section("sectors", chain.from_iterable(sector.boxes(_390, marks="-") for sector in SECTORS_390)),
)
"""Boxes of form 390, in its order, of all designs (2024 and 2025 of the AEAT); the words are ours.

Which of them a year has, its design tells. Groups of entities, joint taxation with the foral treasuries (section 8) and
sectors that deduct apart (section 13) are filled by hand: no document tells them. Not here: the activities of the
simplified regime, and the boxes of sections 8 and 12 that share their number with others.
"""
