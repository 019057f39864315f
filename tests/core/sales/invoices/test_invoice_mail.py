"""An invoice's mail as it arrives: both bodies, both languages, the team to reply to, and the paper itself."""

import re
from datetime import UTC, datetime
from io import BytesIO
from urllib.parse import urlsplit

import pytest
import time_machine
from aiosmtpd.smtp import SMTP
from pydantic import SecretStr
from pypdf import PdfReader

from ledgerkit.settings import VerifyEmail
from support.api import CLIENT, Api, invoice_body, item
from support.mailserver import Inbox, listening
from support.periods import YEAR


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
async def smtp_port(inbox):
    async with listening(lambda: SMTP(inbox, hostname="mail.test")) as port:
        yield port


@pytest.fixture
def settings(settings, smtp_port):
    url = SecretStr(f"smtp://127.0.0.1:{smtp_port}")
    public = {"base_url": "http://facturas.example.org", "mail_from": "facturas@ledgerkit.example.org"}
    return settings.model_copy(update={"smtp_url": url, "verify_email": VerifyEmail.OFF, **public})


WORDS = {
    "es": ("SIMULACIÓN: Factura {number} de Ana Ruiz", "Le enviamos adjunta la factura", "Factura"),
    "ca": ("SIMULACIÓ: Factura {number} · Ana Ruiz", "Us enviem adjunta la factura", "Data d'expedició"),
    "en": ("SIMULATION: Invoice {number} from Ana Ruiz", "Please find attached invoice", "Invoice"),
}


@pytest.mark.parametrize("language", WORDS)
async def test_a_client_gets_the_invoice_in_their_language(ana, inbox, language):
    await ana.put("/api/teams/current", {"email": "hola@ruiz.example"})
    invoice = await ana.post("/api/invoices", invoice_body(client=CLIENT | {"language": language}))

    number = (await ana.patch(f"/api/invoices/{invoice['id']}/send"))["invoice"]["number"]

    message = inbox.message()
    subject, begins, title = WORDS[language]
    assert message["Subject"] == subject.format(number=number)
    assert message["From"].addresses[0].addr_spec == "facturas@ledgerkit.example.org"
    assert message["From"].addresses[0].display_name == "Ana Ruiz"
    assert (message["Reply-To"], message["To"], message["Content-Language"]) == (
        "hola@ruiz.example",
        CLIENT["email"],
        language,
    )
    for kind in ("plain", "html"):
        assert begins in message.get_body((kind,)).get_content()
    [pdf] = message.iter_attachments()
    assert (pdf.get_filename(), pdf.get_content_type()) == (f"{number}.pdf", "application/pdf")
    printed = PdfReader(BytesIO(pdf.get_content())).pages[0].extract_text()
    assert number in printed
    assert title in printed


async def test_without_a_language_of_the_client_it_is_the_countrys(client, inbox):
    eva = await Api.register(client, "eva@example.com", country="IE")
    invoice = await eva.invoice(client={"name": "Acme", "email": "ap@acme.example"}, taxRate=0)

    await eva.patch(f"/api/invoices/{invoice['id']}/send")

    message = inbox.message()
    assert message["Content-Language"] == "en"
    assert message["Reply-To"] == "eva@example.com"


def link_in(message) -> str:
    """The public address in a mail: the same in both of its bodies."""
    (plain,) = re.findall(r"^(https?://\S+/s/\S+)\r?$", message.get_body(("plain",)).get_content(), re.MULTILINE)
    (marked,) = re.findall(r'href="([^"]+/s/[^"]+)"', message.get_body(("html",)).get_content())
    assert plain == marked
    return plain


async def test_the_mail_opens_the_invoices_public_page(ana, client, inbox):
    invoice = await ana.invoice()

    sent = await ana.patch(f"/api/invoices/{invoice['id']}/send")

    link = link_in(inbox.message())
    page = await client.get(urlsplit(link).path)
    assert page.status_code == 200
    assert sent["invoice"]["number"] in page.text
    assert (await ana.post(f"/api/invoices/{invoice['id']}/share"))["shareUrl"] == link


