"""Take the goods of an analysed supplier invoice into the catalog, once."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.catalog import drafting, service, stock
from ledgerkit.core.catalog.analysis import Action, AnalysedItem, ConfirmImport, ConfirmResult, ItemResult
from ledgerkit.core.catalog.messages import CatalogMsg
from ledgerkit.core.catalog.models import catalog_import, catalog_item
from ledgerkit.core.catalog.schemas import ItemInput
from ledgerkit.core.catalog.stock import Cause, Shelf
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.money import ZERO
from ledgerkit.problems import Invalid

_DONE: Mapping[Action, str] = {"create": "created", "update": "updated", "skip": "skipped"}
_NO = {"no", "n"}


@operation(Permission.CATALOG_WRITE, name="catalog.confirming.confirm")
async def confirm(ctx: Context, data: ConfirmImport) -> ConfirmResult:
    """Make new items, and add to those that are matched: quantity to a tracked stock, and the new cost.

    A new item's price is its cost until it is changed. What is matched but has variants, or no stock, gets the cost
    only. An analysis that was confirmed before does nothing, whatever the answers.
    Raises Invalid for a matchedItemId that does not exist, and for more answers than questions.
    """
    lines, actions = data.analysis.items, _actions(data)
    if not await _first_time(ctx, data):
        return _result(lines, ["skip"] * len(lines))
    cause = Cause("imported", "catalog_import", new_id(), data.analysis.invoice_number)
    wanted = list(zip(lines, actions, strict=True))
    await _receive(ctx, [line if action == "update" else None for line, action in wanted], cause)
    await _make(ctx, [_new(ctx, line, data) for line, action in wanted if action == "create"], cause)
    return _result(lines, actions)


# ---------------------------------------------------------------- what is to be done


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


async def _first_time(ctx: Context, data: ConfirmImport) -> bool:
    """Whether this analysis has not been confirmed before; who confirms it at the same time waits here."""
    mark = sha256(data.analysis.model_dump_json(by_alias=True).encode()).hexdigest()
    return await _MARK.row(ctx.db, hash=mark) is not None


def _result(lines: Sequence[AnalysedItem], actions: Sequence[Action]) -> ConfirmResult:
    return ConfirmResult(
        created=actions.count("create"),
        updated=actions.count("update"),
        item_results=[
            ItemResult(name=line.name, action=_DONE[action]) for line, action in zip(lines, actions, strict=True)
        ],
    )


# ---------------------------------------------------------------- doing it


async def _receive(ctx: Context, lines: Sequence[AnalysedItem | None], cause: Cause) -> None:
    """Add the goods of lines to the items they are matched with; None stands for a line that is not."""
    ids = [None if line is None else _matched(line) for line in lines]
    rows = await stock.lock(ctx, {item_id for item_id in ids if item_id is not None})
    shelves, costs = {item_id: Shelf(row) for item_id, row in rows.items()}, {row.id: row.cost for row in rows.values()}
    for number, (line, item_id) in enumerate(zip(lines, ids, strict=True)):
        if line is None:
            continue
        if item_id not in shelves:
            raise Invalid.field(
                f"analysis.items[{number}].matchedItemId",
                CatalogMsg.ITEM_UNKNOWN,
                matched_item_id=line.matched_item_id,
            )
        if shelves[item_id].takes(None):
            shelves[item_id].move(None, line.quantity or ZERO)
        costs[item_id] = costs[item_id] if line.unit_price is None else line.unit_price
    if shelves:
        changed = [{**shelf.columns(), "cost": costs[item_id]} for item_id, shelf in shelves.items()]
        await records.change_many(ctx, catalog_item, changed)
    await stock.note(ctx, [(shelf.row.id, moved, cause) for shelf in shelves.values() for moved in shelf.moved])
    await activity.record_each(ctx, [_received(shelf, costs) for shelf in shelves.values()])


def _matched(line: AnalysedItem) -> UUID | None:
    try:
        return UUID(line.matched_item_id or "")
    except ValueError:
        return None


def _received(shelf: Shelf, costs: Mapping[UUID, Any]) -> activity.Line:
    before = {"stock": shelf.row.stock, "cost": shelf.row.cost}
    changes = activity.changed(before, {"stock": shelf.stock, "cost": costs[shelf.row.id]})
    return "updated", ("catalog_item", shelf.row.id), str(shelf.row.name), changes


def _new(ctx: Context, line: AnalysedItem, data: ConfirmImport) -> drafting.Draft:
    item = ItemInput(
        name=line.name,
        sku=line.sku,
        unit_price=line.unit_price or ZERO,
        cost=line.unit_price,
        tax_rate=line.tax_rate,
        currency=data.analysis.currency,
        stock=line.quantity,
    )
    return drafting.new(ctx, item)


async def _make(ctx: Context, drafts: Sequence[drafting.Draft], cause: Cause) -> None:
    if not drafts:
        return
    who = {"created_by": ctx.actor.user_id, "channel": ctx.actor.channel.value}
    made = [{"id": new_id(), **draft.columns, **who} for draft in drafts]
    await records.add_many(ctx, catalog_item, made)
    pairs = list(zip(made, drafts, strict=True))
    await stock.note(ctx, [(row["id"], moved, cause) for row, draft in pairs for moved in draft.movements])
    await counters.add(ctx.db, service.counted(come=made))
    await activity.record_each(ctx, [("created", ("catalog_item", row["id"]), row["name"], {}) for row in made])


_MARK = Prepared(insert(catalog_import).on_conflict_do_nothing().returning(catalog_import.c.hash), columns=["hash"])
