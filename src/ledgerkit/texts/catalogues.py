"""Catalogues of texts: a folder with one gettext PO file per language, read when one of its texts is needed first."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, eq=False)
class Catalogue(Mapping[str, str]):
    """The texts of one language in a folder by key, read when one of them is needed first."""

    folder: Path
    language: str

    def __getitem__(self, key: str) -> str:
        return catalogue(self.folder, self.language)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(catalogue(self.folder, self.language))

    def __len__(self) -> int:
        return len(catalogue(self.folder, self.language))


def catalogues(folder: Path) -> Mapping[str, Catalogue]:
    """The folder's catalogues by language, none of them read yet."""
    return {language: Catalogue(folder, language) for language in languages(folder)}
