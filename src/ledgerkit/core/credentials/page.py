"""The pages behind the links to confirm an address and to replace a password, and the one that asks for such a link."""

from collections.abc import Mapping

from ledgerkit.core.identity.schemas import PASSWORD_MAX, PASSWORD_MIN
from ledgerkit.core.pages import Field, Form, Language, page, wrong_line
from ledgerkit.problems import Problem

_WORDS: Mapping[Language, Mapping[str, str]] = {
    "es": {
        "email": "Correo electrónico",
        "password": "Contraseña",
        "new_password": "Contraseña nueva",
        "at_least": f"Al menos {PASSWORD_MIN} caracteres.",
        "length": f"La contraseña necesita entre {PASSWORD_MIN} y {PASSWORD_MAX} caracteres.",
        "address": "Esa no es una dirección de correo.",
        "verify": "Confirma tu dirección",
        "verify_help": "Escribe la contraseña que elegiste al registrarte. Si no te has registrado, cierra esta "
        "página: no hace falta nada más.",
        "verify_button": "Confirmar",
        "verified": "Dirección confirmada",
        "verified_help": "{email} ya está confirmada. Puedes cerrar esta página.",
        "reset": "Elige otra contraseña",
        "reset_help": "Todas las sesiones abiertas terminarán y tu clave de API cambiará.",
        "reset_button": "Cambiar la contraseña",
        "changed": "Contraseña cambiada",
        "changed_help": "Ya puedes iniciar sesión como {email} con la contraseña nueva. Puedes cerrar esta página.",
        "forgot": "¿Has olvidado la contraseña?",
        "forgot_help": "Escribe tu dirección: si hay una cuenta con ella, recibirás un enlace para elegir otra.",
        "forgot_button": "Enviar el enlace",
        "sent": "Mira tu correo",
        "sent_help": "Si hay una cuenta con esa dirección, el enlace llega en unos minutos y sirve durante una hora.",
        "gone": "Este enlace ya no es válido",
        "gone_help": "Puede que haya caducado o que ya se haya usado. Pide otro.",
    },
    "en": {
        "email": "E-mail",
        "password": "Password",
        "new_password": "New password",
        "at_least": f"At least {PASSWORD_MIN} characters.",
        "length": f"The password needs {PASSWORD_MIN} to {PASSWORD_MAX} characters.",
        "address": "That is no e-mail address.",
        "verify": "Confirm your address",
        "verify_help": "Type the password that you chose when you registered. If you did not register, close this "
        "page: there is nothing else to do.",
        "verify_button": "Confirm",
        "verified": "Address confirmed",
        "verified_help": "{email} is confirmed now. You can close this page.",
        "reset": "Choose another password",
        "reset_help": "All open sessions will end, and your API key will change.",
        "reset_button": "Change the password",
        "changed": "Password changed",
        "changed_help": "You can log in as {email} with the new password. You can close this page.",
        "forgot": "Forgotten your password?",
        "forgot_help": "Type your address: if there is an account with it, you get a link to choose another one.",
        "forgot_button": "Send the link",
        "sent": "Look into your mail",
        "sent_help": "If there is an account with that address, the link comes within minutes and is good for an hour.",
        "gone": "This link is not valid any more",
        "gone_help": "It may have expired or been used. Ask for another one.",
    },
}


def verify_page(email: str, language: Language, refusal: Problem | None = None) -> str:
    w = _WORDS[language]
    password = Field(
        name="password", label=w["password"], kind="password", autocomplete="current-password", required=True
    )
    form = Form(fields=[_email(email, w), password], button=w["verify_button"], wrong=_wrong(refusal, language))
    return page(language, w["verify"], [w["verify_help"]], form)


def verified_page(email: str, language: Language) -> str:
    w = _WORDS[language]
    return page(language, w["verified"], [w["verified_help"].format(email=email)])


def reset_page(email: str, language: Language, refusal: Problem | None = None) -> str:
    w = _WORDS[language]
    password = Field(
        name="password",
        label=w["new_password"],
        kind="password",
        autocomplete="new-password",
        hint=w["at_least"],
        required=True,
        shortest=PASSWORD_MIN,
        longest=PASSWORD_MAX,
    )
    form = Form(fields=[_email(email, w), password], button=w["reset_button"], wrong=_wrong(refusal, language))
    return page(language, w["reset"], [w["reset_help"]], form)


def changed_page(email: str, language: Language) -> str:
    w = _WORDS[language]
    return page(language, w["changed"], [w["changed_help"].format(email=email)])


def forgot_page(language: Language, refusal: Problem | None = None, typed: str = "") -> str:
    w = _WORDS[language]
    email = Field(
        name="email", label=w["email"], kind="email", autocomplete="username", value=typed, required=True, longest=254
    )
    wrong = None if refusal is None else wrong_line(refusal, language, w["address"])
    return page(language, w["forgot"], [w["forgot_help"]], Form(fields=[email], button=w["forgot_button"], wrong=wrong))


def sent_page(language: Language) -> str:
    """Answer to everybody, whether or not anybody has that address."""
    w = _WORDS[language]
    return page(language, w["sent"], [w["sent_help"]])


def gone_page(language: Language) -> str:
    """For a link that never was, is used or is over: the same for all, so that nothing can be learned from it."""
    w = _WORDS[language]
    return page(language, w["gone"], [w["gone_help"]])


def _email(email: str, w: Mapping[str, str]) -> Field:
    return Field(name="email", label=w["email"], kind="email", autocomplete="username", value=email, readonly=True)


def _wrong(refusal: Problem | None, language: Language) -> str | None:
    return None if refusal is None else wrong_line(refusal, language, _WORDS[language]["length"])
