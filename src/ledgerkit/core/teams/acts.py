"""Acts on a team or its members, with the summaries that a person agrees to."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.core.platform.request.acts import Act, Fact, Rehearsed, Risk, Stored, Summary, short
from ledgerkit.core.platform.request.field_facts import changes, given
from ledgerkit.core.platform.request.texts import AskMsg, FieldMsg
from ledgerkit.texts import MessageId, text

_TEAM = Stored("teams.current")
_FIRST_DATA = frozenset({"taxId", "country", "currency"})
"""Fields of a new team that are shown in any case."""
ROLES: Mapping[str, MessageId] = {
    "owner": AskMsg.ROLE_OWNER,
    "admin": MailMsg.ROLE_ADMIN,
    "finance": MailMsg.ROLE_FINANCE,
    "operations": MailMsg.ROLE_OPERATIONS,
    "member": MailMsg.ROLE_MEMBER,
    "viewer": MailMsg.ROLE_VIEWER,
}
"""Words for the roles."""


def _of_member(rehearsed: Rehearsed) -> list[Fact]:
    """Return the member whom the act is about, and the member's present role."""
    members: Sequence[Mapping[str, Any]] = rehearsed.before.get("members") or []
    named = str(rehearsed.arguments["member_id"]).strip().lower()
    member = next((member for member in members if named in {member.get("id"), member.get("userId")}), {})
    shown = f"{member.get('name', '')} <{member.get('email', '')}>" if member else None
    return [(AskMsg.MEMBER, shown), (AskMsg.OLD_ROLE, ROLES.get(str(member.get("role"))))]


def _team(rehearsed: Rehearsed) -> Mapping[str, Any]:
    team: Mapping[str, Any] = rehearsed.before.get("team") or {}
    return team


def _name(rehearsed: Rehearsed) -> str:
    return str(_team(rehearsed).get("name") or "")


async def _invitation(rehearsed: Rehearsed) -> Summary:
    facts: list[Fact] = [(AskMsg.SENT_TO, rehearsed.data.email), (AskMsg.ROLE, ROLES[rehearsed.data.role])]
    return Summary(text(AskMsg.INVITE, team=short(_name(rehearsed))), facts, AskMsg.AFTER_MEMBER)


async def _role(rehearsed: Rehearsed) -> Summary:
    facts = [*_of_member(rehearsed), (AskMsg.ROLE, ROLES[rehearsed.data.role])]
    return Summary(text(AskMsg.CHANGE_ROLE, team=short(_name(rehearsed))), facts, AskMsg.AFTER_MEMBER)


async def _removal(rehearsed: Rehearsed) -> Summary:
    return Summary(
        text(AskMsg.REMOVE_MEMBER, team=short(_name(rehearsed))), _of_member(rehearsed), AskMsg.AFTER_REMOVAL
    )


def _is_of_account_number(rehearsed: Rehearsed) -> bool:
    """Return True if the bank account would be another one, which invoices ask clients to pay to."""
    changed: Mapping[str, Any] = rehearsed.answer.get("team") or {}
    return (changed.get("iban") or None) != (_team(rehearsed).get("iban") or None)


def _after(rehearsed: Rehearsed) -> Mapping[str, Any]:
    team: Mapping[str, Any] = rehearsed.answer.get("team") or {}
    return team


async def _set_up(rehearsed: Rehearsed) -> Summary:
    team = _after(rehearsed)
    facts: list[Fact] = [(AskMsg.NEW_IBAN, team.get("iban"))]
    facts += given(team, _FIRST_DATA, rehearsed.currency)
    facts += given(team, rehearsed.sent - {"name", "iban"} - _FIRST_DATA, rehearsed.currency)
    effect = text(AskMsg.SET_UP_TEAM, team=short(rehearsed.data.name))
    return Summary(effect, facts, AskMsg.AFTER_SET_UP)


async def _profile(rehearsed: Rehearsed) -> Summary:
    effect = text(AskMsg.CHANGE_TEAM, team=short(_name(rehearsed)))
    before, after = dict(_team(rehearsed)), dict(rehearsed.answer.get("team") or {})
    facts: list[Fact] = []
    if _is_of_account_number(rehearsed):
        facts = [(AskMsg.OLD_IBAN, before.get("iban")), (AskMsg.NEW_IBAN, after.get("iban") or AskMsg.NO_IBAN)]
        before["iban"] = after.get("iban")
    if "logo" in rehearsed.sent:
        facts.append((FieldMsg.LOGO, AskMsg.A_FILE if rehearsed.data.logo else AskMsg.EMPTY))
    others = [fact for fact in changes(before, after, rehearsed.currency) if not facts or fact[0] != AskMsg.ATTENTION]
    afterwards = AskMsg.AFTER_OWN_IBAN if _is_of_account_number(rehearsed) else AskMsg.AFTER_CHANGE
    return Summary(effect, [*facts, *others], afterwards)


INVITATION = Act(summary=_invitation, risk=Risk.ACCESS, before=_TEAM)
ROLE = Act(summary=_role, risk=Risk.ACCESS, before=_TEAM)
REMOVAL = Act(summary=_removal, risk=Risk.ACCESS, before=_TEAM)
SET_UP = Act(summary=_set_up, risk=Risk.MONEY)
PROFILE = Act(summary=_profile, risk=Risk.MONEY, asked_if=_is_of_account_number, before=_TEAM)
