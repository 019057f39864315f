"""Ids of the messages about cash registers; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class CashRegisterMsg(MessageId):
    ALREADY_OPEN = "cash_register.already_open"
    CASH_ONLY = "cash_register.cash_only"
    CLOSED = "cash_register.closed"
    INVOICE_APART = "cash_register.invoice_apart"
    LINES_DIFFER_FROM_AMOUNT = "cash_register.lines_differ_from_amount"
    LINES_OF_TRADE_ONLY = "cash_register.lines_of_trade_only"
    MAKES_NO_INVOICE = "cash_register.makes_no_invoice"
    PRICE_IN_OTHER_CURRENCY = "cash_register.price_in_other_currency"
    PRICE_NEEDED = "cash_register.price_needed"
    REFUND_CANDIDATE = "cash_register.refund_candidate"
    REFUND_CURRENCY = "cash_register.refund_currency"
    REFUND_DIFFERS = "cash_register.refund_differs"
    REFUND_EXCEEDS_PAYMENTS = "cash_register.refund_exceeds_payments"
    REFUND_FITS_NONE = "cash_register.refund_fits_none"
    REFUND_FITS_SEVERAL = "cash_register.refund_fits_several"
    REFUND_NEEDS_LINES = "cash_register.refund_needs_lines"
    REFUND_TAKES_SALE = "cash_register.refund_takes_sale"
    SUMS_TOO_LARGE = "cash_register.sums_too_large"
    TAX_RATE_OF_NO_LINE = "cash_register.tax_rate_of_no_line"
    TO_BEFORE_FROM = "cash_register.to_before_from"
