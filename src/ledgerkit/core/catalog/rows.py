"""A row as a program read it from a file, made into an item's fields: tolerant of what files do to values."""

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from ledgerkit.core.api_types.validation import field_errors
from ledgerkit.core.catalog.exporting import FORMULA_STARTS
from ledgerkit.core.catalog.schemas import ItemChange
from ledgerkit.money import loads_exact
from ledgerkit.problems import FieldError
from ledgerkit.texts import ENGLISH

_NUMBERS = {"unitPrice", "cost", "taxRate", "stock", "lowStockThreshold"}
_YES, _NO = {"true", "1", "yes", "y", "si", "sí", "verdadero"}, {"false", "0", "no", "n", "falso"}
_FIELDS = {name.casefold(): name for name in (*map(to_camel, ItemChange.model_fields), "id")}
_PLAIN = re.compile(r"[+-]?(\d+\.\d*|\.\d+)", re.ASCII)
_GROUPED = {sign: re.compile(rf"[+-]?\d{{1,3}}({re.escape(sign)}\d{{3}})+", re.ASCII) for sign in ".,"}


class RowError(ValueError):
    """What is wrong with a row, for its line among the errors: in English, and in other languages."""

    def __init__(self, english: str, spanish: str) -> None:
        super().__init__(english)
        self.said = {ENGLISH: english, "es": spanish}


def parsed(row: object) -> tuple[str | None, ItemChange]:
    """The id that the row names and its other fields; those that are empty count as absent.

    Names of fields may have any case, spaces around them and a BOM before them. Numbers may be text with a decimal
    point or comma, truth values words, variants JSON, and a text may carry the apostrophe of our own export.
    Raises RowError.
    """
    fields = _named(row)
    item_id = fields.pop("id", None)
    try:
        change = ItemChange.model_validate({name: _value(name, value) for name, value in fields.items()})
    except ValidationError as error:
        wrong = field_errors(error.errors())
        raise RowError(*("; ".join(_told(one, language) for one in wrong) for language in (ENGLISH, "es"))) from error
    return (item_id if isinstance(item_id, str) else None), change


def _told(error: FieldError, language: str) -> str:
    return f"{error.field}: {error.body(language)['message']}"


def _named(row: object) -> dict[str, Any]:
    """The row's fields by our names for them, without the empty ones."""
    if not isinstance(row, Mapping):
        raise RowError("is no object of fields", "no es un objeto de campos")
    if len(row) == 1 and ";" in next(iter(row)):
        raise RowError(
            "is one field with semicolons in it: split it at the semicolons",
            "es un solo campo con puntos y comas dentro: divídelo por ellos",
        )
    found = {}
    for name, value in row.items():
        known = _FIELDS.get(name.strip("\ufeff \t").casefold().replace("_", ""))
        if known is not None and not _is_empty(value):
            found[known] = value
    return found


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _value(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = value.strip()
    if name in _NUMBERS:
        return number(text, name)
    if name == "isActive":
        return _truth(text)
    if name == "variants":
        return _variants(text)
    if name == "type":
        return text.casefold()
    return text[1:] if text[:1] == "'" and text[1:].startswith(FORMULA_STARTS) else text


def number(text: str, field: str) -> Decimal:
    """The number in a text with a decimal point or comma; spaces and the other sign may group its thousands.

    `1.234` is one and a bit, `1.234.567` and `1.234,5` have thousands. Raises RowError.
    """
    plain = re.sub(r"[\s\u00a0\u202f€%]", "", text)
    mark, other = (",", ".") if plain.rfind(",") > plain.rfind(".") else (".", ",")
    whole, _, decimals = plain.partition(mark) if plain.count(mark) == 1 else (plain, "", "")
    for sign in (mark, other):
        whole = whole.replace(sign, "") if _GROUPED[sign].fullmatch(whole) else whole
    if not _PLAIN.fullmatch(f"{whole}.{decimals}"):
        raise RowError(f"{field}: {text[:30]!r} is no number", f"{field}: {text[:30]!r} no es un número")
    return Decimal(f"{whole}.{decimals}")


def _truth(text: str) -> bool:
    word = text.casefold()
    if word in _YES or word in _NO:
        return word in _YES
    raise RowError(f"isActive: {text[:30]!r} is neither true nor false", f"isActive: {text[:30]!r} no es ni sí ni no")


def _variants(text: str) -> object:
    try:
        return loads_exact(text)
    except json.JSONDecodeError:
        raise RowError("variants: is no JSON array", "variants: no es una lista JSON") from None
