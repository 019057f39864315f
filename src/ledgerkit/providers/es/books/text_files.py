"""Form of the books' text files.

Source: AEAT, common electronic format of the record books, version of 21/03/2025.
"""

from ledgerkit.providers.api import TextFile

TEXT_FILE = TextFile(encoding="utf-8-sig", separator=";", decimal_mark=",", date="%d/%m/%Y")
"""The format names no character set; in this one no name loses a letter, and spreadsheets know it by its beginning."""
