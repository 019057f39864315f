"""Mails beyond a day's quota are queued for the next day, and test mails are few."""

import json
from asyncio import gather
from datetime import timedelta

import pytest
from pydantic import SecretStr
from sqlalchemy import text

from ledgerkit.core.einvoice.issuance import operations as issuance
from ledgerkit.core.sales.invoices.mail.delivery import MAIL_INVOICE
from ledgerkit.settings import RateLimit, Settings, VerifyEmail
from support.api import CLIENT
from support.database import as_owner, prove_address
from support.work import next_job, worked_off


@pytest.fixture
def settings(settings, smtp_port):
    url = SecretStr(f"smtp://127.0.0.1:{smtp_port}")
    return settings.model_copy(update={"smtp_url": url, "mail_limit": 1, "verify_email": VerifyEmail.OFF})


async def a_day_passes(kernel) -> None:
    async with as_owner(kernel) as connection:
        await connection.execute(text("update mail_count set day = day - 1"))


async def waiting(kernel) -> list[tuple[dict[str, object], timedelta]]:
    """Payload of each queued mail, and the time until it is due."""
    query = text("select payload::text, due_at - now() as delay from job where name = :name order by id")
    async with as_owner(kernel) as connection:
        rows = (await connection.execute(query, {"name": MAIL_INVOICE})).all()
    return [(json.loads(row.payload), row.delay) for row in rows]


async def test_a_mail_beyond_the_days_quota_is_queued_and_the_answer_says_so(ana, inbox, kernel):
    first, second = await ana.invoice(), await ana.invoice()

    sent = await ana.patch(f"/api/invoices/{first['id']}/send")
    put_off = await ana.patch(f"/api/invoices/{second['id']}/send")
    await ana.patch(f"/api/invoices/{second['id']}/send")

    assert (sent["deliveredTo"], sent["queuedUntil"]) == ("smtp", None)
    assert (put_off["deliveredTo"], put_off["sentTo"], put_off["sentAt"]) == ("queue", None, None)
    assert (put_off["invoice"]["status"], put_off["invoice"]["sentAt"]) == ("sent", None)
    [(payload, delay)] = await waiting(kernel)
    assert (payload["invoiceId"], payload["to"]) == (second["id"], CLIENT["email"])
    assert timedelta() < delay <= timedelta(days=1)
    assert put_off["queuedUntil"][11:16] == "00:00", "midnight of UTC, whatever the time zone of the account"
    assert len(inbox.envelopes) == 1


async def test_two_requests_at_once_queue_one_mail(ana, inbox, kernel):
    first, second = await ana.invoice(), await ana.invoice()
    await ana.patch(f"/api/invoices/{first['id']}/send")

    answers = await gather(*[ana.patch(f"/api/invoices/{second['id']}/send") for _ in range(4)])

    assert [one["deliveredTo"] for one in answers] == ["queue"] * 4
    assert [payload["invoiceId"] for payload, _ in await waiting(kernel)] == [second["id"]]
    await a_day_passes(kernel)
    await worked_off(kernel)
    assert len(inbox.envelopes) == 2


@pytest.mark.usefixtures("unreported")
async def test_an_invoice_put_off_twice_is_mailed_once_to_the_address_that_its_client_has_then(ana, inbox, kernel):
    first, second = await ana.invoice(), await ana.invoice()
    await ana.patch(f"/api/invoices/{first['id']}/send")
    await ana.patch(f"/api/invoices/{second['id']}/send")
    await ana.put(f"/api/invoices/{second['id']}", {"client": {**CLIENT, "email": "otra@example.com"}})

    await ana.patch(f"/api/invoices/{second['id']}/send")

    assert len(await waiting(kernel)) == 1
    await a_day_passes(kernel)
    await worked_off(kernel)
    assert [one["To"] for one in inbox.messages()] == [CLIENT["email"], "otra@example.com"]


