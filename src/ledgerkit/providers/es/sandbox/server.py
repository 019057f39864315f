"""Server of the sandbox: TLS that demands a client certificate, and the paths of the real service."""

import asyncio
import socket
import ssl
import struct
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import cast

import structlog

from ledgerkit import clock
from ledgerkit.providers.api import SandboxAccess
from ledgerkit.providers.es.sandbox import answers, certificates, http1, questions
from ledgerkit.providers.es.sandbox.authority import Authority, Reply
from ledgerkit.providers.es.sandbox.certificates import Certificates
from ledgerkit.providers.es.sandbox.faults import Fault, Faults, Spoil
from ledgerkit.providers.es.sandbox.http1 import Head, HttpError
from ledgerkit.providers.es.sandbox.register import Entry, Invoice, entry_of_others
from ledgerkit.settings import private_files

SOAP_PATH = "/wlpl/TIKE-CONT/ws/SistemaFacturacion/VerifactuSOAP"
DEMAND_PATH = "/wlpl/TIKE-CONT/ws/SistemaFacturacion/RequerimientoSOAP"
SERVICES = frozenset({SOAP_PATH, DEMAND_PATH})
ADDRESS = "address.txt"
QR_PATH = "/wlpl/TIKE-CONT/ValidarQR"
XML = (("Content-Type", "text/xml; charset=utf-8"),)
PICTURE = (("Content-Type", "image/png"),)
HANDSHAKE_SECONDS, IDLE_SECONDS, CLOSING_SECONDS = 10, 120, 5
CALLERS = 100
_DRIPS = 20

log = structlog.get_logger()


