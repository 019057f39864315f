import asyncio
from dataclasses import replace
from email.utils import parsedate_to_datetime

import pytest

from ledgerkit import clock
from ledgerkit.core.platform.mail import Attachment, Delivery, Mail
from ledgerkit.core.platform.mail.delivery.transport import MailServer, Security
from ledgerkit.problems import BadGateway, Code

PDF = b"%PDF-1.7\n" + bytes(range(256)) * 300 + b"\n.\r\n..\r\n%%EOF"

MAIL = Mail(
    to="cliente@ejemplo.es",
    subject="Factura Ñ-1 de Ñandú 🧾",
    text="Hola, José:\n\n.punto al principio\n",
    html="<p>Hola, <b>José</b></p>\n",
    sender_name="Ñandú, S.L.",
    reply_to="hola@nandu.es",
    attachments=(Attachment("Factura Ñ-1.pdf", "application/pdf", PDF),),
    language="es",
    key="invoice 4711/1",
)


def text_of(part):
    return part.get_content().replace("\r\n", "\n")


async def test_an_accepted_mail_arrives_whole(mailer, smtp_server, inbox):
    async with smtp_server() as port:
        receipt = await mailer(f"smtp://127.0.0.1:{port}").send(MAIL)

    (envelope,) = inbox.envelopes
    message = inbox.message()
    assert (envelope.mail_from, envelope.rcpt_tos) == ("billing@ledgerkit.example.org", ["cliente@ejemplo.es"])
    assert envelope.content.isascii()
    assert max(map(len, envelope.content.split(b"\r\n"))) <= 998
    sender, reply_to = message["From"].addresses[0], message["Reply-To"].addresses[0]
    assert (sender.display_name, sender.addr_spec) == ("Ñandú, S.L.", "billing@ledgerkit.example.org")
    assert reply_to.addr_spec == "hola@nandu.es"
    assert message["To"].addresses[0].addr_spec == "cliente@ejemplo.es"
    assert message["Subject"] == "Factura Ñ-1 de Ñandú 🧾"
    assert message["Content-Language"] == "es"
    assert abs((clock.now() - parsedate_to_datetime(message["Date"])).total_seconds()) < 60
    assert text_of(message.get_body(("plain",))) == MAIL.text
    assert text_of(message.get_body(("html",))) == MAIL.html
    (attached,) = message.iter_attachments()
    assert (attached.get_filename(), attached.get_content_type()) == ("Factura Ñ-1.pdf", "application/pdf")
    assert attached.get_content() == PDF
    assert (receipt.delivered_to, receipt.where) == (Delivery.SMTP, "2.0.0 Kept as 4711")
    assert receipt.message_id == message["Message-ID"] == "<invoice-4711-1@ledgerkit.example.org>"


async def test_mails_without_a_key_have_different_ids(mailer, smtp_server):
    async with smtp_server() as port:
        sent = [await mailer(f"smtp://127.0.0.1:{port}").send(replace(MAIL, key=None)) for _ in range(2)]

    assert sent[0].message_id != sent[1].message_id


async def test_a_refused_recipient_is_reported_in_the_servers_words(mailer, smtp_server, inbox):
    inbox.unknown.add("cliente@ejemplo.es")

    async with smtp_server() as port:
        with pytest.raises(BadGateway) as caught:
            await mailer(f"smtp://127.0.0.1:{port}").send(MAIL)

    assert caught.value.code is Code.MAIL_FAILED
    assert (
        caught.value.detail
        == f"The mail server 127.0.0.1:{port} refused the recipient: 550 5.1.1 No such user [31m here"
    )
    assert caught.value.remedy == "Check the recipient's address."
    assert inbox.envelopes == []


async def test_a_refusal_after_the_mail_was_sent_is_a_failure(mailer, smtp_server, inbox):
    inbox.full = True

    async with smtp_server() as port:
        with pytest.raises(BadGateway, match=r"refused the mail: 452 4\.3\.1 Mailbox full") as caught:
            await mailer(f"smtp://127.0.0.1:{port}").send(MAIL)

    assert caught.value.extra == {}


