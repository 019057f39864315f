"""Delivery of one mail by SMTP (RFC 5321), or into an `.eml` file where no mail server is configured."""

import asyncio
import os
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit
from uuid import uuid4

import aiosmtplib

from ledgerkit.core.platform.database.outages import is_full, storage_full
from ledgerkit.core.platform.mail.delivery.message import Composed, one_line
from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.problems import BadGateway, Code
from ledgerkit.settings.values import UnfitValueError
from ledgerkit.texts import Text, text

GOODBYE_SECONDS = 2
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class Security(StrEnum):
    """Encryption of the connection: from its start, by STARTTLS (RFC 3207), by STARTTLS if offered, or never."""

    TLS = "tls"
    REQUIRED = "required"
    OFFERED = "offered"
    NEVER = "never"


@dataclass(frozen=True)
class MailServer:
    host: str
    port: int
    security: Security
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @classmethod
    def from_url(cls, url: str) -> "MailServer":
        """Return the server of `smtp://user:password@host:port?starttls=required|offered|never` or `smtps://...`.

        Without `starttls` it is used where offered, and required where a password would otherwise cross a network
        unencrypted. Raises UnfitValueError, whose text leaves out the URL since that holds a password.
        """
        parts = _parts(url)
        if parts is None or parts.scheme not in {"smtp", "smtps"} or not parts.hostname:
            raise UnfitValueError(MailMsg.URL_MALFORMED)
        security = _security(parts.scheme, parts.query, demand=bool(parts.username) and parts.hostname not in _LOOPBACK)
        return cls(
            host=parts.hostname,
            port=parts.port or (465 if security is Security.TLS else 587),
            security=security,
            user=unquote(parts.username) if parts.username else None,
            password=unquote(parts.password) if parts.password else None,
        )

    async def deliver(self, message: Composed, seconds: float) -> str:
        """Deliver `message` within `seconds` in all, and return the server's reply to it.

        Raises BadGateway (MAIL_FAILED) when it is refused, cannot be reached, breaks off or takes too long; with
        `delivery="unknown"` when the server did not answer after the mail itself and may have accepted it.
        """
        client = self._client(seconds)
        in_doubt = False
        try:
            async with asyncio.timeout(seconds):
                await client.connect()
                await client.mail(message.sender)
                await client.rcpt(message.recipient)
                in_doubt = True
                reply = await client.data(message.content)
            with suppress(aiosmtplib.SMTPException, OSError):  # the mail is accepted, whatever follows
                await client.quit(timeout=GOODBYE_SECONDS)
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            in_doubt = in_doubt and not isinstance(error, aiosmtplib.SMTPResponseException)
            raise self._problem(error, seconds, in_doubt=in_doubt) from error
        finally:
            client.close()
        return one_line(reply.message)

    async def greet(self, seconds: float) -> None:
        """Connect and log in as `deliver` does, and send nothing. Raises BadGateway (MAIL_FAILED)."""
        client = self._client(seconds)
        try:
            async with asyncio.timeout(seconds):
                await client.connect()
            with suppress(aiosmtplib.SMTPException, OSError):
                await client.quit(timeout=GOODBYE_SECONDS)
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            raise self._problem(error, seconds, in_doubt=False) from error
        finally:
            client.close()

    def _client(self, seconds: float) -> aiosmtplib.SMTP:
        return aiosmtplib.SMTP(
            hostname=self.host,
            port=self.port,
            username=self.user,
            password=self.password,
            use_tls=self.security is Security.TLS,
            start_tls={Security.REQUIRED: True, Security.OFFERED: None}.get(self.security, False),
            timeout=seconds,
        )

    def _problem(self, error: Exception, seconds: float, *, in_doubt: bool) -> BadGateway:
        reason, remedy = _explained(error, seconds)
        server = f"{self.host}:{self.port}"
        if not in_doubt:
            return BadGateway(
                MailMsg.SERVER_FAILED, code=Code.MAIL_FAILED, remedy=remedy, server=server, problem=reason
            )
        return BadGateway(
            MailMsg.MAY_BE_ACCEPTED,
            code=Code.MAIL_FAILED,
            remedy=MailMsg.ASK_RECIPIENT,
            extra={"delivery": "unknown"},
            server=server,
            problem=reason,
        )


def store_file(message: bytes, directory: Path, date: datetime) -> Path:
    """Write `message` to a new file in `directory`, whole or not at all, readable by this user only; blocking.

    Raises StorageFull when there is no room, BadGateway (MAIL_FAILED) when the disk refuses it otherwise.
    """
    stamp = date.astimezone(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    path = directory / f"{stamp}-{uuid4().hex[:12]}.eml"
    draft = path.with_suffix(".tmp")
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(draft, message)
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        if is_full(error):
            raise storage_full() from error
        raise BadGateway(
            MailMsg.NOT_WRITTEN, code=Code.MAIL_FAILED, directory=directory, strerror=error.strerror
        ) from error
    return path


def _explained(error: Exception, seconds: float) -> tuple[Text, MailMsg]:
    """Return the words for a failure of the mail server, and its remedy."""
    match _tls_failure(error) or error:
        case ssl.SSLError() as failure:
            return text(MailMsg.NOT_ENCRYPTED, cause=one_line(f"{failure}")), MailMsg.CHECK_CERTIFICATE
        case aiosmtplib.SMTPRecipientRefused(code=code, message=reply):
            return text(MailMsg.RECIPIENT_REFUSED, cause=one_line(f"{code} {reply}")), MailMsg.CHECK_RECIPIENT
        case aiosmtplib.SMTPAuthenticationError(code=code, message=reply):
            return text(MailMsg.LOGIN_REFUSED, cause=one_line(f"{code} {reply}")), MailMsg.CHECK_LOGIN
        case aiosmtplib.SMTPResponseException(code=code, message=reply):
            reason = text(MailMsg.MAIL_REFUSED, cause=one_line(f"{code} {reply}"))
        case TimeoutError():
            reason = text(MailMsg.SILENT, seconds=f"{seconds:g}")
        case aiosmtplib.SMTPServerDisconnected():
            reason = text(MailMsg.BROKEN_OFF, cause=one_line(f"{error}."))
        case aiosmtplib.SMTPConnectError() | OSError():
            reason = text(MailMsg.UNREACHABLE, cause=one_line(f"{error}"))
        case _:
            reason = text(MailMsg.NOT_ACCEPTED, cause=one_line(f"{error}"))
    return reason, MailMsg.CHECK_SERVER


def _parts(url: str) -> SplitResult | None:
    """Return the parts of an address whose port is valid or absent. The library's error would show its password."""
    try:
        parts = urlsplit(url)
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError:
        return None
    return parts if port_is_valid else None


def _security(scheme: str, query: str, *, demand: bool) -> Security:
    requested = parse_qs(query).get("starttls", [""])[-1]
    if requested not in {"", Security.REQUIRED, Security.OFFERED, Security.NEVER}:
        raise UnfitValueError(MailMsg.STARTTLS_UNKNOWN)
    if scheme == "smtps":
        return Security.TLS
    if requested:
        return Security(requested)
    return Security.REQUIRED if demand else Security.OFFERED


def _tls_failure(error: BaseException) -> ssl.SSLError | None:
    """Return the failed encryption behind `error`, which the library may report as a broken connection."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    return cause


def _write(path: Path, content: bytes) -> None:
    """Write and synchronise to disk, because the answer will say that the mail is stored."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
