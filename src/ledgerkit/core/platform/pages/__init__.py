"""Pages for people who follow a link: one form, no script, not for search engines."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from ledgerkit.core.platform.pages.texts import PagesMsg
from ledgerkit.problems import Code, Problem
from ledgerkit.texts import MessageId, Text, languages, text

DEFAULT_LANGUAGE = "es"

_FOLDER = Path(__file__).parent
_TEMPLATES = Environment(
    loader=FileSystemLoader(_FOLDER),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TOKENS = (_FOLDER / "tokens.css").read_text(encoding="utf-8")
"""Colours, type and spacing as custom properties, light and dark: the beginning of every page's style."""

_STYLE = TOKENS + (_FOLDER / "page.css").read_text(encoding="utf-8")
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

_POLICY = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; "

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": f"{_POLICY}form-action 'self'; frame-ancestors 'none'",
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
}
"""Headers of every page: its address is the secret, so it is neither cached, indexed nor passed on as referrer."""

REDIRECTING_HEADERS: Mapping[str, str] = {
    **HEADERS,
    "Content-Security-Policy": f"{_POLICY}frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
}
"""Headers of a page whose form leads to another site: browsers apply `form-action` to the redirect after it, too."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """One line of a form. A readonly one is shown and not sent."""

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
class Option:
    """One answer to a question of a group. A fixed one is shown and cannot be changed."""

    name: str
    value: str
    label: str
    hint: str = ""
    chosen: bool = False
    fixed: bool = False


@dataclass(frozen=True, kw_only=True)
class Group:
    """A question with several answers, of which one (`radio`) or any (`checkbox`) are chosen."""

    name: str
    legend: str
    kind: Literal["radio", "checkbox"]
    options: Sequence[Option]


@dataclass(frozen=True, kw_only=True)
class Button:
    """A button that sends the form with `name` = `value`. A plain one is not the page's first suggestion.

    A quick one sends the form without its required fields.
    """

    name: str
    value: str
    label: str
    plain: bool = False
    quick: bool = False


@dataclass(frozen=True, kw_only=True)
class Form:
    """Questions of a page; `wrong` is the reason why the last attempt failed.

    `hidden` fields are sent and not shown. `buttons` stand after `button`, or instead of it.
    """

    fields: Sequence[Field] = ()
    button: str | None = None
    choices: Sequence[Choice] = ()
    wrong: str | None = None
    hidden: Mapping[str, str] = field(default_factory=dict)
    groups: Sequence[Group] = ()
    buttons: Sequence[Button] = ()


@dataclass(frozen=True)
class Link:
    """A link to another page of this server, or to another site."""

    address: str
    label: Text


def page(
    language: str,
    title: Text,
    lines: Sequence[Text],
    form: Form | None = None,
    *,
    warnings: Sequence[Text] = (),
    links: Sequence[Link] = (),
) -> str:
    """Render a page as HTML in `language`, every value escaped. `warnings` stand out from the other lines."""
    style = Markup(_STYLE)  # noqa: S704 - our own file
    return _TEMPLATES.get_template("page.html").render(
        language=language,
        style=style,
        title=title.in_language(language),
        lines=[line.in_language(language) for line in lines],
        warnings=[warning.in_language(language) for warning in warnings],
        links=[(link.address, link.label.in_language(language)) for link in links],
        form=form,
    )


LOGIN = Link("/login", text(PagesMsg.LOG_IN))
"""The way on for whoever has just set a password: the web app's login."""


def invalid_link_page(language: str, title: MessageId, explanation: MessageId) -> str:
    """Render the one page for a link that never existed, was used or has expired, so that nobody learns which."""
    return page(language, text(title), [text(explanation)])


def chosen_language(accepted: str) -> str:
    """Return the language of a page: the first that `Accept-Language` names if there is a catalogue, else Spanish."""
    first = accepted.strip().lower().split(",")[0].split(";")[0].split("-")[0]
    return first if first in languages() else DEFAULT_LANGUAGE


_REASONS: Mapping[Code, PagesMsg] = {
    Code.INVALID_CREDENTIALS: PagesMsg.WRONG_PASSWORD,
    Code.RATE_LIMITED: PagesMsg.TOO_MANY_ATTEMPTS,
    Code.BUSY: PagesMsg.BUSY,
}
_PASSWORD_FIELDS = frozenset({"password", "newPassword"})


def refusal_line(refusal: Problem, language: str, otherwise: Text) -> str:
    """Return the reason why a form was refused; `otherwise` when it is another field than the password."""
    reason = _REASONS.get(refusal.code)
    if reason is not None:
        return text(reason).in_language(language)
    texts = [error.text.message for error in refusal.errors if error.field in _PASSWORD_FIELDS]
    line = text(PagesMsg.PASSWORD_REFUSED, reason=texts[0]) if texts else otherwise
    return line.in_language(language)
