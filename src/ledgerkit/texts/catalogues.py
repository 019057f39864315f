"""Catalogues of texts: gettext PO files by folder and language, each read when one of its texts is needed first.

ledgerkit and each country have a folder of their own. The file of a language in ledgerkit's folder may hold the texts
of all of them: what the folder of a country lacks is looked for there.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

ENGLISH = "en"
"""Language for readers whose language has no catalogue, and for texts that a catalogue lacks."""

FOLDER = Path(__file__).parent
"""Folder of the product's own catalogues; a country has another one."""


@dataclass(frozen=True, eq=False)
class Texts(Mapping[str, tuple[str, ...]]):
    """Texts of one file by key: one form, or where the text has plurals one for each of the language's forms.

    `form` gives the number of the form for a count, by the `Plural-Forms` of the file.
    """

    forms: Mapping[str, tuple[str, ...]]
    form: Callable[[int], int]

    def __getitem__(self, key: str) -> tuple[str, ...]:
        return self.forms[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.forms)

    def __len__(self) -> int:
        return len(self.forms)

    def chosen(self, key: str, count: int | None) -> str | None:
        """Return the form of a text for a count, as `ngettext` chooses it; a text without plurals has one form."""
        forms = self.forms.get(key)
        if forms is None:
            return None
        return forms[self.form(count)] if count is not None and len(forms) > 1 else forms[0]


_NOTHING = Texts({}, lambda _count: 0)


@cache
def languages(folder: Path = FOLDER) -> tuple[str, ...]:
    """Return the languages of texts in the folder, English first: those of its files and of ledgerkit's."""
    codes = {path.stem for each in {folder, FOLDER} for path in each.glob("*.po")}
    return tuple(sorted(codes, key=lambda code: (code != ENGLISH, code)))


@cache
def catalogue(folder: Path, language: str) -> Texts:
    """Return the texts of one language in the folder; none where there is no file.

    Babel is imported here because it takes longer to import than a command such as `ledgerkit --help` takes to answer.
    """
    path = folder / f"{language}.po"
    texts: Texts = import_module("ledgerkit.texts.po_files").read(path) if path.exists() else _NOTHING
    return texts


def found(folder: Path, language: str, key: str, count: int | None = None) -> str | None:
    """Return a text of the folder in a language, in its form for a count; None if neither file has it."""
    template = catalogue(folder, language).chosen(key, count)
    return catalogue(FOLDER, language).chosen(key, count) if template is None else template


def has(folder: Path, language: str, key: str) -> bool:
    """Return True if the folder's file of a language has a text, or ledgerkit's."""
    return key in catalogue(folder, language) or key in catalogue(FOLDER, language)


@dataclass(frozen=True, eq=False)
class Catalogue(Mapping[str, str]):
    """Words of one language in a folder by key, read when one of them is needed first.

    In ledgerkit's own file the keys begin with `prefix`, since the words of several countries may stand there.
    """

    folder: Path
    language: str
    prefix: str

    def __getitem__(self, key: str) -> str:
        return _words(self.folder, self.language, self.prefix)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(_words(self.folder, self.language, self.prefix))

    def __len__(self) -> int:
        return len(_words(self.folder, self.language, self.prefix))


@dataclass(frozen=True, eq=False)
class Catalogues(Mapping[str, Catalogue]):
    """Words of a folder by language, none of them read yet; a language that has none is not there."""

    folder: Path
    prefix: str

    def __getitem__(self, language: str) -> Catalogue:
        words = Catalogue(self.folder, language, self.prefix)
        if not words:
            raise KeyError(language)
        return words

    def __iter__(self) -> Iterator[str]:
        return (language for language in languages(self.folder) if language in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@cache
def _words(folder: Path, language: str, prefix: str) -> Mapping[str, str]:
    ours = catalogue(FOLDER, language).items()
    words = {key.removeprefix(prefix): forms[0] for key, forms in ours if key.startswith(prefix)}
    return words | {key: forms[0] for key, forms in catalogue(folder, language).items()}
