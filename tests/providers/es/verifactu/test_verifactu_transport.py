import asyncio
import ipaddress
import ssl
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import NameOID

from ledgerkit.providers.api import Environment, SandboxAccess
from ledgerkit.providers.es.verifactu import certificates, transport
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.es.verifactu.setup import Endpoint

MESSAGE = b"<message>\xc3\xb1</message>"


@dataclass
class Issued:
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    def pem(self, encryption=None) -> bytes:
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption())
        return key + self.certificate.public_bytes(Encoding.PEM)


def issue(name: str, authority: Issued | None = None) -> Issued:
    """A certificate for the loopback address, by `authority` or by itself (then it is an authority)."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(authority.certificate.subject if authority else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=authority is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(authority.key if authority else key, hashes.SHA256())
    )
    return Issued(made, key)


@pytest.fixture(scope="session")
def pki(tmp_path_factory):
    """Files: ca.pem, other.pem (a strange authority), server.pem, client.pem, locked.pem and client.p12 (`secret`)."""
    directory = tmp_path_factory.mktemp("pki")
    authority, stranger = issue("authority"), issue("stranger")
    client = issue("client", authority)
    (directory / "ca.pem").write_bytes(authority.certificate.public_bytes(Encoding.PEM))
    (directory / "other.pem").write_bytes(stranger.certificate.public_bytes(Encoding.PEM))
    (directory / "server.pem").write_bytes(issue("server", authority).pem())
    (directory / "client.pem").write_bytes(client.pem())
    (directory / "stranger.pem").write_bytes(issue("client", stranger).pem())
    lock = BestAvailableEncryption(b"secret")
    (directory / "locked.pem").write_bytes(client.pem(lock))
    packed = pkcs12.serialize_key_and_certificates(b"client", client.key, client.certificate, None, lock)
    (directory / "client.p12").write_bytes(packed)
    return directory


@asynccontextmanager
async def authority(pki, respond):
    """A TLS server on loopback that asks for a client certificate; `respond(head, body, writer)` answers."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=pki / "ca.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(pki / "server.pem")
    seen = []

    async def serve(reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(line for line in head.lower().split("\r\n") if line.startswith("content-length:"))
            body = await reader.readexactly(int(length.partition(":")[2]))
            seen.append((head, body, writer.get_extra_info("peercert")))
            await respond(writer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/service", seen
    finally:
        server.close()


def saying(text: bytes, status="200 OK", *headers: str):
    async def respond(writer):
        extra = "".join(f"{header}\r\n" for header in headers)
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(text)}\r\n{extra}\r\n".encode() + text)

    return respond


def endpoint(pki, url, certificate="client.pem", ca="ca.pem", password=None):
    return Endpoint(url=url, ca_file=pki / ca, certificate_file=pki / certificate, password=password)


async def sent(pki, respond, timeout_seconds=60, **more):
    async with authority(pki, respond) as (url, seen):
        return await transport.deliver(endpoint(pki, url, **more), MESSAGE, timeout_seconds=timeout_seconds), seen


@pytest.mark.parametrize(
    ("certificate", "password"), [("client.pem", None), ("locked.pem", "secret"), ("client.p12", "secret")]
)
async def test_the_message_goes_out_whole_with_our_certificate(pki, certificate, password):
    delivery, seen = await sent(pki, saying(b"<answer/>"), certificate=certificate, password=password)

    assert (delivery.status, delivery.body, delivery.error, delivery.sent) == (200, b"<answer/>", None, True)
    ((head, body, peer),) = seen
    assert body == MESSAGE
    assert head.startswith("POST /service HTTP/1.1\r\n")
    assert 'soapaction: ""\r\n' in head.lower()
    assert "content-type: text/xml; charset=utf-8\r\n" in head.lower()
    assert peer["subject"] == ((("commonName", "client"),),)


async def test_a_redirect_is_not_followed(pki):
    delivery, seen = await sent(pki, saying(b"", "302 Found", "Location: /error"))

    assert delivery.status == 302
    assert len(seen) == 1


async def test_a_fault_is_read_whatever_its_status(pki):
    delivery, _ = await sent(pki, saying(b"<fault/>", "500 Internal Server Error"))

    assert (delivery.status, delivery.body) == (500, b"<fault/>")


async def test_an_answer_that_does_not_come_in_time_is_lost(pki):
    never = asyncio.Event()

    async def wait(_):
        await never.wait()

    async with authority(pki, wait) as (url, _):
        delivery = await transport.deliver(endpoint(pki, url), MESSAGE, timeout_seconds=0.5)
        never.set()

    assert (delivery.status, delivery.sent) == (None, True)
    assert "lost" in delivery.error


async def test_an_answer_that_drips_does_not_stretch_the_time(pki):
    async def drip(writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(1000):
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.05)

    started = asyncio.get_running_loop().time()
    delivery, _ = await sent(pki, drip, timeout_seconds=0.5)

    assert delivery.status is None
    assert asyncio.get_running_loop().time() - started < 25


async def test_an_answer_that_is_cut_is_lost(pki):
    async def cut(writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<half")

    delivery, _ = await sent(pki, cut)

    assert (delivery.status, delivery.body, delivery.sent) == (None, b"", True)


async def test_an_answer_that_is_no_http_is_lost(pki):
    async def babble(writer):
        writer.write(b"\x00\x01 hello\r\n\r\n")

    delivery, _ = await sent(pki, babble)

    assert (delivery.status, delivery.sent) == (None, True)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("120", 120), ("0", 0), ("99999999999", 3600), ("soon", None), ("-5", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0)],
)
async def test_retry_after_is_respected_up_to_an_hour(pki, said, seconds):
    delivery, _ = await sent(pki, saying(b"", "429 Too Many Requests", f"Retry-After: {said}"))

    assert (delivery.status, delivery.retry_after) == (429, seconds)


