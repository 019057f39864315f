"""Pages behind mailed links: their forms, and the operations that a form calls."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from ledgerkit.core.platform.api_types.validation import invalid
from ledgerkit.core.platform.credentials import operations as credentials
from ledgerkit.core.platform.credentials.api import AddressProof, ForgottenPassword, PasswordReset
from ledgerkit.core.platform.credentials.mailed_links.links import Purpose
from ledgerkit.core.platform.credentials.texts import CredentialPagesMsg
from ledgerkit.core.platform.identity.api import PASSWORD_MAX, PASSWORD_MIN
from ledgerkit.core.platform.mail import Delivery, Mailer
from ledgerkit.core.platform.pages import LOGIN, Field, Form, page, refusal_line
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, Problem, RateLimited, Unavailable
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


@dataclass(frozen=True)
class Visit:
    """Result of a form.

    `email` is the recipient of the link. `refusal` is the reason why the form was refused; None if it was accepted.
    `delivered_to` is the destination of this server's mails: a mail server or files.
    """

    email: str
    refusal: Problem | None
    delivered_to: Delivery


@operation(Permission.PUBLIC, unit=Unit.OWN, effects=Effect.DESTRUCTIVE)
async def use_link(ctx: Context, token: str, password: str, purpose: Literal["verification", "reset"]) -> Visit:
    """Verify an address or replace a password as the link's page does. Raises Invalid LINK_INVALID."""
    email = (await credentials.recipient(ctx, token, purpose)).email

    async def work() -> None:
        if purpose == "verification":
            await credentials.verify_address(ctx, AddressProof(token=token, password=password))
        else:
            await credentials.reset_password(ctx, PasswordReset(token=token, password=password))

    return await _visited(ctx, email, work)


@operation(Permission.PUBLIC, unit=Unit.OWN, effects=Effect.OPEN_WORLD)
async def ask_for_link(ctx: Context, email: str) -> Visit:
    """Ask for a link as `operations.forgot_password` does."""

    async def work() -> None:
        await credentials.forgot_password(ctx, ForgottenPassword(email=email))

    return await _visited(ctx, email, work)


async def _visited(ctx: Context, email: str, work: Callable[[], Awaitable[None]]) -> Visit:
    delivered_to = ctx.kernel.service(Mailer).transport
    try:
        await work()
    except ValidationError as error:
        return Visit(email, invalid(error.errors()), delivered_to)
    except (Invalid, RateLimited, Unavailable) as refusal:
        if refusal.code not in {Code.LINK_INVALID, Code.DATABASE_UNAVAILABLE}:
            return Visit(email, refusal, delivered_to)
        raise
    return Visit(email, None, delivered_to)
