"""/api/search."""

from typing import Annotated

from fastapi import Query

from ledgerkit.core.platform.api_types.fields import PRINTABLE
from ledgerkit.core.platform.records.search import MAX_QUERY
from ledgerkit.core.searching import operations as searching
from ledgerkit.core.searching.api import MOST_PER_TYPE, USUAL_PER_TYPE, RecordType, SearchResult
from ledgerkit.routers.deps import Ctx
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/search", tags=["Search"], about="One search over the records of all kinds.")

Words = Annotated[
    str,
    Query(min_length=1, max_length=MAX_QUERY, description="Words, a number, or an amount as `1.234,56`"),
    PRINTABLE,
]
Types = Annotated[list[RecordType] | None, Query(description="Types to search, repeated for several; default all")]
PerType = Annotated[int, Query(ge=1, le=MOST_PER_TYPE, description="Most hits of each type")]


@router.get("", operation=searching.find, operation_id="search")
async def search(ctx: Ctx, q: Words, types: Types = None, limit: PerType = USUAL_PER_TYPE) -> SearchResult:
    """Find records of all kinds by words, numbers and amounts. Types that the role may not read are left out."""
    return await searching.find(ctx, q, types or (), limit)
