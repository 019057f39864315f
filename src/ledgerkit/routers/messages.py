"""Ids of the messages about requests; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class RoutersMsg(MessageId):
    IDEMPOTENCY_KEY_UNUSABLE = "routers.idempotency_key_unusable"
    IF_MATCH_UNUSABLE = "routers.if_match_unusable"
    PATH_UNKNOWN = "routers.path_unknown"
    METHOD_NOT_ALLOWED = "routers.method_not_allowed"
    PATH_UNUSABLE = "routers.path_unusable"
