"""The screens of the web app, as its sources list them."""

import re
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "web" / "src"
SETTINGS = {"/settings", "/settings/:section"}
"""Paths of the settings, of which each section is a screen of its own."""


def settings() -> list[str]:
    """The sections of the settings, by their names in the address."""
    sections = re.findall(r'path: "([a-z]+)", text:', (SOURCES / "settings" / "Settings.tsx").read_text())
    assert "company" in sections
    return sections


def screens() -> list[str]:
    """The paths of all screens, with `:id` where a record is named."""
    lists = sorted(SOURCES.glob("*/routes.tsx"))
    paths = {path for file in lists for path in re.findall(r'path:\s*"(/[^"]*)"', file.read_text())}
    return sorted(paths - SETTINGS | {f"/settings/{section}" for section in settings()})
