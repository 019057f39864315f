"""Import rows: the fields of an item from a row that a program read out of a file, as CSV or a spreadsheet."""

import json
from collections.abc import Iterable, Mapping

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from ledgerkit.core.catalog.api import ItemChange
from ledgerkit.core.catalog.files.exports import FORMULA_STARTS
from ledgerkit.core.catalog.texts import CatalogMsg
from ledgerkit.core.platform.api_types.validation import field_errors
from ledgerkit.core.platform.imports.cells import RowError, is_empty, number, truth
from ledgerkit.core.platform.imports.texts import ImportMsg
from ledgerkit.money import loads_exact
from ledgerkit.texts import Joined

_NUMBERS = {"unitPrice", "cost", "taxRate", "stock", "lowStockThreshold"}
_FIELDS = {name.casefold(): name for name in (*map(to_camel, ItemChange.model_fields), "id")}


def unknown_columns(rows: Iterable[object]) -> list[str]:
    """Return the names in the rows that no field has, each once."""
    names = dict.fromkeys(name for row in rows if isinstance(row, Mapping) for name in row)
    return [name for name in names if name and _wire_name(name) is None]


def parsed(row: object) -> tuple[str | None, ItemChange]:
    """Return the id that the row names and its other fields; empty fields count as absent.

    Names of fields may have any case, spaces around them and a BOM before them. Numbers may be text with a decimal
    point or comma, truth values words, variants JSON, and a text may begin with the apostrophe of ledgerkit's export.
    Raises RowError.
    """
    fields = _known_fields(row)
    item_id = fields.pop("id", None)
    try:
        change = ItemChange.model_validate({name: _value(name, value) for name, value in fields.items()})
    except ValidationError as error:
        wrong = field_errors(error.errors())
        sentences = [Joined([refused.field, refused.text.message], separator=": ") for refused in wrong]
        raise RowError(Joined(sentences, separator="; ")) from error
    return (item_id if isinstance(item_id, str) else None), change


def _known_fields(row: object) -> dict[str, object]:
    """Return the row's fields by their wire names, without empty and unknown ones. Raises RowError."""
    if not isinstance(row, Mapping):
        raise RowError(ImportMsg.NOT_AN_OBJECT)
    if len(row) == 1 and ";" in next(iter(row)):
        raise RowError(ImportMsg.NOT_SPLIT)
    fields = {}
    for name, value in row.items():
        wire_name = _wire_name(name)
        if wire_name is not None and not is_empty(value):
            fields[wire_name] = value
    return fields


def _wire_name(name: str) -> str | None:
    return _FIELDS.get(name.strip("\ufeff \t").casefold().replace("_", ""))


def _value(name: str, value: object) -> object:
    if not isinstance(value, str):
        return value
    content = value.strip()
    if name in _NUMBERS:
        return number(content, name)
    if name == "isActive":
        return truth(content, name)
    if name == "variants":
        return _variants(content)
    if name == "type":
        return content.casefold()
    return content[1:] if content[:1] == "'" and content[1:].startswith(FORMULA_STARTS) else content


def _variants(content: str) -> object:
    try:
        return loads_exact(content)
    except json.JSONDecodeError:
        raise RowError(CatalogMsg.VARIANTS_NOT_JSON) from None
