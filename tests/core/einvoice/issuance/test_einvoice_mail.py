"""Mailing an emitted invoice to any address: its PDF with the QR, and the XML of its record."""

from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP
from pathlib import Path
from uuid import uuid4

import pytest

from ledgerkit.providers.es.sandbox import Fault
from support.api import Api, item
from support.office import emit

TO = "asesoria@example.com"


def mails(directory: Path) -> list[EmailMessage]:
    files = sorted((directory / "mail").glob("*.eml"))
    return [BytesParser(EmailMessage, policy=SMTP).parsebytes(one.read_bytes()) for one in files]


@pytest.fixture
async def emitted(live) -> tuple[Api, dict, dict]:
    """Ana, an invoice of hers, and its fiscal result."""
    ana = await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")
    invoice = await ana.invoice()
    return ana, invoice, await emit(ana, invoice)


async def test_pdf_and_record_are_mailed_to_the_address(live_settings, emitted):
    ana, invoice, result = emitted

    by_invoice = await ana.post(f"/api/einvoice/send-email/{invoice['id']}", {"email": "Asesoria@Example.com"})
    by_result = await ana.post(f"/api/einvoice/send-email/{result['id']}", {"email": TO})

    said = {"ok": True, "sentTo": None, "sentAt": None, "deliveredTo": "file", "queuedUntil": None, "warnings": []}
    assert by_invoice == by_result == said
    message = mails(live_settings.data_dir)[0]
    pdf, xml = message.iter_attachments()
    record = await ana.request("GET", f"/api/einvoice/xml/{invoice['id']}?fiscalId={result['fiscalId']}")
    assert message["To"] == TO
    assert message["Subject"] == f"SIMULACIÓN: Factura {result['number']} de Ana Ruiz"
    assert (pdf.get_filename(), pdf.get_content()[:5]) == (f"{result['number']}.pdf", b"%PDF-")
    assert (xml.get_filename(), xml.get_content_type()) == (f"{result['number']}.xml", "application/xml")
    assert xml.get_content() == record.content
    now = await ana.get(f"/api/invoices/{invoice['id']}")
    assert (now["shareUrl"], now["sentAt"]) == (None, None)
    feed = await ana.get("/api/invoices/activity/feed")
    assert "sent" not in {entry["action"] for entry in feed}


async def test_the_record_in_force_is_mailed_and_no_refused_one(office, ana):
    invoice = await ana.invoice(items=[item(description="Obra [sandbox:reject 1124]")])
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [item()]})
    result = await emit(ana, invoice)
    office.authority.faults.add(Fault(reject=1110))
    annulment = {"fiscalId": result["fiscalId"], "reason": "Emitida por error"}
    await ana.refused(422, "POST", "/api/einvoice/annul", annulment)

    await ana.post(f"/api/einvoice/send-email/{invoice['id']}", {"email": TO})

    (message,) = [one for one in mails(office.kernel.settings.data_dir) if one["To"] == TO]
    _, xml = message.iter_attachments()
    refused, standing, annulled = [record.content for record in await office.records(ana)]
    assert xml.get_filename() == f"{result['number']}.xml"
    assert [xml.get_content() == one for one in (refused, standing, annulled)] == [False, True, False]


async def test_an_invoice_that_was_not_emitted_is_a_400_and_an_unknown_one_a_404(ana, settings):
    draft = await ana.invoice()

    plain = await ana.refused(400, "POST", f"/api/einvoice/send-email/{draft['id']}", {"email": TO})
    for id_text in (str(uuid4()), "x"):
        missing = await ana.refused(404, "POST", f"/api/einvoice/send-email/{id_text}", {"email": TO})
        assert missing["code"] == "NOT_FOUND"

    assert plain["code"] == "NOT_EMITTED"
    assert mails(settings.data_dir) == []


@pytest.mark.parametrize("email", [None, "", "asesoria", "ñandú@example.com", "a@b.es, c@d.es", "a@b.es\nBcc: c@d.es"])
async def test_a_malformed_address_is_named(ana, email):
    problem = await ana.refused(400, "POST", f"/api/einvoice/send-email/{uuid4()}", {"email": email})

    assert [one["field"] for one in problem["errors"]] == ["email"]


async def test_a_record_of_another_account_is_not_found(live, emitted):
    _, invoice, result = emitted
    berta = await Api.with_team(live, "berta@example.com", "Berta Gil", "87654321X")

    for id_text in (invoice["id"], result["id"]):
        await berta.refused(404, "POST", f"/api/einvoice/send-email/{id_text}", {"email": TO})
