"""Certificates as the channel reads them, shows them and tries them."""

import contextlib
import socket
import ssl
import threading
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, pkcs12
from cryptography.x509.oid import NameOID

from ledgerkit.problems import Internal
from ledgerkit.providers.api import Access, Environment, UnusableCertificateError
from ledgerkit.providers.es.verifactu import PREFIX, certificates, connection
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.es.verifactu.setup import Endpoint
from support.credentials import ANA, Issued, authority_of, entity, issue, person

CERTIFIES = VerifactuChannel(VerifactuSettings(_env_file=None)).certifies
COMPANY = "B12345674"
MESSAGE = b"<message/>"


def read(content: bytes, password: str | None = None):
    return CERTIFIES.read(Access(certificate=content, password=password), datetime.now(UTC))


def refused(content: bytes, password: str | None = None) -> str:
    with pytest.raises(UnusableCertificateError) as failure:
        read(content, password)
    assert failure.value.remedy.endswith(".")
    assert "hunter2" not in str(failure.value)
    return failure.value.code


# ---------------------------------------------------------------- what it says


def test_a_persons_certificate_names_the_person():
    found = read(person().pem())

    assert (found.holder.name, found.holder.tax_id) == ("RUIZ GIL ANA", ANA)
    assert (found.issuer, found.serial, found.seal, found.signs) == ("AC Prueba", "ABCDEF01", None, False)
    assert found.valid_from < datetime.now(UTC) < found.valid_until


def test_a_representatives_certificate_names_the_entity():
    found = read(entity(COMPANY, "Estudio Ruiz, S.L.").pem())

    assert (found.holder.name, found.holder.tax_id) == ("Estudio Ruiz, S.L.", COMPANY)


@pytest.mark.parametrize(
    ("names", "holder", "tax_id"),
    [
        ([(NameOID.COMMON_NAME, "RUIZ GIL ANA - 12345678Z")], "RUIZ GIL ANA", ANA),
        ([(NameOID.COMMON_NAME, "Ana"), (NameOID.SERIAL_NUMBER, ANA)], "Ana", ANA),
        ([(NameOID.COMMON_NAME, "Ana"), (NameOID.SERIAL_NUMBER, "PNOES-12345678Z")], "Ana", ANA),
        ([(NameOID.COMMON_NAME, "Ana"), (NameOID.SERIAL_NUMBER, "12345678A")], "Ana", None),
        ([(NameOID.COMMON_NAME, "ledgerkit client")], "ledgerkit client", None),
    ],
)
def test_older_forms_of_names_are_understood(names, holder, tax_id):
    found = read(issue(names).pem())

    assert (found.holder.name, found.holder.tax_id) == (holder, tax_id)


def test_a_seal_says_that_it_is_one():
    assert read(entity(COMPANY, seal=True).pem()).seal is True


@pytest.mark.parametrize(
    ("file", "password"),
    [
        (lambda one: one.pem(), None),
        (lambda one: one.pem(), "not needed"),
        (lambda one: one.pem("hunter2"), "hunter2"),
        (lambda one: one.pkcs12("hunter2"), "hunter2"),
    ],
)
def test_every_form_of_file_comes_to_the_same(file, password):
    one = person(kind="rsa")

    found = read(file(one), password)

    assert found.content == one.pem()
    assert found.signs


def test_the_chain_is_kept_whatever_its_order():
    authority = issue([(NameOID.COMMON_NAME, "AC Intermedia")], kind="other")
    one = person(by=authority)

    packed = read(one.pkcs12("hunter2", (authority.certificate,)), "hunter2")
    turned = read(authority.public() + one.pem())

    assert packed.content == turned.content == one.pem() + authority.public()


def test_neither_certificate_nor_password_is_shown():
    access = Access(certificate=person().pem(), password="hunter2")
    endpoint = Endpoint(url="https://x/", ca_file=None, certificate_file=None, password="hunter2", issuer_access=access)

    shown = repr([access, endpoint, read(person().pem())])

    assert "hunter2" not in shown
    assert "PRIVATE" not in shown


# ---------------------------------------------------------------- what cannot be used


def public_pkcs12(one: Issued) -> bytes:
    return pkcs12.serialize_java_truststore([pkcs12.PKCS12Certificate(one.certificate, b"x")], NoEncryption())


