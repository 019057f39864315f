"""Delivery of mails through the configured mail server or into a file, and the log of the outcomes."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

import structlog

from ledgerkit import clock
from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.mail.delivery import transport
from ledgerkit.core.platform.mail.delivery.message import Composed, Mail, compose, one_line
from ledgerkit.core.platform.mail.delivery.transport import MailServer
from ledgerkit.core.platform.mail.table import MailLogRow, mail_log
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.core.platform.request.previews import DryRun
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.problems import Problem, Unavailable
from ledgerkit.settings import Settings

log = structlog.get_logger()


class Delivery(StrEnum):
    """Destination of a mail: a mail server, or a file because none is configured."""

    SMTP = "smtp"
    FILE = "file"


class MailKind(StrEnum):
    """Purpose of a mail, as the log names it."""

    INVOICE = "invoice"
    EINVOICE = "einvoice"
    CERTIFICATE = "certificate"
    INVITATION = "invitation"
    MEMBERSHIP = "membership"
    SENDING = "sending"


class Outcome(StrEnum):
    """Outcome of a delivery: accepted, refused, or unknown because the server did not answer."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class MailReceipt:
    """Proof of a delivery; `where` is the mail server's reply, or the file's path."""

    delivered_to: Delivery
    where: str
    message_id: str
    accepted_at: datetime


class Mailer:
    """Mailer of the server. Raises UnfitValueError when the settings name no usable mail server."""

    def __init__(self, settings: Settings) -> None:
        url = settings.smtp_url
        self._server = None if url is None else MailServer.from_url(url.get_secret_value())
        self._sender = settings.mail_from
        self._directory = settings.data_dir / "mail"
        self._seconds = settings.mail_timeout

    @property
    def transport(self) -> Delivery:
        return Delivery.FILE if self._server is None else Delivery.SMTP

    def composed(self, mail: Mail) -> Composed:
        """Return `mail` in the form that mail servers accept. Raises Invalid for an address that is not valid."""
        return compose(mail, self._sender, clock.now())

    async def greet(self) -> str:
        """Return the destination of mails: the mail server's host and port after a login, or the directory of files.

        Raises BadGateway (MAIL_FAILED) when the server cannot be reached or refuses the login.
        """
        if self._server is None:
            return str(self._directory)
        await self._server.greet(self._seconds)
        return f"{self._server.host}:{self._server.port}"

    async def deliver(self, message: Composed) -> MailReceipt:
        """Deliver `message` once; call it outside any transaction.

        Raises BadGateway (MAIL_FAILED) with the server's words when it is not accepted, with `delivery="unknown"` when
        it may have been.
        """
        if self._server is None:
            where = str(await asyncio.to_thread(transport.store_file, message.content, self._directory, clock.now()))
        else:
            where = await self._server.deliver(message, self._seconds)
        return MailReceipt(
            delivered_to=self.transport, where=where, message_id=message.message_id, accepted_at=clock.now()
        )

    async def send(self, mail: Mail) -> MailReceipt:
        """Compose and deliver `mail` without logging it."""
        return await self.deliver(self.composed(mail))

    def in_dry_run(self, dry_run: DryRun) -> "Mailer":
        """Return a mailer that composes mails and delivers none."""
        return _SilentMailer(self, dry_run)


class _SilentMailer(Mailer):
    def __init__(self, mailer: Mailer, dry_run: DryRun) -> None:
        self.__dict__.update(mailer.__dict__)
        self._dry_run = dry_run

    async def greet(self) -> str:
        self._dry_run.end_at(DryRunMsg.MAIL)

    async def deliver(self, message: Composed) -> MailReceipt:
        self._dry_run.leave_out(DryRunMsg.MAIL)
        return MailReceipt(
            delivered_to=self.transport, where="", message_id=message.message_id, accepted_at=clock.now()
        )


def page_address(kernel: Kernel, path: str = "") -> str:
    """Return the address of a page of this server for its mails. `path` begins with a slash; "" is the server itself.

    An address that opens only on the server's own machine is not mailed. The mail has the path instead, and its
    template says how to use it; without a path it has the name of the product. Mails in files have the address, because
    they never leave that machine.
    """
    if kernel.settings.is_loopback and kernel.service(Mailer).transport is Delivery.SMTP:
        return path or "ledgerkit"
    return f"{kernel.settings.public_url}{path}"


async def send(ctx: Context, mail: Mail, kind: MailKind, entity: tuple[str, UUID]) -> MailReceipt:
    """Deliver `mail` once, and log the outcome in a transaction of its own after the attempt.

    `entity` is the type and id of the record that the mail is about. Raises as `Mailer` does.
    """
    assert ctx.connection is None, "mail within a transaction"  # noqa: S101 - our own mistake, never a caller's
    mailer, message = ctx.kernel.service(Mailer), None
    try:
        message = mailer.composed(mail)
        receipt = await mailer.deliver(message)
    except Problem as problem:
        outcome = Outcome.UNKNOWN if problem.extra.get("delivery") == "unknown" else Outcome.REFUSED
        await _log(ctx, _entry(ctx, mail, kind, entity, message), outcome, problem.detail)
        raise
    await _log(ctx, _entry(ctx, mail, kind, entity, message), Outcome.ACCEPTED, receipt.where)
    return receipt


def _entry(
    ctx: Context, mail: Mail, kind: MailKind, entity: tuple[str, UUID], message: Composed | None
) -> Values[MailLogRow]:
    return Values(
        MailLogRow,
        id=new_id(),
        kind=kind.value,
        entity_type=entity[0],
        entity_id=entity[1],
        recipient=mail.to,
        subject=one_line(mail.subject),
        message_id=None if message is None else message.message_id,
        transport=ctx.kernel.service(Mailer).transport.value,
        user_id=ctx.actor.user_id,
    )


async def _log(ctx: Context, entry: Values[MailLogRow], outcome: Outcome, reply: str) -> None:
    """Log the outcome; in the server's own log when the database is away, since the mail cannot be taken back."""

    async def attempt() -> None:
        async with ctx.transaction() as inner:
            await records.add(inner, mail_log, entry | Values(MailLogRow, outcome=outcome.value, reply=reply))

    try:
        await retry_on_conflict(attempt)
    except Unavailable:
        log.exception("mail.unlogged", outcome=outcome.value, reply=reply, **entry)