async def test_a_mail_beyond_the_servers_limit_is_refused(mailer, smtp_server):
    async with smtp_server(data_size_limit=1000) as port:
        with pytest.raises(BadGateway, match="refused the mail: 552"):
            await mailer(f"smtp://127.0.0.1:{port}").send(MAIL)


class Silent(asyncio.Protocol):
    """Accepts the connection and never says a word."""

    def connection_made(self, transport):
        self.transport = transport


class Dripping(asyncio.Protocol):
    """Goes on greeting for ever, a line at a time."""

    def connection_made(self, transport):
        self.transport = transport
        self.drip()

    def drip(self):
        if not self.transport.is_closing():
            self.transport.write(b"220-one moment\r\n")
            asyncio.get_running_loop().call_later(0.1, self.drip)


class Hanging(asyncio.Protocol):
    """Hangs up after its greeting."""

    def connection_made(self, transport):
        transport.write(b"220 mail.test ESMTP\r\n")
        transport.close()


class Babbling(asyncio.Protocol):
    """Speaks something that is not SMTP."""

    def connection_made(self, transport):
        transport.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        transport.close()


@pytest.mark.parametrize("kind", [Silent, Dripping])
async def test_a_server_that_takes_too_long_is_abandoned(mailer, listening, kind):
    async with listening(kind) as port:
        before = asyncio.get_running_loop().time()
        with pytest.raises(BadGateway, match="did not answer within 1 seconds") as caught:
            await mailer(f"smtp://127.0.0.1:{port}", mail_timeout=1).send(MAIL)

    assert caught.value.code is Code.MAIL_FAILED
    assert asyncio.get_running_loop().time() - before < 30


@pytest.mark.parametrize("kind", [Hanging, Babbling])
async def test_a_server_that_breaks_off_or_answers_nonsense_is_a_failure(mailer, listening, kind):
    async with listening(kind) as port:
        with pytest.raises(BadGateway) as caught:
            await mailer(f"smtp://127.0.0.1:{port}").send(MAIL)

    assert caught.value.code is Code.MAIL_FAILED
    assert caught.value.detail.startswith(f"The mail server 127.0.0.1:{port} ")
    assert caught.value.extra == {}


class Doubtful(asyncio.Protocol):
    """Says yes to everything up to the end of the mail; then hangs up, or says no more."""

    hangs_up = True

    def connection_made(self, transport):
        self.transport, self.received = transport, b""
        transport.write(b"220 mail.test ESMTP\r\n")

    def data_received(self, data):
        self.received += data
        if self.received.endswith(b"\r\n.\r\n") and self.hangs_up:
            self.transport.close()
        elif b"\r\nDATA\r\n" not in self.received:
            self.transport.write(b"250 OK\r\n")
        elif data.endswith(b"DATA\r\n"):
            self.transport.write(b"354 go on\r\n")


class Mute(Doubtful):
    hangs_up = False


@pytest.mark.parametrize("kind", [Doubtful, Mute])
async def test_a_server_that_does_not_answer_after_the_mail_leaves_it_in_doubt(mailer, listening, kind):
    async with listening(kind) as port:
        with pytest.raises(BadGateway, match="It may have taken the mail") as caught:
            await mailer(f"smtp://127.0.0.1:{port}", mail_timeout=5).send(MAIL)

    assert caught.value.code is Code.MAIL_FAILED
    assert caught.value.extra == {"delivery": "unknown"}


async def test_a_text_without_a_last_line_break_arrives(mailer, smtp_server, inbox):
    async with smtp_server() as port:
        await mailer(f"smtp://127.0.0.1:{port}").send(Mail(to="a@b.es", subject="", text="no line break\n."))

    assert text_of(inbox.message().get_body()) == "no line break\n.\n"


