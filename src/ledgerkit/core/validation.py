"""What pydantic refused, as a problem that names each field: the same through every face."""

from collections.abc import Sequence
from typing import Any

from ledgerkit.problems import FieldError, Invalid, bilingual

_PLACES = {"body", "query", "path", "header"}


def invalid(errors: Sequence[Any]) -> Invalid:
    """A problem naming each field that pydantic refused, by its path on the wire."""
    fields = field_errors(errors)
    if any(error["type"] == "json_invalid" for error in errors):
        return unreadable(fields)
    return not_valid(fields)


def unreadable(fields: Sequence[FieldError]) -> Invalid:
    """A body that is no JSON."""
    return bilingual(
        Invalid,
        ("The body is not valid JSON.", "Check quotes, commas and brackets."),
        ("El cuerpo no es JSON válido.", "Revisa comillas, comas y corchetes."),
        errors=fields,
    )


def not_valid(fields: Sequence[FieldError]) -> Invalid:
    """A problem about exactly these fields."""
    named = ", ".join(dict.fromkeys(field.field for field in fields))
    return bilingual(
        Invalid,
        (f"Not valid: {named}.", "Correct the fields named in errors."),
        (f"No vale: {named}.", "Corrige los campos que se nombran en errors."),
        errors=fields,
    )


def field_errors(errors: Sequence[Any]) -> list[FieldError]:
    return [FieldError(field=field_path(one["loc"]), code=one["type"], message=one["msg"]) for one in errors]


def field_path(location: Sequence[str | int]) -> str:
    """`items[0].taxRate` of ("body", "items", 0, "taxRate")."""
    parts = location[1:] if location and location[0] in _PLACES else location
    path = ""
    for part in parts:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path or "body"
