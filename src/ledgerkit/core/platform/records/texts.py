"""Ids of the messages about records; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class RecordsMsg(MessageId):
    LAST_INVOICE = "records.last_invoice"
    VERSION_CHANGED = "records.version_changed"