async def test_an_unreachable_server_is_named(mailer, listening):
    async with listening(Silent) as port:
        pass

    with pytest.raises(BadGateway, match=f"127.0.0.1:{port} could not be reached") as caught:
        await mailer(f"smtp://127.0.0.1:{port}").send(MAIL)
    assert "LEDGERKIT_SMTP_URL" in caught.value.remedy


# ---------------------------------------------------------------- encryption and login


async def test_starttls_is_used_when_offered_and_the_login_goes_through_it(
    mailer, smtp_server, inbox, trusted_tls, authenticator
):
    async with smtp_server(tls_context=trusted_tls, authenticator=authenticator, auth_required=True) as port:
        await mailer(f"smtp://bill%40er:p%3As%2Fw%40rd@127.0.0.1:{port}").send(MAIL)

    assert inbox.encrypted == [True]


async def test_smtps_is_encrypted_from_the_start(mailer, smtp_server, inbox, trusted_tls):
    async with smtp_server(trusted_tls) as port:
        await mailer(f"smtps://127.0.0.1:{port}").send(MAIL)

    assert len(inbox.envelopes) == 1


@pytest.mark.parametrize("wish", ["", "?starttls=offered", "?starttls=required"])
async def test_an_untrusted_certificate_fails_clearly(mailer, smtp_server, inbox, server_tls, wish):
    async with smtp_server(tls_context=server_tls) as port:
        with pytest.raises(BadGateway, match=r"could not be spoken to in private: .*self-signed certificate") as caught:
            await mailer(f"smtp://127.0.0.1:{port}{wish}").send(MAIL)

    assert "certificate" in caught.value.remedy
    assert inbox.envelopes == []


async def test_starttls_required_refuses_a_server_without_it(mailer, smtp_server, inbox):
    async with smtp_server() as port:
        with pytest.raises(BadGateway, match="STARTTLS"):
            await mailer(f"smtp://127.0.0.1:{port}?starttls=required").send(MAIL)

    assert inbox.envelopes == []


async def test_starttls_never_sends_unencrypted(mailer, smtp_server, inbox, server_tls):
    async with smtp_server(tls_context=server_tls) as port:
        await mailer(f"smtp://127.0.0.1:{port}?starttls=never").send(MAIL)

    assert inbox.encrypted == [False]


async def test_a_refused_login_does_not_reveal_the_password(mailer, smtp_server, authenticator):
    async with smtp_server(authenticator=authenticator, auth_require_tls=False) as port:
        with pytest.raises(BadGateway, match="refused the login: 535") as caught:
            await mailer(f"smtp://bill%40er:se-cret@127.0.0.1:{port}").send(MAIL)

    assert "se-cret" not in str(caught.value.body())


@pytest.mark.parametrize(
    ("url", "port", "security"),
    [
        ("smtp://mail.example.org", 587, Security.OFFERED),
        ("smtp://mail.example.org:25", 25, Security.OFFERED),
        ("smtp://u:p@mail.example.org", 587, Security.REQUIRED),
        ("smtp://u:p@localhost", 587, Security.OFFERED),
        ("smtp://u:p@mail.example.org?starttls=never", 587, Security.NEVER),
        ("smtps://u:p@mail.example.org", 465, Security.TLS),
    ],
)
def test_a_password_crosses_a_network_unencrypted_only_on_request(url, port, security):
    server = MailServer.from_url(url)

    assert (server.port, server.security) == (port, security)


@pytest.mark.parametrize(
    "url",
    [
        "mail.example.org",
        "http://u:secret@h",
        "smtp://",
        "smtp://u:secret@h?starttls=maybe",
        "smtp://u:secret@h:port",
    ],
)
def test_a_wrong_address_of_the_server_is_refused_at_the_start_without_its_password(mailer, url):
    with pytest.raises(ValueError, match=r".+") as caught:
        mailer(url)

    assert "secret" not in str(caught.value)
