"""Servers of client documents: real ones, with TLS, on the loopback address, and name servers of the test's own."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ledgerkit.core.platform.oauth.client_documents.cache import ClientDocuments
from ledgerkit.core.platform.oauth.client_documents.fetcher import Fetcher
from ledgerkit.core.platform.oauth.client_documents.urls import Address, is_public
from support.credentials import Issued

HOST = "assistant.example"
REDIRECT = "https://assistant.example/callback"
LOOPBACK = "127.0.0.1"

Respond = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class DocumentServer:
    """A server on `port`, the requests that came, and the connections that were opened."""

    name: str
    port: int = 0
    heads: list[str] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"https://{self.name}:{self.port}/client.json"


@dataclass
class NameServer:
    """Answers each question about a host with the next of `answers`, the last one for ever."""

    answers: list[list[str]]
    questions: list[str] = field(default_factory=list)

    async def __call__(self, host: str, port: int) -> list[str]:
        self.questions.append(host)
        return self.answers[min(len(self.questions), len(self.answers)) - 1]


@lru_cache
def authority() -> Issued:
    return _issue("authority", None)


def _issue(name: str, by: Issued | None) -> Issued:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by.certificate.subject if by else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=by is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(by.key if by else key, hashes.SHA256())
    )
    return Issued(certificate, key)


@lru_cache
def trust() -> ssl.SSLContext:
    """Certificates that a client trusts: those of the authority of these tests."""
    return ssl.create_default_context(cadata=authority().public().decode())


@lru_cache
def _server_context(name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as directory:
        file = Path(directory) / "server.pem"
        file.write_bytes(_issue(name, authority()).pem())
        context.load_cert_chain(file)
    return context


@asynccontextmanager
async def document_server(
    respond: Respond | None = None, *, address: str = LOOPBACK, name: str = HOST, **document: Any
) -> AsyncIterator[DocumentServer]:
    """Serve what `respond` writes; else the document of a client with the members `document`, cacheable for an hour."""
    server = DocumentServer(name)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        try:
            server.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
            await (respond or answer(client_document(server.url, **document)))(writer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.close()

    listening = await asyncio.start_server(serve, address, 0, ssl=_server_context(name))
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()


def client_document(url: str, **members: Any) -> dict[str, Any]:
    """A document of a client; members that are None are left out."""
    document = {"client_id": url, "client_name": "Asistente", "redirect_uris": [REDIRECT], **members}
    return {name: value for name, value in document.items() if value is not None}


def answer(content: object, *headers: str, status: str = "200 OK", kind: str = "application/json") -> Respond:
    """Write one answer; `content` is JSON unless it is bytes."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", f"Content-Type: {kind}", *headers, "", ""]

    async def respond(writer: asyncio.StreamWriter) -> None:
        writer.write("\r\n".join(lines).encode() + body)

    return respond


def documents(*answers: list[str], seconds: float = 60.0) -> ClientDocuments:
    """The service as the product makes it, but with a name server and an authority of the tests.

    The loopback address of the servers here counts as public, and no other one that is not.
    """
    name_server = NameServer(list(answers) or [[LOOPBACK]])
    return ClientDocuments(Fetcher(name_server, permitted=permitted, trust=trust()), seconds=seconds)


def permitted(address: Address) -> bool:
    """True for public addresses, and for the one of the servers here."""
    return str(address) == LOOPBACK or is_public(address)
