"""Call of a tool: its arguments are read, it runs, and its result is the JSON that REST answers, failures included."""

import json
import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

import structlog
from mcp.types import CallToolResult, ContentBlock, InputRequiredResult, ResourceLink, TextContent
from pydantic import ValidationError
from pydantic_core import to_json

from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.api_types.texts import FormMsg
from ledgerkit.core.platform.api_types.unknown_fields import (
    MOST_NAMED,
    UnknownField,
    alternatives,
    joined,
    unknown_fields,
)
from ledgerkit.core.platform.api_types.validation import field_error, field_errors, not_valid, printable, require_finite
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.database.outages import DATABASE_ERRORS, outage
from ledgerkit.core.platform.imports.cells import RowError, compact, number
from ledgerkit.core.platform.request.bodies import JsonMeasure
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.proposals import ProposedError
from ledgerkit.mcp_server import answers, tools, wording
from ledgerkit.mcp_server.conciseness import concise, refusal
from ledgerkit.mcp_server.confirmation import Conversation, agreement, asked
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.schemas import DETAIL, OTHER, Schema
from ledgerkit.mcp_server.shapes import Detailed, Keyed, Nothing
from ledgerkit.mcp_server.tool import Tool
from ledgerkit.mcp_server.tools import TOOLS
from ledgerkit.problems import FieldError, Internal, NotFound, Problem, broken
from ledgerkit.texts import text

log = structlog.get_logger()

_LONGEST_NUMBER = 40
"""Characters of a text that is looked at as a number."""

_TWO_NUMBERS = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
"""Text whose sign may be that of thousands or of decimals."""

_COUNTED = frozenset({"page", "offset", "nextPage"})
"""Fields that page by count in other APIs. Our pages may be cut, so a caller who counts would miss items."""


def read(tool: Tool, arguments: Mapping[str, Any]) -> Wire:
    """Return the arguments as the tool's shape. A field within `other` counts as one beside `other`.

    Raises Invalid naming every wrong field, unknown ones first: REST ignores those (interface decisions 0), but an
    agent that misspells `dueDate` would never learn that its date was dropped.
    """
    reading = _Reading(tool.full_schema)
    plain = reading.plain(tool.full_schema, reading.levelled(tool, arguments))
    require_finite(plain)
    unknown = islice(unknown_fields(tool.full_schema, plain), MOST_NAMED - len(reading.wrong))
    refused = [*reading.wrong, *(_paged_by_count(field) or field.error for field in unknown)]
    wrong: dict[tuple[str, str], FieldError] = {}
    shapes: list[type[Wire]] = [Detailed, tool.arguments]
    if tool.creates and plain.get("id") is None:
        shapes.insert(0, tool.creates)
    for shape in shapes:
        try:
            value = shape.model_validate(plain)
        except ValidationError as error:
            wrong |= {(field.field, field.code): field for field in field_errors(error.errors())}
    if refused or wrong:
        raise not_valid([*refused, *wrong.values()])
    return value


