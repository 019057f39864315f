"""The authority's codes that the sandbox gives of itself or is likely to be asked for, in its own words.

Source: AEAT, error table of 2026-08-18 (`errores.properties`).
"""

from importlib.resources import files

TECHNICAL = frozenset({1129, 1241, 1243, 1256, 1288, 3500, 3501, 4103, 4108, 4110, 4111, 4118, 4128})
"""What may be sent again unchanged: the failure was the authority's."""


def _read() -> dict[int, str]:
    lines = files(__package__).joinpath("codes.tsv").read_text("utf-8").splitlines()
    return {int(code): text for code, text in (line.split("\t") for line in lines)}


_WORDING = _read()


def describe(code: int) -> str:
    """The authority's text of a code; a code that the sandbox does not know is said to be one."""
    return _WORDING.get(code, "Código sin descripción en el entorno simulado (sandbox).")


def is_remark(code: int) -> bool:
    """Whether a record with this code is stored, and only flagged."""
    return 2000 <= code <= 2009


def is_technical(code: int) -> bool:
    """Whether the same message may be sent again unchanged."""
    return code in TECHNICAL
