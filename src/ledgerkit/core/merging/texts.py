"""Ids of the messages about merging; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class MergingMsg(MessageId):
    ONE_RECORD = "merging.one_record"
    OTHER_TAX_ID = "merging.other_tax_id"
