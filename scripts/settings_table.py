# ruff: noqa: INP001 -- a script beside the package, in no package itself
"""Write docs/settings.md from the code: `.venv/bin/python scripts/settings_table.py > docs/settings.md`."""

import re
import sys
from collections.abc import Iterator
from enum import StrEnum

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.settings import Settings
from ledgerkit.settings.values import allowed, names
from ledgerkit.texts import ENGLISH

HEAD = """\
# Settings

Settings are environment variables, or lines of a file `.env` in the working directory; the environment has priority.
They are read once, at the start. If a value is not allowed, the command names it and ends with 78. It also names a
variable with this prefix that does not exist, together with the one that was probably meant; `ledgerkit doctor` reports
both. A variable that is set but empty counts as not set. In containers a secret text may also be in a file that
`{variable}_FILE` names
(`scripts/docker-entrypoint`).

`scripts/settings_table.py` makes this page from the code; a test compares both.

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
        values = " ".join([allowed(field).in_language(ENGLISH), *(unit.groups() if unit else ())])
        meaning = UNIT.sub("", field.description or "").replace("|", "\\|")
        yield _variable(kind, name), _default(field), values, meaning


def _variable(kind: type[BaseSettings], name: str) -> str:
    """Its name, or all of its names."""
    return " or ".join(f"`{one}`" for one in names(kind, name))


def _default(field: FieldInfo) -> str:
    value = field.default.value if isinstance(field.default, StrEnum) else field.default
    return "none" if value in {None, ""} else f"`{value}`"


if __name__ == "__main__":
    sys.stdout.write(page())