async def test_a_link_there_is_already_goes_out_and_so_it_does_again(ana, inbox):
    invoice = await ana.invoice()
    link = (await ana.post(f"/api/invoices/{invoice['id']}/share"))["shareUrl"]

    await ana.patch(f"/api/invoices/{invoice['id']}/send")
    await ana.patch(f"/api/invoices/{invoice['id']}/send")

    assert [link_in(one) for one in inbox.messages()] == [link, link]


async def test_after_a_link_was_revoked_a_mail_brings_another_one(ana, client, inbox):
    invoice = await ana.invoice()
    await ana.patch(f"/api/invoices/{invoice['id']}/send")
    await ana.delete(f"/api/invoices/{invoice['id']}/share")

    await ana.patch(f"/api/invoices/{invoice['id']}/send")

    revoked, link = [link_in(one) for one in inbox.messages()]
    assert link != revoked
    assert (await client.get(urlsplit(revoked).path)).status_code == 404
    assert (await client.get(urlsplit(link).path)).status_code == 200


async def test_a_refused_mail_of_an_issued_invoice_is_repeated_with_the_same_link(ana, issue, inbox):
    invoice = await issue(await ana.invoice())
    inbox.unknown.add(CLIENT["email"])
    await ana.refused(502, "PATCH", f"/api/invoices/{invoice['id']}/send")
    link = (await ana.get(f"/api/invoices/{invoice['id']}"))["shareUrl"]
    inbox.unknown.clear()

    await ana.patch(f"/api/invoices/{invoice['id']}/send")

    assert link_in(inbox.message()) == link


@pytest.mark.usefixtures("unreported")
async def test_a_draft_whose_mail_is_refused_has_no_public_page(ana, inbox):
    inbox.unknown.add(CLIENT["email"])
    invoice = await ana.invoice()

    await ana.refused(502, "PATCH", f"/api/invoices/{invoice['id']}/send")

    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["shareUrl"] is None
    await ana.refused(404, "DELETE", f"/api/invoices/{invoice['id']}/share")


async def test_a_refused_mail_leaves_a_link_that_was_there_before(ana, inbox):
    inbox.unknown.add(CLIENT["email"])
    invoice = await ana.invoice()
    link = await ana.post(f"/api/invoices/{invoice['id']}/share")

    await ana.refused(502, "PATCH", f"/api/invoices/{invoice['id']}/send")

    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["shareUrl"] == link["shareUrl"]


async def test_a_credit_notes_mail_asks_for_no_payment(ana, issue, inbox):
    original = await issue(await ana.invoice(iban="ES9121000418450200051332"))
    note = await ana.invoice(docType="credit_note", rectifies=original["id"], client=None, items=[item(unitPrice=-1)])

    await ana.patch(f"/api/invoices/{note['id']}/send")

    text = inbox.message().get_body(("plain",)).get_content()
    assert "factura rectificativa R" in text
    assert "ES91" not in text
    assert "Vencimiento" not in text


@pytest.mark.usefixtures("unreported")
async def test_an_unknown_address_changes_nothing_and_names_it(ana, inbox):
    inbox.unknown.add(CLIENT["email"])
    invoice = await ana.invoice()

    problem = await ana.refused(502, "PATCH", f"/api/invoices/{invoice['id']}/send")

    assert "refused the recipient: 550" in problem["detail"]
    assert (await ana.get(f"/api/invoices/{invoice['id']}")) == invoice


@pytest.mark.usefixtures("unreported")
async def test_a_refused_mail_gives_a_draft_its_unstated_dates_back(ana, inbox):
    inbox.unknown.add(CLIENT["email"])
    api = Api(ana.client, {"x-api-key": ana.api_key})
    with time_machine.travel(datetime(2026, 11, 23, 12, tzinfo=UTC), tick=True):
        invoice = await api.invoice()
        await api.refused(502, "PATCH", f"/api/invoices/{invoice['id']}/send")
    with time_machine.travel(datetime(2026, 11, 24, 12, tzinfo=UTC), tick=True):
        later = await api.get(f"/api/invoices/{invoice['id']}")

    read = [later[name] for name in ("issueDate", "issueDateStated", "dueDate", "dueDateStated", "number")]
    assert read == ["2026-11-24", False, "2026-12-24", False, None]


