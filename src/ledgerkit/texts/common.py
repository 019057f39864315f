"""Words that texts of all domains use."""

from ledgerkit.texts.messages import MessageId


class CommonMsg(MessageId):
    AND = "common.and"
    BETWEEN_VALUES = "common.between_values"
    CORRECT_FIELD = "common.correct_field"
    DAY = "common.day"
    DECIMAL_MARK = "common.decimal_mark"
    OR = "common.or"
    NONE = "common.none"


class CountedMsg(MessageId):
    """Nouns with their number, for texts that count several things."""

    ACCOUNTS = "counted.accounts", "count"
    CASH_REGISTERS = "counted.cash_registers", "count"
    CATALOG_ITEMS = "counted.catalog_items", "count"
    CLIENTS = "counted.clients", "count"
    DIFFERENCES = "counted.differences", "count"
    DOCUMENTS = "counted.documents", "count"
    DRAFTS = "counted.drafts", "count"
    EVENTS = "counted.events", "count"
    EXPENSES = "counted.expenses", "count"
    FISCAL_RECORDS = "counted.fiscal_records", "count"
    INVOICES = "counted.invoices", "count"
    PAYMENTS = "counted.payments", "count"
    RECORDS = "counted.records", "count"
    ROWS = "counted.rows", "count"
    SIGNATURES = "counted.signatures", "count"
    SUPPLIER_INVOICES = "counted.supplier_invoices", "count"
    TABLES = "counted.tables", "count"
    TAX_DECLARATIONS = "counted.tax_declarations", "count"
    USERS = "counted.users", "count"
    VENDORS = "counted.vendors", "count"
