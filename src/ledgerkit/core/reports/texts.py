"""Ids of the messages about reports; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class ReportsMsg(MessageId):
    TO_BEFORE_FROM = "reports.to_before_from"
