"""Ids of the messages about data that a tax agency's file cannot hold; their texts stand in Spain's catalogues."""

from ledgerkit.providers.es.messages import TEXTS
from ledgerkit.texts import MessageId


class LayoutMsg(MessageId, folder=TEXTS):
    AMOUNT_DECIMALS = "tax_file.amount_decimals"
    AMOUNT_NEGATIVE = "tax_file.amount_negative"
    AMOUNT_TOO_LARGE = "tax_file.amount_too_large"
    CHARACTERS = "tax_file.characters"
    DIGITS_ONLY = "tax_file.digits_only"
    MISSING = "tax_file.missing"
    MISSING_OF_RECORD = "tax_file.missing_of_record"
    NOT_AN_AMOUNT = "tax_file.not_an_amount"
    ONE_OF_MISSING = "tax_file.one_of_missing"
    PAGE_ABSENT = "tax_file.page_absent"
    TOO_LONG = "tax_file.too_long", "length"
