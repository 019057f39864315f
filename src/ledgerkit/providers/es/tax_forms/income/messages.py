"""Ids of the messages of the forms of income tax; their texts stand in Spain's catalogues."""

from ledgerkit.providers.es.messages import TEXTS
from ledgerkit.texts import MessageId


class IncomeFormMsg(MessageId, folder=TEXTS):
    BELOW_ZERO = "income_forms.below_zero"
    BOX_PAID = "income_forms.box_paid"
    BOX_PAYEES = "income_forms.box_payees"
    BOX_WITHHELD = "income_forms.box_withheld"
    COMPANY_INSTALMENT = "income_forms.company_instalment"
    COMPLEMENTARY_LOWER = "income_forms.complementary_lower"
    FARMING_MIXED = "income_forms.farming_mixed"
    FOREIGN_CURRENCY = "income_forms.foreign_currency"
    KIND_OTHER = "income_forms.kind_other"
    KIND_UNKNOWN = "income_forms.kind_unknown"
    LIFE_UNKNOWN = "income_forms.life_unknown"
    NET_INCOME_UNKNOWN = "income_forms.net_income_unknown"
    NON_RESIDENT = "income_forms.non_resident"
    NOT_DEDUCTIBLE = "income_forms.not_deductible"
    PAYEE_UNKNOWN = "income_forms.payee_unknown"
    PREVIOUS_DRAFT = "income_forms.previous_draft"
    PREVIOUS_MISSING = "income_forms.previous_missing"
    PRORRATA_ADJUSTMENT = "income_forms.prorrata_adjustment"
    REDUCED_PERCENT = "income_forms.reduced_percent"
    TYPE_ACCOUNT = "income_forms.type_account"
    TYPE_DEBIT = "income_forms.type_debit"
    TYPE_LATER = "income_forms.type_later"
    TYPE_NOT_ALLOWED = "income_forms.type_not_allowed"
    TYPE_NOTHING = "income_forms.type_nothing"
    TYPE_PAY = "income_forms.type_pay"
    VAT_ONLY = "income_forms.vat_only"
    WITHHELD_WHEN_PAID = "income_forms.withheld_when_paid"
