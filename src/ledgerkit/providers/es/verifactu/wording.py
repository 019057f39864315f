"""Problems in both languages of the product."""

from ledgerkit.problems import Words, both
from ledgerkit.providers.api import SETTING_MISSING, FieldProblem

CERTIFICATE_REMEDY = {
    "en": "Give a PEM or PKCS#12 file with its key, and the right password.",
    "es": "Da un fichero PEM o PKCS#12 con su clave, y la contraseña correcta.",
}


def problem(field: str, code: str, english: Words, spanish: Words) -> FieldProblem:
    """The problem of a field in English, with its translations."""
    message, remedy = english
    return FieldProblem(field=field, code=code, message=message, remedy=remedy, translations=both(english, spanish))


def unset(name: str, english: str, spanish: str) -> FieldProblem:
    """A setting that the operator has to give, and what is missing without it."""
    remedy, remedio = f"Set {name} and start again.", f"Indica {name} y vuelve a arrancar."
    return problem(name, SETTING_MISSING, (english, remedy), (spanish, remedio))
