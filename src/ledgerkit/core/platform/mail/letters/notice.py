"""Mail about fiscal records that do not reach the authority, and about faults of the clock, chain or database."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ledgerkit.core.platform.mail.delivery.message import Mail, one_line
from ledgerkit.core.platform.mail.letters.layout import Language, long_time, server_mail
from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.texts import text

Kind = Literal["delayed", "refused", "stopped", "clock", "chain", "renewed", "lost_numbers", "series_renamed"]

_SUBJECTS = {
    "clock": MailMsg.NOTICE_SUBJECT_CLOCK,
    "chain": MailMsg.NOTICE_SUBJECT_CHAIN,
    "renewed": MailMsg.NOTICE_SUBJECT_RENEWED,
    "lost_numbers": MailMsg.NOTICE_SUBJECT_RENEWED,
    "series_renamed": MailMsg.NOTICE_SUBJECT_RENEWED,
}
"""Subjects of mails about one kind of trouble only."""


@dataclass(frozen=True, kw_only=True)
class Notice:
    """Values of the mail: the troubles, each with the authority's words if it gave any, and the records that wait."""

    language: Language
    to: str
    team_name: str
    issuer: str
    troubles: tuple[Kind, ...]
    details: tuple[str, ...]
    count: int
    oldest_at: datetime | None
    time_zone: str
    link: str


def notice_mail(notice: Notice) -> Mail:
    """Return the mail, with times in the account's time zone. Pure."""
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
