import asyncio
import gzip
import json
import time
from contextlib import aclosing
from datetime import timedelta
from ipaddress import ip_address

import pytest

from ledgerkit import clock
from ledgerkit.core.platform.oauth.api import ClientMetadata
from ledgerkit.core.platform.oauth.client_documents.cache import ClientDocuments
from ledgerkit.core.platform.oauth.client_documents.fetcher import Fetcher, Lookup
from ledgerkit.core.platform.oauth.client_documents.urls import is_public
from ledgerkit.core.platform.request.previews import DryRun, StepLeftOutError
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.problems import Code, Invalid, Unavailable
from support.documents import (
    HOST,
    LOOPBACK,
    REDIRECT,
    NameServer,
    answer,
    client_document,
    document_server,
    documents,
    permitted,
    trust,
)

PRIVATE = [
    *("0.1.2.3", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.31.0.1"),
    *("192.0.0.8", "192.168.1.1", "198.18.0.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::7f00:1", "64:ff9b::a00:1", "64:ff9b::808:808"),
    *("64:ff9b:1::a00:1", "100::1", "2001::1", "2001:db8::1", "2002:a00:1::1", "2002:808:808::1", "3fff::1"),
    *("fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%lo", "fec0::1", "ff02::1", "2a00:1450:4003::1%lo"),
]
PUBLIC = ["8.8.8.8", "93.184.216.34", "100.63.255.255", "172.32.0.1", "2a00:1450:4003::1", "2606:4700::1111"]


class Spy:
    """Name server whose questions a test counts."""

    def __init__(self, *answers: list[str]) -> None:
        self.name_server = NameServer(list(answers))
        self.documents = ClientDocuments(Fetcher(self.name_server, permitted=permitted, trust=trust()))


async def refusal(service: ClientDocuments, url: str) -> str:
    """Words with which a client is refused, in English; they are about its id, and there are others in Spanish."""
    with pytest.raises(Invalid) as refused:
        await service.client(url)
    assert [error.field for error in refused.value.errors] == ["client_id"]
    assert set(refused.value.translations) >= {"es", "en"}
    return refused.value.detail


# ---------------------------------------------------------------- a document as it should be


async def test_a_document_describes_its_client():
    async with document_server(client_name="  Asistente de Ana ", logo_uri="https://x.example/l.png") as server:
        client = await documents().client(server.url)

    assert ClientMetadata(client_name="Asistente de Ana", redirect_uris=(REDIRECT,)) == client


async def test_the_server_asks_for_the_document_of_a_client(kernel):
    async with document_server() as server:
        client = await kernel.service(ClientDocuments).client(server.url)

    assert client.client_name == "Asistente"


async def test_the_request_names_the_host_and_carries_nothing_about_us():
    async with document_server() as server:
        await documents().client(server.url)

    lines = server.heads[0].lower().split("\r\n")
    assert lines[0] == "get /client.json http/1.1"
    assert f"host: {HOST}:{server.port}" in lines
    assert "accept-encoding: identity" in lines
    assert not [line for line in lines if line.startswith(("cookie", "authorization", "referer"))]


# ---------------------------------------------------------------- addresses


@pytest.mark.parametrize("text", PRIVATE)
def test_an_address_that_is_not_public(text):
    assert not is_public(ip_address(text))


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address(text):
    assert is_public(ip_address(text))


@pytest.mark.parametrize("address", PRIVATE)
async def test_a_host_with_a_private_address_is_not_asked(address):
    async with document_server() as server:
        service = ClientDocuments(Fetcher(NameServer([[address]]), trust=trust()))

        assert "not on the public internet" in await refusal(service, server.url)

    assert server.connections == 0


@pytest.mark.parametrize("answers", [[LOOPBACK, "10.0.0.1"], ["10.0.0.1", LOOPBACK], [LOOPBACK, "::1"]])
async def test_one_private_address_among_others_is_enough_to_refuse(answers):
    async with document_server() as server:
        assert "not on the public internet" in await refusal(documents(answers), server.url)

    assert server.connections == 0


async def test_the_checked_address_is_the_one_that_is_asked():
    """DNS rebinding: the second answer would lead to a server that is not to be reached."""
    spy = Spy([LOOPBACK], ["127.0.0.3"])
    async with document_server() as server, document_server(address="127.0.0.3") as inside:
        client = await spy.documents.client(server.url)

    assert client.redirect_uris == (REDIRECT,)
    assert spy.name_server.questions == [HOST]
    assert inside.connections == 0


async def test_a_second_fetch_checks_the_addresses_anew(monkeypatch):
    spy = Spy([LOOPBACK], ["127.0.0.3"])
    async with document_server() as server:
        await spy.documents.client(server.url)
        later = clock.now() + timedelta(hours=2)
        monkeypatch.setattr(clock, "now", lambda: later)

        assert "not on the public internet" in await refusal(spy.documents, server.url)

    assert server.connections == 1


@pytest.mark.parametrize(
    "host",
    [
        *("2130706433", "017700000001", "0x7f000001", "0177.0.0.1", "0x7f.0.0.1", "127.1", "127.0.0.01", "127.0.0.1."),
        *(
            "[::1%25lo]",
            "[fe80::1%lo]",
            "[::ffff:127.0.0.1",
            "127\u30020.0.1",
            "\uff11.0.0.1",
            "a..b",
            "-a.b",
        ),
        *(f"{'a' * 64}.example", f"{'a.' * 130}example", "a b", "a%2eb", "[v1.a]", ""),
    ],
)
async def test_a_host_in_an_unusual_form_is_never_looked_up(host):
    spy = Spy([LOOPBACK])

    assert "no address of a client's document" in await refusal(spy.documents, f"https://{host}/client.json")
    assert spy.name_server.questions == []


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:7f00:1]", "169.254.169.254", "[64:ff9b::a00:1]"])
async def test_a_private_address_instead_of_a_name(host):
    spy = Spy([LOOPBACK])
    service = ClientDocuments(Fetcher(spy.name_server, trust=trust()))

    assert "not on the public internet" in await refusal(service, f"https://{host}/client.json")
    assert spy.name_server.questions == []


