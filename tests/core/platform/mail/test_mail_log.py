"""The log of mails: an entry for each attempt with the server's reply, and no change before the mail is accepted."""

import asyncio

import pytest
from pydantic import SecretStr

from ledgerkit.core.platform.mail import Mailer
from ledgerkit.settings import VerifyEmail
from support.api import CLIENT, PASSWORD, Api, invoice_body
from support.database import as_owner, prove_address
from support.mailserver import HANGS_UP, SILENT, Scripted, listening, scripted
from support.office import until

INVITE = "/api/teams/current/invite"
ROSA = "rosa@example.com"

REFUSALS = {
    "a greeting that sends away": ({"GREETING": "554 5.7.1 not you"}, "refused the mail: 554"),
    "a server that shuts down": ({"GREETING": "421 4.3.2 shutting down"}, "421"),
    "a refused sender": ({"MAIL": "550 5.7.1 not from you"}, "550 5.7.1 not from you"),
    "a refused recipient": ({"RCPT": "550 5.1.1 no such user"}, "refused the recipient: 550 5.1.1 no such user"),
    "a recipient for later": ({"RCPT": "450 4.2.1 greylisted"}, "refused the recipient: 450 4.2.1 greylisted"),
    "a shutdown at the recipient": ({"RCPT": "421 4.3.2 shutting down"}, "421"),
    "a refusal to begin": ({"DATA": "554 5.5.1 no"}, "554 5.5.1 no"),
    "a refused mail": ({"END": "554 5.7.1 spam"}, "refused the mail: 554 5.7.1 spam"),
    "a full mailbox": ({"END": "452 4.2.2 full"}, "refused the mail: 452 4.2.2 full"),
    "a drop before the mail": ({"MAIL": HANGS_UP}, "broke off"),
    "silence from the start": ({"GREETING": SILENT}, "did not answer within 1 seconds"),
    "silence at the recipient": ({"RCPT": SILENT}, "did not answer within 1 seconds"),
}
DOUBTS = {
    "a drop over the mail": ({"END": HANGS_UP}, "broke off"),
    "silence over the mail": ({"END": SILENT}, "did not answer within 5 seconds"),
}
PATIENCE = 60
"""Seconds for a mail server that answers; one that says nothing has a few."""


@pytest.fixture
def smtp() -> type[Scripted]:
    """The mail server's manners; a test may change them as it goes."""
    return scripted()


@pytest.fixture
async def smtp_port(smtp):
    async with listening(lambda: smtp()) as port:  # noqa: PLW0108 - the class is changed after this
        yield port


@pytest.fixture
def settings(settings, smtp_port):
    url = SecretStr(f"smtp://127.0.0.1:{smtp_port}")
    return settings.model_copy(update={"smtp_url": url, "mail_timeout": PATIENCE, "verify_email": VerifyEmail.OFF})


def wait(kernel, answers: dict[str, str], seconds: int) -> None:
    """Let the mailer wait so long for a server that says nothing."""
    kernel.service(Mailer)._seconds = seconds if SILENT in answers.values() else PATIENCE


async def lines(kernel) -> list[dict[str, object]]:
    async with as_owner(kernel) as connection:
        rows = await connection.exec_driver_sql("select * from mail_log order by id")
        return [dict(row) for row in rows.mappings()]


def summary(line: dict[str, object]) -> tuple[object, ...]:
    return tuple(line[name] for name in ("kind", "entity_type", "recipient", "transport", "outcome"))


async def test_an_accepted_invoice_is_logged_with_the_servers_reply(kernel, ana):
    invoice = await ana.invoice()

    sent = await ana.patch(f"/api/invoices/{invoice['id']}/send")

    [line] = await lines(kernel)
    assert summary(line) == ("invoice", "invoice", CLIENT["email"], "smtp", "accepted")
    assert (str(line["entity_id"]), str(line["account_id"])) == (invoice["id"], ana.team["id"])
    assert line["reply"] == "2.0.0 Kept as 4711"
    assert line["subject"] == f"SIMULACIÓN: Factura {sent['invoice']['number']} de Ana Ruiz"
    assert line["message_id"].startswith("<")
    assert line["user_id"] is not None
    assert (sent["deliveredTo"], sent["invoice"]["sentAt"]) == ("smtp", sent["sentAt"])


@pytest.mark.usefixtures("unreported")
async def test_a_refused_invoice_is_logged_and_stays_a_draft(kernel, ana, smtp):
    """At each step of SMTP; one invoice for all, since its paper is the same each time."""
    invoice, polite = await ana.invoice(), dict(smtp.script)

    for name, (answers, detail) in REFUSALS.items():
        smtp.script = polite | answers
        wait(kernel, answers, 1)
        problem = await ana.refused(502, "PATCH", f"/api/invoices/{invoice['id']}/send")
        line = (await lines(kernel))[-1]
        assert problem["code"] == "MAIL_FAILED", name
        assert summary(line) == ("invoice", "invoice", CLIENT["email"], "smtp", "refused"), name
        assert detail in line["reply"], name
        assert problem["detail"] == line["reply"], name
        now = await ana.get(f"/api/invoices/{invoice['id']}")
        assert (now["status"], now["number"], now["sentAt"]) == ("draft", None, None), name

    assert len(await lines(kernel)) == len(REFUSALS)


