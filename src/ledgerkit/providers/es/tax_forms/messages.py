"""Ids of the messages of the tax profile and of the forms' files; their texts stand in Spain's catalogues."""

from ledgerkit.providers.es.messages import TEXTS
from ledgerkit.texts import MessageId


class TaxProfileMsg(MessageId, folder=TEXTS):
    CHANGE_EMPTY = "tax_profile.change_empty"
    CHANGE_REPEATED = "tax_profile.change_repeated"
    COMPANY_HOME_LOAN = "tax_profile.company_home_loan"
    COMPANY_MODULES = "tax_profile.company_modules"
    ENDS_BEFORE_START = "tax_profile.ends_before_start"
    PERCENT_WITHOUT_PRORRATA = "tax_profile.percent_without_prorrata"


class OfficialFileMsg(MessageId, folder=TEXTS):
    DESIGN_UNKNOWN = "official_file.design_unknown"
    IBAN = "official_file.iban"
    TYPE = "official_file.type"
