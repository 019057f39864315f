"""`ledgerkit doctor` compares the machine's clock with the `Date` of the authority's answers."""

import asyncio
import re
import ssl
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from ledgerkit.commands.examining import clocks
from ledgerkit.commands.examining.findings import Weight
from ledgerkit.providers.api import Environment
from ledgerkit.providers.es import country as spain
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.registry import Registry
from support.commands import ledgerkit
from support.credentials import authority_of, encoded, person
from support.ports import free_port
from support.serving import reporting_to


@asynccontextmanager
async def at_its_door(authority, *headers: str):
    """Another address of the authority, whose answers have these headers too; with none it never answers."""
    access = authority.access
    ours = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=access.ca_file)
    ours.verify_mode = ssl.CERT_REQUIRED
    ours.load_cert_chain(access.ca_file.with_name("server.pem"))
    theirs = ssl.create_default_context(cafile=access.ca_file)
    theirs.load_cert_chain(access.certificate_file)

    async def serve(reader, writer):
        try:
            await reader.readuntil(b"\r\n\r\n")
            if not headers:
                await reader.read()
                return
            async with httpx2.AsyncClient(verify=theirs, trust_env=False, timeout=60) as client:
                answer = await client.get(access.url)
            head = [f"HTTP/1.1 {answer.status_code} Answer", f"Content-Length: {len(answer.content)}", *headers]
            writer.write("\r\n".join([*head, "", ""]).encode() + answer.content)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=ours) as server:
        port = server.sockets[0].getsockname()[1]
        yield replace(access, url=access.url.replace(str(httpx2.URL(access.url).port), str(port)))


def date_header(ahead: timedelta) -> str:
    return f"Date: {format_datetime(datetime.now(UTC) + ahead, usegmt=True)}"


def registry(access, **more) -> Registry:
    """Spain, with this address as the AEAT's test service."""
    values = {"url": access.url, "ca_file": access.ca_file, **more}
    return Registry({"ES": replace(spain, channels=(VerifactuChannel(VerifactuSettings(_env_file=None, **values)),))})


async def compared(access, kernel=None, environment=Environment.TEST, seconds=60.0, **more):
    """The only finding: how heavy it is, and its line."""
    countries = registry(access, **more)
    (one,) = [found async for found in clocks.of_authorities(countries, environment, kernel, seconds=seconds)]
    return one.weight, one.line("en")


async def test_a_clock_that_differs_from_the_authoritys_is_advice_of_the_whole_command(tmp_path, authority):
    async with at_its_door(authority, date_header(timedelta(minutes=5))) as access:
        settings = {**reporting_to(access), "BASE_URL": "https://ledgerkit.example", "PORT": str(free_port())}
        ended = await ledgerkit(tmp_path / "data", "doctor", **settings)

    [line] = [line for line in ended.out.splitlines() if " clock: " in line]
    assert re.match(r"advice   clock: -(30\d|2[4-9]\d) seconds ahead", line)  # the command takes a while to ask
    assert "VERI*FACTU (AEAT)'s authority at 127.0.0.1" in line
    assert "NTP" in line
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "ok       Nothing is missing.")


@pytest.mark.parametrize(("minutes", "weight"), [(-2, Weight.ADVISED), (0, Weight.GOOD), (2, Weight.ADVISED)])
async def test_a_minute_is_the_limit_in_both_directions(authority, minutes, weight):
    certificate = authority.access.certificate_file
    async with at_its_door(authority, date_header(timedelta(minutes=minutes))) as access:
        found = await compared(access, cert_file=certificate)

    assert found[0] is weight


async def test_where_the_operator_has_no_certificate_an_accounts_own_one_asks(authority, kernel, ana):
    own = person("12345678Z", by=authority_of(authority.access.ca_file))
    async with at_its_door(authority, date_header(timedelta(minutes=-5))) as access:
        nobody = await compared(access, kernel)
        await ana.put("/api/einvoice/certificate", {"file": encoded(own.pem())})
        by_account = await compared(access, kernel)

    assert (nobody[0], by_account[0]) == (Weight.GOOD, Weight.ADVISED)
    assert "not compared" in nobody[1]
    assert re.search(r"\b3[0-5]\d\b", by_account[1])


async def test_an_authority_that_does_not_say_the_time_is_no_fault_of_ours(authority):
    certificate = authority.access.certificate_file
    closed = replace(authority.access, url=f"https://127.0.0.1:{free_port()}/")
    away = await compared(closed, cert_file=certificate)
    async with at_its_door(authority) as access:
        silent = await compared(access, seconds=0.5, cert_file=certificate)
    without_date = await compared(authority.access, cert_file=certificate)

    assert [weight for weight, _ in (away, silent, without_date)] == [Weight.GOOD] * 3
    assert all("not compared" in line for _, line in (away, silent, without_date))
    assert without_date[1].endswith("it does not say the time")


async def test_the_sandbox_has_no_clock_to_compare_with(authority):
    weight, line = await compared(authority.access, environment=Environment.SANDBOX)

    assert weight is Weight.GOOD
    assert "sandbox" in line
