"""Tool calls that are answered without the SDK's sessions, streams and copies, which saves time (docs/adr/0031).

The SDK's own functions check the call. If all of it is valid, it is answered here with the same bytes as the SDK's
answer. The SDK answers everything else: other methods, and calls with any fault.
"""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from secrets import token_hex
from typing import Any

from mcp.server import Server
from mcp.server.streamable_http import check_accept_headers
from mcp.shared.inbound import (
    MCP_PROTOCOL_VERSION_HEADER,
    InboundModernRoute,
    classify_inbound_request,
    find_duplicated_routing_header,
)
from mcp.types import (
    DEFAULT_NEGOTIATED_VERSION,
    CallToolRequestParams,
    CallToolResult,
    ClientCapabilities,
    ContentBlock,
    InputRequiredResult,
    JSONRPCMessage,
    JSONRPCRequest,
    RequestId,
    TextContent,
    jsonrpc_message_adapter,
)
from mcp_types import SERVER_INFO_META_KEY
from mcp_types.methods import serialize_server_result, validate_client_request
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic_core import from_json, to_json
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ledgerkit.core.platform.request.bodies import replayed

METHOD = "tools/call"


@dataclass(frozen=True)
class ToolCall:
    """A valid call. `capabilities` are the client's; None where the protocol revision does not send them."""

    request_id: RequestId
    version: str
    params: CallToolRequestParams
    capabilities: ClientCapabilities | None

    @property
    def is_modern(self) -> bool:
        """Return True for a revision without a handshake. Its answers have more fields and are pure ASCII."""
        return self.version in MODERN_PROTOCOL_VERSIONS


CallTool = Callable[[Request, ToolCall], Awaitable[CallToolResult | InputRequiredResult]]


class DirectCalls:
    """ASGI application between the gate, which passes the body in one piece, and the SDK's transport."""

    def __init__(self, call_tool: CallTool, server: Server, transport: ASGIApp) -> None:
        self._call_tool = call_tool
        self._server = server
        self._transport = transport
        self._frames: dict[tuple[str, bool], tuple[str, str, str, str]] = {}
        """Parts of an answer around its id, its text and its structure, by revision and failure."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body: bytes = (await receive())["body"]
        request = Request(scope)
        call = _plain_call(request, body)
        if call is None:
            await self._transport(scope, replayed(body, receive), send)
            return
        result = await self._call_tool(request, call)
        await Response(self._message(call, result), media_type="application/json")(scope, receive, send)

    def _message(self, call: ToolCall, result: CallToolResult | InputRequiredResult) -> str:
        """Return the answer as JSON: the real content in the frame of a small one, which the SDK has shaped."""
        if isinstance(result, InputRequiredResult):
            return self._shaped(call, call.request_id, result)
        text, *links = result.content
        assert isinstance(text, TextContent)  # noqa: S101 - our own results
        before_id, before_text, before_structure, end = self._frame(call, result, links)
        structure = _escaped(text.text) if call.is_modern else text.text
        request_id, words = _written(call, call.request_id), _written(call, text.text)
        return f"{before_id}{request_id}{before_text}{words}{before_structure}{structure}{end}"

    def _frame(
        self, call: ToolCall, result: CallToolResult, links: Sequence[ContentBlock]
    ) -> tuple[str, str, str, str]:
        """Return the parts of an answer around its id, its text and its structure; shaped once without links."""
        kind = (call.version, bool(result.is_error))
        if not links and kind in self._frames:
            return self._frames[kind]
        places = [token_hex(16) for _ in range(3)]  # random: nothing in a link can be taken for them
        small = CallToolResult(
            content=[TextContent(type="text", text=places[1]), *links],
            structured_content={places[2]: 0},
            is_error=result.is_error,
        )
        start, _, following = self._shaped(call, places[0], small).partition(f'"{places[0]}"')
        middle, _, following = following.partition(f'"{places[1]}"')
        ending, _, end = following.partition(f'{{"{places[2]}":0}}')
        frame = (start, middle, ending, end)
        if not links:
            self._frames[kind] = frame
        return frame

    def _shaped(self, call: ToolCall, request_id: RequestId, result: CallToolResult | InputRequiredResult) -> str:
        dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        shaped = serialize_server_result(METHOD, call.version, dumped)
        if call.is_modern:
            shaped["_meta"] = {**(shaped.get("_meta") or {}), SERVER_INFO_META_KEY: self._server.server_info_stamp}
        return _written(call, {"jsonrpc": "2.0", "id": request_id, "result": shaped})


def _written(call: ToolCall, value: object) -> str:
    return json.dumps(value, separators=(",", ":")) if call.is_modern else to_json(value).decode()


_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def _escaped(text: str) -> str:
    """Return JSON with every character escaped that is not ASCII; such characters occur only in its strings."""
    return text if text.isascii() else _NOT_ASCII.sub(lambda letters: encode_basestring_ascii(letters[0])[1:-1], text)


# ---------------------------------------------------------------- what came


def _plain_call(request: Request, body: bytes) -> ToolCall | None:
    """Return the call in `body`; None for what the SDK has to answer."""
    version = request.headers.get(MCP_PROTOCOL_VERSION_HEADER, DEFAULT_NEGOTIATED_VERSION)
    accepts_json, _ = check_accept_headers(request)
    if not accepts_json:
        return None
    try:
        if version in MODERN_PROTOCOL_VERSIONS:
            return _modern_call(request, json.loads(body))
        if version in HANDSHAKE_PROTOCOL_VERSIONS:
            return _checked(jsonrpc_message_adapter.validate_python(from_json(body), by_name=False), version, None)
    except (ValueError, RecursionError):  # what pydantic raises is a ValueError
        pass
    return None


def _modern_call(request: Request, decoded: Any) -> ToolCall | None:
    if find_duplicated_routing_header(request.headers.items()):
        return None
    message = JSONRPCRequest.model_validate(decoded)
    route = classify_inbound_request(decoded, headers=dict(request.headers))
    if not isinstance(route, InboundModernRoute):
        return None
    capabilities = ClientCapabilities.model_validate(route.client_capabilities, by_name=False)
    return _checked(message, route.protocol_version, capabilities)


def _checked(message: JSONRPCMessage, version: str, capabilities: ClientCapabilities | None) -> ToolCall | None:
    if not isinstance(message, JSONRPCRequest) or message.method != METHOD:
        return None
    validate_client_request(METHOD, version, message.params)
    params = CallToolRequestParams.model_validate(message.params, by_name=False)
    return ToolCall(message.id, version, params, capabilities)
