"""Import of many items from rows that a program read out of a file: valid ones are stored, invalid ones reported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from sqlalchemy import ARRAY, Text, any_, bindparam, select
from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core.catalog import acts
from ledgerkit.core.catalog import input as catalog_input
from ledgerkit.core.catalog import operations as catalog
from ledgerkit.core.catalog.api import ImportResult, ImportRows, ItemChange, ItemInput
from ledgerkit.core.catalog.files import reports, rows
from ledgerkit.core.catalog.files.rows import ItemRow
from ledgerkit.core.catalog.stock import ledger as stock
from ledgerkit.core.catalog.stock.ledger import Cause
from ledgerkit.core.catalog.table import CatalogItemRow, catalog_import, catalog_item
from ledgerkit.core.catalog.texts import CatalogMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.event_loop.turns import in_turns
from ledgerkit.core.platform.imports.cells import RowError
from ledgerkit.core.platform.imports.rows import columns_ignored
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Invalid


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
    valid, unreadable, unknown = await rows.parsed(data.rows)
    errors: dict[int, RowError | Invalid] = {**unreadable}
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
    doubts = [*columns_ignored(unknown, rows.nearest), *reports.rates_not_in_force(ctx, _new_rates(items))]
    warnings = [doubt.in_language(ctx.request_metadata.language) for doubt in doubts]
    return ImportResult(imported=len(items), errors=reports.error_lines(ctx, errors), warnings=warnings)


# ---------------------------------------------------------------- steps


async def _wait_for_other_imports(ctx: Context) -> None:
    """Wait for the account's running imports, so that two imports of one file do not both create its items."""
    await _LOCK.run(ctx.db, hash="")


# ---------------------------------------------------------------- items


class _Existing:
    """Locked items that the rows of an import may name."""

    def __init__(self, rows: Mapping[UUID, CatalogItemRow]) -> None:
        self.by_id = rows
        self.by_sku: dict[str, list[CatalogItemRow]] = {}
        for row in rows.values():
            if row.is_active and row.sku_key:
                self.by_sku.setdefault(row.sku_key, []).append(row)

    def named_by(self, row: ItemRow) -> CatalogItemRow | None:
        """Return the item that a row changes, None when it creates one. Raises RowError."""
        if row.item_id is not None and row.item_id in self.by_id:
            return self.by_id[row.item_id]
        with_sku = self.by_sku.get(row.sku_key or "", [])
        if len(with_sku) > 1:
            raise RowError(CatalogMsg.SKU_OF_SEVERAL_ITEMS, sku=row.fields.sku, count=len(with_sku))
        return with_sku[0] if with_sku else None


async def _existing(ctx: Context, rows: Sequence[ItemRow]) -> _Existing:
    skus = {row.sku_key for row in rows if row.sku_key}
    with_sku = await _WITH_SKU.rows(ctx.db, skus=list(skus)) if skus else []
    named_ids = {row.item_id for row in rows if row.item_id is not None}
    return _Existing(await stock.lock(ctx, named_ids | {row.id for row in with_sku}))


def _item_of(ctx: Context, row: ItemRow, existing: _Existing, row_numbers: dict[UUID | str, int]) -> _ItemToStore:
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


def _new_rates(items: Sequence[_ItemToStore]) -> list[tuple[str, Decimal]]:
    """Return the tax rates that rows give to items which had another one, or none, each with the item's name."""
    rates = [(item.draft.name, item.draft.columns.of(CatalogItemRow.tax_rate), item.old) for item in items]
    return [(name, rate) for name, rate, old in rates if rate is not None and (old is None or old.tax_rate != rate)]


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
