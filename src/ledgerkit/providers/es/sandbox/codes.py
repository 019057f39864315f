"""Codes of the sandbox, with texts of our own (never the authority's) and the kind of each."""

from ledgerkit.providers.es.verifactu import codes

TECHNICAL = frozenset({1129, 1241, 1243, 1256, 1288, 3500, 3501, 4103, 4108, 4110, 4111, 4118, 4128})
"""Codes after which the same message may be sent again unchanged: the failure was the authority's."""


def describe(code: int) -> str:
    """Describe a code in Spanish, as the authority's answers do, also one without a known cause."""
    explanation = codes.explain(str(code))
    if explanation is None or explanation.cause is None:
        return "Código sin descripción en el entorno simulado (sandbox)."
    return explanation.cause.in_language("es")


def is_remark(code: int) -> bool:
    """Return True when a record with this code is stored, and only flagged."""
    return 2000 <= code <= 2009


def is_technical(code: int) -> bool:
    """Return True when the same message may be sent again unchanged."""
    return code in TECHNICAL
