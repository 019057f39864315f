"""Acts on the catalogue, with the summaries that a person agrees to."""

from collections.abc import Mapping, Sequence

from ledgerkit.core.platform.imports.acts import counts
from ledgerkit.core.platform.request.acts import (
    Act,
    Changed,
    Fact,
    Json,
    Rehearsed,
    Stored,
    Summary,
    as_money,
    short,
)
from ledgerkit.core.platform.request.deletions import deletion
from ledgerkit.core.platform.request.field_facts import change, creation
from ledgerkit.core.platform.request.texts import AskMsg, FieldMsg
from ledgerkit.texts import text

_BY_ID = Stored("catalog.get", "item_id")
_MOST_NAMED = 6
"""Items that a summary of many names."""


async def _adjustment(rehearsed: Rehearsed) -> Summary:
    before, after = rehearsed.before, rehearsed.answer
    facts: list[Fact] = [(FieldMsg.STOCK, Changed(before.get("stock"), after.get("stock")))]
    name = short(after.get("name") or before.get("name"))
    return Summary(text(AskMsg.ADJUST_STOCK, name=name), facts, AskMsg.AFTER_ADJUSTING)


async def _adjustment_of_variant(rehearsed: Rehearsed) -> Summary:
    place = rehearsed.data.variant_index
    before, after = (_variant(record, place) for record in (rehearsed.before, rehearsed.answer))
    facts: list[Fact] = [
        (AskMsg.VARIANT, after.get("name")),
        (FieldMsg.STOCK, Changed(before.get("stock"), after.get("stock"))),
    ]
    name = short(rehearsed.answer.get("name"))
    return Summary(text(AskMsg.ADJUST_STOCK, name=name), facts, AskMsg.AFTER_ADJUSTING)


def _variant(record: Json, place: int) -> Json:
    variants: Sequence[Json] = record.get("variants") or []
    return variants[place] if place < len(variants) else {}


async def _adjustments(rehearsed: Rehearsed) -> Summary:
    moved = [entry for entry in rehearsed.entries if entry.action == "stock_changed"]
    facts: list[Fact] = [(AskMsg.COUNT, len(moved))]
    facts += [(short(entry.entity_label), _levels(entry.changes)) for entry in moved[:_MOST_NAMED]]
    if len(moved) > _MOST_NAMED:
        facts.append((AskMsg.OTHERS, len(moved) - _MOST_NAMED))
    return Summary(text(AskMsg.ADJUST_STOCKS), facts, AskMsg.AFTER_ADJUSTING)


def _levels(changed: Mapping[str, Json]) -> Changed:
    stock = changed.get("stock") or {}
    return Changed(stock.get("from"), stock.get("to"))


async def _import(rehearsed: Rehearsed) -> Summary:
    answer = rehearsed.answer
    facts = counts(AskMsg.COUNT, answer.get("imported"), answer, rehearsed)
    return Summary(text(AskMsg.IMPORT_ITEMS), facts, AskMsg.AFTER_CHANGE)


DEACTIVATION = deletion(
    AskMsg.KIND_CATALOG_ITEM,
    _BY_ID,
    lambda rehearsed: [
        (FieldMsg.SKU, rehearsed.before.get("sku")),
        (FieldMsg.UNIT_PRICE, as_money(rehearsed.before, "unitPrice")),
        (FieldMsg.STOCK, rehearsed.before.get("stock")),
    ],
    effect=AskMsg.DEACTIVATE,
    afterwards=AskMsg.AFTER_DEACTIVATING,
)
CREATION = creation(AskMsg.KIND_CATALOG_ITEM, AskMsg.AFTER_CREATING_ITEM)
CHANGE = change(AskMsg.KIND_CATALOG_ITEM, _BY_ID)
ADJUSTMENT = Act(summary=_adjustment, risk=None, asked_if=None, before=_BY_ID)
ADJUSTMENT_OF_VARIANT = Act(summary=_adjustment_of_variant, risk=None, asked_if=None, before=_BY_ID)
ADJUSTMENTS = Act(summary=_adjustments, risk=None, asked_if=None)
IMPORT = Act(summary=_import, risk=None, asked_if=None)
