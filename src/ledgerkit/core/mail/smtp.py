"""Hands one mail to a mail server by SMTP (RFC 5321), and says in plain words why that failed."""

import asyncio
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

import aiosmtplib

from ledgerkit.core.mail.message import Composed, one_line
from ledgerkit.problems import BadGateway, Code, bilingual

GOODBYE_SECONDS = 2

_CHECK_SERVER = (
    "Check LEDGERKIT_SMTP_URL and that this machine may reach the mail server, then send again.",
    "Revisa LEDGERKIT_SMTP_URL y que esta máquina llegue al servidor de correo, y vuelve a enviar.",
)
_CHECK_LOGIN = (
    "Check the user and password in LEDGERKIT_SMTP_URL.",
    "Revisa el usuario y la contraseña de LEDGERKIT_SMTP_URL.",
)
_CHECK_RECIPIENT = ("Check the recipient's address.", "Revisa la dirección del destinatario.")
_CHECK_CERTIFICATE = (
    (
        "Give the mail server a certificate that this machine trusts and that names the host in LEDGERKIT_SMTP_URL; "
        "only within a network of your own, add ?starttls=never."
    ),
    (
        "Pon en el servidor de correo un certificado del que se fíe esta máquina y que nombre el host de "
        "LEDGERKIT_SMTP_URL; solo en una red propia, añade ?starttls=never."
    ),
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
        if parts.scheme not in {"smtp", "smtps"} or not parts.hostname or not _has_port(parts):
            msg = (
                "LEDGERKIT_SMTP_URL must read smtp://user:password@host:port or smtps://user:password@host:port, with "
                "characters such as / # @ : in user and password written as %2F %23 %40 %3A"
            )
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
        (english, spanish), (remedy, remedio) = _explained(error, seconds)
        detail = f"The mail server {self.host}:{self.port} {english}"
        detalle = f"El servidor de correo {self.host}:{self.port} {spanish}"
        if not in_doubt:
            return bilingual(BadGateway, (detail, remedy), (detalle, remedio), code=Code.MAIL_FAILED)
        return bilingual(
            BadGateway,
            (
                f"{detail} It may have taken the mail.",
                "Ask the recipient whether the mail came before you send it again.",
            ),
            (
                f"{detalle} Puede que haya aceptado el correo.",
                "Pregunta al destinatario si le llegó antes de enviarlo otra vez.",
            ),
            code=Code.MAIL_FAILED,
            delivery="unknown",
        )


Bilingual = tuple[str, str]
"""The same in English and in Spanish."""


def _explained(error: Exception, seconds: float) -> tuple[Bilingual, Bilingual]:
    """What the mail server did, and what to do about it."""
    remedy, cause = _CHECK_SERVER, f"{error}"
    match _tls_failure(error) or error:
        case ssl.SSLError() as failure:
            what, remedy, cause = _NOT_PRIVATE, _CHECK_CERTIFICATE, f"{failure}"
        case aiosmtplib.SMTPRecipientRefused(code=code, message=said):
            what, remedy, cause = _NO_RECIPIENT, _CHECK_RECIPIENT, f"{code} {said}"
        case aiosmtplib.SMTPAuthenticationError(code=code, message=said):
            what, remedy, cause = _NO_LOGIN, _CHECK_LOGIN, f"{code} {said}"
        case aiosmtplib.SMTPResponseException(code=code, message=said):
            what, cause = _NO_MAIL, f"{code} {said}"
        case TimeoutError():
            what, cause = _SILENT, f"{seconds:g}"
        case aiosmtplib.SMTPServerDisconnected():
            what, cause = _BROKEN_OFF, f"{error}."
        case aiosmtplib.SMTPConnectError() | OSError():
            what = _AWAY
        case _:
            what = ("cannot take the mail: {}", "no puede aceptar el correo: {}")
    return (what[0].format(one_line(cause)), what[1].format(one_line(cause))), remedy


_NOT_PRIVATE = ("could not be spoken to in private: {}", "no admite una conexión cifrada: {}")
_NO_RECIPIENT = ("refused the recipient: {}", "rechazó al destinatario: {}")
_NO_LOGIN = ("refused the login: {}", "rechazó la identificación: {}")
_NO_MAIL = ("refused the mail: {}", "rechazó el correo: {}")
_SILENT = ("did not answer within {} seconds.", "no contestó en {} segundos.")
_BROKEN_OFF = ("broke off: {}", "cortó la conexión: {}")
_AWAY = ("could not be reached: {}", "no está al alcance: {}")


def _has_port(parts: SplitResult) -> bool:
    """Whether what stands in the port's place is one, or nothing. Its own error would show part of a password."""
    try:
        return parts.port is None or parts.port > 0
    except ValueError:
        return False


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
