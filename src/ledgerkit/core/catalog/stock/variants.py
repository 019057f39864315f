"""Variants of an item: each keeps its index for ever, whatever a caller sends."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from ledgerkit.core.catalog.api import VariantInput
from ledgerkit.core.catalog.table import StoredVariant
from ledgerkit.core.catalog.texts import CatalogMsg
from ledgerkit.money import ZERO
from ledgerkit.problems import Invalid

_Key = Callable[[str | None, str], str]
"""Function of a variant's sku and name, by whose result variants are matched."""

MAX_STORED = 1000
"""Most variants of an item, removed ones included."""


def merged(stored: Sequence[StoredVariant], sent: Sequence[VariantInput]) -> tuple[StoredVariant, ...]:
    """Return the variants after a change: matched ones at their index, new ones at the end, all others inactive."""
    matches = _matches(stored, sent)
    result = [variant.model_copy(update={"is_active": False}) for variant in stored]
    for number, variant in enumerate(sent):
        index = matches.get(number)
        values = {name: getattr(variant, name) for name in StoredVariant.model_fields}
        if index is None:
            result.append(StoredVariant.model_construct(**values))
        else:
            changed = {name: values[name] for name in variant.model_fields_set}
            result[index] = stored[index].model_copy(update={**changed, "is_active": variant.is_active})
    if len(result) > MAX_STORED:
        raise Invalid.field("variants", CatalogMsg.TOO_MANY_VARIANTS, most=MAX_STORED)
    return tuple(variant.model_copy(update={"sku": variant.sku or None}) for variant in result)


def total(variants: Iterable[StoredVariant]) -> Decimal | None:
    """Return the stock of all variants, removed ones included since their goods are still there; None if untracked."""
    levels = [variant.stock for variant in variants if variant.stock is not None]
    return sum(levels, ZERO) if levels else None


def _matches(stored: Sequence[StoredVariant], sent: Sequence[VariantInput]) -> dict[int, int]:
    """Return the index of the stored variant for each variant sent that matches one.

    First the one at the same index if it has the same sku or name, then one elsewhere with the same sku, then one with
    the same name. What is left matches the variant at the same index under a new name, unless that one is matched.
    """
    matches = {number: number for number, variant in enumerate(sent[: len(stored)]) if _equal(variant, stored[number])}
    for key in (_sku_key, _name_key):
        matched = set(matches.values())
        free = _indexes_by(key, ((index, variant) for index, variant in enumerate(stored) if index not in matched))
        for number, variant in enumerate(sent):
            indexes = free.get(key(variant.sku, variant.name), [])
            if number not in matches and indexes:
                matches[number] = indexes.pop(0)
    matched = set(matches.values())
    for number, (variant, stored_variant) in enumerate(zip(sent, stored, strict=False)):
        if number not in matches and number not in matched and _may_be_renamed(stored_variant, variant):
            matches[number] = number
    return matches


def _may_be_renamed(stored: StoredVariant, sent: VariantInput) -> bool:
    """Return True when `sent` may be the stored variant under a new name: not a removed one, nor one of another sku."""
    return stored.is_active and not (sent.sku and stored.sku and sent.sku != stored.sku)


def _indexes_by(key: _Key, variants: Iterable[tuple[int, StoredVariant]]) -> dict[str, list[int]]:
    """Return the indexes of variants by their key; those with an empty key are left out."""
    indexes: dict[str, list[int]] = {}
    for index, variant in variants:
        value = key(variant.sku, variant.name)
        if value:
            indexes.setdefault(value, []).append(index)
    return indexes


def _equal(sent: VariantInput, stored: StoredVariant) -> bool:
    same_sku = bool(sent.sku) and sent.sku == stored.sku
    return same_sku or _name_key(None, sent.name) == _name_key(None, stored.name)


def _sku_key(sku: str | None, _: str) -> str:
    return sku or ""


def _name_key(_: str | None, name: str) -> str:
    return name.casefold()
