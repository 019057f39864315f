"""What a caller is told of a document that the authority refuses, or would refuse, in their language."""

from collections.abc import Sequence

from ledgerkit.core.einvoice.schemas import EInvoiceResult
from ledgerkit.problems import ENGLISH, Code, FieldError, Invalid, Rejected, Wording
from ledgerkit.providers.api import FieldProblem

_WOULD_REFUSE = {
    "en": "The tax authority would refuse this document: {field}: {message}",
    "es": "La administración tributaria rechazaría este documento: {field}: {message}",
}
_NOT_READY = {
    "en": "This server cannot report documents yet: {field}: {message}",
    "es": "Este servidor todavía no puede comunicar documentos: {field}: {message}",
}
_REJECTED = {
    "en": Wording(
        message="The tax authority rejected {number}",
        remedy="The number and its record stay. {remedy} GET /api/einvoice/status/{{id}} shows the answer.",
    ),
    "es": Wording(
        message="La administración tributaria ha rechazado {number}",
        remedy="El número y su registro quedan como están. {remedy} GET /api/einvoice/status/{{id}} da la respuesta.",
    ),
}
_ANNULMENT = {"en": "the annulment of {number}", "es": "la anulación de {number}"}
_CORRECTION = {"en": "the correction of {number}", "es": "la corrección de {number}"}
_CORRECT_IT = {
    "en": {"issue": "Correct the cause, then emit it again.", "annul": "Correct the cause, then annul it again."},
    "es": {"issue": "Corrige la causa y vuelve a emitirla.", "annul": "Corrige la causa y vuelve a anularla."},
}
_STANDS = {"en": "The invoice stands as before.", "es": "La factura sigue como estaba."}
"""With the authority, where a correction or an annulment was refused: what it held before, it holds."""


def field_error(found: FieldProblem, field: str | None = None) -> FieldError:
    """As a caller is told of it, under the name `field` where theirs is another."""
    return FieldError(
        field=field or found.field,
        code=found.code,
        message=found.message,
        remedy=found.remedy,
        translations=found.translations,
    )


def refused(problems: Sequence[FieldProblem], *, ready: bool = True) -> Invalid:
    """FISCAL_CHECK_FAILED, with each of `problems` (at least one) as an error of its own.

    Not `ready`: the first of them is the server's and not the document's.
    """
    leads = _WOULD_REFUSE if ready else _NOT_READY
    said = {language: _refused(problems, language, lead) for language, lead in leads.items()}
    return Invalid(
        said[ENGLISH].message,
        code=Code.FISCAL_CHECK_FAILED,
        errors=[field_error(found) for found in problems],
        remedy=said[ENGLISH].remedy,
        translations=said,
    )


def rejection(answer: EInvoiceResult) -> Rejected:
    """AUTHORITY_REJECTED, for a record that the authority has rejected."""
    said = {language: _rejected(answer, language) for language in _REJECTED}
    return Rejected(
        said[ENGLISH].message,
        remedy=said[ENGLISH].remedy,
        translations=said,
        result=answer.model_dump(mode="json", by_alias=True),
    )


def _refused(problems: Sequence[FieldProblem], language: str, lead: str) -> Wording:
    said = [_in(found, language) for found in problems]
    return Wording(
        message=lead.format(field=problems[0].field, message=said[0].message),
        remedy=" ".join(dict.fromkeys(one.remedy for one in said)),
    )


def _in(found: FieldProblem, language: str) -> Wording:
    return (found.translations or {}).get(language) or Wording(message=found.message, remedy=found.remedy)


def _rejected(answer: EInvoiceResult, language: str) -> Wording:
    errors = answer.refused.errors if answer.refused else answer.errors
    first = errors[0] if errors else None
    why = f" ({first.code}: {first.message})" if first else ""
    again = _CORRECT_IT[language]["issue" if answer.refused else answer.kind]
    known = first.remedy.model_dump()[language] if first and first.remedy else again
    change = _CORRECTION if answer.refused else _ANNULMENT if answer.kind == "annul" else None
    what = change[language].format(number=answer.number) if change else answer.number
    words = _REJECTED[language]
    return Wording(
        message=f"{words.message.format(number=what)}{why}",
        remedy=words.remedy.format(remedy=f"{_STANDS[language]} {known}" if change else known),
    )
