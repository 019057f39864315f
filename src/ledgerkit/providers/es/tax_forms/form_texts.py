"""Names of forms, boxes and fields of records, which the catalogues have by the numbers of forms and boxes.

The keys are `tax_form.303` and `tax_form.303.box_27`, of lines `tax_form.303.row_150` by the first of their boxes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from ledgerkit.providers.api import Box
from ledgerkit.providers.es.messages import TEXTS
from ledgerkit.providers.es.tax_forms.messages import TaxFormMsg
from ledgerkit.texts import Message, keyed, text

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def form_name(form: str) -> Message:
    """The name of a form."""
    return keyed(TEXTS, f"tax_form.{form}")


def filed_only_if(form: str) -> Message:
    """Condition under which a form is due, where no profile tells it."""
    return keyed(TEXTS, f"tax_form.{form}.only_if")


def field_text(form: str, field: str, code: str = "") -> Message:
    """The name of a field of a form's records, or the meaning of a code in it."""
    words = [_HUMP.sub("_", field), *([code] if code else [])]
    return keyed(TEXTS, f"tax_form.{form}.field_{'_'.join(words).lower()}")


def by_key(boxes: Iterable[Box]) -> Mapping[str, Box]:
    """Boxes in their order by key."""
    return MappingProxyType({box.key: box for box in boxes})


@dataclass(frozen=True)
class BoxTexts:
    """Maker of the boxes of a form, whose `marks` are `s` (adds up documents) and `-` (may be below zero)."""

    form: str

    def box(self, key: str, marks: str = "", *, name: Message | None = None, decimals: int = 2) -> Box:
        """Return a box, named by its number or by another text."""
        named = name or keyed(TEXTS, f"tax_form.{self.form}.box_{key}")
        return Box(key=key, name=named, summed="s" in marks, signed="-" in marks, decimals=decimals)

    def pair(self, base: str, quota: str, marks: str = "s", *, row: Message | None = None) -> Iterator[Box]:
        """Yield the boxes of a taxable base and its tax, which stand on one line."""
        line = row or self.row(base)
        yield replace(self.box(base, marks, name=text(TaxFormMsg.BASE, row=line)), row=line)
        yield replace(self.box(quota, marks, name=text(TaxFormMsg.QUOTA, row=line)), row=line)

    def listed(self, notation: str) -> Iterator[Box]:
        """Yield boxes from a notation with blanks between them: `27-` is a box with its marks, `62/63s-` a pair."""
        for entry in notation.split():
            keys = entry.rstrip("s-")
            base, _, quota = keys.partition("/")
            marks = entry.removeprefix(keys)
            if quota:
                yield from self.pair(base, quota, marks)
            else:
                yield self.box(base, marks)

    def row(self, key: str) -> Message:
        """The name of a line of several boxes, by its first one or by another key."""
        return keyed(TEXTS, f"tax_form.{self.form}.row_{key}")

    def in_section(self, key: str, boxes: Iterable[Box]) -> tuple[Box, ...]:
        """Return boxes as those of a section of the form."""
        title = keyed(TEXTS, f"tax_form.{self.form}.section_{key}")
        return tuple(replace(box, section=title) for box in boxes)
