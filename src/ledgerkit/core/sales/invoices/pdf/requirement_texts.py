"""Requirements of PDFs in the reader's language: `libraries`, which runs before an installation, has English only."""

from ledgerkit.core.sales.invoices.pdf.libraries import ANY_FONT, BY_HAND, EMOJI_FONT
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.texts import Joined, Text

_TRANSLATED = {
    ANY_FONT: InvoicesMsg.PDF_ANY_FONT,
    EMOJI_FONT: InvoicesMsg.PDF_EMOJI_FONT,
    BY_HAND: InvoicesMsg.PDF_INSTALL_BY_HAND,
}


def requirement_names(*names: str) -> Text:
    """Return the names, or the command, one after the other; names of libraries are the same in every language."""
    return Joined([_TRANSLATED.get(name, name) for name in names])
