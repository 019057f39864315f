"""Ids of the messages about mail; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class MailMsg(MessageId):
    NOT_WRITTEN = "mail.not_written"
