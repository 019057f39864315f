"""PgBouncer in front of a server, as somebody runs it between ledgerkit and PostgreSQL; with TLS when wanted."""

import asyncio
import re
import shutil
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from ledgerkit.embedded_postgres.account import Account, account_for
from support.clusters import Cluster, answering
from support.pages import ROOT
from support.ports import free_port

PROGRAM = shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")


@dataclass
class Pooler(Cluster):
    """Addresses of `url` lead through the pooler; `authority` is the file of who issued its certificate."""

    authority: Path | None = None


@asynccontextmanager
async def pooler(
    directory: Path, server: Cluster, mode: str, users: Mapping[str, str], *, tls: bool = False, turns: bool = False
) -> AsyncIterator[Pooler]:
    """A running PgBouncer that knows `users` and their passwords. Without the program the test is skipped, visibly.

    `turns`: server connections are handed out in turn, instead of the one used last first.
    """
    if PROGRAM is None:
        pytest.skip(
            "pgbouncer is not here. Debian, Ubuntu: sudo apt-get install pgbouncer; macOS: brew install pgbouncer"
        )
    made = Pooler(directory, server.programs, free_port(), server.password)
    known = {**users, "admin": server.password}
    account = await asyncio.to_thread(_configured, directory, made, server.port, mode, known)
    if turns:
        (directory / "more.ini").write_text("server_round_robin = 1\ndefault_pool_size = 2\n")
    if tls:
        made.authority = await asyncio.to_thread(_with_tls, directory, account)
    with (directory / "output").open("wb") as output:
        process = account.start([PROGRAM, directory / "pgbouncer.ini"], output)
    try:
        await answering(made.admin())
        yield made
    finally:
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.wait)


def _configured(directory: Path, made: Pooler, behind: int, mode: str, users: Mapping[str, str]) -> Account:
    """Write what PgBouncer reads, for the user whom it runs as."""
    directory.mkdir(mode=0o755)
    account = account_for(directory / "cluster")
    account.own(directory)
    (directory / "userlist.txt").write_text("".join(f'"{name}" "{password}"\n' for name, password in users.items()))
    (directory / "pgbouncer.ini").write_text(_documented(directory, made.port, behind, mode))
    (directory / "more.ini").touch()
    return account


def _documented(directory: Path, port: int, behind: int, mode: str) -> str:
    """The configuration that docs/operation.md shows, with what is this test's own in it."""
    (shown,) = re.findall(r"```ini pgbouncer\n(.*?)```", (ROOT / "docs/operation.md").read_text(), re.DOTALL)
    own = {
        "ledgerkit = host=127.0.0.1 port=5432": f"* = host=127.0.0.1 port={behind}",
        "listen_port = 6432": f"listen_port = {port}",
        "/etc/pgbouncer/userlist.txt": f"{directory}/userlist.txt",
        "pool_mode = session": f"pool_mode = {mode}",
    }
    for documented, mine in own.items():
        assert documented in shown
        shown = shown.replace(documented, mine)
    return f"{shown}unix_socket_dir =\nlogfile = {directory}/log\n%include {directory}/more.ini\n"


def _with_tls(directory: Path, account: Account) -> Path:
    """Demand TLS, under a certificate for 127.0.0.1 of an authority of its own, whose file is returned."""
    own, servers = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority = _certificate("Authority of the host", own, "Authority of the host", own, ca=True)
    certificate = _certificate("server", servers, "Authority of the host", own, ca=False)
    (directory / "ca.pem").write_bytes(authority.public_bytes(Encoding.PEM))
    (directory / "server.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    plain = servers.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (directory / "server-key.pem").write_bytes(plain)
    account.own(directory / "server-key.pem")
    (directory / "more.ini").write_text(
        "client_tls_sslmode = require\n"
        f"client_tls_cert_file = {directory}/server.pem\nclient_tls_key_file = {directory}/server-key.pem\n"
    )
    return directory / "ca.pem"


def _certificate(subject: str, key: ec.EllipticCurvePrivateKey, issuer: str, signer, *, ca: bool) -> x509.Certificate:
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
    )
    if not ca:
        made = made.add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
    return made.sign(signer, hashes.SHA256())
