"""Import of an analysed supplier invoice into the catalog, once: the step that `reading` takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from uuid import UUID

from sqlalchemy import DateTime, Text, Uuid, bindparam, select, update
from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core.catalog import input as catalog_input
from ledgerkit.core.catalog import operations as catalog
from ledgerkit.core.catalog.api import ItemInput
from ledgerkit.core.catalog.stock import ledger as stock
from ledgerkit.core.catalog.stock.ledger import Cause
from ledgerkit.core.catalog.stock.levels import ItemStock
from ledgerkit.core.catalog.supplier_invoices.api import (
    Action,
    AnalysedItem,
    ConfirmImport,
    ItemResult,
    SupplierInvoiceAnalysis,
)
from ledgerkit.core.catalog.table import CatalogItemRow, catalog_import, catalog_item
from ledgerkit.core.catalog.texts import CatalogMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import NO_ID, id_sought, new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.money import ZERO, dumps_exact
from ledgerkit.problems import Invalid

_DONE: Mapping[Action, str] = {"create": "created", "update": "updated", "skip": "skipped"}
_NO = {"no", "n"}
_IDENTIFYING = {
    "vendor",
    "invoice_number",
    "invoice_date",
    "due_date",
    "currency",
    "items",
    "subtotal",
    "tax_amount",
    "total",
}
_IDENTIFYING_OF_ITEM = {
    "name",
    "sku",
    "quantity",
    "unit_price",
    "tax_rate",
    "total",
    "matched_item_id",
    "suggested_action",
}
"""Fields that decide if two analyses are of the same invoice; confidences are not among them."""


@dataclass(frozen=True, kw_only=True)
class Import:
    """Result of one confirmation. `digest` identifies the analysis; `repeated`: it had been confirmed before.

    `supplier_invoice_id` is the invoice that was recorded when it was confirmed first.
    """

    digest: str
    repeated: bool
    created: int
    updated: int
    item_results: list[ItemResult]
    supplier_invoice_id: UUID | None = None


async def import_items(ctx: Context, data: ConfirmImport) -> Import:
    """Create new items, and update matched ones: add the quantity to a tracked stock, and set the new cost.

    A new item's price is its cost until it is changed. A matched item that has variants, or no tracked stock, gets the
    cost only. Confirming the same analysis again does nothing, whatever the answers; a simultaneous confirmation of it
    waits for this one.
    Raises Invalid for a matchedItemId that does not exist, and for more answers than questions.
    """
    lines, actions = data.analysis.items, _actions(data)
    digest = _digest(data.analysis)
    if await _INSERT_DIGEST.row(ctx.db, hash=digest) is None:
        first = await _FIRST.one(ctx.db, hash=digest)
        return _import(digest, lines, ["skip"] * len(lines), repeated=True, invoice_id=first.supplier_invoice_id)
    cause = Cause("imported", "catalog_import", new_id(), data.analysis.invoice_number)
    decided = list(zip(lines, actions, strict=True))
    await _update(ctx, [line if action == "update" else None for line, action in decided], cause)
    await _create(ctx, [_new(ctx, line, data) for line, action in decided if action == "create"], cause)
    return _import(digest, lines, actions)


async def link_supplier_invoice(ctx: Context, digest: str, supplier_invoice_id: UUID) -> None:
    """Store the supplier invoice that was recorded from an analysis, for a repeated confirmation."""
    await _LINK.run(ctx.db, digest=digest, invoice_id=supplier_invoice_id)


# ---------------------------------------------------------------- decisions


def _actions(data: ConfirmImport) -> list[Action]:
    questions, answers = data.analysis.questions or [], data.answers or []
    if len(answers) > len(questions):
        raise Invalid.field(f"answers[{len(questions)}]", CatalogMsg.ANSWER_WITHOUT_QUESTION, count=len(questions))
    refused = {number for number, answer in enumerate(answers) if answer.strip().casefold() in _NO}
    return [_action(line, refused=line.question in refused) for line in data.analysis.items]


def _action(line: AnalysedItem, *, refused: bool) -> Action:
    suggested = line.suggested_action or ("update" if line.matched_item_id else "create")
    if not refused:
        return suggested
    return "create" if suggested == "update" else "skip"


def _digest(analysis: SupplierInvoiceAnalysis) -> str:
    """Return the hash of what an analysis says, the same for equal numbers and whatever fields it leaves out."""
    stated = analysis.model_dump(mode="json", include=_IDENTIFYING, exclude={"items"}, exclude_none=True)
    items = [item.model_dump(mode="json", include=_IDENTIFYING_OF_ITEM, exclude_none=True) for item in analysis.items]
    return sha256(dumps_exact(dict(sorted({**stated, "items": items}.items()))).encode()).hexdigest()


def _import(
    digest: str,
    lines: Sequence[AnalysedItem],
    actions: Sequence[Action],
    *,
    repeated: bool = False,
    invoice_id: UUID | None = None,
) -> Import:
    return Import(
        digest=digest,
        repeated=repeated,
        created=actions.count("create"),
        updated=actions.count("update"),
        item_results=[
            ItemResult(name=line.name, action=_DONE[action]) for line, action in zip(lines, actions, strict=True)
        ],
        supplier_invoice_id=invoice_id,
    )


# ---------------------------------------------------------------- writes


async def _update(ctx: Context, lines: Sequence[AnalysedItem | None], cause: Cause) -> None:
    """Add the goods of lines to the items they are matched with; None stands for a line that is not matched."""
    ids = [id_sought("" if line is None else line.matched_item_id or "") for line in lines]
    rows = await stock.lock(ctx, {item_id for item_id in ids if item_id != NO_ID})
    items = {item_id: ItemStock(row) for item_id, row in rows.items()}
    costs = {row.id: row.cost for row in rows.values()}
    for number, (line, item_id) in enumerate(zip(lines, ids, strict=True)):
        if line is None:
            continue
        if item_id not in items:
            raise Invalid.field(
                f"analysis.items[{number}].matchedItemId",
                CatalogMsg.ITEM_UNKNOWN,
                matched_item_id=line.matched_item_id,
            )
        if items[item_id].is_tracked(None):
            items[item_id].move(None, line.quantity or ZERO)
        costs[item_id] = costs[item_id] if line.unit_price is None else line.unit_price
    if items:
        changed = [item.columns() | Values(CatalogItemRow, cost=costs[item_id]) for item_id, item in items.items()]
        await records.change_many(ctx, catalog_item, changed)
    movements = [(item.row.id, movement, cause) for item in items.values() for movement in item.movements]
    await stock.record_movements(ctx, movements)
    await activity.record_each(ctx, [_logged(item, costs[item_id]) for item_id, item in items.items()])


def _logged(item: ItemStock, cost: Decimal | None) -> activity.Line:
    before = {"stock": item.row.stock, "cost": item.row.cost}
    changes = activity.changed(before, {"stock": item.total, "cost": cost})
    return "updated", ("catalog_item", item.row.id), item.row.name, changes


def _new(ctx: Context, line: AnalysedItem, data: ConfirmImport) -> catalog_input.Draft:
    item = ItemInput(
        name=line.name,
        sku=line.sku,
        unit_price=line.unit_price or ZERO,
        cost=line.unit_price,
        tax_rate=line.tax_rate,
        currency=data.analysis.currency,
        stock=line.quantity,
    )
    return catalog_input.new(ctx, item)


async def _create(ctx: Context, drafts: Sequence[catalog_input.Draft], cause: Cause) -> None:
    if not drafts:
        return
    origin = Values(CatalogItemRow, created_by=ctx.actor.user_id, channel=ctx.actor.channel.value)
    new_items = [(new_id(), draft) for draft in drafts]
    rows = [Values(CatalogItemRow, id=item_id) | draft.columns | origin for item_id, draft in new_items]
    await records.add_many(ctx, catalog_item, rows)
    movements = [(item_id, movement, cause) for item_id, draft in new_items for movement in draft.movements]
    await stock.record_movements(ctx, movements)
    await counters.add(ctx.db, catalog.counter_changes(added=[draft.kind for draft in drafts]))
    lines: list[activity.Line] = [
        ("created", ("catalog_item", item_id), draft.name, {}) for item_id, draft in new_items
    ]
    await activity.record_each(ctx, lines)


class _DigestRow(Row):
    hash: str


class _FirstImportRow(Row):
    supplier_invoice_id: UUID | None


_INSERT_DIGEST = Prepared(
    insert(catalog_import).on_conflict_do_nothing().returning(catalog_import.c.hash), _DigestRow, columns=["hash"]
)
_FIRST = Prepared(
    select(catalog_import.c.supplier_invoice_id).where(catalog_import.c.hash == bindparam("hash", type_=Text)),
    _FirstImportRow,
)
_LINK = Prepared(
    update(catalog_import)
    .where(catalog_import.c.hash == bindparam("digest", type_=Text))
    .values(supplier_invoice_id=bindparam("invoice_id", type_=Uuid))
)


async def was_at(ctx: Context, moment: datetime) -> bool:
    """Return True for the moment of a call that imported the goods of a supplier's invoice."""
    return await _AT.row(ctx.db, moment=moment) is not None


_AT = Prepared(
    select(catalog_import.c.hash)
    .where(
        catalog_import.c.created_at == bindparam("moment", type_=DateTime(timezone=True)), catalog_import.c.hash != ""
    )
    .limit(1),
    _DigestRow,
)
