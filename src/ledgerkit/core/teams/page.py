"""The page behind an invitation's link: one form, no script, for people who have nothing but the mail."""

import base64
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from ledgerkit.core.identity.schemas import PASSWORD_MIN
from ledgerkit.core.teams.joining import Welcome
from ledgerkit.problems import Code

Language = Literal["es", "en"]

_ASSETS = Path(__file__).parent / "assets"
_TEMPLATES = Environment(
    loader=FileSystemLoader(_ASSETS),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_STYLE = (_ASSETS / "join.css").read_text(encoding="utf-8")
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
}
"""Answer every page here with these: the address is the secret, so it is neither cached, indexed nor passed on."""

_WORDS: Mapping[Language, Mapping[str, str]] = {
    "es": {
        "title": "Invitación al equipo {team}",
        "new": "Elige una contraseña y entrarás en el equipo.",
        "known": "Ya tienes una cuenta con esta dirección: escribe su contraseña y entrarás en el equipo.",
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
_WRONG: Mapping[Language, Mapping[Code, str]] = {
    "es": {
        Code.INVALID_CREDENTIALS: "La contraseña no es correcta.",
        Code.RATE_LIMITED: "Demasiados intentos. Espera un minuto.",
        Code.VALIDATION_ERROR: f"La contraseña necesita {PASSWORD_MIN} caracteres al menos; el nombre, 200 a lo sumo.",
    },
    "en": {
        Code.INVALID_CREDENTIALS: "The password is wrong.",
        Code.RATE_LIMITED: "Too many attempts. Wait a minute.",
        Code.VALIDATION_ERROR: f"The password needs at least {PASSWORD_MIN} characters, the name has 200 at most.",
    },
}


def offer_page(offer: Welcome, language: Language, *, wrong: Code | None = None, name: str = "") -> str:
    """The form; `wrong` is why the last try failed, `name` what was typed then."""
    w = _WORDS[language]
    line = w["known"] if offer.is_registered else w["new"]
    said = None if wrong is None else _WRONG[language].get(wrong, _WRONG[language][Code.VALIDATION_ERROR])
    title = w["title"].format(team=offer.team)
    return _page(language, title, [line], form=True, offer=offer, wrong=said, name=name)


def done_page(offer: Welcome, language: Language) -> str:
    w = _WORDS[language]
    return _page(language, w["done"].format(team=offer.team), [w["done_help"].format(email=offer.email)])


def gone_page(language: Language) -> str:
    """For a link that never was, is used or is over: the same for all, so that nothing can be learned from it."""
    w = _WORDS[language]
    return _page(language, w["gone"], [w["gone_help"]])


def _page(language: Language, title: str, lines: list[str], **more: object) -> str:
    values = {"form": False, "offer": None, "wrong": None, "name": "", **more}
    style = Markup(_STYLE)  # noqa: S704 - our own file
    return _TEMPLATES.get_template("join.html").render(
        w=_WORDS[language], language=language, style=style, title=title, lines=lines, **values
    )
