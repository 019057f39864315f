"""Ids of the messages of the cross-checks; their texts are in Spain's catalogues."""

from ledgerkit.providers.es.messages import TEXTS
from ledgerkit.texts import MessageId


class CrossCheckMsg(MessageId, folder=TEXTS):
    BASES = "cross_checks.bases"
    DEDUCTIBLE_COSTS = "cross_checks.deductible_costs"
    DEDUCTIBLE_VAT = "cross_checks.deductible_vat"
    EU_PURCHASES = "cross_checks.eu_purchases"
    EU_SALES = "cross_checks.eu_sales"
    INCOME = "cross_checks.income"
    PAID = "cross_checks.paid"
    PAYEES = "cross_checks.payees"
    RENT_BASE = "cross_checks.rent_base"
    RENT_WITHHELD = "cross_checks.rent_withheld"
    SALES_WITHOUT_VAT = "cross_checks.sales_without_vat"
    VAT_DUE = "cross_checks.vat_due"
    VAT_RESULT = "cross_checks.vat_result"
    WITHHELD = "cross_checks.withheld"


class SideMsg(MessageId, folder=TEXTS):
    """Names of what is compared."""

    BOOKS = "cross_checks.books"
    FORM = "cross_checks.form"
    INVESTMENT_BOOK = "cross_checks.investment_book"
    ISSUED_BOOK = "cross_checks.issued_book"
    PROVISION = "cross_checks.provision"
    RECEIVED_BOOK = "cross_checks.received_book"
    RECORDS = "cross_checks.records"


class RemedyMsg(MessageId, folder=TEXTS):
    """Advice about a difference."""

    EU_PURCHASES = "cross_checks.remedy_eu_purchases"
    EU_SALES = "cross_checks.remedy_eu_sales"
    INSTALMENT = "cross_checks.remedy_instalment"
    PAYEES = "cross_checks.remedy_payees"
    VAT = "cross_checks.remedy_vat"
    WITHHELD = "cross_checks.remedy_withheld"
