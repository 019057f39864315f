"""Sort and clean the catalogues: `python -m ledgerkit.texts.normalise [folder...]`, or `make texts`."""

import sys
from pathlib import Path

from ledgerkit.texts.catalogues import FOLDER
from ledgerkit.texts.po_files import normalised


def main() -> None:
    """Rewrite the catalogues of the folders given, or of the product's own and of its countries."""
    root = FOLDER.parent
    folders = [Path(path) for path in sys.argv[1:]]
    paths = [path for folder in folders for path in folder.glob("*.po")] if folders else root.rglob("*.po")
    for path in paths:
        path.write_text(normalised(path.read_text(), path.stem))


if __name__ == "__main__":
    main()
