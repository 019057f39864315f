"""Ids of the messages about documents; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class DocumentsMsg(MessageId):
    TAX_ID_KIND_UNKNOWN = "documents.tax_id_kind_unknown"
    LANGUAGE_UNKNOWN = "documents.language_unknown"
