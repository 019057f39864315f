"""Mails about a person's own account: links to confirm the address or change the password, and notices of changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ledgerkit.core.platform.mail.delivery.message import Mail, one_line
from ledgerkit.core.platform.mail.letters.layout import Language, long_date, server_mail
from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.texts import text


@dataclass(frozen=True, kw_only=True)
class PersonNotice:
    """Recipient and links of a mail about their account: `link` to open, `forgotten` to ask for a new password."""

    language: Language
    to: str
    link: str
    forgotten: str


def verification_mail(notice: PersonNotice, last_day: date) -> Mail:
    """Return the mail whose link confirms the address, up to and including `last_day`. Pure."""
    day = long_date(last_day, notice.language)
    return _mail("verification", MailMsg.VERIFICATION_SUBJECT, notice, {"last_day": day})


def reset_mail(notice: PersonNotice) -> Mail:
    """Return the mail whose link replaces the password. Pure."""
    return _mail("reset", MailMsg.RESET_SUBJECT, notice, {})


def password_changed_mail(notice: PersonNotice, *, key_renewed: bool) -> Mail:
    """Return the notice of a changed password, so that a change by somebody else is noticed. Pure."""
    return _mail("access_changed", MailMsg.ACCESS_CHANGED_SUBJECT, notice, {"key_renewed": key_renewed})


def account_deleted_mail(notice: PersonNotice, teams: Sequence[str], kept_until: date | None) -> Mail:
    """Return the notice of a deleted account; the records of `teams` are retained until `kept_until`. Pure."""
    day = None if kept_until is None else long_date(kept_until, notice.language)
    values = {"teams": one_line(", ".join(teams)), "kept_until": day}
    return _mail("account_deleted", MailMsg.ACCOUNT_DELETED_SUBJECT, notice, values)


def _mail(name: str, subject: MailMsg, notice: PersonNotice, further_values: Mapping[str, object]) -> Mail:
    values = {
        "title": text(subject).in_language(notice.language),
        "team": "ledgerkit",
        "link": notice.link,
        "forgotten": notice.forgotten,
        **further_values,
    }
    return server_mail(name, notice.language, values, notice.to)
