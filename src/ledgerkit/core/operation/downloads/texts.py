"""Ids of the messages about links to documents; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class DownloadsMsg(MessageId):
    LINK_INVALID = "downloads.link_invalid"
    ID_NEEDED = "downloads.id_needed"
