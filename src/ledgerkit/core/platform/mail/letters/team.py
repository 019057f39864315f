"""Mails about a team: an invitation to an address without an account, and a notice to a new member who has one."""

from dataclasses import dataclass
from datetime import date

from ledgerkit.core.platform.mail.delivery.message import Mail, one_line
from ledgerkit.core.platform.mail.letters.layout import Language, long_date, rendered
from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.texts import text


@dataclass(frozen=True, kw_only=True)
class TeamNotice:
    """Values of a mail about a team. `inviter` is None for a team's key; `link` opens the invitation, or the server."""

    language: Language
    to: str
    team_name: str
    inviter: str | None
    reply_to: str | None
    role: str
    link: str


def membership_mail(notice: TeamNotice) -> Mail:
    """Return the mail to a registered user who has been made a member. Pure."""
    return _mail("membership", MailMsg.MEMBERSHIP_SUBJECT, notice, {})


def invitation_mail(notice: TeamNotice, last_day: date) -> Mail:
    """Return the mail to an address without account, with a `link` valid up to and including `last_day`. Pure."""
    day = long_date(last_day, notice.language)
    return _mail("invitation", MailMsg.INVITATION_SUBJECT, notice, {"last_day": day})


def _mail(name: str, subject: MailMsg, notice: TeamNotice, further_values: dict[str, object]) -> Mail:
    team = one_line(notice.team_name)
    values = {
        "title": team,
        "team": team,
        "inviter": one_line(notice.inviter or notice.team_name),
        "role": text(MailMsg(f"mail.role.{notice.role}")),
        "link": notice.link,
        **further_values,
    }
    content, html = rendered(name, notice.language, values, bold=["team"])
    return Mail(
        to=notice.to,
        sender_name=notice.team_name,
        reply_to=notice.reply_to,
        subject=text(subject, team=team).in_language(notice.language),
        text=content,
        html=html,
        language=notice.language,
    )
