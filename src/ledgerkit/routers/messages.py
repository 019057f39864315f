"""Ids of the messages about requests; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class RoutersMsg(MessageId):
    CSRF_TOKEN_WRONG = "routers.csrf_token_wrong"
    PAGE_OF_ANOTHER_SITE = "routers.page_of_another_site"
    DRY_RUN_ELSEWHERE = "routers.dry_run_elsewhere"
    DRY_RUN_UNUSABLE = "routers.dry_run_unusable"
    IDEMPOTENCY_KEY_UNUSABLE = "routers.idempotency_key_unusable"
    IF_MATCH_UNUSABLE = "routers.if_match_unusable"
    PATH_UNKNOWN = "routers.path_unknown"
    METHOD_NOT_ALLOWED = "routers.method_not_allowed"
    PATH_UNUSABLE = "routers.path_unusable"