@pytest.mark.parametrize("name", DOUBTS)
async def test_an_invoice_in_doubt_is_logged_as_such_and_keeps_its_number(kernel, ana, smtp, name):
    smtp.script |= DOUBTS[name][0]
    wait(kernel, DOUBTS[name][0], 5)
    invoice = await ana.invoice()

    problem = await ana.refused(502, "PATCH", f"/api/invoices/{invoice['id']}/send")

    [line] = await lines(kernel)
    assert (line["outcome"], problem["delivery"]) == ("unknown", "unknown")
    assert DOUBTS[name][1] in line["reply"]
    now = await ana.get(f"/api/invoices/{invoice['id']}")
    assert (now["status"], now["sentAt"]) == ("sent", None)


async def test_each_attempt_has_its_own_entry(kernel, ana, smtp):
    invoice = await ana.invoice()
    smtp.script |= {"RCPT": "450 4.2.1 greylisted"}
    await ana.refused(502, "PATCH", f"/api/invoices/{invoice['id']}/send")
    smtp.script |= {"RCPT": "250 OK"}
    await ana.patch(f"/api/invoices/{invoice['id']}/send")

    rows = await lines(kernel)

    assert [line["outcome"] for line in rows] == ["refused", "accepted"]
    assert rows[0]["message_id"] != rows[1]["message_id"]


async def test_an_invalid_address_is_refused_before_any_attempt(kernel, ana):
    invoice = await ana.post("/api/invoices", invoice_body(client=CLIENT | {"email": "ñandú@example.com"}))

    await ana.refused(400, "PATCH", f"/api/invoices/{invoice['id']}/send")

    assert await lines(kernel) == []
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["status"] == "draft"


async def test_no_transaction_is_open_while_a_mail_is_delivered(ana, smtp, monkeypatch):
    """The tests have one connection: whoever held it over the mail would keep this reader waiting."""
    invoice, other = await ana.invoice(), await ana.invoice()
    await ana.request("GET", f"/api/invoices/{invoice['id']}/pdf")
    arrived = []

    def say(server, step):
        if step == "END":
            arrived.append(server)  # whole, and not answered
        else:
            Scripted.say(server, step)

    monkeypatch.setattr(smtp, "say", say)
    sending = asyncio.create_task(ana.request("PATCH", f"/api/invoices/{invoice['id']}/send"))
    inviting = asyncio.create_task(ana.request("POST", INVITE, {"email": ROSA}))
    await until(lambda: len(arrived) == 2)
    await ana.get(f"/api/invoices/{other['id']}")

    assert not inviting.done()
    for server in arrived:
        server.transport.close()
    assert (await inviting).status_code == (await sending).status_code == 502


# ---------------------------------------------------------------- invitations


async def test_an_invitation_is_mailed_although_the_answer_is_a_404(kernel, ana):
    problem = await ana.refused(404, "POST", INVITE, {"email": ROSA})

    [line] = await lines(kernel)
    assert summary(line) == ("invitation", "invitation", ROSA, "smtp", "accepted")
    assert str(line["entity_id"]) == problem["invitation"]["id"]
    assert (problem["invitation"]["deliveredTo"], "mailed to that address" in problem["detail"]) == ("smtp", True)


async def test_a_refused_invitation_is_reported_and_its_link_is_invalid(kernel, ana, smtp):
    polite = dict(smtp.script)

    for name, (answers, detail) in REFUSALS.items():
        smtp.script = polite | answers
        wait(kernel, answers, 1)
        problem = await ana.refused(502, "POST", INVITE, {"email": ROSA})
        line = (await lines(kernel))[-1]
        assert problem["code"] == "MAIL_FAILED", name
        assert summary(line) == ("invitation", "invitation", ROSA, "smtp", "refused"), name
        assert detail in line["reply"], name

    assert await states(kernel) == ["unsent"] * len(REFUSALS)


async def states(kernel) -> list[str]:
    async with as_owner(kernel) as connection:
        return list((await connection.exec_driver_sql("select state from invitation order by id")).scalars())


@pytest.mark.parametrize(
    ("end", "remaining"),
    [("554 5.7.1 spam", ["open", "unsent"]), (HANGS_UP, ["open", "open"]), ("250 OK", ["replaced", "open"])],
)
async def test_only_an_accepted_invitation_replaces_the_previous_one(kernel, ana, smtp, end, remaining):
    await ana.refused(404, "POST", INVITE, {"email": ROSA})
    smtp.script |= {"END": end}

    await ana.request("POST", INVITE, {"email": ROSA})

    assert await states(kernel) == remaining


async def test_a_new_member_stays_when_the_notice_is_refused(kernel, ana, client, smtp):
    await Api.register(client, ROSA)
    await prove_address(kernel, ROSA)  # as a machine that sends mail demands
    smtp.script |= {"RCPT": "550 5.1.1 no such user"}

    answer = await ana.post(INVITE, {"email": ROSA, "role": "viewer"})

    [line] = await lines(kernel)
    assert (answer["member"]["role"], answer["notified"]) == ("viewer", False)
    assert summary(line) == ("membership", "member", ROSA, "smtp", "refused")
    assert str(line["entity_id"]) == answer["member"]["id"]


async def test_the_log_shows_the_accounts_mails_only(kernel, ana, berta):
    await ana.refused(404, "POST", INVITE, {"email": ROSA})
    await berta.refused(404, "POST", INVITE, {"email": ROSA})

    assert [str(line["account_id"]) for line in await lines(kernel)] == [ana.team["id"], berta.team["id"]]


async def test_no_token_or_password_is_in_the_log(kernel, ana):
    await ana.refused(404, "POST", INVITE, {"email": ROSA})

    [line] = await lines(kernel)
    assert "/join/" not in str(line)
    assert PASSWORD not in str(line)
