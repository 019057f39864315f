"""Reading and writing PO files."""

import io
from collections.abc import Mapping
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

_HEADER = """msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Language: {language}\\n"

"""
_ENTRY = "msgid "


def read(path: Path) -> dict[str, str]:
    """Texts of the catalogue by key, without those that are not translated yet."""
    with path.open("rb") as file:
        return _texts(read_po(file))


def normalised(catalogue: str, language: str) -> str:
    """The PO file sorted by key, without wrapped lines, comments and the repeated entries that merging leaves.

    Raises ValueError for a key with two different texts.
    """
    texts: dict[str, str] = {}
    for entry in _entries(catalogue):
        for key, words in _texts(read_po(io.StringIO(entry))).items():
            if texts.setdefault(key, words) != words:
                msg = f"{language}.po has two texts for {key}: {texts[key]!r} and {words!r}"
                raise ValueError(msg)
    return _written(texts, language)


def _entries(catalogue: str) -> list[str]:
    """Each entry of the file by itself: Babel would keep the last of several texts of one key without a word."""
    lines = [f"\0{line}" if line.startswith(_ENTRY) else line for line in catalogue.splitlines()]
    return "\n".join(lines).split("\0")[1:]


def _written(texts: Mapping[str, str], language: str) -> str:
    catalog = Catalog(charset="utf-8")
    for key, words in texts.items():
        catalog.add(key, words)
    file = io.BytesIO()
    write_po(file, catalog, width=0, omit_header=True, sort_output=True)
    return _HEADER.format(language=language) + file.getvalue().decode().rstrip("\n") + "\n"


def _texts(catalog: Catalog) -> dict[str, str]:
    return {str(one.id): str(one.string) for one in catalog if one.id and one.string}
