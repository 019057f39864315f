# ruff: noqa: INP001 -- a script beside the package, in no package itself
"""Write docs/settings.md from the code: `.venv/bin/python scripts/settings_table.py > docs/settings.md`."""

import re
import sys
from collections.abc import Iterator
from enum import StrEnum
from types import UnionType
from typing import Any, Union, get_args, get_origin

from annotated_types import Ge, Le, MaxLen
from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.settings import Settings

HEAD = """\
# Settings

Environment variables, or lines of a file `.env` in the working directory; the environment wins. They are read once, at
the start; a value that cannot be is refused there, with its name. A variable that is set but empty counts as not set.
In containers a secret text may also lie in a file that `{variable}_FILE` names (`scripts/docker-entrypoint`).

This page is made by `scripts/settings_table.py` out of the code; a test compares both.

| variable | default | values, unit | meaning |
|---|---|---|---|
"""
UNIT = re.compile(r", (seconds|hours|days|MiB)$")


def page() -> str:
    """The whole of docs/settings.md."""
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for kind in (Settings, VerifactuSettings) for row in _rows(kind))


def _rows(kind: type[BaseSettings]) -> Iterator[tuple[str, ...]]:
    for name, field in kind.model_fields.items():
        unit = UNIT.search(field.description or "")
        values = " ".join([_values(field), *(unit.groups() if unit else ())])
        meaning = UNIT.sub("", field.description or "").replace("|", "\\|")
        yield _variable(kind, name, field), _default(field), values, meaning


def _variable(kind: type[BaseSettings], name: str, field: FieldInfo) -> str:
    """Its name, or all of its names."""
    alias = field.validation_alias
    names = alias.choices if isinstance(alias, AliasChoices) else [f"{kind.model_config['env_prefix']}{name}"]
    return " or ".join(f"`{str(one).upper()}`" for one in names)


def _default(field: FieldInfo) -> str:
    value = field.default.value if isinstance(field.default, StrEnum) else field.default
    return "none" if value in {None, ""} else f"`{value}`"


def _values(field: FieldInfo) -> str:
    """What may be written, from the type and its bounds."""
    kind = _plain(field.annotation)
    if issubclass(kind, StrEnum):
        return ", ".join(f"`{one.value}`" for one in kind)
    if issubclass(kind, int | float):
        return _range(field, "whole number" if issubclass(kind, int) else "number")
    longest = next((one.max_length for one in field.metadata if isinstance(one, MaxLen)), None)
    word = "secret text" if issubclass(kind, SecretStr) else "path" if kind.__name__ == "Path" else "text"
    return word if longest is None else f"{word}, at most {longest} characters"


def _range(field: FieldInfo, word: str) -> str:
    least = next((one.ge for one in field.metadata if isinstance(one, Ge)), None)
    most = next((one.le for one in field.metadata if isinstance(one, Le)), None)
    if least is not None and most is not None:
        return f"{least} to {most}"
    return word if least is None else f"{word} from {least}"


def _plain(annotation: Any) -> type:
    """The type itself, of an optional one too."""
    if get_origin(annotation) in {Union, UnionType}:
        annotation = next(one for one in get_args(annotation) if one is not type(None))
    return annotation if isinstance(annotation, type) else str


if __name__ == "__main__":
    sys.stdout.write(page())
