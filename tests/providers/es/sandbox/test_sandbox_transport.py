"""The wire: who may connect, what is served, and everything that can be made to go wrong on it."""

import asyncio
import contextlib
import resource
import ssl
import sys
import time

import httpx2
import pytest
import structlog
from sandbox_client import tls
from sandbox_messages import ISSUER, alta, chain_of, message

from ledgerkit.providers.es.sandbox import Fault, Spoil, faults, sandbox, serve_forever
from support.ports import free_port

MIB = 1024 * 1024


def raw(access, content):
    """The bytes of a POST, to be sent without a library that knows better."""
    host = access.url.split("/")[2]
    path = access.url.split(host)[1]
    return f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content


@contextlib.asynccontextmanager
async def connection(access, context=None):
    host, port = access.url.split("/")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port), ssl=context or tls(access))
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def test_a_client_without_certificate_is_refused(authority):
    context = ssl.create_default_context(cafile=authority.access.ca_file)
    async with httpx2.AsyncClient(verify=context, trust_env=False, timeout=60) as client:
        with pytest.raises(httpx2.TransportError):
            await client.post(authority.access.url, content=message(alta()))

    assert authority.received == ()


async def test_a_client_certificate_of_another_sandbox_is_refused(authority, tmp_path):
    other = sandbox(tmp_path / "other")
    await other.start()
    await other.stop()
    context = ssl.create_default_context(cafile=authority.access.ca_file)
    context.load_cert_chain(other.access.certificate_file)

    async with httpx2.AsyncClient(verify=context, trust_env=False, timeout=60) as client:
        with pytest.raises(httpx2.TransportError):
            await client.post(authority.access.url, content=message(alta()))


async def test_plain_http_is_not_spoken(authority):
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as client:
        with pytest.raises(httpx2.TransportError):
            await client.get(authority.access.url.replace("https", "http"))


async def test_the_service_refuses_get_with_its_own_code(authority, client):
    answer = await client.get(authority.access.url)

    assert answer.status_code == 500
    assert "Codigo[4135]." in answer.text


async def test_other_paths_are_not_found(authority, client):
    answer = await client.post(authority.access.url.replace("VerifactuSOAP", "OtroSOAP"), content=b"x")

    assert answer.status_code == 404


async def test_one_connection_carries_several_messages(authority):
    async with connection(authority.access) as (reader, writer):
        for record in chain_of(2):
            writer.write(raw(authority.access, message(record)))
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
            assert b"<tikR:EstadoEnvio>Correcto" in await reader.readexactly(length)

    assert len(authority.records(ISSUER)) == 2


async def test_a_body_that_is_too_large_is_refused(client, authority):
    answer = await client.post(authority.access.url, content=b"x" * (16 * MIB + 1))

    assert answer.status_code == 413
    assert authority.received == ()


async def test_a_body_of_unknown_length_is_refused(authority, client):
    async def pieces():
        yield b"<x/>"

    assert (await client.post(authority.access.url, content=pieces())).status_code == 411


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"POST / FTP/1.0\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nno colon\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", b"431"),
    ],
)
async def test_requests_that_are_none_are_refused(authority, request_bytes, status):
    async with connection(authority.access) as (reader, writer):
        writer.write(request_bytes)
        writer.write_eof() if writer.can_write_eof() else None

        assert (await reader.readline()).split()[1] == status


async def test_a_client_that_waits_to_be_asked_for_its_body_is_asked(authority):
    content = message(alta())
    request = raw(authority.access, content).replace(b"Host:", b"Expect: 100-continue\r\nHost:")
    async with connection(authority.access) as (reader, writer):
        writer.write(request[: -len(content)])
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(content)

        assert (await reader.readline()).split()[1] == b"200"


async def test_received_shows_the_messages_byte_for_byte(authority, post):
    first, second = chain_of(2)
    contents = (message(first), message(second) + b"\n<!-- end -->")

    for content in contents:
        await post(content)

    assert authority.received == contents


async def test_remembered_messages_are_bounded(authority):
    for _ in range(1001):
        authority._authority.keep(b"small")
    assert len(authority.received) == 1000

    for _ in range(5):
        authority._authority.keep(b"x" * 16 * MIB)
    assert [len(body) for body in authority.received] == [16 * MIB] * 4


async def test_thirty_two_messages_at_once_are_each_stored_once(authority, client):
    records = chain_of(32)

    answers = await asyncio.gather(
        *(client.post(authority.access.url, content=message(record)) for record in records * 2)
    )

    stored = sum("<tikR:EstadoEnvio>Correcto" in answer.text for answer in answers)
    duplicates = sum("<tikR:CodigoErrorRegistro>3000" in answer.text for answer in answers)
    assert (len(authority.records(ISSUER)), stored + duplicates, duplicates) == (32, 64, 32)


HTTP_FAULTS = {
    429: faults.TOO_MANY_REQUESTS,
    500: faults.SERVER_ERROR,
    302: faults.REDIRECT,
    200: faults.HTML_PAGE,
}