async def test_a_connection_reset_after_the_message_is_a_lost_answer(pki):
    async def reset(writer):
        writer.transport.abort()

    delivery, seen = await sent(pki, reset)

    assert (delivery.status, delivery.sent, len(seen)) == (None, True, 1)


async def test_the_type_of_an_answer_is_not_believed_only_its_content(pki):
    delivery, _ = await sent(pki, saying(b"<answer/>", "200 OK", "Content-Type: application/octet-stream"))

    assert (delivery.status, delivery.body) == (200, b"<answer/>")


async def test_an_endless_answer_is_given_up(pki):
    async def flood(writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n")
        for _ in range(transport.MAX_ANSWER_BYTES // 2**20 + 8):
            writer.write(b" " * 2**20)
            await writer.drain()

    delivery, _ = await sent(pki, flood, timeout_seconds=60)

    assert delivery.body == b""
    assert "larger than" in delivery.error


async def test_a_closed_port_was_never_sent_to(pki):
    async with authority(pki, saying(b"")) as (url, _):
        pass

    delivery = await transport.deliver(endpoint(pki, url), MESSAGE, timeout_seconds=60)

    assert (delivery.status, delivery.sent) == (None, False)
    assert "no connection" in delivery.error


async def test_a_server_of_a_strange_authority_gets_nothing(pki):
    delivery, seen = await sent(pki, saying(b"<answer/>"), ca="other.pem")

    assert (delivery.status, delivery.sent, seen) == (None, False, [])
    assert "CERTIFICATE_VERIFY_FAILED" in delivery.error


async def test_a_server_that_refuses_our_certificate_gives_no_status(pki):
    delivery, seen = await sent(pki, saying(b"<answer/>"), certificate="stranger.pem")

    assert (delivery.status, seen) == (None, [])


@pytest.mark.parametrize(
    ("certificate", "password"),
    [("absent.pem", None), ("locked.pem", "wrong"), ("locked.pem", None), ("client.p12", "wrong"), ("ca.pem", None)],
)
async def test_certificate_files_that_cannot_be_used_are_said_so(pki, certificate, password):
    delivery, seen = await sent(pki, saying(b"<answer/>"), certificate=certificate, password=password)

    assert (delivery.status, delivery.sent, seen) == (None, False, [])
    assert "certificate files cannot be used" in delivery.error


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/x", "https://", "no address"])
async def test_a_wrong_address_is_no_exception(pki, url):
    delivery = await transport.deliver(endpoint(pki, url), MESSAGE, timeout_seconds=2)

    assert (delivery.status, delivery.sent) == (None, False)


def test_contexts_are_kept_until_a_certificate_is_renewed(pki, tmp_path):
    copy = tmp_path / "client.pem"
    copy.write_bytes((pki / "client.pem").read_bytes())
    known = Endpoint(url="https://127.0.0.1/", ca_file=pki / "ca.pem", certificate_file=copy, password=None)

    first = certificates.context(known)
    assert certificates.context(known) is first

    copy.write_bytes((pki / "client.pem").read_bytes() + b"\n")
    assert certificates.context(known) is not first
    assert first.minimum_version is ssl.TLSVersion.TLSv1_2


async def test_a_connected_channel_speaks_to_its_sandbox_only_in_the_sandbox(pki):
    async with authority(pki, saying(b"<answer/>")) as (url, seen):
        access = SandboxAccess(url=url, ca_file=pki / "ca.pem", certificate_file=pki / "client.pem")
        channel = VerifactuChannel(VerifactuSettings(_env_file=None, url="https://127.0.0.1:1/")).connect_sandbox(
            access
        )

        here = await channel.deliver(MESSAGE, Environment.SANDBOX, timeout_seconds=60)
        elsewhere = await channel.deliver(MESSAGE, Environment.TEST, timeout_seconds=60)

    assert here.status == 200
    assert (elsewhere.status, elsewhere.sent) == (None, False)
    assert len(seen) == 1
