"""Ids of the messages about requests; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class RequestMsg(MessageId):
    BODY_COMPRESSED = "request.body_compressed"
    BODY_TOO_LARGE = "request.body_too_large"
    BODY_TOO_SLOW = "request.body_too_slow"
    CONNECTION_ENDED = "request.connection_ended"
    CREDENTIALS_MISSING = "request.credentials_missing"
    KEY_IN_USE = "request.key_in_use"
    KEY_IS_NO_LOGIN = "request.key_is_no_login"
    KEY_OF_ANOTHER_REGISTRATION = "request.key_of_another_registration"
    KEY_OF_ANOTHER_REQUEST = "request.key_of_another_request"
    KEY_OF_ANOTHER_SECRET = "request.key_of_another_secret"
    OUT_OF_SCOPE = "request.out_of_scope"
    REPEAT_OR_TAKE_NEW_KEY = "request.repeat_or_take_new_key"
    ROLE_MAY_NOT = "request.role_may_not"
    STRUCTURE_TOO_LARGE = "request.structure_too_large"
    TOO_MANY_VALUES = "request.too_many_values"