@pytest.mark.parametrize(
    ("file", "password", "code"),
    [
        (lambda: person().pkcs12("secret"), "hunter2", "CERTIFICATE_PASSWORD"),
        (lambda: person().pkcs12("secret"), None, "CERTIFICATE_PASSWORD"),
        (lambda: person().pem("secret"), "hunter2", "CERTIFICATE_PASSWORD"),
        (lambda: person().pem("secret"), None, "CERTIFICATE_PASSWORD"),
        (lambda: person().public(), None, "CERTIFICATE_WITHOUT_KEY"),
        (lambda: person().certificate.public_bytes(Encoding.DER), None, "CERTIFICATE_WITHOUT_KEY"),
        (lambda: public_pkcs12(person()), None, "CERTIFICATE_WITHOUT_KEY"),
        (lambda: person().pem().partition(b"-----BEGIN CERT")[0], None, "CERTIFICATE_MISSING"),
        (lambda: Issued(person().certificate, person(kind="rsa").key).pem(), None, "CERTIFICATE_MISSING"),
        (lambda: person(kind="weak").pem(), None, "CERTIFICATE_KEY_WEAK"),
        (lambda: person(kind="p224").pem(), None, "CERTIFICATE_KEY_UNKNOWN"),
        (lambda: person(kind="ed25519").pem(), None, "CERTIFICATE_KEY_UNKNOWN"),
        (lambda: person(kind="dsa").pem(), None, "CERTIFICATE_KEY_UNKNOWN"),
        (lambda: person(until=timedelta(seconds=-1)).pem(), None, "CERTIFICATE_EXPIRED"),
        (lambda: person(since=timedelta(days=1)).pem(), None, "CERTIFICATE_NOT_YET_VALID"),
        (lambda: b"", None, "CERTIFICATE_LOCKED"),
        (lambda: b"a certificate", None, "CERTIFICATE_UNREADABLE"),
        (lambda: b"-----BEGIN nothing", None, "CERTIFICATE_WITHOUT_KEY"),
        (lambda: b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", None, "CERTIFICATE_UNREADABLE"),
        (lambda: b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", None, "CERTIFICATE_UNREADABLE"),
    ],
)
def test_what_cannot_be_used_says_why(file, password, code):
    assert refused(file(), password) == code


# ---------------------------------------------------------------- signing


def test_an_rsa_certificate_signs():
    one = person(kind="rsa")
    signs = VerifactuChannel(VerifactuSettings(_env_file=None, signed_mode="on")).signs

    signer = signs.signer(Environment.TEST, Access(certificate=one.pem()))

    one.key.public_key().verify(signer.sign(b"record"), b"record", PKCS1v15(), SHA256())
    assert x509.load_der_x509_certificate(signer.certificate) == one.certificate


def test_a_key_that_is_not_rsa_does_not_sign():
    signs = VerifactuChannel(VerifactuSettings(_env_file=None, signed_mode="on")).signs
    access = Access(certificate=person().pem())

    assert [problem.code for problem in signs.ready(Environment.TEST, access)] == ["CERTIFICATE_UNUSABLE"]
    with pytest.raises(Internal, match="RSA"):
        signs.signer(Environment.TEST, access)


# ---------------------------------------------------------------- where it is shown


@pytest.mark.parametrize(
    ("environment", "seal", "host"),
    [
        (Environment.PRODUCTION, False, "www1.agenciatributaria.gob.es"),
        (Environment.PRODUCTION, True, "www10.agenciatributaria.gob.es"),
        (Environment.TEST, False, "prewww1.aeat.es"),
        (Environment.TEST, True, "prewww10.aeat.es"),
    ],
)
@pytest.mark.parametrize("kind", ["person", "seal"])
def test_an_issuers_certificate_has_the_host_of_its_own_kind(environment, seal, host, kind):
    own = Access(certificate=b"x", seal=seal)

    endpoint = VerifactuSettings(_env_file=None, cert_kind=kind).endpoint(environment, own)

    assert endpoint.url.startswith(f"https://{host}/")
    assert endpoint.issuer_access is own


def test_with_a_certificate_of_its_own_the_operator_needs_none():
    setup = VerifactuSettings(_env_file=None, producer_name="P", producer_tax_id=ANA)
    channel = VerifactuChannel(setup)

    assert [problem.field for problem in channel.ready(Environment.TEST)] == [f"{PREFIX}CERT_FILE"]
    assert channel.ready(Environment.TEST, own_certificate=True) == []


def test_the_operators_unreadable_certificate_does_not_stop_an_issuer_with_its_own(tmp_path):
    setup = VerifactuSettings(_env_file=None, producer_name="P", producer_tax_id=ANA, cert_file=tmp_path / "none")

    assert VerifactuChannel(setup).ready(Environment.TEST)
    assert not VerifactuChannel(setup).ready(Environment.TEST, own_certificate=True)


@pytest.mark.parametrize(
    ("name", "nif", "missing"),
    [
        ("Gestoría", None, ["REPRESENTATIVE_TAX_ID"]),
        ("Gestoría", "B12345675", ["REPRESENTATIVE_TAX_ID"]),
        (None, COMPANY, ["REPRESENTATIVE_NAME"]),
        ("Gestoría", COMPANY, []),
        (None, None, []),
    ],
)
def test_half_a_representative_is_reported(tmp_path, name, nif, missing):
    (tmp_path / "c.pem").write_bytes(person().pem())
    setup = VerifactuSettings(
        _env_file=None,
        producer_name="P",
        producer_tax_id=ANA,
        cert_file=tmp_path / "c.pem",
        representative_name=name,
        representative_tax_id=nif,
    )

    problems = VerifactuChannel(setup).ready(Environment.TEST)

    assert [problem.field for problem in problems] == [PREFIX + one for one in missing]


def test_the_operators_certificate_is_read_even_when_it_has_expired(tmp_path):
    path = tmp_path / "c.p12"
    path.write_bytes(entity(COMPANY, until=timedelta(minutes=-1)).pkcs12("hunter2"))
    setup = VerifactuSettings(_env_file=None, cert_file=path, cert_password="hunter2")

    found = VerifactuChannel(setup).certifies.operators(Environment.TEST)

    assert found.holder.tax_id == COMPANY
    assert VerifactuChannel(VerifactuSettings(_env_file=None)).certifies.operators(Environment.TEST) is None


# ---------------------------------------------------------------- trying it


@pytest.fixture
def trusted(authority):
    """A certificate that the sandbox's authority has issued."""
    return person(by=authority_of(authority.access.ca_file))


def channel_to(authority, **more) -> VerifactuChannel:
    """A channel that takes the sandbox for the AEAT's test service."""
    setup = {"url": authority.access.url, "ca_file": authority.access.ca_file, **more}
    return VerifactuChannel(VerifactuSettings(_env_file=None, **setup))


async def tried(channel, one: Issued | None, environment=Environment.TEST):
    access = None if one is None else Access(certificate=one.pem())
    return await channel.certifies.test(environment, timeout_seconds=60, access=access)


async def test_a_right_certificate_is_let_in_and_nothing_is_reported(authority, trusted):
    before = authority.received

    came = await tried(channel_to(authority), trusted)

    assert (came.problem, came.reachable, came.server_verified, came.certificate_accepted) == (None, True, True, True)
    assert (came.host, came.certificate, came.http_status) == ("127.0.0.1", "own", 500)
    assert 0 <= came.milliseconds < 5000
    assert authority.received == before


async def test_the_operators_is_tried_where_the_issuer_has_none(authority, tmp_path, trusted):
    (tmp_path / "c.p12").write_bytes(trusted.pkcs12("hunter2"))

    came = await tried(channel_to(authority, cert_file=tmp_path / "c.p12", cert_password="hunter2"), None)

    assert (came.certificate, came.certificate_accepted) == ("operator", True)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda _: person(), "issued"),
        (lambda ca: person(by=ca, until=timedelta(minutes=-1)), "expired"),
        (lambda _: None, "none"),
    ],
    ids=["unknown authority", "expired", "none"],
)
async def test_a_certificate_that_is_refused_is_told_apart_from_a_network_that_fails(authority, made, said):
    came = await tried(channel_to(authority), made(authority_of(authority.access.ca_file)))

    assert (came.reachable, came.server_verified, came.certificate_accepted) == (True, True, False)
    assert came.problem.code == "CERTIFICATE_REFUSED"
    assert said in came.problem.message
    assert came.problem.remedy


