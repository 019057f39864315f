"""The mails about a person's own account: a link to confirm the address or replace the password, and what was done."""

from dataclasses import dataclass
from datetime import date

from babel.dates import format_date

from ledgerkit.core.mail.message import Mail, one_line
from ledgerkit.core.mail.rendering import Language, own_mail

_LOCALES = {"es": "es_ES", "en": "en_GB"}
_SUBJECTS = {
    "verification": {"es": "Confirma tu dirección de correo", "en": "Confirm your e-mail address"},
    "reset": {"es": "Una contraseña nueva para ledgerkit", "en": "A new password for ledgerkit"},
    "password_changed": {"es": "Tu contraseña ha cambiado", "en": "Your password has been changed"},
    "account_deleted": {"es": "Tu cuenta se ha borrado", "en": "Your account has been deleted"},
}


@dataclass(frozen=True, kw_only=True)
class PersonNotice:
    """Whom a mail about their own account goes to. `link` is what it asks to open, `forgotten` the page for a link."""

    language: Language
    to: str
    link: str
    forgotten: str


def verification_mail(notice: PersonNotice, last_day: date) -> Mail:
    """Its link confirms the address, up to and including `last_day`. Pure."""
    return _mail("verification", notice, {"last_day": _day(last_day, notice.language)})


def reset_mail(notice: PersonNotice) -> Mail:
    """Its link replaces the password. Pure."""
    return _mail("reset", notice, {})


def password_changed_mail(notice: PersonNotice, *, key_renewed: bool) -> Mail:
    """Tells that the password was changed, so that somebody else's doing is noticed. Pure."""
    return _mail("password_changed", notice, {"key_renewed": key_renewed})


def account_deleted_mail(notice: PersonNotice, teams: list[str], kept_until: date | None) -> Mail:
    """Tells that the account is gone; `teams` are those whose books are kept until that day. Pure."""
    day = None if kept_until is None else _day(kept_until, notice.language)
    return _mail("account_deleted", notice, {"teams": one_line(", ".join(teams)), "kept_until": day})


def _mail(name: str, notice: PersonNotice, more: dict[str, object]) -> Mail:
    values = {
        "title": _SUBJECTS[name][notice.language],
        "team": "ledgerkit",
        "link": notice.link,
        "forgotten": notice.forgotten,
        **more,
    }
    return own_mail(name, notice.language, values, notice.to)


def _day(day: date, language: Language) -> str:
    return format_date(day, "long", locale=_LOCALES[language])
