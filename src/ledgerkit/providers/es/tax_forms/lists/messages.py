"""Ids of the messages of the declarations that are lists; their texts stand in Spain's catalogues."""

from ledgerkit.providers.es.messages import TEXTS
from ledgerkit.texts import MessageId


class ListFormMsg(MessageId, folder=TEXTS):
    BASE_BELOW_ZERO = "list_forms.base_below_zero"
    CORRECTED_UNKNOWN = "list_forms.corrected_unknown"
    EMPLOYEE_DETAILS = "list_forms.employee_details"
    EMPLOYEE_MISSING = "list_forms.employee_missing"
    LEASED_PROPERTY = "list_forms.leased_property"
    MONTHLY_PERIODS = "list_forms.monthly_periods"
    PARTY_UNKNOWN = "list_forms.party_unknown"
    PROPERTY_UNKNOWN = "list_forms.property_unknown"
    PROPERTY_MISSING = "list_forms.property_missing"
    PROVINCE_UNKNOWN = "list_forms.province_unknown"
    RATE_UNUSUAL = "list_forms.rate_unusual"
    SEVERAL_CORRECTED = "list_forms.several_corrected"
    TRIANGULAR_PURCHASE = "list_forms.triangular_purchase"
    UNREFERENCED_CREDIT = "list_forms.unreferenced_credit"
    VAT_NUMBER_UNKNOWN = "list_forms.vat_number_unknown"
