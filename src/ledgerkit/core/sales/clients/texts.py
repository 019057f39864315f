"""Ids of the messages about clients."""

from ledgerkit.texts import MessageId


class ClientsMsg(MessageId):
    EXISTS = "clients.exists"
