"""Many items at once from the rows of a file: good rows are kept, bad ones told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Text, any_, bindparam, select
from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.catalog import drafting, service, stock
from ledgerkit.core.catalog.models import catalog_import, catalog_item
from ledgerkit.core.catalog.rows import RowError, parsed
from ledgerkit.core.catalog.schemas import ImportResult, ImportRows, ItemChange, ItemInput
from ledgerkit.core.catalog.stock import Cause
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Invalid


@dataclass(frozen=True)
class _Row:
    """A row that could be read: its place in the file, the id it names, its fields."""

    number: int
    item_id: UUID | None
    fields: ItemChange

    @property
    def sku_key(self) -> str | None:
        return drafting.sku_key(self.fields.sku)


@dataclass(frozen=True)
class _Written:
    """An item to be stored: as it was, None for a new one, and as it will be."""

    item_id: UUID
    old: Any
    draft: drafting.Draft


@operation(Permission.CATALOG_WRITE, name="catalog.importing.import_rows")
async def import_rows(ctx: Context, data: ImportRows) -> ImportResult:
    """Make an item of each row; one whose id or sku is that of an active item changes that one instead.

    Fields that are absent or empty keep their value. A second row for the same item is an error, since which of the
    two is right cannot be known, and so is a sku that several items have. `imported` counts the rows kept.
    """
    good, errors = _read(data.rows)
    if any(row.sku_key for row in good):
        await _one_at_a_time(ctx)
    found = await _existing(ctx, good)
    written: list[_Written] = []
    taken: dict[UUID | str, int] = {}
    for row in good:
        try:
            written.append(_written(ctx, row, found, taken))
        except (RowError, Invalid) as error:
            errors[row.number] = error
    await _store(ctx, written)
    told = [_told(number, error, ctx.request_metadata.language) for number, error in sorted(errors.items())]
    return ImportResult(imported=len(written), errors=told)


# ---------------------------------------------------------------- steps


async def _one_at_a_time(ctx: Context) -> None:
    """Wait for the account's imports under way, so that two of one file do not both make its items."""
    await _LOCK.run(ctx.db, hash="")


def _read(rows: Sequence[object]) -> tuple[list[_Row], dict[int, RowError | Invalid]]:
    good: list[_Row] = []
    errors: dict[int, RowError | Invalid] = {}
    for number, row in enumerate(rows, start=1):
        try:
            item_id, fields = parsed(row)
        except RowError as error:
            errors[number] = error
        else:
            good.append(_Row(number, _as_id(item_id), fields))
    return good, errors


class _Found:
    """Items that rows may mean, locked."""

    def __init__(self, rows: Mapping[UUID, Any]) -> None:
        self.by_id = rows
        self.by_sku: dict[str, list[Any]] = {}
        for row in rows.values():
            if row.is_active and row.sku_key:
                self.by_sku.setdefault(row.sku_key, []).append(row)

    def meant(self, row: _Row) -> Any:
        """The item that a row changes, None for one that makes a new item. Raises RowError."""
        if row.item_id is not None and row.item_id in self.by_id:
            return self.by_id[row.item_id]
        same = self.by_sku.get(row.sku_key or "", [])
        if len(same) > 1:
            raise RowError(
                f"sku {row.fields.sku} is that of {len(same)} items: name one by its id",
                f"el sku {row.fields.sku} es de {len(same)} artículos: nombra uno por su id",
            )
        return same[0] if same else None


async def _existing(ctx: Context, rows: Sequence[_Row]) -> _Found:
    skus = {row.sku_key for row in rows if row.sku_key}
    same = await _SAME_SKU.rows(ctx.db, skus=list(skus)) if skus else []
    named = {row.item_id for row in rows if row.item_id is not None}
    return _Found(await stock.lock(ctx, named | {row.id for row in same}))


def _written(ctx: Context, row: _Row, found: _Found, taken: dict[UUID | str, int]) -> _Written:
    old = found.meant(row)
    marks = {mark for mark in (None if old is None else old.id, row.sku_key) if mark is not None}
    first = next((taken[mark] for mark in marks if mark in taken), None)
    if first is not None:
        sku = f": sku {row.fields.sku}" if row.fields.sku else ""
        raise RowError(f"is the same item as row {first}{sku}", f"es el mismo artículo que la fila {first}{sku}")
    draft = drafting.changed(old, row.fields) if old is not None else drafting.new(ctx, _whole(row.fields))
    taken.update(dict.fromkeys(marks, row.number))
    return _Written(new_id() if old is None else old.id, old, draft)


def _whole(fields: ItemChange) -> ItemInput:
    if not fields.name:
        raise RowError("name is required", "name es obligatorio")
    return ItemInput.model_validate({name: getattr(fields, name) for name in fields.model_fields_set})


async def _store(ctx: Context, written: Sequence[_Written]) -> None:
    who = {"created_by": ctx.actor.user_id, "channel": ctx.actor.channel.value}
    made = [{"id": one.item_id, **one.draft.columns, **who} for one in written if one.old is None]
    changed = [{"id": one.item_id, **one.draft.columns} for one in written if one.old is not None]
    if made:
        await records.add_many(ctx, catalog_item, made)
    if changed:
        await records.change_many(ctx, catalog_item, changed)
    cause = Cause("imported", "catalog_import", new_id(), None)
    await stock.note(ctx, [(one.item_id, moved, cause) for one in written for moved in one.draft.movements])
    gone = [one.old for one in written if one.old is not None]
    await counters.add(ctx.db, service.counted(come=[one.draft.columns for one in written], gone=gone))
    await activity.record_each(ctx, [_logged(one) for one in written])


def _logged(one: _Written) -> activity.Line:
    subject, name = ("catalog_item", one.item_id), str(one.draft.columns["name"])
    if one.old is None:
        return "created", subject, name, {}
    return "updated", subject, name, drafting.difference(one.old, one.draft)


def _told(number: int, error: RowError | Invalid, language: str) -> str:
    """The line of the answer about a row, in the caller's language."""
    said = error.said[language] if isinstance(error, RowError) else error.body(language=language)["detail"]
    return f"fila {number}: {said}" if language == "es" else f"row {number}: {said}"


def _as_id(value: str | None) -> UUID | None:
    try:
        return UUID(value or "")
    except ValueError:
        return None


_SAME_SKU = Prepared(
    select(catalog_item.c.id).where(
        catalog_item.c.sku_key == any_(bindparam("skus", type_=ARRAY(Text))), catalog_item.c.is_active
    )
)
_LOCK = Prepared(
    insert(catalog_import).on_conflict_do_update(
        index_elements=["account_id", "hash"], set_={"version": catalog_import.c.version + 1}
    ),
    columns=["hash"],
)
