"""Variants of an item: each keeps its index for ever, whatever is sent."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from ledgerkit.core.catalog.messages import CatalogMsg
from ledgerkit.core.catalog.schemas import VariantInput
from ledgerkit.money import ZERO
from ledgerkit.problems import Invalid

_Mark = Callable[[str | None, str], str]
"""What a variant is known by: of its sku and name."""

MOST_KEPT = 1000
"""Removed ones included."""

_WIRE_NAMES = {
    "name": "name",
    "sku": "sku",
    "attributes": "attributes",
    "unit_price": "unitPrice",
    "stock": "stock",
    "is_active": "isActive",
}


def merged(stored: Sequence[Mapping[str, Any]], sent: Sequence[VariantInput]) -> list[dict[str, Any]]:
    """The variants after a change, in wire names: known ones at their index, new ones at the end, others inactive."""
    places = _places(stored, sent)
    result = [{**one, "isActive": False} for one in stored]
    for number, variant in enumerate(sent):
        place = places.get(number)
        if place is None:
            result.append(_new(variant))
        else:
            given = {_WIRE_NAMES[name]: getattr(variant, name) for name in variant.model_fields_set}
            result[place] = {**stored[place], **given, "isActive": variant.is_active}
    if len(result) > MOST_KEPT:
        raise Invalid.field("variants", CatalogMsg.TOO_MANY_VARIANTS, most_kept=MOST_KEPT)
    return [{**one, "sku": one["sku"] or None} for one in result]


def total(variants: Iterable[Mapping[str, Any]]) -> Decimal | None:
    """The stock of all of them, removed ones included, since their goods are still there. None: none is tracked."""
    levels = [Decimal(one["stock"]) for one in variants if one["stock"] is not None]
    return sum(levels, ZERO) if levels else None


def _new(variant: VariantInput) -> dict[str, Any]:
    return {wire: getattr(variant, name) for name, wire in _WIRE_NAMES.items()}


def _places(stored: Sequence[Mapping[str, Any]], sent: Sequence[VariantInput]) -> dict[int, int]:
    """Which stored variant each of those sent is.

    The one at its own index if it has the same sku or name, else one elsewhere that has the same sku, else the same
    name; what is left is the one at its own index, renamed, unless that one is known otherwise.
    """
    found = {number: number for number, variant in enumerate(sent[: len(stored)]) if _same(variant, stored[number])}
    for mark in (_sku, _name):
        taken = set(found.values())
        free = _by(mark, ((place, one) for place, one in enumerate(stored) if place not in taken))
        for number, variant in enumerate(sent):
            places = free.get(mark(variant.sku, variant.name), [])
            if number not in found and places:
                found[number] = places.pop(0)
    taken = set(found.values())
    for number, (variant, one) in enumerate(zip(sent, stored, strict=False)):
        if number not in found and number not in taken and _renamed(variant, one):
            found[number] = number
    return found


def _renamed(variant: VariantInput, one: Mapping[str, Any]) -> bool:
    """Whether a variant may be the one at its index under another name: not a removed one, nor one of another sku."""
    return bool(one["isActive"]) and not (variant.sku and one["sku"] and variant.sku != one["sku"])


def _by(mark: _Mark, variants: Iterable[tuple[int, Mapping[str, Any]]]) -> dict[str, list[int]]:
    """Places of variants by what they are known by."""
    places: dict[str, list[int]] = {}
    for place, one in variants:
        key = mark(one["sku"], one["name"])
        if key:
            places.setdefault(key, []).append(place)
    return places


def _same(variant: VariantInput, one: Mapping[str, Any]) -> bool:
    alike = _sku(variant.sku, "") and _sku(variant.sku, "") == _sku(one["sku"], "")
    return bool(alike) or _name(None, variant.name) == _name(None, one["name"])


def _sku(sku: str | None, _: str) -> str:
    return sku or ""


def _name(_: str | None, name: str) -> str:
    return name.casefold()