@pytest.mark.parametrize("name", ["localhost", "ip6-localhost", "no-such-host.invalid"])
async def test_the_systems_name_server_leads_nowhere_private(name):
    async with aclosing(Closing(Lookup())) as closing:
        service = ClientDocuments(Fetcher(closing.lookup, trust=trust()))

        words = await refusal(service, f"https://{name}/client.json")

    assert "not on the public internet" in words or "no name server knows" in words


class Closing:
    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup

    async def aclose(self) -> None:
        self.lookup.stop()


async def test_a_name_without_addresses():
    assert "no name server knows" in await refusal(documents([]), f"https://{HOST}/client.json")


@pytest.mark.parametrize(
    "url",
    [
        *("http://a.example/c", "HTTPS://a.example/c", "https://a.example", "https://a.example/", "//a.example/c"),
        *("https://u@a.example/c", "https://u:p@a.example/c", "https://a.example/c#f", "https://a.example/c#"),
        *("https://a.example/x/../c", "https://a.example/./c", "https://a.example/%2E%2e/c", "https://a.example/c/.."),
        *("https://a.example:0/c", "https://a.example:65536/c", "https://a.example:/c", "https://a.example:+1/c"),
        *(
            "https://a.example\\@b.example/c",
            "https://a.example/c\r\nX: y",
            " https://a.example/c",
            "https://a.example/ñ",
        ),
        *("file:///etc/passwd", "", f"https://a.example/{'c' * 2000}"),
    ],
)
async def test_an_address_that_no_client_has(url):
    spy = Spy([LOOPBACK])

    assert "no address of a client's document" in await refusal(spy.documents, url)
    assert spy.name_server.questions == []


