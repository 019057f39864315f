"""Rows of an import of items: their fields by name, with the values that files write, and names that no field has."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from ledgerkit.core.catalog import input as catalog_input
from ledgerkit.core.catalog.api import ItemChange, VariantInput
from ledgerkit.core.catalog.files.exports import FORMULA_STARTS
from ledgerkit.core.catalog.texts import CatalogMsg
from ledgerkit.core.platform.api_types.validation import field_errors
from ledgerkit.core.platform.database.ids import id_sought
from ledgerkit.core.platform.event_loop.turns import in_turns
from ledgerkit.core.platform.imports.cells import RowError, is_empty, number, truth
from ledgerkit.core.platform.imports.rows import folded_name, nearest_name
from ledgerkit.core.platform.imports.texts import ImportMsg
from ledgerkit.money import loads_exact
from ledgerkit.texts import Joined

_NUMBERS = {"unitPrice", "cost", "taxRate", "stock", "lowStockThreshold"}
_FIELDS = {name.casefold(): name for name in (*map(to_camel, ItemChange.model_fields), "id")}
_VARIANT_FIELDS = frozenset(map(to_camel, VariantInput.model_fields))
_SYNONYMS: Mapping[str, Sequence[str]] = {
    "type": ("tipo", "clase"),
    "name": ("nombre", "producto", "articulo", "servicio", "nom"),
    "sku": ("referencia", "ref", "codigo", "reference", "code"),
    "barcode": ("ean", "codigodebarras", "codigobarras"),
    "description": ("descripcion", "concepto"),
    "category": ("categoria", "familia"),
    "unit": ("unidad", "medida"),
    "unitPrice": ("precio", "preciounitario", "pvp", "tarifa", "importe", "price"),
    "cost": ("coste", "costo", "preciocompra", "preciocoste"),
    "taxRate": ("iva", "tipoiva", "impuesto", "porcentajeiva", "vat", "tax"),
    "currency": ("moneda", "divisa"),
    "stock": ("existencias", "unidades", "cantidad", "inventario", "quantity"),
    "lowStockThreshold": ("stockminimo", "minimo"),
    "variants": ("variantes", "tallas"),
    "isActive": ("activo", "active"),
}
"""Words by which files call the fields, as `folded_name` writes them. They are not read, but proposed in a warning."""


def _words_of(fields: Iterable[str]) -> dict[str, str]:
    return {word: name for name in fields for word in (folded_name(name), *_SYNONYMS.get(name, ()))}


_WORDS, _WORDS_OF_VARIANTS = _words_of(_FIELDS.values()), _words_of(_VARIANT_FIELDS)
_OF_VARIANTS = "variants."


def nearest(name: str) -> str | None:
    """Return the field of a row, or of its variants, that an unknown name may mean, if there is one."""
    if not name.startswith(_OF_VARIANTS):
        return nearest_name(name, _WORDS)
    field = nearest_name(name.removeprefix(_OF_VARIANTS), _WORDS_OF_VARIANTS)
    return None if field is None else f"{_OF_VARIANTS}{field}"


@dataclass(frozen=True)
class ItemRow:
    """Row that could be parsed: its number in the file, the id it names, and its fields."""

    number: int
    item_id: UUID | None
    fields: ItemChange

    @property
    def sku_key(self) -> str | None:
        return catalog_input.sku_key(self.fields.sku)


async def parsed(rows: Sequence[object]) -> tuple[list[ItemRow], dict[int, RowError], list[str]]:
    """Return the rows that could be parsed, the errors of the others, and the names that no field has, each once."""
    valid: list[ItemRow] = []
    errors: dict[int, RowError] = {}
    unknown: dict[str, None] = {}
    async for place, row in in_turns(enumerate(rows, start=1)):
        try:
            item_id, fields = _fields(row, unknown)
        except RowError as error:
            errors[place] = error
        else:
            valid.append(ItemRow(place, item_id, fields))
    return valid, errors, list(unknown)


def _fields(row: object, unknown: dict[str, None]) -> tuple[UUID | None, ItemChange]:
    """Return the id that the row names and its other fields; empty fields count as absent.

    Names that no field of the row or of its variants has are added to `unknown`.

    Names of fields may have any case, spaces around them and a BOM before them. Numbers may be text with a decimal
    point or comma, truth values words, variants JSON, and a text may begin with the apostrophe of ledgerkit's export.
    Raises RowError.
    """
    fields = _known_fields(row, unknown)
    item_id = fields.pop("id", None)
    values = {name: _value(name, value) for name, value in fields.items()}
    _note_unknown_of_variants(values.get("variants"), unknown)
    try:
        change = ItemChange.model_validate(values)
    except ValidationError as error:
        wrong = field_errors(error.errors())
        sentences = [Joined([refused.field, refused.text.message], separator=": ") for refused in wrong]
        raise RowError(Joined(sentences, separator="; ")) from error
    return (id_sought(item_id) if isinstance(item_id, str) else None), change


def _known_fields(row: object, unknown: dict[str, None]) -> dict[str, object]:
    """Return the row's fields by their wire names, without empty and unknown ones. Raises RowError."""
    if not isinstance(row, Mapping):
        raise RowError(ImportMsg.NOT_AN_OBJECT)
    if len(row) == 1 and ";" in next(iter(row)):
        raise RowError(ImportMsg.NOT_SPLIT)
    fields = {}
    for name, value in row.items():
        wire_name = _wire_name(name)
        if wire_name is None and (name or not is_empty(value)):
            unknown[name] = None
        elif wire_name is not None and not is_empty(value):
            fields[wire_name] = value
    return fields


def _note_unknown_of_variants(variants: object, unknown: dict[str, None]) -> None:
    if isinstance(variants, list):
        names = (name for variant in variants if isinstance(variant, Mapping) for name in variant)
        unknown.update((f"{_OF_VARIANTS}{name}", None) for name in names if name not in _VARIANT_FIELDS)


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
