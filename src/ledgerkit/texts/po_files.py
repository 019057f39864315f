"""Reading and writing PO files.

`python -m ledgerkit.texts.po_files [folder...]`, or `make texts`, sorts and cleans the catalogues.
"""

import io
import re
import sys
from collections.abc import Mapping
from gettext import c2py
from pathlib import Path

from babel.core import UnknownLocaleError
from babel.messages.catalog import Catalog
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po

from ledgerkit.texts.catalogues import FOLDER, Texts

_HEADER = """msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Language: {language}\\n"
"Plural-Forms: {plural_forms}\\n"

"""
_ENTRY = "msgid "
_PLURAL_FORMS = re.compile(r'^"Plural-Forms: *(.*?)\\n"$', re.MULTILINE)

Entry = tuple[str, ...]
"""Forms of a text: one, or for a text with plurals as many as the language has."""


def read(path: Path) -> Texts:
    """Return the texts of the catalogue, without those that are not translated yet."""
    with path.open("rb") as file:
        catalog = read_po(file)
    return Texts(_entries(catalog), c2py(catalog.plural_expr))


def normalised(catalogue: str, language: str) -> str:
    """Return the PO file sorted by key, without wrapped lines, comments and entries that a merge has repeated.

    The file's own `Plural-Forms` stays; where it has none, that of the language is written. Raises ValueError for a key
    with two different texts.
    """
    stated = _PLURAL_FORMS.search(catalogue)
    header = _HEADER.format(language=language, plural_forms=stated[1] if stated else _usual_plural_forms(language))
    texts: dict[str, Entry] = {}
    for source in _sources(catalogue):
        for key, forms in _entries(read_po(io.StringIO(header + source))).items():
            if texts.setdefault(key, forms) != forms:
                msg = f"{language}.po has two texts for {key}: {_quoted(texts[key])} and {_quoted(forms)}"
                raise ValueError(msg)
    return header + _written(texts, header)


def main() -> None:
    """Rewrite the catalogues of the folders given, or of the product's own and of its countries."""
    root = FOLDER.parent
    folders = [Path(path) for path in sys.argv[1:]]
    paths = [path for folder in folders for path in folder.glob("*.po")] if folders else root.rglob("*.po")
    for path in paths:
        path.write_text(normalised(path.read_text(), path.stem))


def _usual_plural_forms(language: str) -> str:
    try:
        return str(get_plural(language).plural_forms)
    except UnknownLocaleError:
        return str(get_plural("en").plural_forms)


def _sources(catalogue: str) -> list[str]:
    """Return each entry of the file by itself: Babel would drop all but the last of several texts of one key."""
    lines = [f"\0{line}" if line.startswith(_ENTRY) else line for line in catalogue.splitlines()]
    return [entry for entry in "\n".join(lines).split("\0")[1:] if not entry.startswith('msgid ""\nmsgstr ""')]


def _written(texts: Mapping[str, Entry], header: str) -> str:
    catalog = read_po(io.StringIO(header))
    for key, forms in texts.items():
        catalog.add((key, key) if len(forms) > 1 else key, forms if len(forms) > 1 else forms[0])
    file = io.BytesIO()
    write_po(file, catalog, width=0, omit_header=True, sort_output=True)
    return file.getvalue().decode().strip("\n") + "\n"


def _entries(catalog: Catalog) -> dict[str, Entry]:
    """Return the forms by key. A text with plurals has its key in both places, `msgid` and `msgid_plural`."""
    entries: dict[str, Entry] = {}
    for message in catalog:
        key = message.id if isinstance(message.id, str) else message.id[0]
        forms = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
        if key and all(forms):
            entries[key] = forms
    return entries


def _quoted(forms: Entry) -> str:
    return " / ".join(repr(form) for form in forms)


if __name__ == "__main__":
    main()
