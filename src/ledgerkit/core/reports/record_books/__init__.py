"""Record books of any country as files: a workbook of all books, or a text file of one.

Both take time in proportion to the rows and belong in a thread.
"""

from ledgerkit.core.reports.record_books.text_file import text_file
from ledgerkit.core.reports.record_books.workbook import workbook

__all__ = ["text_file", "workbook"]
