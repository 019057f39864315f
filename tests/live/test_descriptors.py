"""A server with 1,024 descriptors and callers who use up connections: the database stays, and others are served."""

import asyncio
import os
import re
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import psutil
import pytest

from support.api import Api
from support.directories import open_directory
from support.serving import Server, served

DESCRIPTORS = 1024
SILENT = 1050
OF_ONE = 100
"""Connections of one address, as the setting has it by default."""

LOGIN = b"POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif(
        sys.platform != "linux", reason="other systems have one loopback address unless somebody adds more"
    ),
]


def limited(
    words: Sequence[str], environment: Mapping[str, str], directory: Path, out: Path, err: Path
) -> subprocess.Popen[bytes]:
    """The command as a shell with `ulimit -n 1024` starts it."""
    shell = ["/bin/sh", "-c", f'ulimit -n {DESCRIPTORS} && exec "$@"', "sh"]
    with out.open("ab") as stdout, err.open("ab") as stderr:
        command = [*shell, sys.executable, "-m", "ledgerkit.cli", *words]
        return subprocess.Popen(command, env=environment, cwd=directory, stdout=stdout, stderr=stderr)


@pytest.fixture(scope="module", autouse=True)
def enough_descriptors() -> Iterator[None]:
    """For this process, whose sockets are the callers'."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2 * SILENT:
        pytest.skip(f"this process may open {hard} descriptors, and needs {2 * SILENT}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[Server]:
    """With an embedded PostgreSQL of its own."""
    with open_directory() as parent:
        async with served(parent / "data", limited) as running:
            yield running


@contextmanager
def connected(server: Server, count: int, *sources: str, says: bytes = b"") -> Iterator[list[socket.socket]]:
    """Connections from addresses of this machine in turn."""
    address = urlsplit(server.url)
    with ExitStack() as stack:
        lines = []
        for number in range(count):
            source = (sources[number % len(sources)], 0)
            line = socket.create_connection((address.hostname, address.port), 60, source_address=source)
            lines.append(stack.enter_context(line))
            if says:
                line.sendall(says)
        yield lines


@asynccontextmanager
async def client_of(server: Server) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
        yield client


def postmaster(server: Server) -> int:
    (cluster,) = server.log.parent.glob("data/postgres/cluster/postmaster.pid")
    return int(cluster.read_text().splitlines()[0])


def resident_mib(server: Server) -> int:
    (line,) = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{server.process.pid}/status").read_text())
    return int(line) >> 10


def processor_seconds(server: Server) -> float:
    times = psutil.Process(server.process.pid).cpu_times()
    return float(times.user + times.system)


def descriptors(server: Server) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


async def test_silent_connections_neither_stop_others_nor_the_database(server):
    pid = postmaster(server)

    with connected(server, SILENT, *[f"127.0.0.{number}" for number in range(2, 14)]):
        async with client_of(server) as client:
            api = await Api.with_team(client, "ana@example.com", "Ana", "12345678Z")
            invoice = await api.invoice()
            ready = await client.get("/ready")
            held = descriptors(server)

    assert invoice["id"]
    assert ready.status_code == 200
    assert held < DESCRIPTORS
    assert postmaster(server) == pid


async def test_a_killed_database_comes_back_beside_silent_connections(server):
    pid = postmaster(server)
    with connected(server, SILENT, *[f"127.0.0.{number}" for number in range(2, 14)]):
        async with client_of(server) as client:
            os.kill(pid, signal.SIGKILL)
            answers = [(await client.get("/ready")).status_code, (await client.get("/health")).status_code]
            async with asyncio.timeout(60):
                while answers[-2] != 200:
                    await asyncio.sleep(0.05)
                    answers += [(await client.get("/ready")).status_code, (await client.get("/health")).status_code]

    assert answers[0] == 503
    assert set(answers[1::2]) == {200}
    assert postmaster(server) != pid
    assert "Too many open files" not in server.said


async def test_silent_connections_are_closed_after_ten_seconds(server):
    with connected(server, 1, "127.0.0.2") as (line,):
        line.settimeout(60)
        assert await asyncio.to_thread(line.recv, 1) == b""


async def test_half_a_head_is_answered_after_ten_seconds(server):
    with connected(server, 1, "127.0.0.2", says=b"GET / HTTP/1.1\r\nHost: x\r\n") as (line,):
        line.settimeout(60)
        answer = await asyncio.to_thread(line.recv, 1 << 16)

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"HEAD_TIMEOUT" in answer


async def test_an_idle_connection_is_closed_after_its_request(server):
    with connected(server, 1, "127.0.0.2", says=b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n") as (line,):
        line.settimeout(60)
        answer = await asyncio.to_thread(_everything, line)

    assert (answer.count(b"HTTP/1.1 "), answer.split(b" ")[1]) == (1, b"200")


async def test_one_address_gets_its_share_and_others_are_served(server):
    with connected(server, OF_ONE, "127.0.0.2", says=LOGIN):  # each at work: its body is on its way
        with connected(server, 1, "127.0.0.2", says=b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n") as (line,):
            refused = await asyncio.to_thread(_received, line)
        async with client_of(server) as client:
            other = await client.get("/ready")

    assert refused == b"" or b"SERVER_BUSY" in refused
    assert other.status_code == 200


async def test_a_head_of_twenty_mebibytes_costs_neither_time_nor_memory(server):
    lines = b"a: b\r\n" * (20 << 20 >> 2)

    def flood() -> None:
        with connected(server, 1, "127.0.0.2", says=b"GET / HTTP/1.1\r\nHost: x\r\n") as (line,), suppress(OSError):
            line.sendall(lines)

    before = resident_mib(server)

    begun = processor_seconds(server)
    await asyncio.to_thread(flood)
    async with client_of(server) as client:
        await client.get("/health")

    assert processor_seconds(server) - begun < 2  # 4 when it was read, 0.05 since it is not
    assert resident_mib(server) - before < 50


async def test_a_proxy_that_is_named_is_not_bounded_as_one_address(tmp_path, fresh_urls):
    settings = {"FORWARDED_ALLOW_IPS": "127.0.0.2", "CONNECTIONS_PER_ADDRESS": "3", "DATABASE_URL": fresh_urls.owner}
    async with served(tmp_path / "data", **settings) as server:
        ask = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        with (
            connected(server, 20, "127.0.0.2", says=LOGIN),
            connected(server, 1, "127.0.0.2", says=ask) as (of_proxy,),
            connected(server, 3, "127.0.0.3", says=LOGIN),
            connected(server, 1, "127.0.0.3", says=ask) as (of_another,),
        ):
            answer = await asyncio.to_thread(of_proxy.recv, 1 << 16)
            refusal = await asyncio.to_thread(_received, of_another)

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert refusal == b"" or b"SERVER_BUSY" in refusal


def _everything(line: socket.socket) -> bytes:
    answer = b""
    while piece := line.recv(1 << 16):
        answer += piece
    return answer


def _received(line: socket.socket) -> bytes:
    """Bytes that come; none where the server has shut the door on what was being sent."""
    try:
        return line.recv(1 << 16)
    except ConnectionError:
        return b""
