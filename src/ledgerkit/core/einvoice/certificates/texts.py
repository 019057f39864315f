"""Ids of the messages about certificates; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class CertificatesMsg(MessageId):
    ACCOUNT_IS_LIVE = "einvoice.certificates.account_is_live"
    FILE_NOT_BASE64 = "einvoice.certificates.file_not_base64"
    FILE_TOO_LARGE = "einvoice.certificates.file_too_large"
    ISSUER_WITHOUT_TAX_ID = "einvoice.certificates.issuer_without_tax_id"
    NONE_STORED = "einvoice.certificates.none_stored"
    NONE_OF_EARLIER_ISSUER = "einvoice.certificates.none_of_earlier_issuer"
    NOT_OF_EARLIER_ISSUER = "einvoice.certificates.not_of_earlier_issuer"
    OF_ANOTHER = "einvoice.certificates.of_another"
    OF_ANOTHER_HOLDER = "einvoice.certificates.of_another_holder"
    NOT_YET_VALID = "einvoice.certificates.not_yet_valid"
    RUN_OUT = "einvoice.certificates.run_out"
    SIGNS_UNSENT_RECORDS = "einvoice.certificates.signs_unsent_records"
    TOO_COSTLY = "einvoice.certificates.too_costly"
    WITHOUT_TAX_ID = "einvoice.certificates.without_tax_id"
