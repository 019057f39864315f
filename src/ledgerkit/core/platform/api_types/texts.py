"""Ids of the messages about types of the API; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class ApiTypesMsg(MessageId):
    BODY_NOT_DECLARED_JSON = "api_types.body_not_declared_json"
    BODY_NOT_JSON = "api_types.body_not_json"
    MORE_FIELDS = "api_types.more_fields"
    NOT_VALID = "api_types.not_valid"


class FormMsg(MessageId):
    """Requirements of a request's fields."""

    ADDRESS = "form.address"
    ASCII = "form.ascii"
    CHARACTERS_AT_LEAST = "form.characters_at_least", "min_length"
    CHARACTERS_AT_MOST = "form.characters_at_most", "max_length"
    CHOICE = "form.choice"
    CONTROL_CHARACTERS = "form.control_characters"
    COUNTRY = "form.country"
    CURRENCY = "form.currency"
    DATE = "form.date"
    DETAIL = "form.detail"
    DAY_OUT_OF_RANGE = "form.day_out_of_range"
    EMAIL = "form.email"
    EMPTY = "form.empty"
    ENTRIES_AT_LEAST = "form.entries_at_least", "min_length"
    ENTRIES_AT_MOST = "form.entries_at_most", "max_length"
    FLAG = "form.flag"
    IBAN = "form.iban"
    KEY = "form.key"
    LABEL = "form.label"
    LANGUAGE = "form.language"
    LIST = "form.list"
    MOMENT = "form.moment"
    NOT_VALID = "form.not_valid"
    NUMBER_AT_LEAST = "form.number_at_least"
    NUMBER_AT_MOST = "form.number_at_most"
    OBJECT = "form.object"
    PATTERN = "form.pattern"
    REQUIRED = "form.required"
    SERIES = "form.series"
    SERIES_APART = "form.series_apart"
    TIME_ZONE = "form.time_zone"
    TEXT = "form.text"
    UNREADABLE_JSON = "form.unreadable_json"
    WHOLE_NUMBER = "form.whole_number"
