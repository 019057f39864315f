"""Real mail servers on loopback: one that takes mail, and one that says at each step what a test wants."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP as SMTP_POLICY
from typing import Any

from aiosmtpd.smtp import Envelope


class Inbox:
    """A real mail server's memory; refuses the addresses in `unknown` and, when `full`, every mail."""

    def __init__(self) -> None:
        self.envelopes: list[Envelope] = []
        self.encrypted: list[bool] = []
        self.unknown: set[str] = set()
        self.full = False

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):  # noqa: N802 - the library's name
        if address in self.unknown:
            return "550 5.1.1 No such user\x1b[31m here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - the library's name
        if self.full:
            return "452 4.3.1 Mailbox full"
        self.envelopes.append(envelope)
        self.encrypted.append(session.ssl is not None)
        return "250 2.0.0 Kept as 4711"

    def message(self) -> EmailMessage:
        """The only mail, read back."""
        (message,) = self.messages()
        return message

    def messages(self) -> list[EmailMessage]:
        """Every mail, read back, in the order they came."""
        parser = BytesParser(EmailMessage, policy=SMTP_POLICY)
        return [parser.parsebytes(envelope.content) for envelope in self.envelopes]


POLITE = {
    "GREETING": "220 mail.test ESMTP",
    "EHLO": "250 mail.test",
    "MAIL": "250 2.1.0 OK",
    "RCPT": "250 2.1.5 OK",
    "DATA": "354 go on",
    "END": "250 2.0.0 Kept as 4711",
    "QUIT": "221 bye",
}
HANGS_UP = "hangs up"
SILENT = "silent"


class Scripted(asyncio.Protocol):
    """Answers each step of SMTP as `script` says, which may be that it hangs up or says no more."""

    script: Mapping[str, str] = POLITE

    def connection_made(self, transport):
        self.transport, self.received, self.in_data = transport, b"", False
        self.say("GREETING")

    def data_received(self, data):
        self.received += data
        while self.received:
            end = b"\r\n.\r\n" if self.in_data else b"\r\n"
            line, found, rest = self.received.partition(end)
            if not found:
                return
            self.received = rest
            verb = "END" if self.in_data else line[:4].decode("ascii", "replace").upper()
            self.in_data = verb == "DATA" and self.script["DATA"].startswith("354")
            self.say(verb)

    def say(self, step):
        answer = self.script.get(step, "502 5.5.1 what?")
        if answer == HANGS_UP:
            self.transport.close()
        elif answer != SILENT:
            self.transport.write(answer.encode() + b"\r\n")


def scripted(**answers: str) -> type[Scripted]:
    """A protocol that is polite but for these steps."""
    return type("Scripted", (Scripted,), {"script": POLITE | answers})


@asynccontextmanager
async def listening(protocol: Callable[[], asyncio.Protocol], **options: Any) -> AsyncIterator[int]:
    """A server on a free port; at the end all its connections are closed, and gone."""
    loop, open_ones = asyncio.get_running_loop(), {}

    def made() -> asyncio.Protocol:
        one = protocol()
        begin, end = one.connection_made, one.connection_lost

        def begun(transport):
            open_ones.setdefault(one, (transport, loop.create_future()))
            begin(transport)

        def ended(error):
            end(error)
            if not open_ones[one][1].done():
                open_ones[one][1].set_result(None)

        one.connection_made, one.connection_lost = begun, ended
        return one

    server = await loop.create_server(made, "127.0.0.1", 0, **options)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()
        for transport, lost in open_ones.values():
            with suppress(AttributeError):  # asyncio's: a TLS transport that is lost has no protocol any more
                transport.abort()
            await asyncio.wait([lost], timeout=0.5)  # one whose handshake failed is never told that it is lost
