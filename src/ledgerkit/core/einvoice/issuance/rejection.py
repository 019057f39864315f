"""The problem that a caller is told when the authority has rejected a record."""

from ledgerkit.core.einvoice.schemas import EInvoiceResult
from ledgerkit.problems import Rejected
from ledgerkit.texts import ENGLISH, Wording

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


def rejection(answer: EInvoiceResult) -> Rejected:
    """AUTHORITY_REJECTED, for a record that the authority has rejected."""
    said = {language: _rejected(answer, language) for language in _REJECTED}
    return Rejected(
        said[ENGLISH].message,
        remedy=said[ENGLISH].remedy,
        translations=said,
        result=answer.model_dump(mode="json", by_alias=True),
    )


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
