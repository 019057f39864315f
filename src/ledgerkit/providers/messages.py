"""Ids of the messages about installed countries; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class ProvidersMsg(MessageId):
    UNUSABLE_API_VERSION = "providers.unusable_api_version"
    UNUSABLE_CODE = "providers.unusable_code"
    UNUSABLE_COUNTRY_TAKEN = "providers.unusable_country_taken"
    UNUSABLE_IMPORT = "providers.unusable_import"
    UNUSABLE_KIND = "providers.unusable_kind"
