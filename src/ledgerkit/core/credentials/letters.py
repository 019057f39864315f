"""The mails of a person's own account, sent by a job: whoever asked has had the same answer by then."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import structlog

from ledgerkit import clock
from ledgerkit.core.credentials import links
from ledgerkit.core.credentials.links import LIFE, Purpose
from ledgerkit.core.identity import persons
from ledgerkit.core.mail import (
    Language,
    Mail,
    Mailer,
    PersonNotice,
    password_changed_mail,
    reset_mail,
    verification_mail,
)
from ledgerkit.core.request.context import Kernel
from ledgerkit.problems import BadGateway, Invalid

MAIL_PERSON = "mail-person"

Letter = Literal["verification", "reset", "password_changed", "password_reset"]

PATHS = {Purpose.VERIFICATION: "verify", Purpose.RESET: "reset"}
FORGOTTEN = "forgot"

log = structlog.get_logger()


async def mail_person(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Send one letter, if there is still somebody to send it to. Raises BadGateway to be tried again, until its time.

    These mails belong to no account, so that no account's log of mails has them.
    """
    letter, until = str(payload["letter"]), datetime.fromisoformat(str(payload["until"]))
    user = await _person(kernel, payload)
    if user is None or (letter == Purpose.VERIFICATION and user.email_verified):
        return
    if letter in set(Purpose):
        await _mail_link(kernel, user, Purpose(letter), until)
    else:
        notice = notice_for(kernel, user.email, user.locale, FORGOTTEN)
        await deliver(kernel, password_changed_mail(notice, key_renewed=letter == "password_reset"), until)


async def deliver(kernel: Kernel, mail: Mail, until: datetime) -> bool:
    """Hand a mail over and give True, or False when it never will be. Raises BadGateway to be tried again."""
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
    """Whom and in which language; every link leads to the configured address, whatever the request was sent to."""
    base = kernel.settings.public_url
    language: Language = "en" if locale == "en" else "es"
    return PersonNotice(language=language, to=email, link=f"{base}/{path}", forgotten=f"{base}/{FORGOTTEN}")


async def _mail_link(kernel: Kernel, user: Any, purpose: Purpose, until: datetime) -> None:
    link = await links.make(kernel, user.id, purpose)
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
            await links.take_back(kernel, link)


async def _person(kernel: Kernel, payload: Mapping[str, object]) -> Any:
    if "userId" in payload:
        return await persons.by_id(kernel, UUID(str(payload["userId"])))
    return await persons.by_email(kernel, str(payload["email"]))
