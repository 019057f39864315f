"""Active items that the lines of a supplier invoice may mean: found by their words, and by their sku."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ARRAY, Text, any_, bindparam, func, or_, select

from ledgerkit.core.catalog.input import sku_key
from ledgerkit.core.catalog.table import catalog_item
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.records.search import search_word
from ledgerkit.core.platform.request.context import Context

MAX_CANDIDATES = 1_000
"""Most items among which lines are matched: those that have the most of the words."""


class CandidateRow(Row):
    id: UUID
    name: str
    sku: str | None
    barcode: str | None


async def candidates(ctx: Context, words: Sequence[str], skus: Sequence[str]) -> list[CandidateRow]:
    """Return the active items that have one of the folded `words`, or one of the `skus` whatever its case."""
    if not words and not skus:
        return []
    keys = sorted({key for sku in skus if (key := sku_key(sku))})
    return await _CANDIDATES.rows(ctx.db, words=list(words), skus=keys)


_WITH_WORDS = (
    select(search_word.c.entity_id)
    .where(
        search_word.c.kind == constant("catalog_item"),
        search_word.c.word == any_(bindparam("words", type_=ARRAY(Text))),
    )
    .group_by(search_word.c.entity_id)
    .order_by(func.count().desc(), search_word.c.entity_id)
    .limit(MAX_CANDIDATES)
)
_CANDIDATES = Prepared(
    select(catalog_item.c.id, catalog_item.c.name, catalog_item.c.sku, catalog_item.c.barcode)
    .where(
        catalog_item.c.is_active,
        or_(
            catalog_item.c.id.in_(_WITH_WORDS),
            catalog_item.c.sku_key == any_(bindparam("skus", type_=ARRAY(Text))),
        ),
    )
    .order_by(catalog_item.c.id)
    .limit(2 * MAX_CANDIDATES),
    CandidateRow,
)