class VerifactuSandbox:
    """A running stand-in. `access` is there once `start` has returned; a stopped one may be started again.

    `faults` and `wait_seconds` (what answers ask for, 0 to 9999) may be changed while it runs, and so may
    `question_faults`, which questions suffer instead of messages, and `page_size`, what an answer to one holds at most.
    `listener` is told every message that arrives whole, byte for byte, whatever becomes of it.
    """

    access: SandboxAccess

    def __init__(self, directory: Path, *, host: str, port: int, faults: Faults, wait_seconds: int) -> None:
        self.faults = faults
        self.question_faults = Faults()
        self.listener: Callable[[bytes], None] | None = None
        self._authority = Authority(directory, wait_seconds=wait_seconds)
        self._directory, self._host, self._port = directory, host, port
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._judging: set[asyncio.Future[Reply]] = set()
        self._callers: deque[str] = deque(maxlen=CALLERS)

    @property
    def wait_seconds(self) -> int:
        return self._authority.wait_seconds

    @wait_seconds.setter
    def wait_seconds(self, seconds: int) -> None:
        self._authority.wait_seconds = seconds

    @property
    def page_size(self) -> int:
        return self._authority.page_size

    @page_size.setter
    def page_size(self, entries: int) -> None:
        self._authority.page_size = entries

    @property
    def asked(self) -> tuple[bytes, ...]:
        """The latest questions, oldest first, byte for byte."""
        return self._authority.asked

    @property
    def callers(self) -> tuple[str, ...]:
        """The common names in the certificates of the latest connections, oldest first."""
        return tuple(self._callers)

    @property
    def received(self) -> tuple[bytes, ...]:
        """The latest messages, oldest first, byte for byte."""
        return self._authority.received

    def records(self, issuer: str) -> tuple[Entry, ...]:
        """List the holdings of an issuer (NIF): one entry per invoice, its latest accepted record."""
        return self._authority.entries(issuer)

    def hold_of_others(
        self,
        invoice: Invoice,
        total: Decimal,
        *,
        recipient: str | None = None,
        is_annulled: bool = False,
        period: str = "",
    ) -> Entry:
        """Hold a record of other software from now on (`entry_of_others`), and return it."""
        entry = entry_of_others(invoice, total, recipient=recipient, is_annulled=is_annulled, period=period)
        self._authority.hold(entry)
        return entry

    def chain_breaks(self, issuer: str) -> tuple[Entry, ...]:
        """The stored records of an issuer whose link did not continue their chain, with the reason."""
        return self._authority.breaks(issuer)

    def reach(self) -> SandboxAccess | None:
        """Return the access to the sandbox that another process runs, or ran last, on the same directory."""
        files = certificates.files(self._directory)
        if not files.signer.exists():
            return None
        address = self._directory / ADDRESS
        url = address.read_text() if address.exists() else f"https://{self._host}:0{SOAP_PATH}"
        return SandboxAccess(url=url, ca_file=files.ca, certificate_file=files.client, signer_file=files.signer)

    async def start(self) -> None:
        """Listen. Raises OSError when the port is taken, Unavailable when the directory is in use."""
        if self._server is not None:
            return
        # First, because it keeps a second process from renewing the certificates of the one that runs.
        await asyncio.to_thread(self._authority.open)
        try:
            files = await asyncio.to_thread(certificates.ensure, self._directory, self._host, clock.now())
            self._server = await asyncio.start_server(
                self._serve,
                self._host,
                self._port,
                ssl=_tls(files),
                ssl_handshake_timeout=HANDSHAKE_SECONDS,
                limit=http1.MAX_HEAD,
            )
        except BaseException:
            self._authority.close()
            raise
        port = self._server.sockets[0].getsockname()[1]
        host_text = f"[{self._host}]" if ":" in self._host else self._host
        url = f"https://{host_text}:{port}{SOAP_PATH}"
        self.access = SandboxAccess(url=url, ca_file=files.ca, certificate_file=files.client, signer_file=files.signer)
        private_files.write(self._directory / ADDRESS, url.encode())
        log.warning("sandbox authority started: records sent to it have no fiscal effect", url=url)

    async def stop(self) -> None:
        """Cut every connection and close the register. Messages being judged are judged to the end first."""
        if self._server is None:
            return
        server, self._server = self._server, None
        server.close()
        connections = tuple(self._connections)
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await asyncio.gather(*self._judging, return_exceptions=True)
        await server.wait_closed()
        await asyncio.to_thread(self._authority.close)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._connections.add(task)
        self._callers.append(_common_name(writer))
        try:
            while await self._serve_request(reader, writer):
                pass
            async with asyncio.timeout(CLOSING_SECONDS):
                writer.close()
                await writer.wait_closed()
        except (OSError, asyncio.IncompleteReadError):
            log.debug("sandbox connection cut")
        except asyncio.CancelledError:
            # Ends as if by itself when we stop: asyncio.streams (3.11) reports a cancelled connection as an error.
            if self._server is not None:
                raise
        finally:
            writer.transport.abort()
            self._connections.discard(task)

    async def _serve_request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; return True when the connection may carry another. Raises OSError to cut it."""
        try:
            async with asyncio.timeout(IDLE_SECONDS):
                head = await http1.read_head(reader)
            if head is None:
                return False
            if head.method == "POST" and _path(head) in SERVICES:
                return await self._soap(head, reader, writer) and head.keep_alive
            async with asyncio.timeout(IDLE_SECONDS):
                await http1.read_body(head, reader, writer)
        except HttpError as error:
            writer.write(http1.response(error.status, close=True))
            await _read_to_the_end(reader)
            return False
        writer.write(await self._other(head))
        await writer.drain()
        return head.keep_alive

    async def _other(self, head: Head) -> bytes:
        if _path(head) in SERVICES:
            return http1.response(500, answers.fault(4135), XML)
        if _path(head) == QR_PATH and head.method == "GET":
            query = head.target.partition("?")[2]
            kind, body = await asyncio.to_thread(self._authority.check_qr, query)
            return http1.response(200, body, [("Content-Type", kind)])
        return http1.response(404)

    async def _soap(self, head: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        async with asyncio.timeout(IDLE_SECONDS):
            start = await http1.read_start(head, reader, writer)
        asks = questions.is_one(start)
        fault = (self.question_faults if asks else self.faults).take(start)
        if fault.close_before_reading:
            raise ConnectionAbortedError
        async with asyncio.timeout(IDLE_SECONDS):
            body = start + await http1.read_rest(head, reader, start)
        (self._authority.note_question if asks else self._authority.keep)(body)
        if self.listener is not None and not asks:
            self.listener(body)
        if fault.http is not None:
            writer.write(http1.response(fault.http.status, fault.http.body, fault.http.headers))
            await writer.drain()
            return True
        answering = self._authority.answer if asks else self._authority.receive
        if _path(head) == DEMAND_PATH:
            answering = self._authority.answer_to_demand
        return await _answer(await self._judge(answering, body, fault), writer)

    async def _judge(self, answering: Callable[[bytes, Fault], Reply], body: bytes, fault: Fault) -> Reply:
        """Judge a message to the end, even when the server is stopped meanwhile: its records are being stored."""
        judging = asyncio.ensure_future(asyncio.to_thread(answering, body, fault))
        self._judging.add(judging)
        judging.add_done_callback(self._judging.discard)
        return await asyncio.shield(judging)


async def serve_forever(directory: Path, host: str = "127.0.0.1", port: int = 0) -> None:
    """Run a sandbox until cancelled, after printing its address and the files that open it."""
    authority = VerifactuSandbox(directory, host=host, port=port, faults=Faults(), wait_seconds=0)
    await authority.start()
    try:
        access = authority.access
        sys.stdout.write(f"url: {access.url}\nca file: {access.ca_file}\n")
        sys.stdout.write(f"certificate file: {access.certificate_file}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()
    finally:
        await authority.stop()


def _tls(files: Certificates) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_mode = ssl.CERT_REQUIRED
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    context.load_verify_locations(files.ca)
    context.load_cert_chain(files.server)
    return context


def _common_name(writer: asyncio.StreamWriter) -> str:
    subject = writer.get_extra_info("peercert")["subject"]
    return next((value for ((name, value),) in subject if name == "commonName"), "")


def _path(head: Head) -> str:
    return head.target.partition("?")[0]


async def _answer(reply: Reply, writer: asyncio.StreamWriter) -> bool:
    """Send a reply, late or spoiled as it asks; return True when the connection may carry another request."""
    content = http1.response(reply.status, reply.body, XML)
    if reply.spoil is Spoil.DRIP:
        await _drip(content, reply.delay_seconds, writer)
        return True
    await asyncio.sleep(reply.delay_seconds)
    match reply.spoil:
        case Spoil.LOST:
            raise ConnectionAbortedError
        case Spoil.RESET:
            raise _reset(writer)
        case Spoil.CUT:
            writer.write(content[: -(len(reply.body) // 2)])
            await writer.drain()
            raise _reset(writer)
        case Spoil.TRUNCATED:
            content = content[: -(len(reply.body) // 2)]
        case Spoil.EMPTY:
            content = http1.response(reply.status, b"", XML)
        case Spoil.GARBAGE:
            content = http1.response(reply.status, b"\x00\xff<not xml", XML)
        case Spoil.TYPE:
            content = http1.response(reply.status, reply.body, PICTURE)
        case Spoil.DTD:
            content = http1.response(reply.status, _with_entity(reply.body), XML)
    writer.write(content)
    await writer.drain()
    return reply.spoil is not Spoil.TRUNCATED


def _reset(writer: asyncio.StreamWriter) -> OSError:
    """Prepare the connection to be reset instead of closed, and return the error to raise."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return ConnectionResetError()


def _with_entity(document: bytes) -> bytes:
    """Return the document with an entity definition, which a safe reader refuses."""
    declaration, end, body = document.partition(b"?>")
    return declaration + end + b'<!DOCTYPE answer [<!ENTITY word "Correcto">]>' + body


async def _drip(content: bytes, seconds: float, writer: asyncio.StreamWriter) -> None:
    size = -(-len(content) // _DRIPS)
    for start in range(0, len(content), size):
        writer.write(content[start : start + size])
        await writer.drain()
        await asyncio.sleep(seconds / _DRIPS)


async def _read_to_the_end(reader: asyncio.StreamReader) -> None:
    """Let a client finish sending a refused message, so that it reads the answer instead of a broken connection."""
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSING_SECONDS):
            while await reader.read(http1.MAX_HEAD):
                pass
