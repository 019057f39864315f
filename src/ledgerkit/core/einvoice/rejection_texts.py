"""What a caller is told of a document that the authority refuses, or would refuse, in their language."""

from collections.abc import Sequence

from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.providers.api import FieldProblem
from ledgerkit.texts import ENGLISH, Wording, fixed

_WOULD_REFUSE = {
    "en": "The tax authority would refuse this document: {field}: {message}",
    "es": "La administración tributaria rechazaría este documento: {field}: {message}",
}
_NOT_READY = {
    "en": "This server cannot report documents yet: {field}: {message}",
    "es": "Este servidor todavía no puede comunicar documentos: {field}: {message}",
}


def field_error(found: FieldProblem, field: str | None = None) -> FieldError:
    """As a caller is told of it, under the name `field` where theirs is another."""
    return FieldError(
        field=field or found.field,
        code=found.code,
        text=fixed(found.message, found.remedy, found.translations),
    )


def rejection(problems: Sequence[FieldProblem], *, ready: bool = True) -> Invalid:
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


def _refused(problems: Sequence[FieldProblem], language: str, lead: str) -> Wording:
    said = [_in(found, language) for found in problems]
    return Wording(
        message=lead.format(field=problems[0].field, message=said[0].message),
        remedy=" ".join(dict.fromkeys(one.remedy for one in said)),
    )


def _in(found: FieldProblem, language: str) -> Wording:
    return (found.translations or {}).get(language) or Wording(message=found.message, remedy=found.remedy)
