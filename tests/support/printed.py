"""Printed documents: their words, and the texts of their pages."""

import pypdfium2

from ledgerkit.core.platform.documents.languages import Words, words_in
from ledgerkit.providers.registry import discover


def words(language: str) -> Words:
    """Return the words of a document in Spain."""
    return words_in(discover(), "ES", language)


def texts(pdf: bytes) -> list[str]:
    """Return the text of each page in reading order, one printed row per line, all spaces plain."""
    with pypdfium2.PdfDocument(pdf) as document:
        pages = [page.get_textpage().get_text_range() for page in document]
    return ["\n".join(" ".join(row.split()) for row in text.splitlines() if row.strip()) for text in pages]
