"""Boxes of the VAT forms by short rows: number, name in Spanish and English, and how each comes about."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from ledgerkit.providers.api import Box, TaxPeriod
from ledgerkit.providers.es.tax_forms import official_design
from ledgerkit.providers.es.tax_forms.vat.rate_boxes import RateBoxes


def box(key: str, spanish: str, english: str, *, marks: str = "") -> Box:
    """Return a box; its `marks` are `s` (adds up documents) and `-` (may be below zero)."""
    name = MappingProxyType({"es": spanish, "en": english})
    return Box(key=key, name=name, summed="s" in marks, signed="-" in marks)


def pair(base: str, quota: str, spanish: str, english: str, *, marks: str = "s") -> Iterator[Box]:
    """Yield the boxes of a taxable base and its tax, which stand on one line."""
    row = MappingProxyType({"es": spanish, "en": english})
    yield replace(box(base, f"{spanish}: base", f"{english}: taxable base", marks=marks), row=row)
    yield replace(box(quota, f"{spanish}: cuota", f"{english}: tax", marks=marks), row=row)


def in_section(spanish: str, english: str, boxes: Iterable[Box]) -> tuple[Box, ...]:
    """Return boxes as those of a section of their form."""
    title = MappingProxyType({"es": spanish, "en": english})
    return tuple(replace(one, section=title) for one in boxes)


def pairs(table: Iterable[RateBoxes], spanish: str, english: str, *, marks: str = "s") -> Iterator[Box]:
    """Yield the boxes of a table of rates."""
    for row in table:
        rate = f"{row.rate.normalize():f}"
        names = f"{spanish} al {rate.replace('.', ',')} %", f"{english} at {rate} %"
        yield from pair(row.base, row.quota, *names, marks=marks)


def boxes_of_design(form: str, period: TaxPeriod, boxes: Iterable[Box]) -> Mapping[str, Box]:
    """Return those boxes that the nearest design of a form has."""
    official = official_design.fields(form, period)
    return MappingProxyType({one.key: one for one in boxes if one.key in official})
