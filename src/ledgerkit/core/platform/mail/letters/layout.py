"""Text and HTML of mails: a template for each, filled with sentences in the recipient's language."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from ledgerkit.core.platform.mail.delivery.message import Mail
from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.texts import Text, text

Language = str
"""Code of a language that has a catalogue, such as `es`."""

_BOLD = Markup("<strong>{}</strong>")
_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def server_mail(
    name: str,
    language: Language,
    values: Mapping[str, object],
    to: str,
    key: str | None = None,
    *,
    subject: str | None = None,
    bold: Sequence[str] = (),
    sender_name: str = "ledgerkit",
    reply_to: str | None = None,
) -> Mail:
    """Return the mail `name`, whose sentences are the messages `mail.<name>.*` of the catalogues.

    Without a `subject`, the value `title` is the subject. The HTML shows the values that `bold` names in bold. If the
    value `link` is only a path, the mail says how to use it. Pass names through `one_line` first: nothing else escapes
    them in the text.
    """
    plain = {key: value.in_language(language) if isinstance(value, Text) else value for key, value in values.items()}
    marked = {key: _BOLD.format(value) if key in bold else escape(value) for key, value in plain.items()}
    where = text(MailMsg.COMMON_WHERE).in_language(language) if str(plain.get("link", "")).startswith("/") else ""
    shared = {**plain, "where": where}
    return Mail(
        to=to,
        sender_name=sender_name,
        reply_to=reply_to,
        subject=subject or str(values["title"]),
        text=filled(f"{name}.txt", {**shared, "t": _Sentences(name, language, plain)}),
        html=filled(f"{name}.html", {**shared, "t": _MarkedSentences(name, language, marked), "language": language}),
        language=language,
        key=key,
    )


def filled(template: str, values: Mapping[str, object]) -> str:
    """Return the template with its values. An HTML template escapes all values that are not markup."""
    return _TEMPLATES.get_template(template).render(values)


def long_date(day: date, language: Language) -> str:
    """Return the day in the words of the language, as `30 de noviembre de 2026`."""
    return format_date(day, "long", locale=_locale(language))


def long_time(moment: datetime, time_zone: str, language: Language) -> str:
    """Return the moment in the account's time zone, in the words of the language."""
    return format_datetime(moment.astimezone(ZoneInfo(time_zone)), "long", locale=_locale(language))


def _locale(language: Language) -> str:
    return text(MailMsg.COMMON_LOCALE).in_language(language)


class _Sentences:
    """Sentences of a mail, and sentences that all mails share, by the last part of their message id."""

    def __init__(self, name: str, language: Language, values: Mapping[str, object]) -> None:
        self._name, self._language, self._values = name, language, values

    def __getitem__(self, sentence: str) -> str:
        try:
            message = MailMsg(f"mail.{self._name}.{sentence}")
        except ValueError:
            message = MailMsg(f"mail.common.{sentence}")
        return text(message, **self._values).in_language(self._language)


class _MarkedSentences(_Sentences):
    """Sentences for HTML: the values are escaped, the words are ours."""

    def __getitem__(self, sentence: str) -> Markup:
        return Markup(super().__getitem__(sentence))  # noqa: S704 - the words are the catalogue's
