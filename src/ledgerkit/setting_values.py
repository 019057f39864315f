"""What settings may hold, in words: for the table of settings, and for whoever has set one wrong."""

from collections.abc import Iterator, Mapping
from datetime import date
from enum import StrEnum
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

from annotated_types import Ge, Le, MaxLen
from pydantic import AliasChoices, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from ledgerkit.texts import ENGLISH

Said = Mapping[str, str]
"""One sentence, by language."""


class UnfitValueError(ValueError):
    """A validator's refusal: what the value must be, to be read after the variable's name; never the value itself."""

    def __init__(self, english: str, spanish: str) -> None:
        super().__init__(english)
        self.spanish = spanish


def variables(kind: type[BaseSettings]) -> Mapping[str, FieldInfo]:
    """The environment variables that a class of settings reads, all names of each field."""
    return {name: field for key, field in kind.model_fields.items() for name in names(kind, key)}


def names(kind: type[BaseSettings], key: str) -> list[str]:
    """The environment variables of one field, the usual one first."""
    alias = kind.model_fields[key].validation_alias
    found = alias.choices if isinstance(alias, AliasChoices) else [f"{kind.model_config['env_prefix']}{key}"]
    return [str(one).upper() for one in found]


def faults(kind: type[BaseSettings], error: ValidationError) -> Iterator[tuple[str, Said]]:
    """Each variable that cannot be read, and what it may hold. No value is told: it may be a secret."""
    by_variable = variables(kind)
    for one in error.errors():
        place = str(one["loc"][0])  # the field's name, or the variable's where it has an alias
        name = place.upper() if place.upper() in by_variable else names(kind, place)[0]
        yield name, _said(name, by_variable[name], one.get("ctx", {}).get("error"))


def allowed(field: FieldInfo, language: str = ENGLISH) -> str:
    """What may be written, from the field's type and bounds."""
    kind = _plain(field.annotation)
    spanish = language != ENGLISH
    if issubclass(kind, StrEnum):
        return ", ".join(f"`{one.value}`" for one in kind)
    if issubclass(kind, int | float):
        return _range(field, _NUMBERS[issubclass(kind, int)][spanish], spanish=spanish)
    longest = next((one.max_length for one in field.metadata if isinstance(one, MaxLen)), None)
    word = next((words for form, words in _TEXTS.items() if issubclass(kind, form)), ("text", "texto"))[spanish]
    if longest is None:
        return word
    return f"{word}, {longest} caracteres como máximo" if spanish else f"{word}, at most {longest} characters"


_NUMBERS = {True: ("whole number", "número entero"), False: ("number", "número")}
_TEXTS: Mapping[type, tuple[str, str]] = {
    SecretStr: ("secret text", "texto secreto"),
    Path: ("path", "ruta"),
    date: ("date, YYYY-MM-DD", "fecha, AAAA-MM-DD"),
}


def _said(name: str, field: FieldInfo, refusal: object) -> Said:
    if isinstance(refusal, UnfitValueError):
        return {"en": f"{name} {refusal}.", "es": f"{name} {refusal.spanish}."}
    if isinstance(refusal, ValueError):
        return {"en": f"{name} {refusal}.", "es": f"{name} {refusal}."}
    return {
        "en": f"{name} has a value that is not allowed. Allowed: {allowed(field)}.",
        "es": f"{name} tiene un valor que no se admite. Se admite: {allowed(field, 'es')}.",
    }


def _range(field: FieldInfo, word: str, *, spanish: bool) -> str:
    least = next((one.ge for one in field.metadata if isinstance(one, Ge)), None)
    most = next((one.le for one in field.metadata if isinstance(one, Le)), None)
    if least is not None and most is not None:
        return f"{word}, {least} a {most}" if spanish else f"{word}, {least} to {most}"
    if least is None:
        return word
    return f"{word}, {least} como mínimo" if spanish else f"{word}, at least {least}"


def _plain(annotation: Any) -> type:
    """The type itself, of an optional one too."""
    if get_origin(annotation) in {Union, UnionType}:
        annotation = next(one for one in get_args(annotation) if one is not type(None))
    return annotation if isinstance(annotation, type) else str
