"""Ids of the messages about documents; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class DocumentsMsg(MessageId):
    TAX_ID_KIND_UNKNOWN = "documents.tax_id_kind_unknown"
    LANGUAGE_UNKNOWN = "documents.language_unknown"
    TAX_ID_CORRECT = "documents.tax_id_correct"
    TAX_ID_INVALID = "documents.tax_id_invalid"
    CONVERTED_TO_NOTHING = "documents.converted_to_nothing"
    EXCHANGE_RATE_NOT_ONE = "documents.exchange_rate_not_one"
    EXCHANGE_SOURCE_WITHOUT_RATE = "documents.exchange_source_without_rate"
    CONVERTED_TOO_LARGE = "documents.converted_too_large"
