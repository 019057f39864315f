"""The texts of mails: templates in both languages, filled with words that cannot lay them out anew."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from ledgerkit.core.mail.message import Mail

Language = Literal["es", "en"]

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def rendered(name: str, language: Language, values: Mapping[str, object]) -> tuple[str, str]:
    """Text and HTML of the mail `name`. Pass names through `one_line` first: text has no other way to escape them."""
    text, html = (filled(f"{name}.{language}.{kind}", values) for kind in ("txt", "html"))
    return text, html


def filled(template: str, values: Mapping[str, object]) -> str:
    """The template with its values; what stands in HTML is escaped, unless it is markup of ours."""
    return _TEMPLATES.get_template(template).render(values)


def own_mail(name: str, language: Language, values: Mapping[str, object], to: str, key: str | None = None) -> Mail:
    """The mail `name` in the server's own name: nobody is answered. Its subject is the `title` among `values`."""
    text, html = rendered(name, language, values)
    return Mail(
        to=to, sender_name="ledgerkit", subject=str(values["title"]), text=text, html=html, language=language, key=key
    )
