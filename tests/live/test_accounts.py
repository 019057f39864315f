"""A person's whole account by a real server, its worker and a real mail server: from the first mail to the last."""

import asyncio
import io
import re
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP as SMTP_POLICY

import asyncpg
import httpx2
import pytest
from aiosmtpd.smtp import SMTP

from support.api import PASSWORD, Api
from support.mailserver import Inbox, listening
from support.office import cloned, eventually
from support.processes import begun_anew
from support.serving import Server, served, start

ROSA = "rosa@example.com"
BASE = "https://ledgerkit.example"


class Post(Inbox):
    """A mail server's memory, read by who got what."""

    def to(self, email: str) -> list[EmailMessage]:
        read = BytesParser(EmailMessage, policy=SMTP_POLICY)
        return [read.parsebytes(one.content) for one in self.envelopes if email in one.rcpt_tos]

    async def has_come(self, email: str, mails: int) -> None:
        """Return when so many mails have come: nobody is written to whose account has gone before."""

        async def counted() -> bool:
            return len(self.to(email)) == mails

        await eventually(counted)

    async def link(self, email: str, page: str, place: int = -1) -> str:
        """The path of a link in a mail, once it has come."""

        async def come() -> bool:
            return any(f"/{page}/" in _text(one) for one in self.to(email))

        await eventually(come)
        texts = [text for one in self.to(email) if f"/{page}/" in (text := _text(one))]
        return re.search(rf"{re.escape(BASE)}(/{page}/[A-Za-z0-9_-]{{43}})\s", texts[place])[1]


def _text(mail: EmailMessage) -> str:
    text: str = mail.get_body(("plain",)).get_content()
    return text


@asynccontextmanager
async def mailing(directory, url) -> AsyncIterator[tuple[httpx2.AsyncClient, Post]]:
    """A caller of a server that sends real mail, and what the mail server got."""
    post, loop = Post(), asyncio.get_running_loop()
    async with listening(lambda: SMTP(post, loop=loop, hostname="mail.test")) as port:
        smtp = f"smtp://127.0.0.1:{port}"
        async with (
            served(directory / "data", DATABASE_URL=url, SMTP_URL=smtp) as server,
            httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
        ):
            yield client, post


async def test_from_the_first_mail_to_the_last(tmp_path, fresh_urls):
    async with mailing(tmp_path, fresh_urls.owner) as (client, post):
        ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", None)
        verified = await client.post(await post.link(ana.email, "verify"), content=b"password=a+long+enough+secret")
        squatter = await Api.register(client, ROSA)
        await post.has_come(ROSA, 1)

        await ana.refused(404, "POST", "/api/teams/current/invite", {"email": ROSA, "role": "finance"})
        joined = await client.post(await post.link(ROSA, "join"), content=b"account=new&password=rosas+own+secret")
        shut_out = await squatter.request("GET", "/auth/me")
        await client.post("/forgot", content=b"email=rosa%40example.com", headers={"Host": "evil.example"})
        reset = await client.post(await post.link(ROSA, "reset"), content=b"password=another+good+secret")
        rosa = Api(client, {}, ROSA)
        await rosa.log_in("another good secret")
        me = (await rosa.get("/auth/me"))["user"]
        await post.has_come(ROSA, 4)
        gone = await rosa.request("DELETE", "/auth/me", {"password": "another good secret"})

        await post.has_come(ROSA, 5)

    assert [one.status_code for one in (verified, joined, shut_out, reset, gone)] == [200, 200, 401, 200, 200]
    assert (me["email"], me["emailVerified"], me["activeTeamId"]) == (ROSA, True, ana.team["id"])
    assert {one["Subject"] for one in post.to(ROSA)} == {
        "Confirma tu dirección de correo",
        "Invitación al equipo Ana Ruiz",
        "Una contraseña nueva para ledgerkit",
        "Tu contraseña ha cambiado",
        "Tu cuenta se ha borrado",
    }
    assert all("evil.example" not in str(one) for one in post.to(ROSA))


@pytest.mark.whole
async def test_an_export_goes_on_after_a_kill(postgres, tmp_path):
    async with cloned(postgres) as url:
        plain = url.replace("+asyncpg", "")
        server = start(tmp_path / "data", DATABASE_URL=plain)
        await server.ready()
        async with httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
            ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")
            for _ in range(3):
                invoice = await ana.invoice()
                await ana.patch(f"/api/invoices/{invoice['id']}/pay")
            await ana.post("/auth/export")
            await _some_part(plain)
        await server.kill()

        async with (
            served(tmp_path / "data", DATABASE_URL=plain) as again,
            httpx2.AsyncClient(base_url=again.url, timeout=60) as client,
        ):
            archive = await _fetched(Api(client, ana.headers), again)

    assert archive.testzip() is None
    assert len([one for one in archive.namelist() if one.endswith(".pdf")]) == 3


async def _some_part(url: str) -> None:
    """Returns when a first part has been made."""
    database = await asyncpg.connect(url)

    async def made() -> bool:
        return bool(await database.fetchval("select parts > 0 from data_export"))

    await eventually(made, 60)
    await database.close()


async def _fetched(api: Api, server: Server) -> zipfile.ZipFile:
    async def ready() -> bool:
        return (await api.request("GET", "/auth/export")).status_code == 200

    await eventually(ready, 90)
    answer = await api.request("GET", "/auth/export/download")
    assert answer.status_code == 200, server.said
    return zipfile.ZipFile(io.BytesIO(answer.content))


@pytest.mark.whole
async def test_eighty_logins_at_once_leave_room_for_others_and_health_answers(tmp_path, fresh_urls):
    """The server is begun anew: passwords have their real price there."""
    async with (
        served(tmp_path / "data", begun_anew, DATABASE_URL=fresh_urls.owner) as server,
        httpx2.AsyncClient(base_url=server.url, timeout=120, limits=httpx2.Limits(max_connections=100)) as client,
    ):
        await Api.register(client, ROSA)
        storm = [
            client.post("/auth/login", json={"email": ROSA, "password": f"guess {number}"}) for number in range(80)
        ]
        answers = await asyncio.gather(*storm, client.get("/health"))
        after = await client.post("/auth/login", json={"email": ROSA, "password": PASSWORD})

    seen = [one.status_code for one in answers[:80]]
    assert set(seen) == {401, 503}
    assert seen.count(503) >= 40
    assert {one.headers["retry-after"] for one in answers[:80] if one.status_code == 503} == {"2"}
    assert (answers[80].status_code, after.status_code) == (200, 200)
