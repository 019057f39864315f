"""Ids of messages about e-invoices, channels, rejections, the producer's statement and reconciliation."""

from ledgerkit.texts import MessageId


class EInvoiceMsg(MessageId):
    AUTHORITY_SILENT = "einvoice.authority_silent"
    CHANNEL_CANNOT_BE_ASKED = "einvoice.channel_cannot_be_asked"
    COUNTRY_OF_RECORDS_LEFT = "einvoice.country_of_records_left"
    COUNTRY_UNSUPPORTED = "einvoice.country_unsupported"
    ISSUER_WITHOUT_TAX_ID = "einvoice.issuer_without_tax_id"
    NOT_EMITTED = "einvoice.not_emitted"
    NOT_READY = "einvoice.not_ready"
    NO_RECORDS_OF_MONTH = "einvoice.no_records_of_month"
    NO_STATEMENTS = "einvoice.no_statements"
    OFF = "einvoice.off"
    OTHER_FISCAL_ID = "einvoice.other_fiscal_id"
    PRODUCER_NOT_CONFIGURED = "einvoice.producer_not_configured"
    STATEMENT_OF_VERSION_UNKNOWN = "einvoice.statement_of_version_unknown"
    WOULD_BE_REFUSED = "einvoice.would_be_refused"
