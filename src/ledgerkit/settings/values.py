"""Values of settings in words: for the table of settings, and for whoever has set one wrong."""

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

from ledgerkit.settings.messages import ServerMsg
from ledgerkit.texts import Joined, Message, MessageId, Text, text


class UnfitValueError(ValueError):
    """Refusal by a validator. Its text says what the value must be, after the name of the variable; it has no value."""

    def __init__(self, message: MessageId, /, **values: object) -> None:
        super().__init__(message)
        self.text = Message(message, values)

    def __str__(self) -> str:
        return str(self.text)


def variables(kind: type[BaseSettings]) -> Mapping[str, FieldInfo]:
    """Return the environment variables that a class of settings reads, by all names of each field."""
    return {name: field for key, field in kind.model_fields.items() for name in names(kind, key)}


def names(kind: type[BaseSettings], key: str) -> list[str]:
    """Return the environment variables of one field, the usual one first."""
    alias = kind.model_fields[key].validation_alias
    choices = alias.choices if isinstance(alias, AliasChoices) else [f"{kind.model_config['env_prefix']}{key}"]
    return [str(choice).upper() for choice in choices]


def faults(kind: type[BaseSettings], error: ValidationError) -> Iterator[tuple[str, Text]]:
    """Yield each variable that cannot be read, and its permitted values. No value is named: it may be a secret."""
    by_variable = variables(kind)
    for fault in error.errors():
        place = str(fault["loc"][0])  # the field's name, or the variable's where it has an alias
        name = place.upper() if place.upper() in by_variable else names(kind, place)[0]
        yield name, _refusal(name, by_variable[name], fault.get("ctx", {}).get("error"))


def allowed(field: FieldInfo) -> Text:
    """Describe the permitted values by the field's type and bounds."""
    kind = _plain(field.annotation)
    if issubclass(kind, StrEnum):
        return Joined([f"`{alternative.value}`" for alternative in kind])
    if issubclass(kind, int | float):
        return _range(field, ServerMsg.KIND_WHOLE_NUMBER if issubclass(kind, int) else ServerMsg.KIND_NUMBER)
    longest = next((constraint.max_length for constraint in field.metadata if isinstance(constraint, MaxLen)), None)
    word = next((message for form, message in _KINDS.items() if issubclass(kind, form)), ServerMsg.KIND_TEXT)
    return text(word) if longest is None else text(ServerMsg.TEXT_AT_MOST, kind=word, longest=longest)


_KINDS: Mapping[type, MessageId] = {
    SecretStr: ServerMsg.KIND_SECRET,
    Path: ServerMsg.KIND_PATH,
    date: ServerMsg.KIND_DATE,
}


def _refusal(name: str, field: FieldInfo, error: object) -> Text:
    if isinstance(error, ValueError):
        refusal = error.text if isinstance(error, UnfitValueError) else error
        return text(ServerMsg.VALUE_UNFIT, name=name, refusal=refusal)
    return text(ServerMsg.VALUE_NOT_ALLOWED, name=name, allowed=allowed(field))


def _range(field: FieldInfo, kind: MessageId) -> Text:
    least = next((constraint.ge for constraint in field.metadata if isinstance(constraint, Ge)), None)
    most = next((constraint.le for constraint in field.metadata if isinstance(constraint, Le)), None)
    if least is None:
        return text(kind)
    if most is None:
        return text(ServerMsg.NUMBER_AT_LEAST, kind=kind, least=least)
    return text(ServerMsg.NUMBER_BETWEEN, kind=kind, least=least, most=most)


def _plain(annotation: Any) -> type:
    """Return the type itself, also of an optional one."""
    if get_origin(annotation) in {Union, UnionType}:
        annotation = next(alternative for alternative in get_args(annotation) if alternative is not type(None))
    return annotation if isinstance(annotation, type) else str
