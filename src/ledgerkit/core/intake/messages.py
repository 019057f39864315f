"""Ids of the messages about documents that are read; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class IntakeMsg(MessageId):
    NOTHING_TO_CATEGORIZE = "intake.nothing_to_categorize"
    NO_DATA_URL = "intake.no_data_url"
    NO_BASE64 = "intake.no_base64"
    KIND_REFUSED = "intake.kind_refused"
    IMAGE_TOO_LARGE = "intake.image_too_large"
    UNREADABLE = "intake.unreadable"
    NOTHING_READ = "intake.nothing_read"
    NOT_KEPT = "intake.not_kept"
    SAME_ITEM = "intake.same_item"
    SAME_IMAGE_READ = "intake.same_image_read"
    SAME_EXPENSE = "intake.same_expense"
    SAME_SUPPLIER_INVOICE = "intake.same_supplier_invoice"
    AMOUNTS_DISAGREE = "intake.amounts_disagree"
    VENDOR_MISSING = "intake.vendor_missing"
    VENDOR_NOT_ALLOWED = "intake.vendor_not_allowed"
    VENDOR_TAX_ID_UNUSABLE = "intake.vendor_tax_id_unusable"
    INVOICE_DATE_MISSING = "intake.invoice_date_missing"
    INVOICE_TOTAL_MISSING = "intake.invoice_total_missing"
    INVOICE_NOT_ALLOWED = "intake.invoice_not_allowed"
    INVOICE_REFUSED = "intake.invoice_refused"
    INVOICE_WITHOUT_LINES = "intake.invoice_without_lines"
    INVOICE_AMOUNTS_UNUSABLE = "intake.invoice_amounts_unusable"
