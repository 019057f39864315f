"""Ids of the messages about API keys; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class ApiKeysMsg(MessageId):
    NOT_FOUND = "api_keys.not_found"
    EXPIRES_IN_THE_PAST = "api_keys.expires_in_the_past"
    TOO_MANY = "api_keys.too_many"
