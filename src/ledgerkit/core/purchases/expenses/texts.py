"""Ids of the messages about expenses; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class ExpensesMsg(MessageId):
    AMOUNT_NEGATIVE = "expenses.amount_negative"
    TOO_LARGE = "expenses.too_large"
    CREDIT_NOTE_NOT_NEGATIVE = "expenses.credit_note_not_negative"
    EXCHANGE_RATE_MISSING = "expenses.exchange_rate_missing"
    PENDING_WITH_PAYMENT_DAY = "expenses.pending_with_payment_day"
    RECTIFIES_STAYS = "expenses.rectifies_stays"
    RECTIFIES_CREDIT_NOTES_ONLY = "expenses.rectifies_credit_notes_only"
    RECTIFIES_CREDIT_NOTE = "expenses.rectifies_credit_note"
    RETENTION_OUT_OF_BOUNDS = "expenses.retention_out_of_bounds"
    RETENTION_DISAGREES = "expenses.retention_disagrees"
    PRINTED_TAX_DISAGREES = "expenses.printed_tax_disagrees"
