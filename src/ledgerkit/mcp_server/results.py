"""A tool's result: the same JSON that REST answers, as structure and as text, failures included."""

from collections.abc import Mapping
from typing import Any

import structlog
from mcp.types import CallToolResult, ContentBlock, InputRequiredResult, ResourceLink, TextContent
from pydantic_core import to_json

from ledgerkit.core.platform.api_types.validation import printable
from ledgerkit.core.platform.database.outages import DATABASE_ERRORS, outage
from ledgerkit.core.platform.request.context import Context
from ledgerkit.mcp_server import answers, tools
from ledgerkit.mcp_server.answers import Json
from ledgerkit.mcp_server.arguments import read
from ledgerkit.mcp_server.confirmation import Conversation, confirmed
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.shapes import Keyed
from ledgerkit.mcp_server.tool import Confirmed, Tool
from ledgerkit.mcp_server.tools import TOOLS
from ledgerkit.problems import Internal, NotFound, Problem, broken

log = structlog.get_logger()


async def call(
    ctx: Context, name: str, arguments: Mapping[str, Any], dialogue: Conversation | None = None
) -> CallToolResult | InputRequiredResult:
    """Run the tool called `name`, or ask first. Never raises: a failure is a result with `isError` and a problem."""
    try:
        return await _run(_tool(ctx, name), ctx, arguments, dialogue or Conversation())
    except Problem as problem:
        return _refused(ctx, problem)
    except DATABASE_ERRORS as error:
        return _refused(ctx, outage(error) or _unexpected(name, error))
    except Exception as error:  # noqa: BLE001 - the SDK would answer without a body, and log without a request id
        return _refused(ctx, _unexpected(name, error))


def _tool(ctx: Context, name: str) -> Tool:
    if name not in TOOLS:
        raise NotFound(McpMsg.TOOL_UNKNOWN, name=printable(name), tools=", ".join(TOOLS))
    tools.check(ctx, TOOLS[name])
    return TOOLS[name]


async def _run(
    tool: Tool, ctx: Context, arguments: Mapping[str, Any], dialogue: Conversation
) -> CallToolResult | InputRequiredResult:
    typed_arguments = read(tool, arguments)
    if isinstance(typed_arguments, Keyed):
        ctx.request_metadata.idempotency_key = typed_arguments.idempotency_key

    async def run(inner: Context) -> Json:
        return answers.without_secrets(answers.as_json(await tool.run(inner, typed_arguments)))

    answer: Json | InputRequiredResult
    if tool.confirmed is Confirmed.NEVER:
        answer = answers.as_json(await tool.run(ctx, typed_arguments))
    else:
        assert tool.asked is not None, tool.name  # noqa: S101 - ours: whatever is confirmed has its question
        always = tool.confirmed is Confirmed.ALWAYS
        question = tool.asked.of(typed_arguments)
        answer = await confirmed(ctx, (tool.name, question), arguments, run, dialogue, always=always)
    if isinstance(answer, InputRequiredResult):
        return answer
    return _result(*answers.with_text(answer, typed_arguments, ctx.request_metadata.language), failed=False)


def _refused(ctx: Context, problem: Problem) -> CallToolResult:
    body = problem.body(request_id=ctx.request_metadata.request_id, language=ctx.request_metadata.language)
    return _result(body, to_json(body), failed=True)


def _unexpected(name: str, error: Exception) -> Internal:
    log.error("tool failed", tool=printable(name), exc_info=error)
    return broken()


def _result(body: Mapping[str, object], text: bytes, *, failed: bool) -> CallToolResult:
    """Some hosts read only the text, some only the structure."""
    content: list[ContentBlock] = [TextContent(type="text", text=text.decode())]
    if isinstance(resource := body.get("resource"), str):
        content.append(ResourceLink(type="resource_link", uri=resource, name=resource.rpartition("/")[2]))
    return CallToolResult(content=content, structured_content=dict(body), is_error=failed)
