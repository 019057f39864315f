"""Ids of the messages about requests that cannot be read; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class HttpServerMsg(MessageId):
    CONNECTIONS_EXHAUSTED = "http_server.connections_exhausted"
    HEAD_LATE = "http_server.head_late"
    HEAD_TOO_LARGE = "http_server.head_too_large"
    HOST_NOT_ONE = "http_server.host_not_one"
    REQUEST_MALFORMED = "http_server.request_malformed"
