"""Mail about a certificate that expires soon or has expired."""

from dataclasses import dataclass
from datetime import datetime

from ledgerkit.core.platform.mail.delivery.message import Mail, one_line
from ledgerkit.core.platform.mail.letters.layout import Language, long_time, server_mail
from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.texts import text


@dataclass(frozen=True, kw_only=True)
class CertificateNotice:
    """Values of the mail; `days_left` are whole days, `until` is the certificate's last instant."""

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


def certificate_mail(notice: CertificateNotice) -> Mail:
    """Return the mail, with times in the account's time zone. Pure."""
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
