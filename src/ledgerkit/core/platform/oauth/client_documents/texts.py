"""Ids of the messages about documents that describe a client; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class ClientDocumentMsg(MessageId):
    URL_UNUSABLE = "client_documents.url_unusable"
    HOST_UNKNOWN = "client_documents.host_unknown"
    ADDRESS_NOT_PUBLIC = "client_documents.address_not_public"
    UNREACHABLE = "client_documents.unreachable"
    SLOW = "client_documents.slow"
    REDIRECTED = "client_documents.redirected"
    STATUS = "client_documents.status"
    NOT_JSON = "client_documents.not_json"
    TOO_LONG = "client_documents.too_long"
    FIELD_INVALID = "client_documents.field_invalid"
    OTHER_CLIENT = "client_documents.other_client"
    NOT_PUBLIC_CLIENT = "client_documents.not_public_client"
    REDIRECT_REFUSED = "client_documents.redirect_refused"
    BUSY = "client_documents.busy"
