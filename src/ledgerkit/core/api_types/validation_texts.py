"""What pydantic refuses, in our own words: one table over its error types, in English and in Spanish.

A message goes on from the field's name, and says what is allowed: "unitPrice: must be a number".
"""

import re
from collections.abc import Mapping
from typing import Any

from ledgerkit.problems import Words

UNKNOWN = ("is not valid", "no es válido")
UNREADABLE = ("cannot be read as JSON", "no se puede leer como JSON")
FINITE = (
    "must be a finite number: NaN and Infinity are none, nor is what exceeds a double",
    "debe ser un número finito: no lo son NaN ni Infinity, ni lo que excede un double",
)
_TEXT = ("must be a text", "debe ser un texto")
_UNSTORABLE = ("may not hold control characters", "no puede contener caracteres de control")
_NUMBER = ("must be a number", "debe ser un número")
_WHOLE = ("must be a whole number", "debe ser un número entero")
_FLAG = ("must be true or false", "debe ser true o false")
_DATE = ("must be a date, as 2026-11-21", "debe ser una fecha, como 2026-11-21")
_OBJECT = ("must be an object", "debe ser un objeto")
_LIST = ("must be a list", "debe ser una lista")
_CHOICE = ("must be one of: {expected}", "debe ser uno de: {expected}")
_EMPTY = ("may not be empty", "no puede estar vacío")

WORDS: Mapping[str, Words] = {
    "missing": ("is required", "es obligatorio"),
    "extra_forbidden": UNKNOWN,
    "string_type": _TEXT,
    "string_unicode": _UNSTORABLE,
    "string_too_short": ("must have at least {min_length} characters", "debe tener al menos {min_length} caracteres"),
    "string_too_long": ("may have at most {max_length} characters", "puede tener {max_length} caracteres como máximo"),
    "string_pattern_mismatch": ("must have the form {pattern}", "debe tener la forma {pattern}"),
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": _WHOLE,
    "int_from_float": _WHOLE,
    "finite_number": FINITE,
    "greater_than_equal": ("must be at least {ge}", "debe ser {ge} como mínimo"),
    "less_than_equal": ("must be at most {le}", "debe ser {le} como máximo"),
    "bool_type": _FLAG,
    "bool_parsing": _FLAG,
    "date_type": _DATE,
    "date_parsing": _DATE,
    "date_from_datetime_parsing": _DATE,
    "date_from_datetime_inexact": _DATE,
    "enum": _CHOICE,
    "literal_error": _CHOICE,
    "list_type": _LIST,
    "too_long": ("may have at most {max_length} entries", "puede tener {max_length} elementos como máximo"),
    "too_short": ("must have at least {min_length} entries", "debe tener al menos {min_length} elementos"),
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "value_error": ("must be an e-mail address, as ana@example.com", "debe ser un correo, como ana@example.com"),
}
"""By pydantic's error type. An address is the only type of ours that raises `value_error` (EmailStr)."""

SPANISH_OF_OURS: Mapping[str, str] = {
    "number_type": _NUMBER[1],
    "out_of_range": "debe estar entre {low} y {high}",
    "too_many_decimals": "puede tener {places} decimales como máximo",
    "text_invalid": _UNSTORABLE[1],
    "detail_type": "debe ser true, false o un texto de 200 caracteres como máximo",
    "date_out_of_range": "debe estar entre 2000-01-01 y 2100-12-31",
    "iban_invalid": "no es un IBAN válido",
    "time_zone_unknown": "no es un huso horario de la IANA, como Europe/Madrid",
    "series_not_apart": "cada clase de documento necesita una serie propia",
}
"""Error types of our own validators, which say it in English themselves."""

_FORMS: Mapping[str, Words] = {
    "^[A-Za-z]{2}$": ("must be a country's code of two letters, as ES", "debe ser el código de un país, como ES"),
    "^[a-z]{2}$": ("must be a language's code of two letters, as es", "debe ser el código de un idioma, como es"),
    "^[A-Za-z]{3}$": (
        "must be a currency's code of three letters, as EUR",
        "debe ser el código de una moneda, como EUR",
    ),
    "^[A-Za-z0-9]{1,4}$": (
        "must have one to four letters or digits, as E1",
        "debe tener de una a cuatro letras o cifras, como E1",
    ),
    "^(https?://|/)[!-~]*$": (
        "must be an address, as https://example.com/receipt.pdf",
        "debe ser una dirección, como https://example.com/recibo.pdf",
    ),
    "^[A-Z0-9][A-Z0-9/-]{0,9}$": (
        "must have up to ten capital letters, digits, / or -, and begin with a letter or digit",
        "debe tener hasta diez mayúsculas, cifras, / o -, y empezar por letra o cifra",
    ),
    "^[a-z0-9][a-z0-9_.-]{0,63}$": (
        "must have up to 64 small letters, digits, _ . or -, and begin with a letter or digit",
        "debe tener hasta 64 minúsculas, cifras, _ . o -, y empezar por letra o cifra",
    ),
    "^[ -~]+$": ("must have printable ASCII characters only", "solo puede tener caracteres ASCII imprimibles"),
}
"""By the pattern that a text must match."""

_NAMED = re.compile(r"{(\w+)}")
_QUOTED = re.compile(r"'([^']*)'")


def worded(kind: str, bounds: Mapping[str, Any], said: str) -> Words:
    """English and Spanish words for one of pydantic's errors: its type, its context, and the message it came with."""
    if kind in SPANISH_OF_OURS:
        return said, SPANISH_OF_OURS[kind].format_map(bounds)
    shown = {**bounds, "expected": ", ".join(_QUOTED.findall(str(bounds.get("expected", ""))))}
    english, spanish = _template(kind, shown)
    return english.format_map(shown), spanish.format_map(shown)


def _template(kind: str, bounds: Mapping[str, Any]) -> Words:
    if kind == "string_pattern_mismatch" and bounds.get("pattern") in _FORMS:
        return _FORMS[bounds["pattern"]]
    if kind in {"string_too_short", "too_short"} and bounds.get("min_length") == 1:
        return _EMPTY
    words = WORDS.get(kind, UNKNOWN)
    named = set(_NAMED.findall(words[0]))
    return words if named <= bounds.keys() else UNKNOWN
