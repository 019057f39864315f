"""Mails about a person's own account, sent by a job, so that the answer does not reveal whether one is sent."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal
from uuid import UUID

import structlog

from ledgerkit import clock
from ledgerkit.core.platform.credentials.mailed_links import links
from ledgerkit.core.platform.credentials.mailed_links.links import LIFE, Purpose
from ledgerkit.core.platform.identity.persons import access as persons
from ledgerkit.core.platform.identity.persons.access import StoredUser
from ledgerkit.core.platform.mail import (
    Mail,
    Mailer,
    PersonNotice,
    chat_linked_mail,
    page_address,
    password_changed_mail,
    reset_mail,
    verification_mail,
)
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.problems import BadGateway, Invalid

MAIL_PERSON = "mail-person"
CHAT_LINKED = "chat_linked"
"""Letter about a chat that acts for the person from now on."""

PersonMail = Literal["verification", "reset", "password_changed", "password_reset", "chat_linked"]

PATHS = {Purpose.VERIFICATION: "verify", Purpose.RESET: "reset"}
FORGOTTEN = "forgot"
_CHATS = "settings/chats"

log = structlog.get_logger()


async def mail_person(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Send one mail if its person still exists. Until the payload's `until`, raise BadGateway to be tried again.

    These mails belong to no account, so no account's log of mails has them.
    """
    kind, until = str(payload["letter"]), datetime.fromisoformat(str(payload["until"]))
    user = await _person(kernel, payload)
    if user is None or (kind == Purpose.VERIFICATION and user.email_verified):
        return
    if kind in set(Purpose):
        await _mail_link(kernel, user, Purpose(kind), until)
    elif kind == CHAT_LINKED:
        notice = notice_for(kernel, user.email, user.locale, _CHATS)
        await deliver(kernel, chat_linked_mail(notice, str(payload["chat"])), until)
    else:
        notice = notice_for(kernel, user.email, user.locale, FORGOTTEN)
        await deliver(kernel, password_changed_mail(notice, key_renewed=kind == "password_reset"), until)


async def deliver(kernel: Kernel, mail: Mail, until: datetime) -> bool:
    """Send a mail and return True; False if it can never be sent. Raises BadGateway if it is to be tried again."""
    try:
        await kernel.service(Mailer).send(mail)
    except Invalid as problem:  # an address that no mail can be sent to
        log.warning("mail.impossible", subject=mail.subject, reason=problem.detail)
        return False
    except BadGateway as problem:
        log.warning("mail.refused", subject=mail.subject, reason=problem.detail)
        if problem.extra.get("delivery") == "unknown":
            return True
        if clock.now() < until:
            raise
        return False
    return True


def notice_for(kernel: Kernel, email: str, locale: str, path: str) -> PersonNotice:
    """Return recipient, language and links of a mail. The links have the configured address, not the request's."""
    link, forgotten = page_address(kernel, f"/{path}"), page_address(kernel, f"/{FORGOTTEN}")
    return PersonNotice(language=locale, to=email, link=link, forgotten=forgotten)


async def _mail_link(kernel: Kernel, user: StoredUser, purpose: Purpose, until: datetime) -> None:
    link = await links.create(kernel, user.id, purpose)
    if link is None:
        return
    notice = notice_for(kernel, user.email, user.locale, f"{PATHS[purpose]}/{link.token}")
    if purpose is Purpose.RESET:
        mail = reset_mail(notice)
    else:
        mail = verification_mail(notice, (clock.now() + LIFE[purpose]).date())
    delivered = False
    try:
        delivered = await deliver(kernel, mail, until)
    finally:
        if not delivered:
            await links.remove(kernel, link)


async def _person(kernel: Kernel, payload: Mapping[str, object]) -> StoredUser | None:
    if "userId" in payload:
        return await persons.by_id(kernel, UUID(str(payload["userId"])))
    return await persons.by_email(kernel, str(payload["email"]))
