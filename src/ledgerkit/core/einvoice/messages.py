"""Ids of texts about the state of e-invoices."""

from ledgerkit.texts import MessageId


class EInvoiceMsg(MessageId):
    NOT_EMITTED = "einvoice.not_emitted"
    OTHER_FISCAL_ID = "einvoice.other_fiscal_id"
