"""Ids of the messages about calls in confined processes; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class ConfinedMsg(MessageId):
    TOO_MANY_FILES_WAITING = "confined.too_many_files_waiting"
