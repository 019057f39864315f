"""Ids of the messages about activity; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class ActivityMsg(MessageId):
    NO_TEAM = "activity.no_team"
