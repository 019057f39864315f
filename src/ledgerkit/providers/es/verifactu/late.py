"""Modules that are imported at their first use."""

from importlib import import_module
from typing import Any


def late(module: str) -> Any:
    """A module of this package, imported at its first use.

    The HTTP client, cryptography, lxml and pydantic-settings take half a second to load, the rules and codes a
    twentieth, and a country must be cheap to import (`ledgerkit --help` lists it too). This is the only place that
    loads anything late.
    """
    return import_module(f"{__package__}.{module}")
