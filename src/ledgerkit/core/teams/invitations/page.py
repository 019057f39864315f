"""Page behind an invitation's link: one form, no script, for people who open a link from a mail."""

from ledgerkit.core.platform.identity.api import PASSWORD_MAX, PASSWORD_MIN
from ledgerkit.core.platform.pages import LOGIN, Choice, Field, Form, page, refusal_line
from ledgerkit.core.teams.invitations.acceptance import AccountChoice, Holder, Welcome
from ledgerkit.core.teams.texts import JoinPageMsg
from ledgerkit.problems import Problem
from ledgerkit.texts import Text, text

_LENGTH = text(JoinPageMsg.LENGTH, shortest=PASSWORD_MIN, longest=PASSWORD_MAX)


def offer_page(
    offer: Welcome,
    language: str,
    *,
    refusal: Problem | None = None,
    name: str = "",
    choice: AccountChoice | None = None,
) -> str:
    """Render the form; `refusal` is the reason why the last attempt failed, `name` and `choice` what was sent then."""
    form = Form(
        fields=_fields(offer, language, name),
        button=text(JoinPageMsg.JOIN).in_language(language),
        choices=_choices(offer, language, choice),
        wrong=None if refusal is None else refusal_line(refusal, language, _LENGTH),
    )
    return page(language, text(JoinPageMsg.TITLE, team=offer.team), _lines(offer), form)


def done_page(offer: Welcome, language: str) -> str:
    """Render the page that follows an accepted invitation."""
    explanation = text(JoinPageMsg.DONE_HELP, email=offer.email)
    return page(language, text(JoinPageMsg.DONE, team=offer.team), [explanation], links=[LOGIN])


def _lines(offer: Welcome) -> list[Text]:
    if offer.holder is Holder.NOBODY:
        return [text(JoinPageMsg.NEW)]
    unverified = offer.holder is Holder.UNVERIFIED
    first_line = text(JoinPageMsg.UNVERIFIED) if unverified else text(JoinPageMsg.REGISTERED)
    return [first_line, text(JoinPageMsg.FORGOTTEN, forgotten=offer.forgotten)]


def _choices(offer: Welcome, language: str, chosen: AccountChoice | None) -> list[Choice]:
    if offer.holder is not Holder.UNVERIFIED:
        return []
    labels = {
        AccountChoice.MINE: text(JoinPageMsg.KEEP_ACCOUNT),
        AccountChoice.NEW: text(JoinPageMsg.NEW_ACCOUNT),
    }
    return [
        Choice(name="account", value=choice.value, label=label.in_language(language), chosen=choice is chosen)
        for choice, label in labels.items()
    ]


def _fields(offer: Welcome, language: str, name: str) -> list[Field]:
    is_new = offer.holder is Holder.NOBODY
    email_label = text(JoinPageMsg.EMAIL).in_language(language)
    name_label = text(JoinPageMsg.NAME).in_language(language)
    fields = [
        Field(name="email", label=email_label, kind="email", autocomplete="username", value=offer.email, readonly=True)
    ]
    if is_new:
        fields.append(Field(name="name", label=name_label, kind="text", autocomplete="name", value=name, longest=200))
    fields.append(
        Field(
            name="password",
            label=text(JoinPageMsg.PASSWORD).in_language(language),
            kind="password",
            autocomplete="new-password" if is_new else "current-password",
            hint=text(JoinPageMsg.AT_LEAST, shortest=PASSWORD_MIN).in_language(language) if is_new else "",
            required=True,
            shortest=PASSWORD_MIN if is_new else None,
        )
    )
    return fields
