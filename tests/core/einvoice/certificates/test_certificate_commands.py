"""Commands about certificates and the producer's statement, as an operator types them, beside a running server."""

import asyncio
import json
import re
import ssl
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from support.commands import Ended, ledgerkit
from support.credentials import authority_of, encoded, entity, person

pytestmark = pytest.mark.whole


async def command(office, *words: str, **settings: object) -> Ended:
    """Run a command; return its exit code, its stdout and its stderr."""
    configured = office.kernel.settings
    given = {"database_url": configured.database_url.get_secret_value(), "secret_key": office.kernel.secret.decode()}
    environment = {name.upper(): str(value) for name, value in {**given, **settings}.items()}
    return await ledgerkit(configured.data_dir, *words, **environment)


async def test_the_declaration_is_printed(office, ana):
    issuer = ("--tax-id", ana.team["taxId"])

    code, plain, _ = await command(office, "verifactu", "declaration", *issuer)
    _, printed, _ = await command(office, "verifactu", "declaration", *issuer, "--format", "json")
    failed, _, errors = await command(office, "verifactu", "declaration", *issuer, "--version", "0.0.1")

    assert (code, failed) == (0, 3)
    assert plain.startswith("DECLARACIÓN RESPONSABLE")
    assert "NO ES UNA DECLARACIÓN" in plain
    assert json.loads(printed) == await ana.get("/api/einvoice/declaration")
    assert "0.0.1" in errors


async def test_the_law_in_force_is_printed_with_what_is_announced_beside_it(tmp_path):
    ended = await ledgerkit(tmp_path / "data", "verifactu", "obligations")
    corrected = await ledgerkit(
        tmp_path / "data",
        "verifactu",
        "obligations",
        VERIFACTU_OBLIGED_OTHERS_FROM="2028-10-01",
        VERIFACTU_OBLIGED_ANNOUNCED="Quizá 2029",
        LANG="es_ES.UTF-8",
    )

    assert ended.code == 0
    for day, source in {"2027-01-01": "15/2025", "2027-07-01": "15/2025"}.items():
        assert any(f"from {day} (" in line and source in line for line in ended.out.splitlines())
    assert len(re.findall("announced, not enacted: .*octubre de 2028", ended.out)) == 2
    assert "quien opera esta instalación" in next(one for one in corrected.out.splitlines() if "2028-10-01" in one)
    assert "Quizá 2029" in corrected.out
    assert not (tmp_path / "data").exists()


async def test_the_connection_is_tried_with_the_accounts_certificate(office, ana):
    at = office.authority.access
    await ana.put(
        "/api/einvoice/certificate",
        {"file": encoded(person(ana.team["taxId"], by=authority_of(at.ca_file)).pem())},
    )
    words = ("verifactu", "test-connection", "--tax-id", ana.team["taxId"])
    there = {"einvoice_env": "test", "verifactu_url": at.url, "verifactu_ca_file": at.ca_file}

    right, output, _ = await command(office, *words, **there)
    wrong, _, why = await command(office, *words, **there | {"verifactu_url": "https://127.0.0.1:1/"})

    assert (right, wrong) == (0, 1)
    assert "certificate: own" in output
    assert "certificate accepted: yes" in output
    assert "UNREACHABLE" in why


async def test_a_self_signed_certificate_is_not_tried_at_all(office, ana):
    at = office.authority.access
    await ana.put("/api/einvoice/certificate", {"file": encoded(person(ana.team["taxId"], self_signed=True).pem())})
    there = {"einvoice_env": "test", "verifactu_url": at.url, "verifactu_ca_file": at.ca_file}

    code, output, why = await command(office, "verifactu", "test-connection", "--tax-id", ana.team["taxId"], **there)

    await ana.delete("/api/einvoice/certificate")
    assert code == 1
    assert "certificate accepted: yes" not in output
    assert "CERTIFICATE_SELF_SIGNED" in why


AWAY = {"verifactu_url": "https://127.0.0.1:1/"}
"""The authority's address, which doctor asks for the time."""


async def test_doctor_tells_how_long_the_operators_certificate_lasts(office, tmp_path):
    (tmp_path / "c.p12").write_bytes(entity("B12345674").pkcs12("hunter2"))
    operators = {"verifactu_cert_file": tmp_path / "c.p12", "verifactu_cert_password": "hunter2", **AWAY}

    code, output, _ = await command(office, "doctor", einvoice_env="test", **operators)

    assert code == 1
    assert "Gestoría Sur, S.L." in output
    assert "364 days left" in output
    assert "missing  E-invoicing: LEDGERKIT_VERIFACTU_PRODUCER_NAME: " in output
    assert "CERT_FILE" not in output
    assert "hunter2" not in output
    assert "reports for B12345674 only" in output
    assert "LEDGERKIT_VERIFACTU_REPRESENTATIVE_TAX_ID says" in output


async def test_doctor_is_silent_about_that_where_the_operator_reports_for_others(office, tmp_path):
    (tmp_path / "c.p12").write_bytes(entity("B12345674").pkcs12("hunter2"))
    operators = {"verifactu_cert_file": tmp_path / "c.p12", "verifactu_cert_password": "hunter2", **AWAY}
    others = {"verifactu_representative_name": "Gestoría Sur, S.L.", "verifactu_representative_tax_id": "B12345674"}

    _, output, _ = await command(office, "doctor", einvoice_env="test", **operators, **others)

    assert "Gestoría Sur, S.L." in output
    assert "only" not in output


@asynccontextmanager
async def saying(access, moment: datetime):
    """The address of a TLS server that answers as the authority does to a GET, with this Date."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=access.ca_file)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(access.ca_file.with_name("server.pem"))
    said = (
        f"HTTP/1.1 405 Method Not Allowed\r\nDate: {format_datetime(moment, usegmt=True)}\r\nContent-Length: 0\r\n\r\n"
    )

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(said.encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as server:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


@pytest.mark.parametrize(("minutes", "warned"), [(0, False), (5, True)])
async def test_the_test_of_the_connection_compares_the_clocks(office, ana, minutes, warned):
    at = office.authority.access
    own = person(ana.team["taxId"], by=authority_of(at.ca_file))
    await ana.put("/api/einvoice/certificate", {"file": encoded(own.pem())})

    async with saying(at, datetime.now(UTC) - timedelta(minutes=minutes)) as url:
        there = {"einvoice_env": "test", "verifactu_url": url, "verifactu_ca_file": at.ca_file}
        words = ("verifactu", "test-connection", "--tax-id", ana.team["taxId"])
        code, output, _ = await command(office, *words, **there)

    assert code == 0
    assert ("seconds ahead of the tax authority's" in output) is warned
    assert ("NTP" in output) is warned