async def test_what_was_issued_with_its_record_stays_issued_and_only_its_mail_is_repeated(ana, inbox):
    inbox.unknown.add(CLIENT["email"])
    invoice = await ana.invoice()

    problem = await ana.refused(502, "PATCH", f"/api/invoices/{invoice['id']}/send")
    stored = await ana.get(f"/api/invoices/{invoice['id']}")
    inbox.unknown.clear()
    sent = await ana.patch(f"/api/invoices/{invoice['id']}/send")

    assert problem["code"] == "MAIL_FAILED"
    assert "refused the recipient: 550" in problem["detail"]
    assert f"F{YEAR}-0001 is issued" in problem["detail"]
    assert "only the mail" in problem["remedy"]
    answer = problem["invoice"]
    assert (answer["number"], answer["status"], answer["sentAt"]) == (f"F{YEAR}-0001", "sent", None)
    assert answer["einvoice"]["status"] == "pending"
    assert stored == answer
    assert (sent["invoice"]["number"], sent["invoice"]["sentAt"]) == (f"F{YEAR}-0001", sent["sentAt"])
    assert sent["invoice"]["einvoice"]["id"] == answer["einvoice"]["id"]


async def test_a_mail_that_failed_says_so_in_spanish_too(ana, inbox):
    inbox.unknown.add(CLIENT["email"])
    invoice = await ana.invoice()

    problem = await ana.refused(502, "PATCH", f"/api/invoices/{invoice['id']}/send", None, **{"Accept-Language": "es"})

    assert f"F{YEAR}-0001 está expedida" in problem["detail"]
    assert "solo el correo" in problem["remedy"]


# ---------------------------------------------------------------- words of the sender


WORDS_OF_HERS = "Hola, Marta:\n\n¿Puedes mirar esta factura? <b>Gracias</b> & un saludo.\n{{ team }}"


async def test_a_message_stands_above_the_usual_words_as_it_was_written(ana, inbox):
    invoice = await ana.invoice()

    await ana.patch(f"/api/invoices/{invoice['id']}/send", {"message": f"  {WORDS_OF_HERS}\n"})

    message = inbox.message()
    plain, html = (message.get_body((kind,)).get_content() for kind in ("plain", "html"))
    assert plain.replace("\r\n", "\n").startswith(f"{WORDS_OF_HERS}\n\n")
    assert "Le enviamos adjunta la factura" in plain
    assert "&lt;b&gt;Gracias&lt;/b&gt; &amp; un saludo." in html
    assert "<b>Gracias" not in html
    assert html.index("Hola, Marta") < html.index("Le enviamos adjunta la factura")
    assert "Hola, Marta" not in message["Subject"]


async def test_a_message_to_another_address_is_above_its_words_too(ana, issue, inbox):
    invoice = await issue(await ana.invoice())

    await ana.post(
        f"/api/einvoice/send-email/{invoice['id']}", {"email": "asesor@example.com", "message": WORDS_OF_HERS}
    )

    assert "Hola, Marta" in inbox.message().get_body(("plain",)).get_content()


async def test_without_a_message_the_mail_is_the_usual_one(ana, inbox):
    for sent in (None, {}, {"message": None}):
        invoice = await ana.invoice()
        await ana.patch(f"/api/invoices/{invoice['id']}/send", sent)

    assert all("pre-line" not in each.get_body(("html",)).get_content() for each in inbox.messages())


@pytest.mark.parametrize("wrong", ["", "   ", "x" * 2001, "a\x00b", "a\x1bb", "a\u202eb", "a\u0085b", 5, ["a"]])
async def test_a_message_is_short_text_without_controls(ana, inbox, wrong):
    invoice = await ana.invoice()

    problem = await ana.refused(400, "PATCH", f"/api/invoices/{invoice['id']}/send", {"message": wrong})

    assert [error["field"] for error in problem["errors"]] == ["message"]
    assert inbox.envelopes == []
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["status"] == "draft"


