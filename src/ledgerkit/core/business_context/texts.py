"""Ids of the messages about business context; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class BusinessContextMsg(MessageId):
    CHANGED = "business_context.changed"
    ENTRY_CREATED = "business_context.entry_created"
    ENTRY_DELETED = "business_context.entry_deleted"
    ENTRY_UPDATED = "business_context.entry_updated"
    FULL = "business_context.full"
    NO_ENTRY = "business_context.no_entry"
