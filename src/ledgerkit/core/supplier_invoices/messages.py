"""Ids of the messages about supplier invoices; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class SupplierInvoicesMsg(MessageId):
    TOO_LARGE = "supplier_invoices.too_large"
    AMOUNT_DISAGREES = "supplier_invoices.amount_disagrees"
    AMOUNTS_DISAGREE = "supplier_invoices.amounts_disagree"
    SEND_AMOUNTS_ALONE = "supplier_invoices.send_amounts_alone"
    TOTAL_OR_ITEMS = "supplier_invoices.total_or_items"
    MORE_THAN_BALANCE = "supplier_invoices.more_than_balance"
    PAY_BALANCE = "supplier_invoices.pay_balance"
    PAID_IN_FULL = "supplier_invoices.paid_in_full"
    NUMBER_RECORDED = "supplier_invoices.number_recorded"
    NUMBER_RECORDED_AS = "supplier_invoices.number_recorded_as"
    CORRECT_OR_CANCEL = "supplier_invoices.correct_or_cancel"
    NEGATIVE = "supplier_invoices.negative"
    DAY_TOO_EARLY = "supplier_invoices.day_too_early"
    PAYMENT_TOO_FAR_AHEAD = "supplier_invoices.payment_too_far_ahead"
    RETENTION_DISAGREES = "supplier_invoices.retention_disagrees"
    SUBTOTAL_UNKNOWN = "supplier_invoices.subtotal_unknown"
    ALREADY_PAID = "supplier_invoices.already_paid"
    ALREADY_CANCELLED = "supplier_invoices.already_cancelled"
    CANCELLED = "supplier_invoices.cancelled"
    TAX_NOT_CHARGED = "supplier_invoices.tax_not_charged"
    TAX_DISAGREES = "supplier_invoices.tax_disagrees"
    PARTS_DISAGREE = "supplier_invoices.parts_disagree"
    IMPORT_DAY_AHEAD = "supplier_invoices.import_day_ahead"
