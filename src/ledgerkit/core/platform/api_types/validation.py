"""Refusal of a request's form, as a problem that names each field, in our own words; through every channel alike."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite
from typing import Any

from pydantic_core import ErrorDetails

from ledgerkit.core.platform.api_types.texts import ApiTypesMsg, FormMsg
from ledgerkit.money import MoneyMsg, NotFinite, loads_finite
from ledgerkit.problems import FieldError, Invalid, UnsupportedMediaType
from ledgerkit.texts import Joined, MessageId, ProblemText, Text, text
from ledgerkit.texts.common import CommonMsg
from ledgerkit.texts.refusals import GIVEN_TEXT

MAX_ERRORS = 100
"""Fields named in one answer; whoever has more of them wrong corrects these first."""

_SHOWN = 80
_LONGEST_PATH = 400
_PLACES = {"body", "query", "path", "header"}
_OF_A_KEY = "[key]"

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


def read_json(content: bytes) -> object:
    """Parse a JSON text (RFC 8259). Raises Invalid for anything else, naming the numbers that are none (§6)."""
    try:
        return loads_finite(content)
    except NotFinite:
        return _refused(content)
    except (ValueError, RecursionError):
        raise no_json() from None


def _refused(content: bytes) -> object:
    try:
        value: object = json.loads(content)
    except (ValueError, RecursionError):
        raise no_json() from None
    require_finite(value)
    return value


def require_finite(value: object) -> None:
    """Raise Invalid naming every number in a parsed JSON `value` that is NaN or infinite."""
    errors = [
        field_error(path, "finite_number", text(MoneyMsg.NOT_FINITE)) for path in islice(_not_finite(value), MAX_ERRORS)
    ]
    if errors:
        raise not_valid(errors)


def _not_finite(value: object) -> Iterator[str]:
    """Yield the paths of numbers that are NaN or infinite, in their order in the value."""
    left: list[tuple[tuple[str | int, ...], object]] = [((), value)]
    while left:
        path, part = left.pop()
        if isinstance(part, float) and not isfinite(part):
            yield field_path(path)
        inner: Iterable[tuple[str | int, object]] = ()
        if isinstance(part, Mapping):
            inner = part.items()
        elif isinstance(part, list):
            inner = enumerate(part)
        left.extend(
            reversed([((*path, name), child) for name, child in inner if isinstance(child, float | dict | list)])
        )


def invalid(errors: Sequence[ErrorDetails]) -> Invalid:
    """Return the problem that names each field that pydantic refused, by its path in the JSON."""
    return not_valid(field_errors(errors), left_out=len(errors) - MAX_ERRORS)


def no_json() -> Invalid:
    """Return the refusal of a body that is no JSON."""
    return Invalid(
        ApiTypesMsg.BODY_NOT_JSON, errors=[field_error("body", "json_invalid", text(FormMsg.UNREADABLE_JSON))]
    )


def not_json() -> UnsupportedMediaType:
    """Return the refusal of a body whose media type is not JSON."""
    return UnsupportedMediaType(ApiTypesMsg.BODY_NOT_DECLARED_JSON)


def not_valid(fields: Sequence[FieldError], left_out: int = 0) -> Invalid:
    """Return the problem about these fields, and about `left_out` more that are not named."""
    named = ", ".join(dict.fromkeys(field.field for field in fields))
    more = [text(ApiTypesMsg.MORE_FIELDS, count=left_out)] if left_out > 0 else []
    return Invalid(ApiTypesMsg.NOT_VALID, errors=fields, fields=Joined([named, *more], last=CommonMsg.AND))


def field_errors(errors: Sequence[ErrorDetails]) -> list[FieldError]:
    """Word the first hundred of pydantic's errors."""
    return [
        field_error(field_path(error["loc"]), error["type"], refusal_text(error["type"], error.get("ctx", {})))
        for error in errors[:MAX_ERRORS]
    ]


def refusal_text(kind: str, context: Mapping[str, Any]) -> Text:
    """Return our words for one of pydantic's errors, from its type and its context; those of our validators as given.

    They go on from the field's name, and say what is allowed: "unitPrice: must be a number".
    """
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


def field_error(path: str, code: str, message: Text) -> FieldError:
    """Describe the error of a field, with the usual remedy."""
    remedy = text(CommonMsg.CORRECT_FIELD, field=path)
    return FieldError(field=path, code=code, text=ProblemText(message, remedy))


def field_path(location: Sequence[str | int]) -> str:
    """Return `items[0].taxRate` for ("body", "items", 0, "taxRate"); a path longer than any of ours is cut off."""
    parts = location[1:] if location and location[0] in _PLACES else location
    path = ""
    for part in parts:
        if part != _OF_A_KEY:
            path += f"[{part}]" if isinstance(part, int) else f".{printable(part)}" if path else printable(part)
    return f"{path[:_LONGEST_PATH]}..." if len(path) > _LONGEST_PATH else path or "body"


def printable(name: str) -> str:
    """Return a caller's own word so that it can be sent back: bounded, and without lone surrogates."""
    return name[:_SHOWN].encode("utf-8", "replace").decode()
