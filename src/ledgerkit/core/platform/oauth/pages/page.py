"""Pages of an authorization request: the login, the consent, and the refusal of what cannot be granted."""

from collections.abc import Mapping
from dataclasses import dataclass
from unicodedata import category
from urllib.parse import urlsplit

from ledgerkit.core.platform.identity.accounts.members import OwnAccountRow
from ledgerkit.core.platform.oauth.authorization.requests import AuthorizationRequest
from ledgerkit.core.platform.oauth.pages.consent import Action, ConsentStep, LoginStep
from ledgerkit.core.platform.oauth.protocol import redirects
from ledgerkit.core.platform.oauth.texts import ConsentPageMsg, OAuthMsg
from ledgerkit.core.platform.pages import Button, Field, Form, Group, Link, Option, page, refusal_line
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Role
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.problems import Problem
from ledgerkit.texts import FixedText, Joined, Text, text
from ledgerkit.texts.common import CommonMsg

SCOPE_FIELD = "scope_"
"""Beginning of the name of a scope's field; the rest is the scope."""


@dataclass(frozen=True)
class _ScopeTexts:
    name: ConsentPageMsg
    explanation: ConsentPageMsg


_SCOPES: Mapping[Scope, _ScopeTexts] = {
    Scope.READ: _ScopeTexts(ConsentPageMsg.READ, ConsentPageMsg.READ_HELP),
    Scope.PROPOSE: _ScopeTexts(ConsentPageMsg.PROPOSE, ConsentPageMsg.PROPOSE_HELP),
    Scope.WRITE: _ScopeTexts(ConsentPageMsg.WRITE, ConsentPageMsg.WRITE_HELP),
    Scope.FISCAL: _ScopeTexts(ConsentPageMsg.FISCAL, ConsentPageMsg.FISCAL_HELP),
    Scope.TEAM: _ScopeTexts(ConsentPageMsg.TEAM, ConsentPageMsg.TEAM_HELP),
}
_ROLES: Mapping[Role, ConsentPageMsg] = {
    Role.OWNER: ConsentPageMsg.ROLE_OWNER,
    Role.ADMIN: ConsentPageMsg.ROLE_ADMIN,
    Role.FINANCE: ConsentPageMsg.ROLE_FINANCE,
    Role.OPERATIONS: ConsentPageMsg.ROLE_OPERATIONS,
    Role.MEMBER: ConsentPageMsg.ROLE_MEMBER,
    Role.VIEWER: ConsentPageMsg.ROLE_VIEWER,
}


def login_page(step: LoginStep, language: str) -> str:
    """Render the form with which a person logs in."""
    form = Form(
        hidden={"token": step.token},
        fields=[
            Field(
                name="email",
                label=_line(ConsentPageMsg.EMAIL, language),
                kind="email",
                autocomplete="username",
                value=step.email,
                required=True,
                longest=254,
            ),
            Field(
                name="password",
                label=_line(ConsentPageMsg.PASSWORD, language),
                kind="password",
                autocomplete="current-password",
                required=True,
            ),
        ],
        buttons=[
            _button(Action.LOGIN, ConsentPageMsg.LOGIN_BUTTON, language),
            _button(Action.DENY, ConsentPageMsg.CANCEL, language, plain=True),
        ],
        wrong=_login_refusal(step.refusal, language),
    )
    client = _client(step.request)
    lines = [
        text(ConsentPageMsg.LOGIN_HELP, client=client),
        text(ConsentPageMsg.LOGIN_FORGOTTEN, forgotten=step.forgotten),
    ]
    return page(language, text(ConsentPageMsg.LOGIN, client=client), lines, form)


def consent_page(step: ConsentStep, language: str) -> str:
    """Render the form with which a person allows or denies what a client asks for."""
    form = Form(
        hidden={"token": step.token, "state": step.request.state or ""},
        groups=[_accounts(step, language), _scopes(step, language)],
        buttons=[
            _button(Action.ALLOW, ConsentPageMsg.ALLOW, language),
            _button(Action.DENY, ConsentPageMsg.DENY, language, plain=True),
            _button(Action.LOGOUT, ConsentPageMsg.LOGOUT, language, plain=True),
        ],
        wrong=None if step.refusal is None else _sentence(step.refusal, language),
    )
    title = text(ConsentPageMsg.TITLE, client=_client(step.request))
    return page(language, title, _lines(step), form, warnings=[*_warnings(step.request), *_further(step)])


def refusal_page(refusal: Problem, language: str) -> str:
    """Render the reason why an application cannot be connected, and what to do about it."""
    return page(language, text(OAuthMsg.NOT_CONNECTED), _reason(refusal))


def returning_page(refusal: Problem, location: str, language: str) -> str:
    """Render the reason, and a link by which the person takes the error to the application at `location`."""
    parts = urlsplit(location)
    destination = parts.netloc if parts.scheme in {"https", "http"} else f"{parts.scheme}:"
    link = Link(location, text(OAuthMsg.RETURN, destination=destination))
    warning = text(OAuthMsg.RETURN_ONLY_IF_KNOWN, destination=destination)
    return page(language, text(OAuthMsg.NOT_CONNECTED), _reason(refusal), warnings=[warning], links=[link])


