"""Ids of the messages about attachments; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class AttachmentsMsg(MessageId):
    NOT_A_DATA_URL = "attachments.not_a_data_url"
    NOT_BASE64 = "attachments.not_base64"
    EMPTY = "attachments.empty"
    TOO_LARGE = "attachments.too_large"
    TYPE_UNSUPPORTED = "attachments.type_unsupported"
    TYPE_AND_ID = "attachments.type_and_id"
    ATTACHED_ALREADY = "attachments.attached_already"
    TOO_MANY = "attachments.too_many", "most"
    NO_SPACE = "attachments.no_space"
    CONTENT_MISSING = "attachments.content_missing"
    CONTENT_LEFT = "attachments.content_left"
    STORE_UNREACHABLE = "attachments.store_unreachable"