class _Reading:
    """Walks along a value and its schema; `wrong` are the fields that are given twice."""

    def __init__(self, root: Schema) -> None:
        self._definitions: Schema = root.get("$defs", {})
        self.wrong: list[FieldError] = []

    def levelled(self, tool: Tool, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments with the fields of OTHER moved to the top."""
        if OTHER not in tool.schema["properties"] or OTHER not in arguments:
            return arguments
        top = {name: value for name, value in arguments.items() if name != OTHER}
        others = {} if arguments[OTHER] is None else _parsed(arguments[OTHER], dict)
        if others is None:
            self.wrong.append(field_error(OTHER, "model_type", text(FormMsg.OBJECT)))
            return top
        twice = [name for name in others if name in top and others[name] != top[name]]
        self.wrong += [
            field_error(joined(OTHER, printable(name)), "given_twice", text(McpMsg.GIVEN_TWICE))
            for name in twice[:MOST_NAMED]
        ]
        return {**others, **top}

    def plain(self, schema: Schema, value: Any) -> Any:
        """Return `value`, with text parsed where the schema wants an object, a list or a number.

        Some hosts send nested arguments as JSON text, and some models numbers as they read them in a document.
        """
        kinds = alternatives(schema, self._definitions)
        types = {kind.get("type") for kind in kinds}
        if isinstance(value, str) and "number" in types and "string" not in types:
            return _number(value)
        for kind in kinds:
            if (expected_type := {"object": dict, "array": list}.get(kind.get("type", ""))) is None:
                continue
            parsed = _parsed(value, expected_type)
            if isinstance(parsed, Mapping):
                return self._object(kind, parsed)
            if isinstance(parsed, list):
                return [self.plain(kind.get("items", {}), element) for element in parsed]
        return value

    def _object(self, schema: Schema, value: Mapping[str, Any]) -> dict[str, Any]:
        any_name = schema.get("additionalProperties")
        if isinstance(any_name, Mapping):
            return {name: self.plain(any_name, element) for name, element in value.items()}
        properties: Schema = schema.get("properties", {})
        return {name: self.plain(properties.get(name, {}), element) for name, element in value.items()}


def _parsed(value: Any, expected_type: type) -> Any:
    """Return the object or list that `value` is, or holds as JSON text; None if it is neither."""
    if isinstance(value, str):
        try:
            JsonMeasure().add(value.encode())
            value = json.loads(value)
        except (ValueError, RecursionError, Problem):
            return None
    return value if isinstance(value, expected_type) else None


def _number(content: str) -> object:
    """Return the number in a text, as imports read it; the text itself, which is refused, for what may be two numbers.

    `40,00` is 40; `1.234` is a thousand and more to a Spaniard, and a little more than one to everybody else.
    """
    if len(content) > _LONGEST_NUMBER or _TWO_NUMBERS.fullmatch(compact(content)):
        return content
    try:
        return number(content, "")
    except RowError:
        return content


def _paged_by_count(field: UnknownField) -> FieldError | None:
    """Return the refusal of a field that pages by count, of a tool that pages by cursor; None for any other field."""
    if field.name not in _COUNTED or "cursor" not in field.known:
        return None
    return field_error(field.path, "extra_forbidden", text(McpMsg.PAGES_BY_CURSOR))


async def call(
    ctx: Context, name: str, arguments: Mapping[str, Any], dialogue: Conversation | None = None
) -> CallToolResult | InputRequiredResult:
    """Run the tool called `name`, or ask its user first. It never raises: a failure is a result with `isError`."""
    try:
        return await _run(_tool(ctx, name), ctx, arguments, dialogue or Conversation())
    except Problem as problem:
        return _refused(ctx, problem, arguments)
    except DATABASE_ERRORS as error:
        return _refused(ctx, outage(error) or _unexpected(name, error), arguments)
    except Exception as error:  # noqa: BLE001 - the SDK would answer without a body, and log without a request id
        return _refused(ctx, _unexpected(name, error), arguments)


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

    ctx.request_metadata.agreement = agreement(dialogue)
    try:
        answer = as_json(await tool.run(ctx, typed_arguments))
    except ProposedError as proposed:
        question = asked(ctx, proposed, dialogue)
        if isinstance(question, InputRequiredResult):
            return question
        answer = _with_preview(tool, question, None if _is_full(arguments) else ctx.request_metadata.language)
    language = ctx.request_metadata.language
    if not _is_full(arguments):
        answer = concise(answer, language)
    return _result(answer, typed_arguments, language)


def _with_preview(tool: Tool, question: Json, language: str | None) -> Json:
    """Return a question with its preview's answer as the tool shows it; in brief where a `language` is given."""
    preview = question.get("answer")
    if not preview:
        return question
    shown = tool.previewed(preview) if tool.previewed else preview
    return {**question, "answer": shown if language is None else concise(shown, language)}


def _is_full(arguments: Mapping[str, Any]) -> bool:
    return arguments.get(DETAIL) == "full"


def _refused(ctx: Context, problem: Problem, arguments: Mapping[str, Any]) -> CallToolResult:
    """Return the failure of a call: in brief, or in full detail with all that REST says."""
    request_id, language = ctx.request_metadata.request_id, ctx.request_metadata.language
    if _is_full(arguments):
        body = problem.body(request_id=request_id, language=language)
    else:
        body = refusal(problem, language, request_id)
    return _result(body, Nothing(), language, failed=True)


def _unexpected(name: str, error: Exception) -> Internal:
    log.error("tool failed", tool=printable(name), exc_info=error)
    return broken()


def _result(answer: Json, query: object, language: str, *, failed: bool = False) -> CallToolResult:
    """Return the answer both as text and as structure, because some hosts read only one of them."""
    answer, json_text = answers.with_text(answer, query, language)
    if wording.names_what_is_not_here(json_text):
        answer = wording.for_assistants(answer, language, is_ours=failed)
        json_text = to_json(answer)
    content: list[ContentBlock] = [TextContent(type="text", text=json_text.decode())]
    if isinstance(resource := answer.get("resource"), str):
        content.append(ResourceLink(type="resource_link", uri=resource, name=resource.rpartition("/")[2]))
    return CallToolResult(content=content, structured_content=answer, is_error=failed)
