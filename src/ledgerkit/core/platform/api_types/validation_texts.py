"""Ids of our own words for what pydantic refuses, by its error types and by the patterns that texts must match.

A message goes on from the field's name, and says what is allowed: "unitPrice: must be a number".
"""

import re
from collections.abc import Mapping
from typing import Any

from ledgerkit.core.platform.api_types.texts import FormMsg
from ledgerkit.money import MoneyMsg
from ledgerkit.texts import MessageId, Text, text
from ledgerkit.texts.refusals import GIVEN_TEXT

BY_ERROR_TYPE: Mapping[str, MessageId] = {
    "missing": FormMsg.REQUIRED,
    "extra_forbidden": FormMsg.NOT_VALID,
    "string_type": FormMsg.TEXT,
    "string_unicode": FormMsg.CONTROL_CHARACTERS,
    "string_too_short": FormMsg.CHARACTERS_AT_LEAST,
    "string_too_long": FormMsg.CHARACTERS_AT_MOST,
    "string_pattern_mismatch": FormMsg.PATTERN,
    "int_type": FormMsg.WHOLE_NUMBER,
    "int_parsing": FormMsg.WHOLE_NUMBER,
    "int_parsing_size": FormMsg.WHOLE_NUMBER,
    "int_from_float": FormMsg.WHOLE_NUMBER,
    "finite_number": MoneyMsg.NOT_FINITE,
    "greater_than_equal": FormMsg.NUMBER_AT_LEAST,
    "less_than_equal": FormMsg.NUMBER_AT_MOST,
    "bool_type": FormMsg.FLAG,
    "bool_parsing": FormMsg.FLAG,
    "date_type": FormMsg.DATE,
    "date_parsing": FormMsg.DATE,
    "date_from_datetime_parsing": FormMsg.DATE,
    "date_from_datetime_inexact": FormMsg.DATE,
    "datetime_type": FormMsg.MOMENT,
    "datetime_parsing": FormMsg.MOMENT,
    "datetime_from_date_parsing": FormMsg.MOMENT,
    "datetime_object_invalid": FormMsg.MOMENT,
    "timezone_aware": FormMsg.MOMENT,
    "enum": FormMsg.CHOICE,
    "literal_error": FormMsg.CHOICE,
    "list_type": FormMsg.LIST,
    "too_long": FormMsg.ENTRIES_AT_MOST,
    "too_short": FormMsg.ENTRIES_AT_LEAST,
    "dict_type": FormMsg.OBJECT,
    "model_type": FormMsg.OBJECT,
    "model_attributes_type": FormMsg.OBJECT,
    "value_error": FormMsg.EMAIL,
}
"""By pydantic's error type. An address is the only type of ours that raises `value_error` (EmailStr)."""

_PATTERNS: Mapping[str, MessageId] = {
    "^[A-Za-z]{2}$": FormMsg.COUNTRY,
    "^[a-z]{2}$": FormMsg.LANGUAGE,
    "^[A-Za-z]{3}$": FormMsg.CURRENCY,
    "^[A-Za-z0-9]{1,4}$": FormMsg.KEY,
    "^(https?://|/)[!-~]*$": FormMsg.ADDRESS,
    "^[A-Z0-9][A-Z0-9/-]{0,9}$": FormMsg.SERIES,
    "^[a-z0-9][a-z0-9_.-]{0,63}$": FormMsg.LABEL,
    "^[ -~]+$": FormMsg.ASCII,
}

_QUOTED = re.compile(r"'([^']*)'")


def refusal_text(kind: str, context: Mapping[str, Any]) -> Text:
    """Our words for one of pydantic's errors, from its type and its context; those of our own validators as given."""
    validator_text = context.get(GIVEN_TEXT)
    if isinstance(validator_text, Text):
        return validator_text
    expected = ", ".join(_QUOTED.findall(str(context.get("expected", ""))))
    return text(_message(kind, context), **{**context, "expected": expected})


def _message(kind: str, context: Mapping[str, Any]) -> MessageId:
    if kind == "string_pattern_mismatch":
        return _PATTERNS.get(context["pattern"], FormMsg.PATTERN)
    if kind in {"string_too_short", "too_short"} and context["min_length"] == 1:
        return FormMsg.EMPTY
    return BY_ERROR_TYPE.get(kind, FormMsg.NOT_VALID)
