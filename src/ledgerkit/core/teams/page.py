"""The page behind an invitation's link: one form, no script, for people who have nothing but the mail."""

from collections.abc import Mapping

from ledgerkit.core.identity.schemas import PASSWORD_MAX, PASSWORD_MIN
from ledgerkit.core.pages import Choice, Field, Form, Language, page, wrong_line
from ledgerkit.core.teams.joining import Answer, Holder, Welcome
from ledgerkit.problems import Problem

_WORDS: Mapping[Language, Mapping[str, str]] = {
    "es": {
        "title": "Invitación al equipo {team}",
        "new": "Elige una contraseña y entrarás en el equipo.",
        "known": "Ya tienes una cuenta con esta dirección: escribe su contraseña y entrarás en el equipo.",
        "forgotten": "¿La has olvidado? Pide otra en {forgotten} y vuelve a abrir este enlace.",
        "doubtful": "Existe una cuenta con esta dirección que nadie ha confirmado. ¿Es tuya?",
        "mine": "Sí: escribo su contraseña y la conservo.",
        "new_account": "No, o no me importa perderla: elijo una contraseña y empiezo una cuenta nueva. La otra se "
        "queda sin esta dirección y nadie podrá entrar en ella.",
        "length": f"La contraseña necesita entre {PASSWORD_MIN} y {PASSWORD_MAX} caracteres; el nombre, 200 a lo sumo.",
        "email": "Correo electrónico",
        "name": "Nombre",
        "password": "Contraseña",
        "at_least": f"Al menos {PASSWORD_MIN} caracteres.",
        "join": "Entrar en el equipo",
        "done": "Ya formas parte del equipo {team}",
        "done_help": "Tu cuenta es {email}. Puedes cerrar esta página.",
        "gone": "Esta invitación ya no es válida",
        "gone_help": "Puede que haya caducado, que ya se haya usado o que otra la sustituya. Pide una nueva al equipo.",
    },
    "en": {
        "title": "Invitation to the team {team}",
        "new": "Choose a password and you are in the team.",
        "known": "You have an account with this address: enter its password and you are in the team.",
        "forgotten": "Forgotten it? Ask for another one at {forgotten}, then open this link again.",
        "doubtful": "There is an account with this address that nobody has confirmed. Is it yours?",
        "mine": "Yes: I type its password and keep it.",
        "new_account": "No, or I do not mind losing it: I choose a password and begin a new account. The other one "
        "loses this address, and nobody can enter it any more.",
        "length": f"The password needs {PASSWORD_MIN} to {PASSWORD_MAX} characters, the name has 200 at most.",
        "email": "E-mail",
        "name": "Name",
        "password": "Password",
        "at_least": f"At least {PASSWORD_MIN} characters.",
        "join": "Join the team",
        "done": "You are now a member of the team {team}",
        "done_help": "Your account is {email}. You can close this page.",
        "gone": "This invitation is not valid any more",
        "gone_help": "It may have expired, been used, or been replaced by another. Ask the team for a new one.",
    },
}


def offer_page(
    offer: Welcome, language: Language, *, refusal: Problem | None = None, name: str = "", answer: Answer | None = None
) -> str:
    """The form; `refusal` is why the last try failed, `name` and `answer` what was typed then."""
    w = _WORDS[language]
    wrong = None if refusal is None else wrong_line(refusal, language, w["length"])
    form = Form(fields=_fields(offer, w, name), button=w["join"], choices=_choices(offer, w, answer), wrong=wrong)
    return page(language, w["title"].format(team=offer.team), _lines(offer, w), form)


def done_page(offer: Welcome, language: Language) -> str:
    w = _WORDS[language]
    return page(language, w["done"].format(team=offer.team), [w["done_help"].format(email=offer.email)])


def gone_page(language: Language) -> str:
    """For a link that never was, is used or is over: the same for all, so that nothing can be learned from it."""
    w = _WORDS[language]
    return page(language, w["gone"], [w["gone_help"]])


def _lines(offer: Welcome, w: Mapping[str, str]) -> list[str]:
    if offer.holder is Holder.NOBODY:
        return [w["new"]]
    known = w["doubtful"] if offer.holder is Holder.UNVERIFIED else w["known"]
    return [known, w["forgotten"].format(forgotten=offer.forgotten)]


def _choices(offer: Welcome, w: Mapping[str, str], answer: Answer | None) -> list[Choice]:
    if offer.holder is not Holder.UNVERIFIED:
        return []
    labels = {Answer.MINE: w["mine"], Answer.NEW: w["new_account"]}
    return [Choice(name="account", value=one.value, label=label, chosen=one is answer) for one, label in labels.items()]


def _fields(offer: Welcome, w: Mapping[str, str], name: str) -> list[Field]:
    fields = [
        Field(name="email", label=w["email"], kind="email", autocomplete="username", value=offer.email, readonly=True)
    ]
    if offer.holder is Holder.NOBODY:
        fields.append(Field(name="name", label=w["name"], kind="text", autocomplete="name", value=name, longest=200))
    new = offer.holder is Holder.NOBODY
    fields.append(
        Field(
            name="password",
            label=w["password"],
            kind="password",
            autocomplete="new-password" if new else "current-password",
            hint=w["at_least"] if new else "",
            required=True,
            shortest=PASSWORD_MIN if new else None,
        )
    )
    return fields