# ---------------------------------------------------------------- servers that behave badly


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
async def test_a_redirect_is_not_followed(status):
    async with document_server() as target:
        location = f"Location: {target.url}"
        async with document_server(answer(b"", location, status=status)) as server:
            assert "its server redirects" in await refusal(documents(), server.url)

    assert target.connections == 0


@pytest.mark.parametrize("status", ["201 Created", "204 No Content", "304 Not Modified", "404 Not Found", "500 Oops"])
async def test_another_status(status):
    async with document_server(answer({}, status=status)) as server:
        assert f"it answers {status[:3]}" in await refusal(documents(), server.url)


async def test_a_certificate_of_another_name():
    async with document_server(name="other.example") as server:
        url = server.url.replace("other.example", HOST)

        assert "cannot be reached over HTTPS" in await refusal(documents(), url)

    assert server.heads == []


async def test_a_certificate_of_an_unknown_authority():
    async with document_server() as server:
        service = ClientDocuments(Fetcher(NameServer([[LOOPBACK]]), permitted=permitted))

        assert "cannot be reached over HTTPS" in await refusal(service, server.url)

    assert server.heads == []


async def test_a_port_where_nobody_listens():
    async with document_server() as server:
        url = server.url

    assert "cannot be reached over HTTPS" in await refusal(documents(), url)


async def test_the_second_address_is_asked_when_the_first_does_not_listen():
    service = ClientDocuments(
        Fetcher(NameServer([["::1", LOOPBACK]]), permitted=lambda address: address.is_loopback, trust=trust())
    )
    async with document_server() as server:
        client = await service.client(server.url)

    assert client.redirect_uris == (REDIRECT,)


def sized(url: str, size: int) -> bytes:
    document = client_document(url, padding="")
    return json.dumps({**document, "padding": "x" * (size - len(json.dumps(document)))}).encode()


@pytest.mark.parametrize("declared", [True, False])
async def test_six_kilobytes_are_too_many(declared):
    async def endless(writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
        writer.write(b"Content-Length: 6144\r\n\r\n" if declared else b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(6):
            writer.write(b"x" * 1024 if declared else b"400\r\n%b\r\n" % (b"x" * 1024))
        await writer.drain()

    async with document_server(endless) as server:
        assert "more than 5120 bytes" in await refusal(documents(), server.url)


async def test_five_kilobytes_are_not():
    content = b""

    async def respond(writer):
        await answer(content)(writer)

    async with document_server(respond) as server:
        content = sized(server.url, 5120)

        assert (await documents().client(server.url)).client_name == "Asistente"


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "gzip, identity"])
async def test_a_compressed_answer_is_not_unpacked(encoding):
    bomb = gzip.compress(b" " * 4_000_000)
    async with document_server(answer(bomb, f"Content-Encoding: {encoding}")) as server:
        assert "no JSON object" in await refusal(documents(), server.url)


async def test_a_compressed_answer_that_does_not_say_so():
    async with document_server(answer(gzip.compress(b"{}"))) as server:
        assert "no JSON object" in await refusal(documents(), server.url)


async def drop_by_drop(writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n")
    while not writer.is_closing():
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.01)


async def endless_head(writer):
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while not writer.is_closing():
        writer.write(b"X-Y: z\r\n")
        await writer.drain()
        await asyncio.sleep(0.01)


async def silence(writer):
    await writer.wait_closed()


@pytest.mark.parametrize("respond", [drop_by_drop, endless_head, silence])
async def test_a_slow_server_is_given_up(respond):
    async with document_server(respond) as server:
        began = time.monotonic()

        words = await refusal(documents(seconds=0.3), server.url)

    assert "was not there within 0.3 seconds" in words
    assert time.monotonic() - began < 45


