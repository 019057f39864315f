"""Ids of the messages about AI actions and the model server; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class AiMsg(MessageId):
    OUT_OF_TOKENS = "ai.out_of_tokens", "limit"
    ASK_OPERATOR = "ai.ask_operator"
    TOP_UP_AT = "ai.top_up_at"
    NOT_CONFIGURED = "ai.not_configured"
    MODEL_BUSY = "ai.model_busy"
    MODEL_FAILED = "ai.model_failed"
    MODEL_TIMEOUT = "ai.model_timeout"
    MODEL_UNREACHABLE = "ai.model_unreachable"
    MODEL_MISCONFIGURED = "ai.model_misconfigured"
    MODEL_UNREADABLE = "ai.model_unreadable"