@pytest.mark.parametrize(("status", "fault"), HTTP_FAULTS.items())
async def test_queued_http_answers_come_instead_of_the_authoritys(authority, client, status, fault):
    authority.faults.add(fault, times=2)

    answers = [await client.post(authority.access.url, content=message(alta())) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [status, status, 200]
    assert "Codigo" not in answers[0].text
    assert "Correcto" in answers[2].text
    assert len(authority.received) == 3


@pytest.mark.parametrize(("code", "kind"), [(4102, "env:Client"), (3501, "env:Server")])
async def test_queued_soap_faults_store_nothing(authority, send, code, kind):
    authority.faults.add(Fault(soap_code=code))

    answer = await send(alta())

    assert answer.fault[0] == kind
    assert f"Codigo[{code}]" in answer.fault[1]
    assert authority.records(ISSUER) == ()


CUT_OFF = [Spoil.LOST, Spoil.TRUNCATED, Spoil.RESET, Spoil.CUT]


@pytest.mark.parametrize("fault", [Fault(spoil=spoil) for spoil in CUT_OFF], ids=CUT_OFF)
async def test_an_answer_cut_off_leaves_the_record_stored(authority, client, send, fault):
    authority.faults.add(fault)

    with pytest.raises(httpx2.TransportError):
        await client.post(authority.access.url, content=message(alta()))

    assert len(authority.records(ISSUER)) == 1
    assert (await send(alta())).codes == [3000]


async def test_a_connection_cut_before_reading_stores_nothing(authority, client):
    authority.faults.add(faults.CLOSE_BEFORE_READING)

    with pytest.raises(httpx2.TransportError):
        await client.post(authority.access.url, content=message(alta()))

    assert (authority.received, authority.records(ISSUER)) == ((), ())


@pytest.mark.parametrize(("spoil", "body"), [(Spoil.EMPTY, b""), (Spoil.GARBAGE, b"\x00\xff<not xml")])
async def test_an_unreadable_answer_leaves_the_record_stored(authority, client, spoil, body):
    authority.faults.add(Fault(spoil=spoil))

    answer = await client.post(authority.access.url, content=message(alta()))

    assert (answer.status_code, answer.content) == (200, body)
    assert len(authority.records(ISSUER)) == 1


@pytest.mark.parametrize(
    ("spoil", "kind", "part"),
    [(Spoil.TYPE, "image/png", b"<env:Envelope"), (Spoil.DTD, "text/xml; charset=utf-8", b"<!DOCTYPE")],
)
async def test_an_answer_of_another_kind_leaves_the_record_stored(authority, client, spoil, kind, part):
    authority.faults.add(Fault(spoil=spoil))

    answer = await client.post(authority.access.url, content=message(alta()))

    assert (answer.status_code, answer.headers["Content-Type"]) == (200, kind)
    assert part in answer.content
    assert len(authority.records(ISSUER)) == 1


async def test_a_listener_hears_every_message_that_arrives_whole(authority, client):
    heard = []
    authority.listener = heard.append
    authority.faults.add(Fault(soap_code=4102))
    authority.faults.add(faults.CLOSE_BEFORE_READING)
    content = message(alta())

    await client.post(authority.access.url, content=content)
    with pytest.raises(httpx2.TransportError):
        await client.post(authority.access.url, content=content)

    assert heard == [content]


@pytest.mark.parametrize("fault", [Fault(delay_seconds=0.2), Fault(delay_seconds=0.2, spoil=Spoil.DRIP)])
async def test_a_late_answer_is_whole(authority, send, fault):
    authority.faults.add(fault)
    before = time.monotonic()

    answer = await send(alta())

    assert answer.states == ["Correcto"]
    assert time.monotonic() - before >= 0.2


async def test_results_and_the_pause_can_be_queued(authority, send):
    first, second = chain_of(2)
    authority.faults.add(Fault(reject=1109))
    authority.faults.add(Fault(warn=2001, wait_seconds=120))

    refused, remarked, fine = await send(first), await send(first), await send(second)

    assert (refused.states, refused.codes) == (["Incorrecto"], [1109])
    assert (remarked.states, remarked.codes) == (["AceptadoConErrores"], [2001])
    assert [each.text("TiempoEsperaEnvio") for each in (refused, remarked, fine)] == ["0", "120", "0"]
    assert fine.codes == [None]


async def test_queued_faults_can_be_counted_and_cleared(authority, send):
    authority.faults.add(faults.SERVER_ERROR, times=3)
    assert len(authority.faults) == 3

    authority.faults.clear()

    assert (await send(alta())).states == ["Correcto"]


@pytest.mark.parametrize(
    ("marker", "states", "code"),
    [
        ("[sandbox:reject 1124]", "Incorrecto", 1124),
        ("[sandbox:reject 1999]", "Incorrecto", 1999),
        ("[sandbox:warn 2001]", "AceptadoConErrores", 2001),
        ("[sandbox:reject]", "Correcto", None),
    ],
)
async def test_a_description_can_ask_for_its_own_result(send, marker, states, code):
    first = alta("F1", DescripcionOperacion=f"Work {marker} done")

    answer = await send(first, alta("F2", previous=first))

    assert (answer.states, answer.codes) == ([states, "Correcto"], [code, None])


async def test_a_description_can_ask_for_a_fault_every_time(authority, send):
    record = alta(DescripcionOperacion="[sandbox:fault 4141]")

    first, second = await send(record), await send(record)

    assert "Codigo[4141]" in first.fault[1]
    assert "Codigo[4141]" in second.fault[1]
    assert authority.records(ISSUER) == ()


async def test_a_description_can_lose_the_answer_once(authority, client, send):
    record = alta(DescripcionOperacion="[sandbox:lost]")

    with pytest.raises(httpx2.TransportError):
        await client.post(authority.access.url, content=message(record))

    assert (await send(record)).codes == [3000]


async def test_a_description_can_delay_the_answer_once_and_set_the_pause(send):
    record = alta(DescripcionOperacion="[sandbox:delay 2] [sandbox:wait 77]")

    before = time.monotonic()
    late = await send(record)
    between = time.monotonic()
    prompt = await send(record)

    assert between - before >= 2
    assert time.monotonic() - between < 2
    assert [late.text("TiempoEsperaEnvio"), prompt.text("TiempoEsperaEnvio")] == ["77", "77"]


async def test_a_delay_asked_for_has_a_limit():
    assert faults.markers("[sandbox:delay 9999]") == {"delay": 300}


async def test_stopping_is_prompt_with_idle_and_waiting_clients(tmp_path):
    authority = sandbox(tmp_path)
    await authority.start()
    authority.faults.add(Fault(delay_seconds=60))
    async with connection(authority.access), connection(authority.access) as (reader, writer):
        writer.write(raw(authority.access, message(alta())))
        async with asyncio.timeout(60):
            while not authority.records(ISSUER):  # noqa: ASYNC110 - nothing outside the sandbox signals storing
                await asyncio.sleep(0)
        before = time.monotonic()
        await authority.stop()

        assert time.monotonic() - before < 30
        assert await reader.read() == b""


async def test_a_stopped_sandbox_can_be_started_again_on_the_same_port(tmp_path):
    port = free_port()
    first = sandbox(tmp_path, port=port)
    await first.start()
    await first.stop()
    await first.stop()

    second = sandbox(tmp_path, port=port)
    await second.start()
    await second.start()
    await second.stop()

    assert second.access == first.access


async def test_a_taken_port_is_an_error_and_frees_the_directory(authority, tmp_path):
    port = int(authority.access.url.split(":")[2].split("/")[0])
    with pytest.raises(OSError, match="address already in use"):
        await sandbox(tmp_path / "second", port=port).start()

    third = sandbox(tmp_path / "second")
    await third.start()
    await third.stop()


async def test_starting_says_in_the_log_that_nothing_has_fiscal_effect(tmp_path):
    authority = sandbox(tmp_path)
    with structlog.testing.capture_logs() as lines:
        await authority.start()
    await authority.stop()

    (line,) = lines
    assert line["log_level"] == "warning"
    assert "no fiscal effect" in line["event"]
    assert line["url"] == authority.access.url


async def test_serving_forever_prints_where_and_with_which_files(tmp_path, capsys):
    serving = asyncio.create_task(serve_forever(tmp_path))
    printed = ""
    while "certificate file" not in printed:
        await asyncio.sleep(0)
        assert not serving.done()
        printed += capsys.readouterr().out
    serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving

    assert "\nurl: https://127.0.0.1:" in f"\n{printed}"
    assert f"\nca file: {tmp_path / 'ca.pem'}\n" in printed
    assert f"\ncertificate file: {tmp_path / 'client.pem'}\n" in printed


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are POSIX")
async def test_a_full_disk_is_a_technical_fault_and_stores_nothing(tmp_path):
    register = tmp_path / "register.jsonl"
    # Larger than what anything else in this process writes, so that the limit below only meets the register.
    register.write_bytes(b"x" * 8 * MIB + b"\n")
    authority = sandbox(tmp_path)
    await authority.start()
    before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    async with httpx2.AsyncClient(verify=tls(authority.access), trust_env=False, timeout=60) as client:
        resource.setrlimit(resource.RLIMIT_FSIZE, (register.stat().st_size + 50, hard))
        try:
            full = await client.post(authority.access.url, content=message(alta()))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))
        held = authority.records(ISSUER)
        again = await client.post(authority.access.url, content=message(alta()))
    await authority.stop()

    assert "Codigo[3501]" in full.text
    assert "env:Server" in full.text
    assert held == ()
    assert "<tikR:EstadoEnvio>Correcto" in again.text
