"""Hands one mail to a mail server by SMTP (RFC 5321), and says in plain words why that failed."""

import asyncio
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import parse_qs, unquote, urlsplit

import aiosmtplib

from ledgerkit.core.mail.message import Composed, one_line
from ledgerkit.problems import BadGateway, Code

GOODBYE_SECONDS = 2

_CHECK_SERVER = "Check LEDGERKIT_SMTP_URL and that this machine may reach the mail server, then send again."
_CHECK_LOGIN = "Check the user and password in LEDGERKIT_SMTP_URL."
_CHECK_CERTIFICATE = (
    "Give the mail server a certificate that this machine trusts and that names the host in LEDGERKIT_SMTP_URL; "
    "only within a network of your own, add ?starttls=never."
)
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class Security(StrEnum):
    """How the connection is encrypted: from its start, by STARTTLS (RFC 3207), by STARTTLS if offered, or never."""

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
        """The server of `smtp://user:password@host:port?starttls=required|offered|never` or `smtps://...`.

        Without a word on STARTTLS it is used where offered, and demanded where a password would otherwise cross a
        network in the clear. Raises ValueError, without the URL in it since that holds a password.
        """
        parts = urlsplit(url)
        if parts.scheme not in {"smtp", "smtps"} or not parts.hostname:
            msg = "LEDGERKIT_SMTP_URL must read smtp://user:password@host:port or smtps://user:password@host:port"
            raise ValueError(msg)
        security = _security(parts.scheme, parts.query, demand=bool(parts.username) and parts.hostname not in _LOOPBACK)
        return cls(
            host=parts.hostname,
            port=parts.port or (465 if security is Security.TLS else 587),
            security=security,
            user=unquote(parts.username) if parts.username else None,
            password=unquote(parts.password) if parts.password else None,
        )

    async def deliver(self, message: Composed, seconds: float) -> str:
        """The server's last word on accepting `message`, within `seconds` in all.

        Raises BadGateway (MAIL_FAILED) when it is refused, cannot be reached, breaks off or takes too long; with
        `delivery="unknown"` when the server fell silent over the mail itself and may have accepted it.
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
            with suppress(aiosmtplib.SMTPException, OSError):  # accepted is accepted, however they part
                await client.quit(timeout=GOODBYE_SECONDS)
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            in_doubt = in_doubt and not isinstance(error, aiosmtplib.SMTPResponseException)
            raise self._problem(error, seconds, in_doubt=in_doubt) from error
        finally:
            client.close()
        return one_line(reply.message)

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
        what, remedy = _explained(error, seconds)
        detail = f"The mail server {self.host}:{self.port} {what}"
        if not in_doubt:
            return BadGateway(detail, code=Code.MAIL_FAILED, remedy=remedy)
        remedy = "Ask the recipient whether the mail came before you send it again."
        return BadGateway(
            f"{detail} It may have taken the mail.", code=Code.MAIL_FAILED, remedy=remedy, delivery="unknown"
        )


def _explained(error: Exception, seconds: float) -> tuple[str, str]:
    """What the mail server did, and what to do about it."""
    remedy = _CHECK_SERVER
    match _tls_failure(error) or error:
        case ssl.SSLError() as cause:
            what, remedy = f"could not be spoken to in private: {one_line(str(cause))}", _CHECK_CERTIFICATE
        case aiosmtplib.SMTPRecipientRefused(code=code, message=said):
            what, remedy = f"refused the recipient: {code} {one_line(said)}", "Check the recipient's address."
        case aiosmtplib.SMTPAuthenticationError(code=code, message=said):
            what, remedy = f"refused the login: {code} {one_line(said)}", _CHECK_LOGIN
        case aiosmtplib.SMTPResponseException(code=code, message=said):
            what = f"refused the mail: {code} {one_line(said)}"
        case TimeoutError():
            what = f"did not answer within {seconds:g} seconds."
        case aiosmtplib.SMTPServerDisconnected():
            what = f"broke off: {one_line(str(error))}."
        case aiosmtplib.SMTPConnectError() | OSError():
            what = f"could not be reached: {one_line(str(error))}"
        case _:
            what = f"cannot take the mail: {one_line(str(error))}"
    return what, remedy


def _security(scheme: str, query: str, *, demand: bool) -> Security:
    asked = parse_qs(query).get("starttls", [""])[-1]
    if asked not in {"", Security.REQUIRED, Security.OFFERED, Security.NEVER}:
        msg = "LEDGERKIT_SMTP_URL: starttls must be required, offered or never"
        raise ValueError(msg)
    if scheme == "smtps":
        return Security.TLS
    if asked:
        return Security(asked)
    return Security.REQUIRED if demand else Security.OFFERED


def _tls_failure(error: BaseException) -> ssl.SSLError | None:
    """The failed encryption behind `error`, which the library may report as a broken connection."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    return cause