@asynccontextmanager
async def a_server_that_says_why(authority):
    """TLS as OpenSSL does it by itself, alerts and all; asyncio's servers say nothing before they hang up."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(authority.access.ca_file)
    context.load_cert_chain(authority.access.ca_file.with_name("server.pem"))

    def serve():
        with contextlib.suppress(OSError):
            while True:
                peer, _ = listener.accept()
                with contextlib.suppress(OSError), peer:
                    peer.recv(1, socket.MSG_PEEK)
                    with context.wrap_socket(peer, server_side=True):
                        pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}/"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


async def test_an_alert_never_gets_out(authority):
    """An alert may come before the request is written, while it is, or after; the delivery reports it in each case."""
    own = person(by=authority_of(authority.access.ca_file), until=timedelta(minutes=-1))

    async with a_server_that_says_why(authority) as url:
        for _ in range(20):
            came = await tried(channel_to(authority, url=url), own)
            delivery = await channel_to(authority, url=url).deliver(
                MESSAGE, Environment.TEST, timeout_seconds=60, access=Access(certificate=own.pem())
            )

            assert (came.problem.code, came.certificate_accepted) == ("CERTIFICATE_REFUSED", False)
            assert "expired" in came.problem.message
            assert delivery.status is None
            assert delivery.error


async def test_a_server_that_cannot_be_trusted_is_told(authority, trusted, tmp_path):
    (tmp_path / "ca.pem").write_bytes(person(kind="other").public())

    came = await tried(channel_to(authority, ca_file=tmp_path / "ca.pem"), trusted)

    assert (came.reachable, came.server_verified, came.certificate_accepted) == (True, False, None)
    assert came.problem.code == "SERVER_NOT_TRUSTED"


async def test_a_server_that_cannot_be_reached_is_reported_as_unreachable(authority, trusted):
    came = await tried(channel_to(authority, url="https://127.0.0.1:1/"), trusted)

    assert (came.reachable, came.server_verified, came.certificate_accepted) == (False, None, None)
    assert came.problem.code == "UNREACHABLE"


async def test_another_server_is_not_taken_for_the_service(authority, trusted):
    elsewhere = authority.access.url.replace("VerifactuSOAP", "NothingHere")

    came = await tried(channel_to(authority, url=elsewhere), trusted)

    assert (came.certificate_accepted, came.http_status) == (None, 404)
    assert came.problem.code == "NOT_THE_SERVICE"


@pytest.mark.parametrize(
    ("status", "body", "accepted", "code"),
    [
        (401, b"", False, "CERTIFICATE_KIND"),
        (403, b"", False, "CERTIFICATE_REFUSED"),
        (302, b"", False, "CERTIFICATE_REFUSED"),
        (429, b"", None, "BUSY"),
        (503, b"<html>", None, "NOT_THE_SERVICE"),
        (500, b"<e:Envelope><e:Body><e:Fault/>", True, None),
        (200, b"<wsdl/>", True, None),
        (405, b"", True, None),
    ],
)
def test_answers_are_judged_as_the_real_service_gives_them(status, body, accepted, code):
    _, _, let_in, problem = connection._answered(status, body, "www1.example")

    assert (let_in, problem and problem.code) == (accepted, code)


async def test_an_issuers_certificate_carries_its_messages(authority, trusted):
    channel = channel_to(authority)

    mine = await channel.deliver(
        MESSAGE, Environment.TEST, timeout_seconds=60, access=Access(certificate=trusted.pem())
    )
    other = await channel.deliver(
        MESSAGE, Environment.TEST, timeout_seconds=60, access=Access(certificate=person().pem())
    )
    locked = await channel.deliver(MESSAGE, Environment.TEST, timeout_seconds=60, access=Access(certificate=b""))

    assert mine.status == 500
    assert b"Fault" in mine.body
    assert (other.status, locked.status, locked.sent) == (None, None, False)
    assert "secret key" in locked.error


async def test_the_sandbox_is_shown_only_what_it_knows(authority, trusted):
    channel = VerifactuChannel(VerifactuSettings(_env_file=None)).connect_sandbox(authority.access)

    own = await tried(channel, trusted, Environment.SANDBOX)
    foreign = await tried(channel, person(), Environment.SANDBOX)
    none = await tried(channel, None, Environment.SANDBOX)

    assert [(one.certificate, one.certificate_accepted) for one in (own, foreign, none)] == [
        ("own", True),
        ("sandbox", True),
        ("sandbox", True),
    ]


def test_a_context_is_made_once_for_a_certificate_and_its_password(authority, trusted):
    def endpoint(content: bytes, password: str | None = None) -> Endpoint:
        own = Access(certificate=content, password=password)
        return Endpoint(
            url="", ca_file=authority.access.ca_file, certificate_file=None, password=None, issuer_access=own
        )

    first = certificates.context(endpoint(trusted.pem()))

    assert certificates.context(replace(endpoint(trusted.pem()), url="https://elsewhere/")) is first
    assert certificates.context(endpoint(trusted.pem("hunter2"), "hunter2")) is not first


def test_no_key_is_ever_on_disk_in_the_clear(authority, trusted, monkeypatch):
    written = []
    genuine = ssl.SSLContext.load_cert_chain

    def noting(context, path, password=None):
        written.append((path.read_bytes(), path.stat().st_mode & 0o777))
        return genuine(context, path, password=password)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", noting)
    one = person(by=authority_of(authority.access.ca_file), given="OTRA")
    own = Access(certificate=one.pem())
    certificates.context(
        Endpoint(url="", ca_file=authority.access.ca_file, certificate_file=None, password=None, issuer_access=own)
    )

    ((content, mode),) = written
    assert b"ENCRYPTED PRIVATE KEY" in content
    assert b"BEGIN PRIVATE KEY" not in content
    assert mode == 0o600
