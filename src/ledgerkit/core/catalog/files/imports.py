"""Import of many items from rows that a program read out of a file: valid ones are stored, invalid ones reported."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from pydantic import ValidationError
from pydantic.alias_generators import to_camel
from sqlalchemy import ARRAY, Text, any_, bindparam, select
from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core.catalog import acts
from ledgerkit.core.catalog import input as catalog_input
from ledgerkit.core.catalog import operations as catalog
from ledgerkit.core.catalog.api import ImportResult, ImportRows, ItemChange, ItemInput
from ledgerkit.core.catalog.files.exports import FORMULA_STARTS
from ledgerkit.core.catalog.stock import ledger as stock
from ledgerkit.core.catalog.stock.ledger import Cause
from ledgerkit.core.catalog.table import CatalogItemRow, catalog_import, catalog_item
from ledgerkit.core.catalog.texts import CatalogMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.validation import field_errors
from ledgerkit.core.platform.database.ids import id_sought, new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.event_loop.turns import in_turns
from ledgerkit.core.platform.imports.cells import RowError, is_empty, number, truth
from ledgerkit.core.platform.imports.rows import columns_ignored
from ledgerkit.core.platform.imports.texts import ImportMsg
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.money import loads_exact
from ledgerkit.problems import Invalid
from ledgerkit.texts import Joined, text

_NUMBERS = {"unitPrice", "cost", "taxRate", "stock", "lowStockThreshold"}
_FIELDS = {name.casefold(): name for name in (*map(to_camel, ItemChange.model_fields), "id")}


@dataclass(frozen=True)
class _Row:
    """Row that could be parsed: its number in the file, the id it names, and its fields."""

    number: int
    item_id: UUID | None
    fields: ItemChange

    @property
    def sku_key(self) -> str | None:
        return catalog_input.sku_key(self.fields.sku)


@dataclass(frozen=True)
class _ItemToStore:
    """Item as it will be stored, and its present row; None for a new item."""

    item_id: UUID
    old: CatalogItemRow | None
    draft: catalog_input.Draft


@operation(Permission.CATALOG_WRITE, act=acts.IMPORT)
async def import_rows(ctx: Context, data: ImportRows) -> ImportResult:
    """Create an item for each row; a row with the id or sku of an active item changes that one instead.

    Fields that are absent or empty keep their value. A second row for the same item is an error, since nobody can know
    which of the two is right, and so is a sku that several items have. `imported` counts the rows stored.
    """
    valid, errors = await _parsed(data.rows)
    if any(row.sku_key for row in valid):
        await _wait_for_other_imports(ctx)
    existing = await _existing(ctx, valid)
    items: list[_ItemToStore] = []
    row_numbers: dict[UUID | str, int] = {}
    async for row in in_turns(valid):
        try:
            items.append(_item_of(ctx, row, existing, row_numbers))
        except (RowError, Invalid) as error:
            errors[row.number] = error
    await _store(ctx, items)
    lines = [_error_line(ctx, number, error) for number, error in sorted(errors.items())]
    unknown = columns_ignored(_unknown_columns(data.rows))
    warnings = [warning.in_language(ctx.request_metadata.language) for warning in unknown]
    return ImportResult(imported=len(items), errors=lines, warnings=warnings)


# ---------------------------------------------------------------- steps


async def _wait_for_other_imports(ctx: Context) -> None:
    """Wait for the account's running imports, so that two imports of one file do not both create its items."""
    await _LOCK.run(ctx.db, hash="")


async def _parsed(rows: Sequence[object]) -> tuple[list[_Row], dict[int, RowError | Invalid]]:
    valid: list[_Row] = []
    errors: dict[int, RowError | Invalid] = {}
    async for place, row in in_turns(enumerate(rows, start=1)):
        try:
            item_id, fields = _fields(row)
        except RowError as error:
            errors[place] = error
        else:
            valid.append(_Row(place, item_id, fields))
    return valid, errors


# ---------------------------------------------------------------- fields of a row


def _unknown_columns(rows: Iterable[object]) -> list[str]:
    """Return the names in the rows that no field has, each once."""
    names = dict.fromkeys(name for row in rows if isinstance(row, Mapping) for name in row)
    return [name for name in names if name and _wire_name(name) is None]


def _fields(row: object) -> tuple[UUID | None, ItemChange]:
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
    return (id_sought(item_id) if isinstance(item_id, str) else None), change


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


# ---------------------------------------------------------------- items


