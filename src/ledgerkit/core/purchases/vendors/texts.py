"""Ids of the messages about vendors; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class VendorsMsg(MessageId):
    AMBIGUOUS = "vendors.ambiguous"
    EXISTS = "vendors.exists"
    ANOTHER_EXISTS = "vendors.another_exists"
    WITH_TAX_ID = "vendors.with_tax_id"
    WITHOUT_TAX_ID = "vendors.without_tax_id"
    USED_BY_EXPENSES = "vendors.used_by_expenses"
    USED_BY_SUPPLIER_INVOICES = "vendors.used_by_supplier_invoices"
