"""Warnings that several forms give."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from ledgerkit.providers.api import DeclarationWarning, Ledger
from ledgerkit.providers.es.tax_forms.income.messages import IncomeFormMsg
from ledgerkit.texts import Joined, MessageId, text


def warning(code: str, message: MessageId, document_ids: Iterable[str] = (), **values: object) -> DeclarationWarning:
    """Return a warning about documents, in the order of their ids."""
    return DeclarationWarning(code=code, message=text(message, **values), document_ids=tuple(sorted(set(document_ids))))


def warnings_where(*found: tuple[str, MessageId, Iterable[str]]) -> list[DeclarationWarning]:
    """Return a warning for each code, message and documents, unless there are no documents."""
    listed = ((code, message, set(ids)) for code, message, ids in found)
    return [warning(code, message, ids) for code, message, ids in listed if ids]


def omissions(ledger: Ledger) -> list[DeclarationWarning]:
    """Return a warning that names the documents that the ledger cannot count, if there are any."""
    if not ledger.omitted:
        return []
    numbers = Joined(sorted(one.number or one.document_id for one in ledger.omitted))
    ids = (one.document_id for one in ledger.omitted)
    return [warning("FOREIGN_CURRENCY", IncomeFormMsg.FOREIGN_CURRENCY, ids, numbers=numbers)]


def lower_complementary(earlier: Decimal, total: Decimal) -> Sequence[DeclarationWarning]:
    """Warn of a complementary declaration of less than was declared before, which the form is not for."""
    if earlier <= total:
        return ()
    return (warning("COMPLEMENTARY_LOWER", IncomeFormMsg.COMPLEMENTARY_LOWER, earlier=earlier, total=total),)
