"""Warnings that several forms give."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from ledgerkit.providers.api import Choice, Computation, DateSpan, DeclarationWarning, Ledger
from ledgerkit.providers.es.tax_forms.messages import IncomeFormMsg
from ledgerkit.providers.es.tax_forms.vat.cautions import warning
from ledgerkit.texts import Joined, MessageId


def warnings_where(*concerned: tuple[MessageId, Iterable[str]]) -> list[DeclarationWarning]:
    """Return a warning for each message and its documents, unless there are no documents."""
    listed = ((message, set(ids)) for message, ids in concerned)
    return [warning(message, ids) for message, ids in listed if ids]


def omissions(ledger: Ledger, span: DateSpan) -> list[DeclarationWarning]:
    """Return a warning that names the documents of the span that the ledger cannot count, if there are any."""
    omitted = [document for document in ledger.omitted if document.issue_date is None or document.issue_date in span]
    if not omitted:
        return []
    numbers = Joined(sorted(document.number or document.document_id for document in omitted))
    return [warning(IncomeFormMsg.FOREIGN_CURRENCY, (document.document_id for document in omitted), numbers=numbers)]


def with_choice(computation: Computation, choice: Choice) -> Computation:
    """Return the computation with a warning of a choice that its result does not allow."""
    types = computation.declaration_types
    if choice.declaration_type is None or choice.declaration_type in types:
        return computation
    refused = warning(IncomeFormMsg.TYPE_NOT_ALLOWED, letter=choice.declaration_type, allowed=", ".join(types))
    return replace(computation, warnings=(*computation.warnings, refused))


def lower_complementary(earlier: Decimal, total: Decimal) -> Sequence[DeclarationWarning]:
    """Warn of a complementary declaration of less than was declared before, which the form is not for."""
    if earlier <= total:
        return ()
    return (warning(IncomeFormMsg.COMPLEMENTARY_LOWER, earlier=earlier, total=total),)
