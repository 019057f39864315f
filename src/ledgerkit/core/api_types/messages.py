"""Ids of the messages about api types; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class ApiTypesMsg(MessageId):
    BODY_NOT_DECLARED_JSON = "api_types.body_not_declared_json"
    BODY_NOT_JSON = "api_types.body_not_json"
    MORE_FIELDS = "api_types.more_fields"
    NOT_VALID = "api_types.not_valid"
