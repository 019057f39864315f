import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pydantic import SecretStr

from ledgerkit.core.platform.mail import Mailer
from ledgerkit.settings import Settings
from support.mailserver import Inbox
from support.mailserver import listening as server_listening


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def listening():
    """Starts a server that speaks by the given protocol: `async with listening(Protocol) as port`."""
    return server_listening


@pytest.fixture
def smtp_server(inbox):
    """Starts the mail server: `async with smtp_server(**options) as port`."""

    def start(tls: ssl.SSLContext | None = None, **options: Any):
        loop = asyncio.get_running_loop()
        return server_listening(lambda: SMTP(inbox, loop=loop, hostname="mail.test", **options), ssl=tls)

    return start


@pytest.fixture
async def smtp_port(smtp_server):
    """Port of a mail server that takes every mail."""
    async with smtp_server() as port:
        yield port


@pytest.fixture
def authenticator():
    def check(server, session, envelope, mechanism, data):
        return AuthResult(success=(data.login, data.password) == (b"bill@er", b"p:s/w@rd"), handled=False)

    return check


@pytest.fixture
def mailer(tmp_path):
    """Makes a mailer: `mailer("smtp://...")`, or `mailer()` for files."""

    def make(url: str | None = None, **settings: Any) -> Mailer:
        chosen = Settings(
            data_dir=tmp_path,
            smtp_url=None if url is None else SecretStr(url),
            mail_from="billing@ledgerkit.example.org",
            **{"mail_timeout": 60, **settings},
        )
        return Mailer(chosen)

    return make


@pytest.fixture(scope="session")
def certificate(tmp_path_factory) -> Path:
    """A self-signed certificate for 127.0.0.1, with its key in the same file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mail.test")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    encoding = serialization.Encoding.PEM
    secret = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(secret + signed.public_bytes(encoding))
    return path


@pytest.fixture
def server_tls(certificate) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    return context


@pytest.fixture
def trusted_tls(server_tls, certificate, monkeypatch) -> ssl.SSLContext:
    """TLS of the mail server, on a machine that trusts its certificate."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    return server_tls
