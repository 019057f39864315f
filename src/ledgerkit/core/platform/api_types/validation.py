"""Refusal of a request's form, as a problem that names each field: the same through every face."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite

from pydantic_core import ErrorDetails

from ledgerkit.core.platform.api_types.texts import ApiTypesMsg, FormMsg
from ledgerkit.core.platform.api_types.validation_texts import refusal_text
from ledgerkit.money import MoneyMsg, NotFinite, loads_finite
from ledgerkit.problems import FieldError, Invalid, UnsupportedMediaType
from ledgerkit.texts import Joined, ProblemText, Text, text
from ledgerkit.texts.common import CommonMsg

MAX_ERRORS = 100
"""Fields named in one answer; whoever has more of them wrong corrects these first."""

_SHOWN = 80
_LONGEST_PATH = 400
_PLACES = {"body", "query", "path", "header"}
_OF_A_KEY = "[key]"


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
    """Paths of numbers that are NaN or infinite, in their order in the value."""
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
    """A problem naming each field that pydantic refused, by its path on the wire."""
    return not_valid(field_errors(errors), left_out=len(errors) - MAX_ERRORS)


def no_json() -> Invalid:
    """A body that is no JSON."""
    return Invalid(
        ApiTypesMsg.BODY_NOT_JSON, errors=[field_error("body", "json_invalid", text(FormMsg.UNREADABLE_JSON))]
    )


def not_json() -> UnsupportedMediaType:
    """A body that does not say that it is JSON."""
    return UnsupportedMediaType(ApiTypesMsg.BODY_NOT_DECLARED_JSON)


def not_valid(fields: Sequence[FieldError], left_out: int = 0) -> Invalid:
    """A problem about these fields, and about so many more that are not named."""
    named = ", ".join(dict.fromkeys(field.field for field in fields))
    more = [text(ApiTypesMsg.MORE_FIELDS, count=left_out)] if left_out > 0 else []
    return Invalid(ApiTypesMsg.NOT_VALID, errors=fields, fields=Joined([named, *more], last=CommonMsg.AND))


def field_errors(errors: Sequence[ErrorDetails]) -> list[FieldError]:
    """Word the first hundred of pydantic's errors."""
    return [
        field_error(field_path(error["loc"]), error["type"], refusal_text(error["type"], error.get("ctx", {})))
        for error in errors[:MAX_ERRORS]
    ]


def field_error(path: str, code: str, message: Text) -> FieldError:
    """Describe the error of a field, with the usual remedy."""
    remedy = text(CommonMsg.CORRECT_FIELD, field=path)
    return FieldError(field=path, code=code, text=ProblemText(message, remedy))


def field_path(location: Sequence[str | int]) -> str:
    """`items[0].taxRate` of ("body", "items", 0, "taxRate"); one that is deeper than any of ours is cut off."""
    parts = location[1:] if location and location[0] in _PLACES else location
    path = ""
    for part in parts:
        if part != _OF_A_KEY:
            path += f"[{part}]" if isinstance(part, int) else f".{printable(part)}" if path else printable(part)
    return f"{path[:_LONGEST_PATH]}..." if len(path) > _LONGEST_PATH else path or "body"


def printable(name: str) -> str:
    """A caller's own word, fit to be sent back: bounded, and without lone surrogates."""
    return name[:_SHOWN].encode("utf-8", "replace").decode()