def _lines(step: ConsentStep) -> list[Text]:
    request = step.request
    lines = [text(ConsentPageMsg.ASKS, client=_client(request))]
    if request.client_id.startswith("https://"):
        lines.append(text(ConsentPageMsg.DESCRIBED_AT, host=urlsplit(request.client_id).netloc))
    if request.redirect_uri.startswith("https://"):
        lines.append(text(ConsentPageMsg.RETURNS_TO, host=urlsplit(request.redirect_uri).netloc))
    return [*lines, text(ConsentPageMsg.WHO, email=step.email), text(ConsentPageMsg.REVOCABLE)]


def _warnings(request: AuthorizationRequest) -> list[Text]:
    """Warn of answers that go to a program on the person's device: any program there could be the one that asks."""
    parts = urlsplit(request.redirect_uri)
    if redirects.is_loopback(request.redirect_uri):
        return [text(ConsentPageMsg.LOOPBACK, host=parts.netloc)]
    if parts.scheme != "https":
        return [text(ConsentPageMsg.APPLICATION, scheme=parts.scheme)]
    return []


def _further(step: ConsentStep) -> list[Text]:
    """Say what a client asks for that is connected already and lacks some of it."""
    present = step.present
    if present is None:
        return []
    lacking = [text(_SCOPES[scope].name) for scope in step.request.scopes if scope not in present.scopes]
    if not lacking:
        return []
    allowed = Joined([text(_SCOPES[scope].name) for scope in present.scopes], last=CommonMsg.AND)
    scopes = Joined(lacking, last=CommonMsg.AND)
    account = present.account.name
    return [
        text(ConsentPageMsg.ASKS_NOW, client=_client(step.request), account=account, allowed=allowed, scopes=scopes)
    ]


def _accounts(step: ConsentStep, language: str) -> Group:
    options = [
        Option(
            name="account",
            value=str(account.account_id),
            label=_account_name(account).in_language(language),
            hint=_role_hint(account, step.request, language),
            chosen=account == step.account,
        )
        for account in step.accounts
    ]
    return Group(name="account", legend=_line(ConsentPageMsg.ACCOUNTS, language), kind="radio", options=options)


def _account_name(account: OwnAccountRow) -> Text:
    if account.is_team:
        return FixedText(account.name)
    return text(ConsentPageMsg.PERSONAL, name=account.name)


def _role_hint(account: OwnAccountRow, request: AuthorizationRequest, language: str) -> str:
    """Return the person's role in an account, and the scopes asked for that this role cannot use."""
    role = text(_ROLES[Role(account.role)])
    granted = ROLE_PERMISSIONS[Role(account.role)]
    useless = [text(_SCOPES[scope].name) for scope in request.scopes if not scope.permissions & granted]
    if useless:
        lacks = text(ConsentPageMsg.ROLE_LACKS, role=role, scopes=Joined(useless, last=CommonMsg.OR))
        return lacks.in_language(language)
    return text(ConsentPageMsg.ROLE, role=role).in_language(language)


def _scopes(step: ConsentStep, language: str) -> Group:
    options = [
        Option(
            name=f"{SCOPE_FIELD}{scope}",
            value="on",
            label=_line(_SCOPES[scope].name, language),
            hint=_scope_hint(scope, step.request, language),
            chosen=scope in step.scopes or scope is Scope.READ,
            fixed=scope is Scope.READ,
        )
        for scope in step.request.offered
    ]
    return Group(name="scope", legend=_line(ConsentPageMsg.SCOPES, language), kind="checkbox", options=options)


def _scope_hint(scope: Scope, request: AuthorizationRequest, language: str) -> str:
    explanation = _line(_SCOPES[scope].explanation, language)
    if scope in request.scopes:
        return explanation
    return f"{explanation} {_line(ConsentPageMsg.NOT_ASKED_FOR, language)}"


def _client(request: AuthorizationRequest) -> str:
    """Return the name of a client without invisible characters, such as those that change the reading direction."""
    return "".join(letter for letter in request.client_name if not category(letter).startswith("C")) or "?"


def _button(action: Action, label: ConsentPageMsg, language: str, *, plain: bool = False) -> Button:
    return Button(name="action", value=action, label=_line(label, language), plain=plain, quick=plain)


def _login_refusal(refusal: Problem | None, language: str) -> str | None:
    """Return the reason why a login failed, or why another answer leads back to the login."""
    if refusal is None:
        return None
    otherwise = text(ConsentPageMsg.NOT_AN_ADDRESS) if refusal.errors else FixedText(_sentence(refusal, language))
    return refusal_line(refusal, language, otherwise)


def _sentence(refusal: Problem, language: str) -> str:
    wording = refusal.text.wording(language)
    return f"{wording.message} {wording.remedy}".strip()


def _line(message: ConsentPageMsg, language: str) -> str:
    return text(message).in_language(language)


def _reason(refusal: Problem) -> list[Text]:
    return [refusal.text.message, *([refusal.text.remedy] if refusal.text.remedy else [])]
