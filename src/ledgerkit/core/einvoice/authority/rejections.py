"""Errors for callers about a document that the authority refuses, or would refuse."""

from collections.abc import Sequence

from ledgerkit.core.einvoice.texts import EInvoiceMsg
from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.providers.api import FieldProblem
from ledgerkit.texts import Joined, ProblemText, Text, fixed


def field_error(problem: FieldProblem, field: str | None = None) -> FieldError:
    """Convert a country's problem into an error of the answer, under the name `field` if the caller uses another."""
    return FieldError(field=field or problem.field, code=problem.code, text=_text(problem))


def rejection(problems: Sequence[FieldProblem], *, ready: bool = True) -> Invalid:
    """Return Invalid FISCAL_CHECK_FAILED with one error for each of `problems`; there is at least one.

    Its message is that of the first problem, its remedy those of all. `ready=False`: the first one is a problem of this
    server and not of the document.
    """
    texts = [_text(problem) for problem in problems]
    remedies: list[Text] = []
    for text in texts:
        if text.remedy is not None and text.remedy not in remedies:
            remedies.append(text.remedy)
    return Invalid(
        EInvoiceMsg.WOULD_BE_REFUSED if ready else EInvoiceMsg.NOT_READY,
        code=Code.FISCAL_CHECK_FAILED,
        errors=[field_error(problem) for problem in problems],
        remedy=Joined(remedies, " "),
        path=problems[0].field,
        reason=texts[0].message,
    )


def _text(problem: FieldProblem) -> ProblemText:
    return fixed(problem.message, problem.remedy, problem.translations)
