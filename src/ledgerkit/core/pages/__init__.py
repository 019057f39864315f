"""Pages for people who have nothing but a mailed link: one form, no script, for nobody's index."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from ledgerkit.problems import Code, Problem

Language = Literal["es", "en"]

_FOLDER = Path(__file__).parent
_TEMPLATES = Environment(
    loader=FileSystemLoader(_FOLDER),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_STYLE = (_FOLDER / "page.css").read_text(encoding="utf-8")
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
"""Answer every page with these: the address is the secret, so it is neither cached, indexed nor passed on."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """One line to fill in. A readonly one is shown and not sent."""

    name: str
    label: str
    kind: Literal["text", "email", "password"]
    autocomplete: str
    value: str = ""
    hint: str = ""
    required: bool = False
    readonly: bool = False
    shortest: int | None = None
    longest: int | None = None


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One of several answers to the question `name`."""

    name: str
    value: str
    label: str
    chosen: bool = False


@dataclass(frozen=True, kw_only=True)
class Form:
    """Questions of a page; `wrong` is why the last try failed."""

    fields: Sequence[Field]
    button: str
    choices: Sequence[Choice] = ()
    wrong: str | None = None


def page(language: Language, title: str, lines: Sequence[str], form: Form | None = None) -> str:
    """The page as HTML, every value escaped."""
    style = Markup(_STYLE)  # noqa: S704 - our own file
    return _TEMPLATES.get_template("page.html").render(
        language=language, style=style, title=title, lines=lines, form=form
    )


def spoken(accepted: str) -> Language:
    """The language of a page by `Accept-Language`: Spanish, unless English comes first."""
    return "en" if accepted.lower().startswith("en") else "es"


_WRONG: Mapping[Language, Mapping[Code, str]] = {
    "es": {
        Code.INVALID_CREDENTIALS: "La contraseña no es correcta.",
        Code.RATE_LIMITED: "Demasiados intentos. Espera un minuto.",
        Code.BUSY: "En este momento hay demasiados intentos a la vez. Prueba de nuevo en unos segundos.",
    },
    "en": {
        Code.INVALID_CREDENTIALS: "The password is wrong.",
        Code.RATE_LIMITED: "Too many attempts. Wait a minute.",
        Code.BUSY: "Too many attempts at this moment. Try again in a few seconds.",
    },
}


def wrong_line(refusal: Problem, language: Language, otherwise: str) -> str:
    """Why a form was refused, for people; `otherwise` for another field than the password."""
    known = _WRONG[language].get(refusal.code)
    if known is not None:
        return known
    told = [error.body(language)["message"] for error in refusal.errors if error.field in _PASSWORD_FIELDS]
    return f"{_PASSWORD[language]} {told[0]}." if told else otherwise


_PASSWORD_FIELDS = frozenset({"password", "newPassword"})
_PASSWORD: Mapping[Language, str] = {"es": "La contraseña", "en": "The password"}
