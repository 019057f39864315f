"""Senders of mails are verified, answers reach them, and no mail names an address that nobody can open."""

import pytest
from pydantic import SecretStr

from ledgerkit.core.platform.credentials.mailed_links import mails
from ledgerkit.core.platform.mail import Mailer, reset_mail
from ledgerkit.settings import VerifyEmail
from support.api import CLIENT, Api
from support.database import prove_address
from support.periods import YEAR

ROSA = "rosa@example.com"
INVITE = "/api/teams/current/invite"


@pytest.fixture
def settings(settings, smtp_port):
    """As an operator has them who mails: addresses have to be verified, and the server has a public address."""
    url = SecretStr(f"smtp://127.0.0.1:{smtp_port}")
    return settings.model_copy(update={"smtp_url": url, "base_url": "http://facturas.example.org"})


async def unverified_is_refused(api: Api, method: str, path: str, body: object = None) -> None:
    problem = await api.refused(403, method, path, body, **{"Accept-Language": "es"})
    assert problem["code"] == "EMAIL_UNVERIFIED"
    assert "POST /auth/verify/resend" in problem["remedy"]


async def test_nobody_who_has_not_verified_their_address_mails_others_and_nothing_is_numbered(ana, inbox):
    draft = await ana.invoice()

    await unverified_is_refused(ana, "PATCH", f"/api/invoices/{draft['id']}/send")
    await unverified_is_refused(ana, "POST", "/api/mail/test")
    await unverified_is_refused(ana, "POST", INVITE, {"email": ROSA})

    assert await ana.get(f"/api/invoices/{draft['id']}") == draft
    assert (await ana.get("/api/teams/current/members"))[1:] == []
    assert inbox.envelopes == []


async def test_a_key_is_as_verified_as_its_person_and_a_teams_as_its_owner(ana, inbox, kernel):
    draft = await ana.invoice()
    teams = await ana.post("/api/teams/current/regenerate-key")
    keys = [Api(ana.client, {"x-api-key": key}) for key in (ana.api_key, teams["apiKey"])]

    for key in keys:
        await unverified_is_refused(key, "PATCH", f"/api/invoices/{draft['id']}/send")
    await prove_address(kernel, ana.email)
    for key in keys:
        await key.patch(f"/api/invoices/{draft['id']}/send")

    assert [one["To"] for one in inbox.messages()] == [CLIENT["email"]] * 2


async def test_an_emitted_invoice_goes_to_nobody_else_either(ana):
    await unverified_is_refused(ana, "POST", "/api/einvoice/send-email/x", {"email": ROSA})


async def test_without_the_companys_address_answers_go_to_the_person_who_sends(ana, inbox, kernel):
    await prove_address(kernel, ana.email)
    await ana.put("/api/teams/current", {"email": None})
    invoice = await ana.invoice()

    await ana.patch(f"/api/invoices/{invoice['id']}/send")
    await ana.put("/api/teams/current", {"email": "hola@ruiz.example"})
    await ana.patch(f"/api/invoices/{invoice['id']}/send")

    assert [one["Reply-To"] for one in inbox.messages()] == [ana.email, "hola@ruiz.example"]


# ---------------------------------------------------------------- an address that opens on this machine only


@pytest.fixture
def at_home(settings):
    return settings.model_copy(update={"base_url": "http://127.0.0.1:8000", "verify_email": VerifyEmail.OFF})


@pytest.mark.parametrize(
    ("address", "is_loopback"),
    [
        (None, True),
        ("http://localhost:8000", True),
        ("http://0.0.0.0:8000", True),
        ("http://[::1]:8000", True),
        ("http://192.168.1.20:8000", False),
        ("https://facturas.example.org", False),
        ("http://localhost.example.org", False),
    ],
)
def test_a_loopback_address_is_known(settings, address, is_loopback):
    assert settings.model_copy(update={"base_url": address}).is_loopback is is_loopback


class TestAtHome:
    """A mail server, but no public address."""

    @pytest.fixture
    def settings(self, at_home):
        return at_home

    async def test_an_invoice_leaves_without_the_link_and_has_no_public_page(self, ana, inbox):
        invoice = await ana.invoice()

        sent = await ana.patch(f"/api/invoices/{invoice['id']}/send")

        message = inbox.message()
        for kind in ("plain", "html"):
            content = message.get_body((kind,)).get_content()
            assert "://" not in content
            assert "en línea" not in content
            assert "aquí:" not in content
        assert (sent["sentTo"], sent["invoice"]["shareUrl"]) == (CLIENT["email"], None)

    async def test_an_invitation_says_how_to_use_its_path(self, ana, inbox):
        await ana.refused(404, "POST", INVITE, {"email": ROSA})

        message = inbox.message()
        for kind in ("plain", "html"):
            content = message.get_body((kind,)).get_content()
            assert "127.0.0.1" not in content
            assert "escribe esto detrás de su dirección:" in content
            assert "/join/" in content

    def test_so_does_a_mail_about_ones_own_account(self, kernel):
        mail = reset_mail(mails.notice_for(kernel, ROSA, "en", "reset/abc"))

        assert "put this behind its address: /reset/abc" in mail.text
        assert "<code>/reset/abc</code>" in (mail.html or "")
        assert "://" not in mail.text + (mail.html or "")

    def test_in_files_which_never_leave_the_machine_links_stay(self, kernel):
        without = kernel.settings.model_copy(update={"smtp_url": None})
        files = type(kernel)(**{**vars(kernel), "settings": without, "services": {Mailer: Mailer(without)}})

        mail = reset_mail(mails.notice_for(files, ROSA, "en", "reset/abc"))

        assert "http://127.0.0.1:8000/reset/abc" in mail.text


async def test_only_what_is_simulated_says_so(ana, inbox, kernel):
    """In the sandbox; an invoice without a record there is a real one."""
    await prove_address(kernel, ana.email)
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    invoice = await ana.invoice()

    await ana.patch(f"/api/invoices/{invoice['id']}/send")

    assert inbox.message()["Subject"] == f"Factura F{YEAR}-0001 de Ana Ruiz"
