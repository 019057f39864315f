"""Addresses are confirmed by the link that was mailed to them, and by whoever registered them."""

from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from pydantic import SecretStr

from ledgerkit import clock
from ledgerkit.core.platform.credentials.mailed_links import mails
from ledgerkit.core.platform.mail import Mailer
from ledgerkit.problems import BadGateway
from ledgerkit.settings import Settings, VerifyEmail
from support.api import PASSWORD, Api
from support.database import everything_stored, row_counts
from support.mailserver import HANGS_UP, listening, scripted
from support.work import worked_off

EVA = "eva@example.com"
VERIFY, RESEND = "/auth/verify", "/auth/verify/resend"


@pytest.fixture
def settings(settings):
    return settings.model_copy(update={"verify_email": VerifyEmail.ON})


@pytest.mark.parametrize(
    ("mode", "smtp", "demanded"),
    [
        ("auto", None, False),
        ("auto", "smtp://mail.example:25", True),
        ("on", None, True),
        ("on", "smtp://mail.example:25", True),
        ("off", None, False),
        ("off", "smtp://mail.example:25", False),
    ],
)
def test_addresses_are_verified_where_mail_can_be_sent_unless_told_otherwise(mode, smtp, demanded):
    assert Settings(_env_file=None, verify_email=mode, smtp_url=smtp).demands_verified_email is demanded


async def registered(kernel, client, mailbox, email: str = EVA) -> tuple[Api, str]:
    """A new user and the token of the link they were mailed."""
    api = await Api.register(client, email)
    await worked_off(kernel)
    return api, mailbox.token(email, "verify")


async def verify(client, token: str, password: str = PASSWORD):
    return await client.post(VERIFY, json={"token": token, "password": password})


async def is_verified(api: Api) -> bool:
    return (await api.get("/auth/me"))["user"]["emailVerified"]


async def test_who_registers_is_mailed_a_link_that_confirms_the_address(kernel, client, mailbox):
    eva, token = await registered(kernel, client, mailbox)
    before = await is_verified(eva)

    answer = await verify(client, token)

    assert (before, answer.status_code, answer.json(), await is_verified(eva)) == (False, 200, {"ok": True}, True)
    [mail] = mailbox.to(EVA)
    assert mail["Subject"] == "Confirma tu dirección de correo"
    for part in ("plain", "html"):
        assert f"http://127.0.0.1:8000/verify/{token}" in mail.get_body((part,)).get_content()


async def test_whoever_does_not_know_the_password_confirms_nothing_for_a_stranger(kernel, client, mailbox):
    """The owner of a mailbox who follows such a link must not lend their address to whoever typed it."""
    eva, token = await registered(kernel, client, mailbox)

    answer = await verify(client, token, "not mine at all")

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_CREDENTIALS")
    assert await is_verified(eva) is False
    assert (await verify(client, token)).status_code == 200  # a wrong try uses nothing up


async def test_a_link_confirms_its_own_persons_address_only(kernel, client, mailbox):
    eva, hers = await registered(kernel, client, mailbox)
    mallory, his = await registered(kernel, client, mailbox, "mallory@example.com")
    await mallory.post("/auth/password", {"old": PASSWORD, "new": "the password of mallory"})
    await mallory.log_in("the password of mallory")

    crossed = await verify(client, hers, "the password of mallory")
    await verify(client, his, "the password of mallory")

    assert crossed.status_code == 400
    assert (await is_verified(eva), await is_verified(mallory)) == (False, True)


async def test_a_link_works_once_and_seven_days(kernel, client, mailbox):
    _, token = await registered(kernel, client, mailbox)
    with time_machine.travel(clock.now() + timedelta(days=7, seconds=1), tick=False):
        late = await verify(client, token)
    first, second = await verify(client, token), await verify(client, token)

    assert [one.status_code for one in (late, first, second)] == [400, 200, 400]
    assert {late.json()["code"], second.json()["code"]} == {"LINK_INVALID"}


