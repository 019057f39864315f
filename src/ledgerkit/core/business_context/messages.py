"""Ids of the messages about business context; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class BusinessContextMsg(MessageId):
    CHANGED = "business_context.changed"
    FULL = "business_context.full"
    NO_ENTRY = "business_context.no_entry"