async def test_the_time_includes_the_name_server():
    async def never(host, port):
        await asyncio.sleep(30)

    service = ClientDocuments(Fetcher(never, trust=trust()), seconds=0.1)

    assert "was not there within" in await refusal(service, f"https://{HOST}/client.json")


async def test_no_proxy_of_the_environment_is_used(monkeypatch):
    async with document_server() as proxy, document_server() as server:
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://{LOOPBACK}:{proxy.port}")

        assert (await documents().client(server.url)).client_name == "Asistente"

    assert proxy.connections == 0


# ---------------------------------------------------------------- content


@pytest.mark.parametrize(
    "content",
    [b"", b"no json", b"[]", b'"text"', b"null", b"12", b"{", b"\xff\xfe", b"[" * 3000, b'{"client_id":'],
)
async def test_content_that_is_no_json_object(content):
    async with document_server(answer(content)) as server:
        assert "no JSON object" in await refusal(documents(), server.url)


@pytest.mark.parametrize("kind", ["text/html", "text/plain", "application/jsonp", "application/octet-stream", ""])
async def test_a_document_of_another_media_type(kind):
    async def respond(writer):
        await answer(client_document(server.url), kind=kind)(writer)

    async with document_server(respond) as server:
        assert "no JSON object" in await refusal(documents(), server.url)


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "application/oauth-client+json", "APPLICATION/JSON"]
)
async def test_a_document_of_a_json_media_type(kind):
    async def respond(writer):
        await answer(client_document(server.url), kind=kind)(writer)

    async with document_server(respond) as server:
        assert (await documents().client(server.url)).client_name == "Asistente"


@pytest.mark.parametrize("change", [lambda url: url + "/", str.upper, lambda url: url + "?", lambda url: "another"])
async def test_a_document_of_another_client(change):
    async def respond(writer):
        await answer(client_document(server.url, client_id=change(server.url)))(writer)

    async with document_server(respond) as server:
        assert "another client" in await refusal(documents(), server.url)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"client_id": None}, "`client_id`"),
        ({"client_name": None}, "`client_name`"),
        ({"client_name": "  "}, "`client_name`"),
        ({"client_name": "a\nb"}, "`client_name`"),
        ({"client_name": "a\u0007b"}, "`client_name`"),
        ({"client_name": "a" * 121}, "`client_name`"),
        ({"client_name": 7}, "`client_name`"),
        ({"redirect_uris": None}, "`redirect_uris`"),
        ({"redirect_uris": []}, "`redirect_uris`"),
        ({"redirect_uris": REDIRECT}, "`redirect_uris`"),
        ({"redirect_uris": [7]}, "`redirect_uris`"),
        ({"redirect_uris": [REDIRECT] * 21}, "`redirect_uris`"),
        ({"redirect_uris": [REDIRECT, "javascript:alert(1)"]}, "not allowed: javascript:alert(1)"),
        ({"redirect_uris": ["http://a.example/callback"]}, "not allowed: http://a.example/callback"),
        ({"grant_types": ["client_credentials"]}, "`grant_types`"),
        ({"response_types": ["token"]}, "`response_types`"),
        ({"token_endpoint_auth_method": "client_secret_basic"}, "with a secret"),
        ({"token_endpoint_auth_method": "private_key_jwt"}, "with a secret"),
        ({"client_secret": "secret"}, "with a secret"),
    ],
)
async def test_a_document_with_a_fault(members, words):
    async with document_server(**members) as server:
        assert words in await refusal(documents(), server.url)


@pytest.mark.parametrize(
    "members",
    [
        {"token_endpoint_auth_method": "none"},
        {"grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"]},
        {"redirect_uris": ["http://127.0.0.1:33418/", "http://localhost/callback", "com.example.app:/back"]},
    ],
)
async def test_a_document_with_further_members(members):
    async with document_server(**members) as server:
        assert (await documents().client(server.url)).client_name == "Asistente"


