"""A tool's result: the same JSON that REST answers, as structure and as text, failures included."""

from collections.abc import Mapping
from typing import Any

import structlog
from mcp.types import CallToolResult, TextContent
from pydantic_core import to_json

from ledgerkit.core.api_types.validation import printable
from ledgerkit.core.database.outages import DATABASE_ERRORS, outage
from ledgerkit.core.request.context import Context
from ledgerkit.mcp_server.arguments import read
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.shapes import Keyed
from ledgerkit.mcp_server.tools import TOOLS, Json, Tool
from ledgerkit.problems import Internal, NotFound, Problem, broken

log = structlog.get_logger()


async def call(ctx: Context, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
    """Run the tool called `name`. Never raises: what goes wrong is a result with `isError` and a problem's body."""
    try:
        return _result(await _run(_tool(name), ctx, arguments), failed=False)
    except Problem as problem:
        return _refused(ctx, problem)
    except DATABASE_ERRORS as error:
        return _refused(ctx, outage(error) or _unexpected(name, error))
    except Exception as error:  # noqa: BLE001 - the SDK would answer without a body, and log without a request id
        return _refused(ctx, _unexpected(name, error))


def _tool(name: str) -> Tool:
    if name not in TOOLS:
        tools = ", ".join(TOOLS)
        raise NotFound(McpMsg.TOOL_UNKNOWN, name=printable(name), tools=tools)
    return TOOLS[name]


async def _run(tool: Tool, ctx: Context, arguments: Mapping[str, Any]) -> Json:
    typed_arguments = read(tool.argument_type, tool.schema, arguments)
    if isinstance(typed_arguments, Keyed):
        ctx.request_metadata.idempotency_key = typed_arguments.idempotency_key
    return await tool.run(ctx, typed_arguments)


def _refused(ctx: Context, problem: Problem) -> CallToolResult:
    body = problem.body(request_id=ctx.request_metadata.request_id, language=ctx.request_metadata.language)
    return _result(body, failed=True)


def _unexpected(name: str, error: Exception) -> Internal:
    log.error("tool failed", tool=printable(name), exc_info=error)
    return broken()


def _result(body: Mapping[str, object], *, failed: bool) -> CallToolResult:
    """Some hosts read only the text, some only the structure."""
    text = TextContent(type="text", text=to_json(body).decode())
    return CallToolResult(content=[text], structured_content=dict(body), is_error=failed)