async def test_the_log_has_the_beginning_of_a_message_only(ana, inbox):
    invoice = await ana.invoice()

    await ana.patch(f"/api/invoices/{invoice['id']}/send", {"message": "Le recuerdo que vence hoy.\n" * 40})

    [entry] = [one for one in await ana.get("/api/invoices/activity/feed") if one["action"] == "sent"]
    logged = (
        entry["changes"]["message"]["to"]
        if isinstance(entry["changes"]["message"], dict)
        else entry["changes"]["message"][1]
    )
    assert (logged[:26], logged[-1]) == ("Le recuerdo que vence hoy.", "…")
    assert len(logged) <= 80


async def test_the_history_of_the_client_has_the_mail(ana):
    invoice = await ana.invoice()
    await ana.patch(f"/api/invoices/{invoice['id']}/send")
    client = (await ana.get(f"/api/invoices/{invoice['id']}"))["clientId"]

    entries = await ana.get(f"/api/activity/history?clientId={client}")

    assert [entry["entityId"] for entry in entries if entry["action"] == "sent"] == [invoice["id"]]


HER_SUBJECT = "Recordatorio: «obra» de noviembre & =?utf-8?q?x?="


async def test_a_subject_of_ones_own_takes_the_place_of_the_usual_one(ana, issue, inbox):
    draft, issued = await ana.invoice(), await issue(await ana.invoice())

    await ana.patch(f"/api/invoices/{draft['id']}/send", {"subject": f"  {HER_SUBJECT} "})
    elsewhere = {"email": "asesor@example.com", "subject": HER_SUBJECT, "message": WORDS_OF_HERS}
    await ana.post(f"/api/einvoice/send-email/{issued['id']}", elsewhere)

    subjects = [one["Subject"] for one in inbox.messages()]
    assert subjects == [f"SIMULACIÓN: {HER_SUBJECT}"] * 2
    assert "Hola, Marta" in inbox.messages()[1].get_body(("plain",)).get_content()


async def test_the_longest_subject_arrives_whole(ana, inbox):
    invoice, longest = await ana.invoice(), "ñ" * 150

    await ana.patch(f"/api/invoices/{invoice['id']}/send", {"subject": longest})

    assert inbox.message()["Subject"] == f"SIMULACIÓN: {longest}"


@pytest.mark.parametrize(
    "wrong",
    [
        *("", "   ", "x" * 151, "a\nb", "a\r\nBcc: otra@example.com", "a\rb", "a\tb", "a\x00b", "a\x1bb"),
        *("a\u0085b", "a\u2028b", "a\u202eb", "a\u200eb", "a\u200fb", "a\u061cb", 5, ["a"]),
        *("\u200b", "\u2060", "\u00ad", "\u200b \u2060", "\u3164", "\ufe0f"),
    ],
)
async def test_a_subject_is_one_short_line_without_controls(ana, issue, inbox, wrong):
    draft, issued = await ana.invoice(), await issue(await ana.invoice())
    elsewhere = {"email": "asesor@example.com", "subject": wrong}

    problems = [
        await ana.refused(400, "PATCH", f"/api/invoices/{draft['id']}/send", {"subject": wrong}),
        await ana.refused(400, "POST", f"/api/einvoice/send-email/{issued['id']}", elsewhere),
    ]

    assert [[error["field"] for error in problem["errors"]] for problem in problems] == [["subject"]] * 2
    assert inbox.envelopes == []
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"


async def test_the_log_has_the_subject(ana, inbox):
    invoice = await ana.invoice()

    await ana.patch(f"/api/invoices/{invoice['id']}/send", {"subject": HER_SUBJECT})

    [entry] = [one for one in await ana.get("/api/invoices/activity/feed") if one["action"] == "sent"]
    assert entry["changes"].keys() == {"sentTo", "subject"}
    assert HER_SUBJECT in str(entry["changes"]["subject"])
