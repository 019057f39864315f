"""Ids of the messages about credentials; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class CredentialsMsg(MessageId):
    LINK_INVALID = "credentials.link_invalid"
