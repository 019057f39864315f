"""Mails about an account, a team, a certificate or fiscal records: their recipients, subjects and values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from ledgerkit.core.platform.mail.delivery.message import Mail, one_line
from ledgerkit.core.platform.mail.letters.layout import Language, long_date, long_time, server_mail
from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.texts import text


@dataclass(frozen=True, kw_only=True)
class PersonNotice:
    """Recipient and links of a mail about a person's own account.

    `link` is the page that the mail is about, `forgotten` the page on which a person asks for a new password.
    """

    language: Language
    to: str
    link: str
    forgotten: str


@dataclass(frozen=True, kw_only=True)
class CertificateNotice:
    """Values of a mail about a certificate that expires soon or has expired.

    `days_left` counts whole days. `until` is the last instant at which the certificate is valid. `key` as in `Mail`.
    """

    language: Language
    to: str
    team_name: str
    holder: str
    until: datetime
    expired: bool
    days_left: int
    time_zone: str
    link: str
    key: str


Trouble = Literal["delayed", "refused", "stopped", "clock", "chain", "renewed", "lost_numbers", "series_renamed"]

_SUBJECTS = {
    "clock": MailMsg.NOTICE_SUBJECT_CLOCK,
    "chain": MailMsg.NOTICE_SUBJECT_CHAIN,
    "renewed": MailMsg.NOTICE_SUBJECT_RENEWED,
    "lost_numbers": MailMsg.NOTICE_SUBJECT_RENEWED,
    "series_renamed": MailMsg.NOTICE_SUBJECT_RENEWED,
}
"""Subject of a mail whose troubles are all of one kind."""


@dataclass(frozen=True, kw_only=True)
class FiscalNotice:
    """Values of a mail about fiscal records that do not reach the authority, or about clock, chain or database.

    `details` has an entry for each of `troubles`: the authority's words, or an empty text. `count` is the number of
    records that wait, `oldest_at` the time of the oldest one.
    """

    language: Language
    to: str
    team_name: str
    issuer: str
    troubles: tuple[Trouble, ...]
    details: tuple[str, ...]
    count: int
    oldest_at: datetime | None
    time_zone: str
    link: str


@dataclass(frozen=True, kw_only=True)
class TeamNotice:
    """Values of a mail about a team. `inviter` is None for a team's key. `link` opens the invitation or the server."""

    language: Language
    to: str
    team_name: str
    inviter: str | None
    reply_to: str | None
    role: str
    link: str


def verification_mail(notice: PersonNotice, last_day: date) -> Mail:
    """Return the mail whose link confirms the address. The link is valid up to and including `last_day`. Pure."""
    day = long_date(last_day, notice.language)
    return _account_mail("verification", MailMsg.VERIFICATION_SUBJECT, notice, {"last_day": day})


def reset_mail(notice: PersonNotice) -> Mail:
    """Return the mail whose link replaces the password. Pure."""
    return _account_mail("reset", MailMsg.RESET_SUBJECT, notice, {})


def password_changed_mail(notice: PersonNotice, *, key_renewed: bool) -> Mail:
    """Return the mail that tells a person of a changed password, which somebody else may have changed. Pure."""
    return _account_mail("access_changed", MailMsg.ACCESS_CHANGED_SUBJECT, notice, {"key_renewed": key_renewed})


def chat_linked_mail(notice: PersonNotice, chat: str) -> Mail:
    """Return the mail that tells a person of a chat that acts for them now (its messenger and name). Pure."""
    return _account_mail("chat_linked", MailMsg.CHAT_LINKED_SUBJECT, notice, {"chat": one_line(chat)})


def account_deleted_mail(notice: PersonNotice, teams: Sequence[str], kept_until: date | None) -> Mail:
    """Return the mail about a deleted account. The records of `teams` are retained until `kept_until`. Pure."""
    day = None if kept_until is None else long_date(kept_until, notice.language)
    values = {"teams": one_line(", ".join(teams)), "kept_until": day}
    return _account_mail("account_deleted", MailMsg.ACCOUNT_DELETED_SUBJECT, notice, values)


def certificate_mail(notice: CertificateNotice) -> Mail:
    """Return the mail about a certificate, with times in the account's time zone. Pure."""
    language, holder = notice.language, one_line(notice.holder)
    until = long_time(notice.until, notice.time_zone, language)
    if notice.expired:
        subject = text(MailMsg.CERTIFICATE_SUBJECT_EXPIRED, holder=holder)
        expiry = text(MailMsg.CERTIFICATE_EXPIRED, until=until)
    else:
        subject = text(MailMsg.CERTIFICATE_SUBJECT, holder=holder, days=notice.days_left + 1)
        expiry = text(MailMsg.CERTIFICATE_EXPIRES, until=until)
    values = {
        "title": subject.in_language(language),
        "team": one_line(notice.team_name),
        "holder": holder,
        "expired": notice.expired,
        "expiry": expiry,
        "link": notice.link,
    }
    return server_mail("certificate", language, values, notice.to, notice.key, bold=["holder", "expiry"])


def fiscal_mail(notice: FiscalNotice) -> Mail:
    """Return the mail about fiscal records, with times in the account's time zone. Pure."""
    language, issuer = notice.language, one_line(notice.issuer)
    only = notice.troubles[0] if len(set(notice.troubles)) == 1 else ""
    subject = text(_SUBJECTS.get(only, MailMsg.NOTICE_SUBJECT), issuer=issuer)
    oldest = None if notice.oldest_at is None else long_time(notice.oldest_at, notice.time_zone, language)
    troubles = [
        (text(MailMsg(f"mail.notice.trouble_{kind}")).in_language(language), one_line(detail))
        for kind, detail in zip(notice.troubles, notice.details, strict=True)
    ]
    values = {
        "title": subject.in_language(language),
        "team": one_line(notice.team_name),
        "issuer": issuer,
        "troubles": troubles,
        "count": notice.count,
        "oldest": oldest,
        "link": notice.link,
    }
    return server_mail("notice", language, values, notice.to)


def membership_mail(notice: TeamNotice) -> Mail:
    """Return the mail to a registered user who has been made a member. Pure."""
    return _team_mail("membership", MailMsg.MEMBERSHIP_SUBJECT, notice, {})


def invitation_mail(notice: TeamNotice, last_day: date) -> Mail:
    """Return the mail to an address without an account. Its `link` is valid up to and including `last_day`. Pure."""
    day = long_date(last_day, notice.language)
    return _team_mail("invitation", MailMsg.INVITATION_SUBJECT, notice, {"last_day": day})


def _account_mail(name: str, subject: MailMsg, notice: PersonNotice, further_values: Mapping[str, object]) -> Mail:
    values = {
        "title": text(subject).in_language(notice.language),
        "team": "ledgerkit",
        "link": notice.link,
        "forgotten": notice.forgotten,
        **further_values,
    }
    return server_mail(name, notice.language, values, notice.to)


def _team_mail(name: str, subject: MailMsg, notice: TeamNotice, further_values: dict[str, object]) -> Mail:
    team = one_line(notice.team_name)
    values = {
        "title": team,
        "team": team,
        "inviter": one_line(notice.inviter or notice.team_name),
        "role": text(MailMsg(f"mail.role.{notice.role}")),
        "link": notice.link,
        **further_values,
    }
    return server_mail(
        name,
        notice.language,
        values,
        notice.to,
        subject=text(subject, team=team).in_language(notice.language),
        bold=["team"],
        sender_name=notice.team_name,
        reply_to=notice.reply_to,
    )
