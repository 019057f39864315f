"""Sends a mail now, through the configured mail server or into a file, and tells what came of it."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ledgerkit import clock
from ledgerkit.core.mail import files
from ledgerkit.core.mail.message import Mail, compose
from ledgerkit.core.mail.smtp import MailServer
from ledgerkit.settings import Settings


class Delivery(StrEnum):
    """What took the mail: a mail server, or a file because none is configured."""

    SMTP = "smtp"
    FILE = "file"


@dataclass(frozen=True, kw_only=True)
class MailReceipt:
    """`where` is the mail server's reply, or the file's path."""

    delivered_to: Delivery
    where: str
    message_id: str
    accepted_at: datetime


class Mailer:
    """The way out for mail. Raises ValueError when the settings name no usable mail server or sender."""

    def __init__(self, settings: Settings) -> None:
        url = settings.smtp_url
        self._server = None if url is None else MailServer.from_url(url.get_secret_value())
        self._sender = settings.mail_from
        self._directory = settings.data_dir / "mail"
        self._seconds = settings.mail_timeout

    async def send(self, mail: Mail) -> MailReceipt:
        """Hand `mail` over, once; call it outside any transaction.

        Raises BadGateway (MAIL_FAILED) with the server's words when it is not accepted, with `delivery="unknown"` when
        it may have been; Invalid for an address that cannot be one.
        """
        now = clock.now()
        message = compose(mail, self._sender, now)
        if self._server is None:
            delivery = Delivery.FILE
            where = str(await asyncio.to_thread(files.keep, message.content, self._directory, now))
        else:
            delivery = Delivery.SMTP
            where = await self._server.deliver(message, self._seconds)
        return MailReceipt(delivered_to=delivery, where=where, message_id=message.message_id, accepted_at=clock.now())
