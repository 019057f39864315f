"""Boxes of the VAT forms by short rows: number, name in Spanish and English, how it comes about, design."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType

from ledgerkit.providers.api import Box
from ledgerkit.providers.es.tax_forms.vat.rate_boxes import RateBoxes


@dataclass(frozen=True, kw_only=True, slots=True)
class FormBox:
    """Box of a form with the first design (its code) that has it."""

    box: Box
    since: str


def box(key: str, spanish: str, english: str, *, marks: str = "", since: str = "") -> FormBox:
    """Return a box; its `marks` are `s` (adds up documents) and `-` (may be below zero)."""
    name = MappingProxyType({"es": spanish, "en": english})
    return FormBox(box=Box(key=key, name=name, summed="s" in marks, signed="-" in marks), since=since)


def pair(base: str, quota: str, spanish: str, english: str, *, marks: str = "s", since: str = "") -> Iterator[FormBox]:
    """Yield the boxes of a taxable base and its tax."""
    yield box(base, f"{spanish}: base", f"{english}: taxable base", marks=marks, since=since)
    yield box(quota, f"{spanish}: cuota", f"{english}: tax", marks=marks, since=since)


def pairs(table: Iterable[RateBoxes], spanish: str, english: str, *, marks: str = "s") -> Iterator[FormBox]:
    """Yield the boxes of a table of rates."""
    for row in table:
        rate = f"{row.rate.normalize():f}"
        yield from pair(
            row.base, row.quota, f"{spanish} al {rate.replace('.', ',')} %", f"{english} at {rate} %", marks=marks
        )