# ---------------------------------------------------------------- how often it asks


@pytest.mark.parametrize(
    ("directives", "seconds"),
    [
        (None, 60),
        ("max-age=0", 60),
        ("no-store", 60),
        ("no-cache, max-age=7200", 60),
        ("public, max-age=7200", 7200),
        ('MAX-AGE="7200"', 7200),
        ("s-maxage=7200", 60),
        ("max-age=999999999", 86400),
        ("max-age=99999999999999999999", 60),
        ("max-age=-1", 60),
    ],
)
async def test_a_document_is_kept_as_its_server_says_within_bounds(monkeypatch, directives, seconds):
    service, moment = documents(), clock.now()
    headers = [f"Cache-Control: {directives}"] if directives else []

    async def respond(writer):
        await answer(client_document(server.url), *headers)(writer)

    async with document_server(respond) as server:
        for age in (0, seconds - 1, seconds):
            at = moment + timedelta(seconds=age)
            monkeypatch.setattr(clock, "now", lambda at=at: at)
            await service.client(server.url)

    assert server.connections == 2


async def test_a_refusal_is_kept_for_a_short_time(monkeypatch):
    service, moment = documents(), clock.now()
    async with document_server(answer({})) as server:
        for age in (0, 29, 30):
            at = moment + timedelta(seconds=age)
            monkeypatch.setattr(clock, "now", lambda at=at: at)
            assert "is missing or not valid" in await refusal(service, server.url)

    assert server.connections == 2


async def test_all_who_ask_at_the_same_time_share_one_fetch():
    async with document_server() as server:
        service = documents()

        clients = await asyncio.gather(*(service.client(server.url) for _ in range(50)))

    assert {client.client_name for client in clients} == {"Asistente"}
    assert server.connections == 1


async def test_one_who_goes_does_not_end_the_fetch_of_the_others():
    began, released = asyncio.Event(), asyncio.Event()

    async def respond(writer):
        began.set()
        await released.wait()
        await answer(client_document(server.url))(writer)

    async with document_server(respond) as server:
        service = documents()
        first, second = (asyncio.create_task(service.client(server.url)) for _ in range(2))
        await asyncio.wait_for(began.wait(), 60)
        first.cancel()
        released.set()

        assert (await second).client_name == "Asistente"

    assert server.connections == 1


async def test_a_host_that_does_not_answer_takes_few_of_the_places():
    async with document_server(silence) as silent, document_server(name="other.example") as server:
        service = documents()
        waiting = [asyncio.create_task(service.client(f"{silent.url}?{number}")) for number in range(2)]
        await asyncio.sleep(0)  # both have begun

        with pytest.raises(Unavailable) as busy:
            await service.client(f"{silent.url}?2")
        client = await service.client(server.url)
        await service.stop()

    assert busy.value.code is Code.BUSY
    assert client.client_name == "Asistente"
    outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [asyncio.CancelledError] * 2


async def test_a_dry_run_fetches_no_document_but_knows_those_that_are_here():
    service, dry_run = documents(), DryRun()
    async with document_server() as server:
        await service.client(server.url)
        silent = service.in_dry_run(dry_run)

        client = await silent.client(server.url)
        with pytest.raises(StepLeftOutError):
            await silent.client(f"{server.url}?another")

    assert client.client_name == "Asistente"
    assert dry_run.left_out == [DryRunMsg.CLIENT_DOCUMENT]
    assert server.connections == 1


async def test_places_are_bounded():
    async def never(host, port):
        await asyncio.sleep(30)

    service = ClientDocuments(Fetcher(never, trust=trust()))
    waiting = [asyncio.create_task(service.client(f"https://{number}.example/c")) for number in range(16)]
    await asyncio.sleep(0)

    with pytest.raises(Unavailable):
        await service.client("https://another.example/c")
    await service.stop()
    await asyncio.gather(*waiting, return_exceptions=True)
