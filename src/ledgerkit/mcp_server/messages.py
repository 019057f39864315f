"""Ids of the messages about mcp; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class McpMsg(MessageId):
    KEY_MISSING = "mcp.key_missing"
    METHOD_NOT_ALLOWED = "mcp.method_not_allowed"
    TOOL_UNKNOWN = "mcp.tool_unknown"
    ORIGIN_REFUSED = "mcp.origin_refused"
    HOST_UNKNOWN = "mcp.host_unknown"
    UNKNOWN_FIELD = "mcp.unknown_field"
    UNKNOWN_FIELD_SIMILAR = "mcp.unknown_field_similar"
    NOT_AN_API_KEY = "mcp.not_an_api_key"
