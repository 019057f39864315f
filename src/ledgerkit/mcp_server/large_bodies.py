"""Bounds of large messages: what the protocol would look at in many ways is first looked at in one, beside the loop.

The SDK compares what is no message with each of its shapes and writes down why it is none, which took a second for
13 MB. Only calls of tools are ever large: with a document or many rows, or with a file.
"""

import asyncio
from collections.abc import Mapping

from pydantic_core import from_json

from ledgerkit.core.platform.api_types.validation import no_json
from ledgerkit.core.platform.request.bodies import too_large
from ledgerkit.mcp_server.direct_calls import METHOD
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.tools import TOOLS
from ledgerkit.problems import Invalid

MESSAGE = 1 << 20
"""Most bytes of a message that calls no tool."""

DOCUMENT = 4 << 20
"""Most bytes of a call with a document of a thousand lines, or with rows."""

_FILES = frozenset({"image", "logo"})
"""Arguments that are files."""


async def check(body: bytes) -> None:
    """Check a body of any size. Raises Invalid for a large one that is no message, TooLarge for more than its kind."""
    if len(body) > MESSAGE:
        limit = await asyncio.to_thread(_limit, body)
        if limit is not None and len(body) > limit:
            raise too_large(limit)


def _limit(body: bytes) -> int | None:
    """Return the most bytes of a message of this kind; None for what the server's own limit bounds."""
    try:
        message = from_json(body, cache_strings=False)
    except ValueError:
        raise no_json() from None
    match message:
        case {"jsonrpc": "2.0", "method": str(method), "params": Mapping() as params}:
            if method != METHOD:
                return MESSAGE
            tool = TOOLS.get(name) if isinstance(name := params.get("name"), str) else None
            return None if tool and not _FILES.isdisjoint(tool.full_schema["properties"]) else DOCUMENT
        case _:
            raise Invalid.field("body", McpMsg.NO_MESSAGE)
