"""Pages behind the links that verify an address or replace a password, and the page that asks for such a link."""

from dataclasses import dataclass

from ledgerkit.core.platform.credentials.mailed_links.links import Purpose
from ledgerkit.core.platform.credentials.texts import CredentialPagesMsg
from ledgerkit.core.platform.identity.api import PASSWORD_MAX, PASSWORD_MIN
from ledgerkit.core.platform.mail import Delivery
from ledgerkit.core.platform.pages import LOGIN, Field, Form, page, refusal_line
from ledgerkit.problems import Problem
from ledgerkit.texts import Text, text

_LENGTH = text(CredentialPagesMsg.LENGTH, shortest=PASSWORD_MIN, longest=PASSWORD_MAX)


@dataclass(frozen=True)
class _LinkPage:
    """Texts of the page of one kind of link, before and after its form was accepted."""

    title: CredentialPagesMsg
    explanation: CredentialPagesMsg
    button: CredentialPagesMsg
    done: CredentialPagesMsg
    done_explanation: CredentialPagesMsg


_PAGES = {
    Purpose.VERIFICATION: _LinkPage(
        CredentialPagesMsg.VERIFY,
        CredentialPagesMsg.VERIFY_HELP,
        CredentialPagesMsg.VERIFY_BUTTON,
        CredentialPagesMsg.VERIFIED,
        CredentialPagesMsg.VERIFIED_HELP,
    ),
    Purpose.RESET: _LinkPage(
        CredentialPagesMsg.RESET,
        CredentialPagesMsg.RESET_HELP,
        CredentialPagesMsg.RESET_BUTTON,
        CredentialPagesMsg.CHANGED,
        CredentialPagesMsg.CHANGED_HELP,
    ),
}


def form_page(purpose: Purpose, email: str, language: str, refusal: Problem | None = None) -> str:
    """Render the form of a link; `refusal` is the reason why the last attempt failed."""
    texts = _PAGES[purpose]
    fields = [_email(email, language), _password(purpose, language)]
    form = Form(
        fields=fields,
        button=text(texts.button).in_language(language),
        wrong=_refusal_line(refusal, language, _LENGTH),
    )
    return page(language, text(texts.title), [text(texts.explanation)], form)


def done_page(purpose: Purpose, email: str, language: str) -> str:
    """Render the page that follows an accepted form."""
    texts = _PAGES[purpose]
    return page(language, text(texts.done), [text(texts.done_explanation, email=email)], links=[LOGIN])


def forgot_page(language: str, refusal: Problem | None = None, typed: str = "") -> str:
    """Render the form that asks for a link; `typed` is the address of the last attempt."""
    email = Field(
        name="email",
        label=text(CredentialPagesMsg.EMAIL).in_language(language),
        kind="email",
        autocomplete="username",
        value=typed,
        required=True,
        longest=254,
    )
    form = Form(
        fields=[email],
        button=text(CredentialPagesMsg.FORGOT_BUTTON).in_language(language),
        wrong=_refusal_line(refusal, language, text(CredentialPagesMsg.NOT_AN_ADDRESS)),
    )
    return page(language, text(CredentialPagesMsg.FORGOT), [text(CredentialPagesMsg.FORGOT_HELP)], form)


def sent_page(language: str, delivered_to: Delivery) -> str:
    """Render the answer to a request for a link, which is the same for every address."""
    if delivered_to is Delivery.FILE:
        return page(language, text(CredentialPagesMsg.IN_FILE), [text(CredentialPagesMsg.IN_FILE_HELP)])
    return page(language, text(CredentialPagesMsg.SENT), [text(CredentialPagesMsg.SENT_HELP)])


def _email(email: str, language: str) -> Field:
    label = text(CredentialPagesMsg.EMAIL).in_language(language)
    return Field(name="email", label=label, kind="email", autocomplete="username", value=email, readonly=True)


def _password(purpose: Purpose, language: str) -> Field:
    if purpose is Purpose.VERIFICATION:
        label = text(CredentialPagesMsg.PASSWORD).in_language(language)
        return Field(name="password", label=label, kind="password", autocomplete="current-password", required=True)
    return Field(
        name="password",
        label=text(CredentialPagesMsg.NEW_PASSWORD).in_language(language),
        kind="password",
        autocomplete="new-password",
        hint=text(CredentialPagesMsg.AT_LEAST, shortest=PASSWORD_MIN).in_language(language),
        required=True,
        shortest=PASSWORD_MIN,
        longest=PASSWORD_MAX,
    )


def _refusal_line(refusal: Problem | None, language: str, otherwise: Text) -> str | None:
    return None if refusal is None else refusal_line(refusal, language, otherwise)
