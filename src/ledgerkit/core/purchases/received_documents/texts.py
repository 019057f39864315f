"""Ids of the messages about received documents; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class ReceivedDocumentsMsg(MessageId):
    FILED = "received_documents.filed"
    PERIOD_FILED = "received_documents.period_filed"
    DAY_TOO_EARLY = "received_documents.day_too_early"
    RECTIFIES_CANCELLED = "received_documents.rectifies_cancelled"
    RETENTION_KIND_NEEDS_RETENTION = "received_documents.retention_kind_needs_retention"
    TRIANGULAR_NEEDS_EU_GOODS = "received_documents.triangular_needs_eu_goods"
