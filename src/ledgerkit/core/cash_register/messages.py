"""Ids of the messages about cash register; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class CashRegisterMsg(MessageId):
    REFUND_DIFFERS = "cash_register.refund_differs"
    REFUND_EXCEEDS_PAYMENTS = "cash_register.refund_exceeds_payments"
    SUMS_TOO_LARGE = "cash_register.sums_too_large"
    CLOSED = "cash_register.closed"
    REFUND_CURRENCY = "cash_register.refund_currency"
    LINES_OF_TRADE_ONLY = "cash_register.lines_of_trade_only"
    LINES_DIFFER_FROM_AMOUNT = "cash_register.lines_differ_from_amount"
    REFUND_NEEDS_LINES = "cash_register.refund_needs_lines"
    CASH_ONLY = "cash_register.cash_only"
    MAKES_NO_INVOICE = "cash_register.makes_no_invoice"
    TO_BEFORE_FROM = "cash_register.to_before_from"
    ALREADY_OPEN = "cash_register.already_open"
