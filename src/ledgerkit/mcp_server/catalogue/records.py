"""Tools about records of several kinds."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from ledgerkit.core.merging import operations as merging
from ledgerkit.core.merging.api import Duplicate
from ledgerkit.core.platform.api_types.fields import ONE_LINE, PRINTABLE, ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.records.search import MAX_QUERY
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.searching import operations as searching
from ledgerkit.core.searching.api import MOST_PER_TYPE, USUAL_PER_TYPE, RecordType
from ledgerkit.mcp_server.answers import continued
from ledgerkit.mcp_server.shapes import Confirmable, body_of
from ledgerkit.mcp_server.tool import Tool


class Mergeable(StrEnum):
    CLIENT = "client"
    VENDOR = "vendor"


class Merge(Confirmable, Duplicate):
    """The record that stays and its duplicate, which is removed."""

    type: Mergeable
    keep_id: Annotated[ShortText, Field(min_length=1)]


async def _merge(ctx: Context, arguments: Merge) -> object:
    duplicate = body_of(Duplicate, arguments)
    if arguments.type is Mergeable.CLIENT:
        return await merging.merge_clients(ctx, arguments.keep_id, duplicate)
    return await merging.merge_vendors(ctx, arguments.keep_id, duplicate)


READ_BY: Mapping[RecordType, str] = {
    RecordType.CLIENT: "get_client",
    RecordType.INVOICE: "get_invoice",
    RecordType.VENDOR: "get_vendor",
    RecordType.SUPPLIER_INVOICE: "get_supplier_invoice",
    RecordType.EXPENSE: "get_expense",
    RecordType.CATALOG_ITEM: "list_catalog_items",
    RecordType.TASK: "get_task",
    RecordType.TAX_DECLARATION: "get_tax_declaration",
    RecordType.CONTEXT_ENTRY: "get_business_context",
}
"""Tool that reads a record of each type."""


class Search(Wire):
    """Words, a number or an amount; `types` are those to search, all by default."""

    q: Annotated[str, StringConstraints(min_length=1, max_length=MAX_QUERY), PRINTABLE, ONE_LINE]
    types: list[RecordType] | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_PER_TYPE)] = USUAL_PER_TYPE


_LISTED_BY: Mapping[RecordType, str] = {
    RecordType.CLIENT: "list_clients",
    RecordType.INVOICE: "list_invoices",
    RecordType.VENDOR: "list_vendors",
    RecordType.SUPPLIER_INVOICE: "list_supplier_invoices",
    RecordType.EXPENSE: "list_expenses",
    RecordType.CATALOG_ITEM: "list_catalog_items",
}
"""Tool that lists the records with the same words."""

_LISTED: Mapping[RecordType, str] = {
    RecordType.TASK: "list_tasks",
    RecordType.TAX_DECLARATION: "list_tax_declarations",
    RecordType.CONTEXT_ENTRY: "get_business_context",
}
"""Tool that lists the records of a type of which no list takes words."""


async def _search(ctx: Context, arguments: Search) -> Json:
    """Return the hits, each with the tool that reads it, and the calls that show more of a type."""
    result = as_json(await searching.find(ctx, arguments.q, arguments.types or (), arguments.limit))
    items = [{**hit, "tool": READ_BY[RecordType(hit["type"])]} for hit in result["items"]]
    more = [{"type": kind, **_further(arguments, RecordType(kind))} for kind in result["more"]]
    return {"items": items, "more": more}


def _further(search: Search, kind: RecordType) -> Json:
    """Return the call that shows more hits of a type: the longest search of it alone, and then the list."""
    if search.limit < MOST_PER_TYPE:
        return continued("search", q=search.q, types=[kind], limit=MOST_PER_TYPE)
    if kind in _LISTED:
        return continued(_LISTED[kind])
    is_amount = not any(character.isalpha() for character in search.q)
    return continued(_LISTED_BY[kind], **({} if is_amount else {"search": search.q}))


TOOLS = (
    Tool(
        name="merge_records",
        title="Merge duplicates (fusionar)",
        description=(
            "Merge two clients or vendors that are the same into one, documents too (dos mismo solo veces repetido "
            "ficha duplicado; same two twice together got double put join keep both person)."
        ),
        scope=Scope.WRITE,
        operations=(merging.merge_clients, merging.merge_vendors),
        arguments=Merge,
        run=_merge,
    ),
    Tool(
        name="search",
        title="Search everything",
        description=(
            "Search all records by words, number or amount (algo busca palabra todo encuentra ponga cliente aparece "
            "ver sitio cualquier tengo programa salió rastrea; where anything find look something whatever anywhere "
            "somewhere write everywhere note customer)."
        ),
        scope=Scope.READ,
        operations=(searching.find,),
        arguments=Search,
        run=_search,
    ),
)
