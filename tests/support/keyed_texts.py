"""Ids of the texts of Spain's tables: forms, boxes, fields of records, and the authority's codes."""

from collections.abc import Iterator

from ledgerkit.providers.es import country
from ledgerkit.providers.es.tax_forms.vat.boxes import BOXES_303, BOXES_390
from ledgerkit.providers.es.verifactu import codes
from ledgerkit.texts import KeyedId, Message, Text

BOXES_OF_ALL_DESIGNS = {"303": BOXES_303, "390": BOXES_390}


def keyed_ids() -> set[KeyedId]:
    """Return the ids that the tables need."""
    return {one for text in _texts() for one in _ids(text)}


def _texts() -> Iterator[Text | None]:
    for form in country.declarations:
        yield from (form.name, form.only_if)
        for box in BOXES_OF_ALL_DESIGNS.get(form.code) or form.official_boxes.values():
            yield from (box.name, box.section, box.row)
        for field in form.record_fields.values():
            yield from (field.name, *field.values.values())
    for entry in codes.entries().values():
        yield entry.words and entry.words.message


def _ids(text: object) -> Iterator[KeyedId]:
    if isinstance(text, Message):
        if isinstance(text.id, KeyedId):
            yield text.id
        for value in text.values.values():
            yield from _ids(value)
