"""Catalogues of texts: a folder with one gettext PO file per language, read when one of its texts is needed first."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

ENGLISH = "en"
"""The language of whoever asks for one that has no catalogue, and of a text that a catalogue lacks."""

FOLDER = Path(__file__).parent
"""The folder of the product's own catalogues; a country brings another."""


@cache
def languages(folder: Path = FOLDER) -> tuple[str, ...]:
    """Languages that have a catalogue in the folder, English first."""
    codes = [path.stem for path in folder.glob("*.po")]
    return tuple(sorted(codes, key=lambda code: (code != ENGLISH, code)))


@cache
def catalogue(folder: Path, language: str) -> Mapping[str, str]:
    """Texts of one language by key; empty for a language without a catalogue.

    Babel is imported here because it takes longer to import than a command such as `ledgerkit --help` takes to answer.
    """
    path = folder / f"{language}.po"
    texts: Mapping[str, str] = import_module("ledgerkit.texts.po_files").read(path) if path.exists() else {}
    return texts
