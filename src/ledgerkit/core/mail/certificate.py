"""The mail about a certificate that runs out, and what to do before it has."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from babel.dates import format_datetime

from ledgerkit.core.mail.message import Mail, one_line
from ledgerkit.core.mail.rendering import Language, own_mail

_LOCALES = {"es": "es_ES", "en": "en_GB"}
_SUBJECTS = {
    "es": "El certificado de {holder} caduca dentro de {days} días",
    "en": "The certificate of {holder} expires within {days} days",
}
_EXPIRED = {"es": "El certificado de {holder} ha caducado", "en": "The certificate of {holder} has expired"}


@dataclass(frozen=True, kw_only=True)
class CertificateNotice:
    """What the mail says; `days_left` are whole days, `until` the certificate's last instant."""

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
    """Pure. The time is that of the account's place."""
    language, holder = notice.language, one_line(notice.holder)
    subject = (_EXPIRED if notice.expired else _SUBJECTS)[language].format(holder=holder, days=notice.days_left + 1)
    local = notice.until.astimezone(ZoneInfo(notice.time_zone))
    values = {
        "title": subject,
        "team": one_line(notice.team_name),
        "holder": holder,
        "expired": notice.expired,
        "until": format_datetime(local, "long", locale=_LOCALES[language]),
        "link": notice.link,
    }
    return own_mail("certificate", language, values, notice.to, notice.key)