async def test_the_link_is_mailed_again_on_request_and_not_to_who_has_confirmed(kernel, client, mailbox):
    eva, first = await registered(kernel, client, mailbox)

    answer = await eva.request("POST", RESEND)
    await worked_off(kernel)
    second = mailbox.token(EVA, "verify")
    await verify(client, first)
    await eva.post(RESEND)
    await worked_off(kernel)

    assert (answer.status_code, second != first, len(mailbox.to(EVA))) == (202, True, 2)


async def test_an_api_key_has_nothing_mailed(client, ana, mailbox):
    await Api(client, {"x-api-key": ana.api_key}).refused(401, "POST", RESEND)


async def test_the_page_of_the_link_confirms_with_the_password(kernel, client, mailbox):
    eva, token = await registered(kernel, client, mailbox)
    pages = [await client.get(f"/verify/{token}") for _ in range(3)]

    wrong = await client.post(f"/verify/{token}", content=b"password=not+mine", headers={"Accept-Language": "en"})
    seen = await is_verified(eva)
    done = await client.post(f"/verify/{token}", content=b"password=a+long+enough+secret")

    assert {page.status_code for page in pages} == {200}
    assert (wrong.status_code, "The password is wrong." in wrong.text, seen) == (400, True, False)
    assert (done.status_code, "Dirección confirmada" in done.text, await is_verified(eva)) == (200, True, True)
    assert all("<script" not in page.text and "noindex" in page.headers["x-robots-tag"] for page in (*pages, done))


async def test_the_token_is_nowhere_in_the_database(kernel, client, mailbox):
    _, token = await registered(kernel, client, mailbox)

    assert token not in await everything_stored(kernel)


async def test_an_unverified_person_may_do_everything_in_what_is_their_own(kernel, client, mailbox):
    eva, _ = await registered(kernel, client, mailbox)

    await eva.post("/api/teams", {"name": "Estudio", "country": "ES", "taxId": "12345678Z"})
    invoice = await eva.invoice()
    await eva.patch(f"/api/invoices/{invoice['id']}/pay")

    assert len(await eva.get("/api/invoices")) == 1


class TestNotDemanded:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"verify_email": VerifyEmail.OFF})

    async def test_nobody_is_asked_but_anybody_may_confirm(self, kernel, client, mailbox):
        eva = await Api.register(client, EVA)
        await worked_off(kernel)
        unasked = mailbox.mails()
        await eva.post(RESEND)
        await worked_off(kernel)

        await verify(client, mailbox.token(EVA, "verify"))

        assert (unasked, await is_verified(eva)) == ([], True)


# ---------------------------------------------------------------- by a real mail server


async def mailed(kernel, port: int, *, left: timedelta = timedelta(minutes=5)) -> None:
    """Send a letter through a mail server on loopback, as the worker would, with so much time left to try it."""
    settings = kernel.settings.model_copy(update={"smtp_url": SecretStr(f"smtp://127.0.0.1:{port}")})
    sending = replace(kernel, settings=settings, services={**kernel.services, Mailer: Mailer(settings)})
    until = (clock.now() + left).isoformat()
    await mails.mail_person(sending, {"letter": "reset", "email": EVA, "until": until})


async def test_a_refused_mail_is_tried_again_and_its_link_is_void(kernel, client):
    await Api.register(client, EVA)
    async with listening(scripted(RCPT="451 4.3.0 later")) as port:
        with pytest.raises(BadGateway):
            await mailed(kernel, port)

    assert (await row_counts(kernel))["mailed_link"] == 0


async def test_a_mail_that_may_have_gone_out_is_not_sent_twice(kernel, client):
    await Api.register(client, EVA)
    async with listening(scripted(END=HANGS_UP)) as port:
        await mailed(kernel, port)

    assert (await row_counts(kernel))["mailed_link"] == 1


async def test_a_mail_that_is_refused_for_too_long_is_given_up(kernel, client):
    await Api.register(client, EVA)
    async with listening(scripted(RCPT="550 5.1.1 nobody here")) as port:
        await mailed(kernel, port, left=timedelta(seconds=-1))

    assert (await row_counts(kernel))["mailed_link"] == 0
