"""The mails about a team: an invitation to somebody without an account, and word to a new member who has one."""

from dataclasses import dataclass
from datetime import date

from babel.dates import format_date

from ledgerkit.core.mail.message import Mail, one_line
from ledgerkit.core.mail.rendering import Language, rendered

_LOCALES = {"es": "es_ES", "en": "en_GB"}
_ROLES = {
    "es": {
        "admin": "administración",
        "finance": "finanzas",
        "operations": "operaciones",
        "member": "miembro",
        "viewer": "consulta",
    },
    "en": {
        "admin": "admin",
        "finance": "finance",
        "operations": "operations",
        "member": "member",
        "viewer": "viewer",
    },
}
_SUBJECTS = {
    "invitation": {"es": "Invitación al equipo {team}", "en": "Invitation to the team {team}"},
    "membership": {"es": "Ya formas parte del equipo {team}", "en": "You are now a member of the team {team}"},
}


@dataclass(frozen=True, kw_only=True)
class TeamNotice:
    """What the mail says. `inviter` is None for a team's key; `link` opens the invitation, or the server."""

    language: Language
    to: str
    team_name: str
    inviter: str | None
    reply_to: str | None
    role: str
    link: str


def membership_mail(notice: TeamNotice) -> Mail:
    """To a registered user who has been made a member. Pure."""
    return _mail("membership", notice, {})


def invitation_mail(notice: TeamNotice, last_day: date) -> Mail:
    """To an address nobody is registered with; its `link` is good up to and including `last_day`. Pure."""
    return _mail(
        "invitation",
        notice,
        {"last_day": format_date(last_day, "long", locale=_LOCALES[notice.language])},
    )


def _mail(name: str, notice: TeamNotice, more: dict[str, object]) -> Mail:
    values = {
        "title": one_line(notice.team_name),
        "team": one_line(notice.team_name),
        "inviter": one_line(notice.inviter or notice.team_name),
        "role": _ROLES[notice.language][notice.role],
        "link": notice.link,
        **more,
    }
    text, html = rendered(name, notice.language, values)
    return Mail(
        to=notice.to,
        sender_name=notice.team_name,
        reply_to=notice.reply_to,
        subject=_SUBJECTS[name][notice.language].format(team=one_line(notice.team_name)),
        text=text,
        html=html,
        language=notice.language,
    )
