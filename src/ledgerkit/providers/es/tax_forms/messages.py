"""Ids of the messages of the tax profile and of the forms' files; their texts stand in Spain's catalogues."""

from ledgerkit.providers.es.messages import TEXTS
from ledgerkit.texts import MessageId


class TaxProfileMsg(MessageId, folder=TEXTS):
    CHANGE_EMPTY = "tax_profile.change_empty"
    CHANGE_REPEATED = "tax_profile.change_repeated"
    COMPANY_HOME_LOAN = "tax_profile.company_home_loan"
    COMPANY_MODULES = "tax_profile.company_modules"
    ENDS_BEFORE_START = "tax_profile.ends_before_start"
    FIRST_NAME_ALONE = "tax_profile.first_name_alone"
    NIF_WRONG = "tax_profile.nif_wrong"
    PERCENT_WITHOUT_PRORRATA = "tax_profile.percent_without_prorrata"
    SPOUSE_MISSING = "tax_profile.spouse_missing"


class FilingMsg(MessageId, folder=TEXTS):
    """Notices about the authority of a form, and what the account can do about it."""

    FORAL = "filing.foral"
    FORAL_OWN_FORM = "filing.foral_own_form"
    OTHER_DOMICILE = "filing.other_domicile"
    OTHER_TAX = "filing.other_tax"
    OTHER_TAX_OWN_FORM = "filing.other_tax_own_form"
    SHARES = "filing.shares"
    THIRD_PARTIES_TOO = "filing.third_parties_too"
    UNKNOWN = "filing.unknown"
    VAT_TOO = "filing.vat_too"
    WORK = "filing.work"


class OfficialFileMsg(MessageId, folder=TEXTS):
    CONTACT = "official_file.contact"
    DESIGN_UNKNOWN = "official_file.design_unknown"
    IBAN = "official_file.iban"
    TYPE = "official_file.type"


class TaxFormMsg(MessageId, folder=TEXTS):
    """Words that the names of boxes and fields of several forms share."""

    BASE = "tax_form.base"
    CODE = "tax_form.code"
    PRORRATA_OPERATIONS = "tax_form.prorrata_operations"
    PRORRATA_PERCENT = "tax_form.prorrata_percent"
    PRORRATA_WITH_RIGHT = "tax_form.prorrata_with_right"
    QUOTA = "tax_form.quota"
    RECORD = "tax_form.record"
    ROW_AT_RATE = "tax_form.row_at_rate"
    SECTOR_ADJUSTMENT = "tax_form.sector_adjustment"
    SECTOR_DOMESTIC = "tax_form.sector_domestic"
    SECTOR_DOMESTIC_INVESTMENT = "tax_form.sector_domestic_investment"
    SECTOR_FARMERS = "tax_form.sector_farmers"
    SECTOR_IMPORTS = "tax_form.sector_imports"
    SECTOR_IMPORTS_INVESTMENT = "tax_form.sector_imports_investment"
    SECTOR_INTRA_EU = "tax_form.sector_intra_eu"
    SECTOR_INTRA_EU_INVESTMENT = "tax_form.sector_intra_eu_investment"
    SECTOR_RECTIFIED = "tax_form.sector_rectified"
    SECTOR_TOTAL = "tax_form.sector_total"
    YEAR = "tax_form.year"
