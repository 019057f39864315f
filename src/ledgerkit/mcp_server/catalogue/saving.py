"""Tools that create a record, or change the one whose id they get."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.request.context import Context
from ledgerkit.mcp_server.answers import Json, as_json
from ledgerkit.mcp_server.shapes import body_of
from ledgerkit.mcp_server.tool import Run

New = TypeVar("New", bound=Wire)
Change = TypeVar("Change", bound=Wire)


def saving(
    create: Callable[[Context, New], Awaitable[object]],
    new_shape: type[New],
    update: Callable[[Context, str, Change], Awaitable[object]],
    change_shape: type[Change],
) -> Run:
    """Return the call of `update` for arguments with an id, and of `create` for others; each by its own shape."""

    async def save(ctx: Context, arguments: Any) -> Json:
        if arguments.id is None:
            return as_json(await create(ctx, body_of(new_shape, arguments)))
        return as_json(await update(ctx, arguments.id, body_of(change_shape, arguments)))

    return save
