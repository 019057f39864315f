"""Tools about records of several kinds."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ledgerkit.core.merging import operations as merging
from ledgerkit.core.merging.api import Duplicate
from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
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


TOOLS = (
    Tool(
        name="merge_records",
        title="Merge two records of one client or vendor",
        description=(
            "Merge (fusionar, unir, juntar) two records of one client or vendor that is there twice (duplicado, "
            "repetido): keepId stays, with the documents of both, and duplicateId goes. For good."
        ),
        scope=Scope.WRITE,
        operations=(merging.merge_clients, merging.merge_vendors),
        arguments=Merge,
        run=_merge,
    ),
)
