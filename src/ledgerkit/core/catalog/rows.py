"""Import rows: the fields of an item from a row that a program read out of a file, as CSV or a spreadsheet."""

import json
import re
from collections.abc import Mapping
from decimal import Decimal

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from ledgerkit.core.api_types.validation import field_errors
from ledgerkit.core.catalog.exporting import FORMULA_STARTS
from ledgerkit.core.catalog.messages import CatalogMsg
from ledgerkit.core.catalog.schemas import ItemChange
from ledgerkit.money import loads_exact
from ledgerkit.texts import ENGLISH, Joined, Text, text

_NUMBERS = {"unitPrice", "cost", "taxRate", "stock", "lowStockThreshold"}
_YES, _NO = {"true", "1", "yes", "y", "si", "sí", "verdadero"}, {"false", "0", "no", "n", "falso"}
_FIELDS = {name.casefold(): name for name in (*map(to_camel, ItemChange.model_fields), "id")}
_PLAIN = re.compile(r"[+-]?(\d+\.\d*|\.\d+)", re.ASCII)
_GROUPED = {sign: re.compile(rf"[+-]?\d{{1,3}}({re.escape(sign)}\d{{3}})+", re.ASCII) for sign in ".,"}


class RowError(ValueError):
    """Reason for which a row cannot be imported."""

    def __init__(self, message: CatalogMsg | Text, **values: object) -> None:
        self.text = text(message, **values) if isinstance(message, CatalogMsg) else message
        super().__init__(self.text.in_language(ENGLISH))


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
        raise RowError(CatalogMsg.ROW_NOT_AN_OBJECT)
    if len(row) == 1 and ";" in next(iter(row)):
        raise RowError(CatalogMsg.ROW_NOT_SPLIT)
    fields = {}
    for name, value in row.items():
        wire_name = _FIELDS.get(name.strip("\ufeff \t").casefold().replace("_", ""))
        if wire_name is not None and not _is_empty(value):
            fields[wire_name] = value
    return fields


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _value(name: str, value: object) -> object:
    if not isinstance(value, str):
        return value
    content = value.strip()
    if name in _NUMBERS:
        return number(content, name)
    if name == "isActive":
        return _truth(content)
    if name == "variants":
        return _variants(content)
    if name == "type":
        return content.casefold()
    return content[1:] if content[:1] == "'" and content[1:].startswith(FORMULA_STARTS) else content


def number(content: str, field: str) -> Decimal:
    """Return the number in a text with a decimal point or comma; spaces and the other sign may group its thousands.

    `1.234` is a little more than one; `1.234.567` and `1.234,5` have thousands. Raises RowError.
    """
    compact = re.sub(r"[\s\u00a0\u202f€%]", "", content)
    decimal_sign, grouping_sign = (",", ".") if compact.rfind(",") > compact.rfind(".") else (".", ",")
    integer_part, _, decimals = (
        compact.partition(decimal_sign) if compact.count(decimal_sign) == 1 else (compact, "", "")
    )
    for sign in (decimal_sign, grouping_sign):
        integer_part = integer_part.replace(sign, "") if _GROUPED[sign].fullmatch(integer_part) else integer_part
    if not _PLAIN.fullmatch(f"{integer_part}.{decimals}"):
        raise RowError(CatalogMsg.NOT_A_NUMBER, field=field, value=repr(content[:30]))
    return Decimal(f"{integer_part}.{decimals}")


def _truth(content: str) -> bool:
    word = content.casefold()
    if word in _YES or word in _NO:
        return word in _YES
    raise RowError(CatalogMsg.NOT_A_TRUTH_VALUE, value=repr(content[:30]))


def _variants(content: str) -> object:
    try:
        return loads_exact(content)
    except json.JSONDecodeError:
        raise RowError(CatalogMsg.VARIANTS_NOT_JSON) from None
