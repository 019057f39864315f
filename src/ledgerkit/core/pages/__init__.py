"""HTML pages behind mailed links: one form, no script, not indexed by search engines."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from ledgerkit.core.pages.messages import PagesMsg
from ledgerkit.problems import Code, Problem
from ledgerkit.texts import text

Language = str
"""Code of a language that the catalogues have, as `es`."""

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
"""Headers of every page: its address is a secret, so it is neither cached, indexed nor passed on."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """Input of a form. A readonly one is shown and not sent."""

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
    """Form of a page; `wrong` is the reason for which the last attempt failed."""

    fields: Sequence[Field]
    button: str
    choices: Sequence[Choice] = ()
    wrong: str | None = None


def page(language: Language, title: str, lines: Sequence[str], form: Form | None = None) -> str:
    """Return the page as HTML, with every value escaped."""
    style = Markup(_STYLE)  # noqa: S704 - our own file
    return _TEMPLATES.get_template("page.html").render(
        language=language, style=style, title=title, lines=lines, form=form
    )


def page_language(accepted: str) -> Language:
    """Return the language of a page by `Accept-Language`: Spanish, unless English comes first."""
    return "en" if accepted.lower().startswith("en") else "es"


_WRONG: Mapping[Code, PagesMsg] = {
    Code.INVALID_CREDENTIALS: PagesMsg.WRONG_CREDENTIALS,
    Code.RATE_LIMITED: PagesMsg.TOO_MANY_ATTEMPTS,
    Code.BUSY: PagesMsg.BUSY,
}
_PASSWORD_FIELDS = frozenset({"password", "newPassword"})


def wrong_line(refusal: Problem, language: Language, otherwise: str) -> str:
    """Return the reason for which a form was refused, or `otherwise` for a field other than the password."""
    message = _WRONG.get(refusal.code)
    if message is not None:
        return text(message).in_language(language)
    for error in refusal.errors:
        if error.field in _PASSWORD_FIELDS:
            return text(PagesMsg.CREDENTIAL_REFUSED, problem=error.text.message).in_language(language)
    return otherwise