class _Existing:
    """Locked items that the rows of an import may name."""

    def __init__(self, rows: Mapping[UUID, CatalogItemRow]) -> None:
        self.by_id = rows
        self.by_sku: dict[str, list[CatalogItemRow]] = {}
        for row in rows.values():
            if row.is_active and row.sku_key:
                self.by_sku.setdefault(row.sku_key, []).append(row)

    def named_by(self, row: _Row) -> CatalogItemRow | None:
        """Return the item that a row changes, None when it creates one. Raises RowError."""
        if row.item_id is not None and row.item_id in self.by_id:
            return self.by_id[row.item_id]
        with_sku = self.by_sku.get(row.sku_key or "", [])
        if len(with_sku) > 1:
            raise RowError(CatalogMsg.SKU_OF_SEVERAL_ITEMS, sku=row.fields.sku, count=len(with_sku))
        return with_sku[0] if with_sku else None


async def _existing(ctx: Context, rows: Sequence[_Row]) -> _Existing:
    skus = {row.sku_key for row in rows if row.sku_key}
    with_sku = await _WITH_SKU.rows(ctx.db, skus=list(skus)) if skus else []
    named_ids = {row.item_id for row in rows if row.item_id is not None}
    return _Existing(await stock.lock(ctx, named_ids | {row.id for row in with_sku}))


def _item_of(ctx: Context, row: _Row, existing: _Existing, row_numbers: dict[UUID | str, int]) -> _ItemToStore:
    """Return the item that a row creates or changes. Raises RowError when an earlier row is for the same item."""
    old = existing.named_by(row)
    keys = {key for key in (None if old is None else old.id, row.sku_key) if key is not None}
    earlier = next((row_numbers[key] for key in keys if key in row_numbers), None)
    if earlier is not None and row.fields.sku:
        raise RowError(CatalogMsg.SAME_SKU_AS_ROW, row=earlier, sku=row.fields.sku)
    if earlier is not None:
        raise RowError(CatalogMsg.SAME_ITEM_AS_ROW, row=earlier)
    draft = catalog_input.changed(old, row.fields) if old is not None else catalog_input.new(ctx, _input(row.fields))
    row_numbers.update(dict.fromkeys(keys, row.number))
    return _ItemToStore(new_id() if old is None else old.id, old, draft)


def _input(fields: ItemChange) -> ItemInput:
    if not fields.name:
        raise RowError(CatalogMsg.NAME_REQUIRED)
    return ItemInput.model_validate({name: getattr(fields, name) for name in fields.model_fields_set})


async def _store(ctx: Context, items: Sequence[_ItemToStore]) -> None:
    origin = Values(CatalogItemRow, created_by=ctx.actor.user_id, channel=ctx.actor.channel.value)
    new_rows = [_columns(item) | origin for item in items if item.old is None]
    changed = [_columns(item) for item in items if item.old is not None]
    if new_rows:
        await records.add_many(ctx, catalog_item, new_rows)
    if changed:
        await records.change_many(ctx, catalog_item, changed)
    cause = Cause("imported", "catalog_import", new_id(), None)
    movements = [(item.item_id, movement, cause) for item in items for movement in item.draft.movements]
    await stock.record_movements(ctx, movements)
    removed = [(item.old.type, item.old.is_active) for item in items if item.old is not None]
    added = [item.draft.kind for item in items]
    await counters.add(ctx.db, catalog.counter_changes(added=added, removed=removed))
    await activity.record_each(ctx, [_logged(item) for item in items])


def _columns(item: _ItemToStore) -> Values[CatalogItemRow]:
    return Values(CatalogItemRow, id=item.item_id) | item.draft.columns


def _logged(item: _ItemToStore) -> activity.Line:
    subject, name = ("catalog_item", item.item_id), item.draft.name
    if item.old is None:
        return "created", subject, name, {}
    return "updated", subject, name, catalog_input.difference(item.old, item.draft)


def _error_line(ctx: Context, number: int, error: RowError | Invalid) -> str:
    """Return the line of the answer about a row, in the language of the request."""
    problem = error.text if isinstance(error, RowError) else error.text.message
    return text(ImportMsg.ROW, number=number, problem=problem).in_language(ctx.request_metadata.language)


class _IdRow(Row):
    id: UUID


_WITH_SKU = Prepared(
    select(catalog_item.c.id).where(
        catalog_item.c.sku_key == any_(bindparam("skus", type_=ARRAY(Text))), catalog_item.c.is_active
    ),
    _IdRow,
)
_LOCK = Prepared(
    insert(catalog_import).on_conflict_do_update(
        index_elements=["account_id", "hash"], set_={"version": catalog_import.c.version + 1}
    ),
    columns=["hash"],
)