async def test_the_next_day_it_leaves_and_is_recorded_in_the_name_of_who_sent_it(ana, inbox, kernel):
    first, second = await ana.invoice(), await ana.invoice()
    await ana.patch(f"/api/invoices/{first['id']}/send")
    await ana.patch(f"/api/invoices/{second['id']}/send")

    name, payload = await next_job(kernel)
    await issuance.mail_put_off(kernel, payload)
    [(again, delay)] = await waiting(kernel)
    await a_day_passes(kernel)
    done = await worked_off(kernel)

    assert (name, again, done) == (MAIL_INVOICE, payload, [MAIL_INVOICE])
    assert delay > timedelta(), "the same day's quota is still used up"
    assert [one["To"] for one in inbox.messages()] == [CLIENT["email"]] * 2
    assert (await ana.get(f"/api/invoices/{second['id']}"))["sentAt"] is not None
    logged = await ana.get("/api/invoices/activity/feed")
    [entry] = [one for one in logged if (one["entityId"], one["action"]) == (second["id"], "sent")]
    assert entry["userId"] == (await ana.get("/auth/me"))["user"]["id"]


async def test_subject_and_message_are_kept_with_the_mail_that_is_put_off(ana, inbox, kernel):
    first, second = await ana.invoice(), await ana.invoice()
    await ana.patch(f"/api/invoices/{first['id']}/send")
    for words in ("Un recordatorio", "Un recordatorio", "Otro recordatorio"):
        await ana.patch(f"/api/invoices/{second['id']}/send", {"message": words, "subject": f"Asunto: {words}"})
    elsewhere = {"email": "asesor@example.com", "message": "Para la asesoría"}
    await ana.post(f"/api/einvoice/send-email/{second['id']}", elsewhere)

    assert [payload["message"] for payload, _ in await waiting(kernel)] == [
        "Otro recordatorio",
        "Para la asesoría",
    ]
    for payload, _ in await waiting(kernel):
        await a_day_passes(kernel)
        await issuance.mail_put_off(kernel, payload)

    number = (await ana.get(f"/api/invoices/{second['id']}"))["number"]
    assert {one["Subject"].partition(" de ")[0] for one in inbox.messages()[1:]} == {
        "SIMULACIÓN: Asunto: Otro recordatorio",
        f"SIMULACIÓN: Factura {number}",
    }
    begun = [one.get_body(("plain",)).get_content().splitlines()[0] for one in inbox.messages()[1:]]
    assert sorted(begun) == ["Otro recordatorio", "Para la asesoría"]


async def test_what_was_deleted_meanwhile_is_not_mailed(ana, inbox, kernel, unreported):
    first, second = await ana.invoice(), await ana.invoice()
    await ana.patch(f"/api/invoices/{first['id']}/send")
    await ana.patch(f"/api/invoices/{second['id']}/send")
    await ana.delete(f"/api/invoices/{second['id']}")
    await a_day_passes(kernel)

    await worked_off(kernel)

    assert len(inbox.envelopes) == 1


async def test_accounts_have_quotas_of_their_own(ana, berta, inbox):
    for api in (ana, berta):
        invoice = await api.invoice()
        assert (await api.patch(f"/api/invoices/{invoice['id']}/send"))["deliveredTo"] == "smtp"

    assert len(inbox.envelopes) == 2


async def test_a_dry_run_says_that_it_would_be_queued_and_counts_nothing(ana, kernel):
    first, second = await ana.invoice(), await ana.invoice()
    dry = await ana.request("PATCH", f"/api/invoices/{first['id']}/send", None, **{"Dry-Run": "true"})
    sent = await ana.patch(f"/api/invoices/{first['id']}/send")
    beyond = await ana.request("PATCH", f"/api/invoices/{second['id']}/send", None, **{"Dry-Run": "true"})

    assert (dry.json()["answer"]["deliveredTo"], sent["deliveredTo"]) == ("smtp", "smtp")
    assert beyond.json()["answer"]["deliveredTo"] == "queue"
    assert await waiting(kernel) == []


def test_no_mail_at_all_is_no_quota():
    with pytest.raises(ValueError, match="-1"):
        Settings(_env_file=None, mail_limit=0)


class TestTrialMails:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"rate_limit": RateLimit.ON, "verify_email": VerifyEmail.AUTO})

    async def test_three_an_hour_and_then_it_says_when(self, ana, berta, inbox, kernel):
        for api in (ana, berta):
            await prove_address(kernel, api.email)
        for _ in range(3):
            await ana.post("/api/mail/test")

        answer = await ana.request("POST", "/api/mail/test", **{"Accept-Language": "es"})
        await berta.post("/api/mail/test")

        assert (answer.status_code, answer.json()["code"]) == (429, "RATE_LIMITED")
        assert 0 < int(answer.headers["Retry-After"]) <= 3600
        assert answer.json()["detail"] == "Se admiten 3 correos de prueba por hora."
        assert len(inbox.envelopes) == 4
