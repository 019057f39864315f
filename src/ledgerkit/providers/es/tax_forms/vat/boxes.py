"""Boxes of the VAT forms: tables of rates, prorratas, and which of them a design has."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from ledgerkit.providers.api import Box, TaxPeriod
from ledgerkit.providers.es.tax_forms import official_design
from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts
from ledgerkit.providers.es.tax_forms.messages import TaxFormMsg
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
    official = official_design.fields(form, period)
    return MappingProxyType({box.key: box for box in boxes if box.key in official})
