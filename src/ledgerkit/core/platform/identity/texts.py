"""Ids of the messages about identity; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class IdentityMsg(MessageId):
    EMAIL_TAKEN = "identity.email_taken"
    WRONG_CREDENTIALS = "identity.wrong_credentials"
    TOO_MANY_REQUESTS = "identity.too_many_requests", "amount", "reset"
    WRONG_PASSWORD = "identity.wrong_password"
    REGISTRATION_CLOSED = "identity.registration_closed"
    TOO_MANY_PASSWORD_CHECKS = "identity.too_many_password_checks"
    NOT_A_MEMBER = "identity.not_a_member"
    TOKEN_INVALID = "identity.token_invalid"
    TOKEN_ENDED = "identity.token_ended"
    KEY_MALFORMED = "identity.key_malformed"
    KEY_REPLACED = "identity.key_replaced"
    KEY_UNKNOWN = "identity.key_unknown"
    KEY_EXPIRED = "identity.key_expired"
    CREATE_ANOTHER_KEY = "identity.create_another_key"
    ACCESS_TOKEN_FOR_MCP = "identity.access_token_for_mcp"
    USER_DELETED = "identity.user_deleted"
    LOG_IN_AGAIN = "identity.log_in_again"
    PASSWORD_NEEDED = "identity.password_needed"
    PASSWORD_BLANK = "identity.password_blank"
    PASSWORD_IS_EMAIL = "identity.password_is_email"
    PASSWORD_IS_OWN_NAME = "identity.password_is_own_name"
    PASSWORD_COMMON = "identity.password_common"
