"""Ids of the messages of the VAT forms; their texts stand in Spain's catalogues."""

from ledgerkit.providers.es.messages import TEXTS
from ledgerkit.texts import MessageId


class VatMsg(MessageId, folder=TEXTS):
    TYPE_COMPENSATE = "vat.type_compensate"
    TYPE_DEBIT = "vat.type_debit"
    TYPE_NOTHING = "vat.type_nothing"
    TYPE_PAY = "vat.type_pay"
    TYPE_REFUND = "vat.type_refund"
    TYPE_REFUND_ABROAD = "vat.type_refund_abroad"
    TYPE_TAX_ACCOUNT_PAY = "vat.type_tax_account_pay"
    TYPE_TAX_ACCOUNT_REFUND = "vat.type_tax_account_refund"
    WARN_390_DIFFERS = "vat.warn_390_differs"
    WARN_390_PERIOD_MISSING = "vat.warn_390_period_missing"
    WARN_DEDUCTION_EXPIRED = "vat.warn_deduction_expired"
    WARN_DRAFT_PREVIOUS = "vat.warn_draft_previous"
    WARN_EXEMPT_WITHOUT_PRORRATA = "vat.warn_exempt_without_prorrata"
    WARN_FOREIGN_CURRENCY = "vat.warn_foreign_currency"
    WARN_INVESTMENT_GOOD_SMALL = "vat.warn_investment_good_small"
    WARN_INVESTMENT_GOOD_UNSAID = "vat.warn_investment_good_unsaid"
    WARN_INVESTMENT_GOODS = "vat.warn_investment_goods"
    WARN_MODULES = "vat.warn_modules"
    WARN_NO_AMENDED = "vat.warn_no_amended"
    WARN_NO_PREVIOUS = "vat.warn_no_previous"
    WARN_PRORRATA_PERCENT = "vat.warn_prorrata_percent"
    WARN_PRORRATA_SPECIAL = "vat.warn_prorrata_special"
    WARN_RATE_NOT_IN_FORCE = "vat.warn_rate_not_in_force"
    WARN_SIMPLIFIED_DEDUCTED = "vat.warn_simplified_deducted"
    WARN_SURCHARGE_REGIME = "vat.warn_surcharge_regime"
    WARN_TYPE_NOT_ALLOWED = "vat.warn_type_not_allowed"
    WARN_UNSIGNED_BELOW_ZERO = "vat.warn_unsigned_below_zero"


class UnboxedMsg(MessageId, folder=TEXTS):
    ANOTHER_TAX = "vat_unboxed.another_tax"
    EXEMPT = "vat_unboxed.exempt"
    NO_DEDUCTION = "vat_unboxed.no_deduction"
    NO_INVOICE = "vat_unboxed.no_invoice"
    NO_TAX = "vat_unboxed.no_tax"
    NO_TAX_LINES = "vat_unboxed.no_tax_lines"
    NO_VAT_NUMBER = "vat_unboxed.no_vat_number"
    NOT_SUBJECT = "vat_unboxed.not_subject"
    NO_RATE_BOX = "vat_unboxed.no_rate_box"
    REGIME_APART = "vat_unboxed.regime_apart"
    TRIANGULAR = "vat_unboxed.triangular"
    ZERO = "vat_unboxed.zero"
