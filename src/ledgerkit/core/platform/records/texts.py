"""Ids of the messages about records; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class RecordsMsg(MessageId):
    VERSION_CHANGED = "records.version_changed"
