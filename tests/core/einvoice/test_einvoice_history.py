"""Reading an emitted invoice: its status with the history of all its records, its files, its mails."""

from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP

import pytest

from ledgerkit.providers.es.sandbox import Fault
from support.api import item
from support.office import emit, settled
from support.periods import YEAR


@pytest.fixture
async def invoice_with_history(office, ana):
    """An invoice that was refused, corrected, annulled and refused again, and annulled."""
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:reject 1124]")])
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [item(description="Diseño")]})
    result = await emit(ana, invoice)
    office.authority.faults.add(Fault(reject=1110))
    annulling = {"fiscalId": result["fiscalId"], "reason": "Duplicada"}
    await ana.refused(422, "POST", "/api/einvoice/annul", annulling)
    await ana.post("/api/einvoice/annul", annulling | {"reason": "Duplicada de verdad"})
    return invoice


async def test_the_history_lists_sealing_sendings_and_answers_of_each_record(ana, invoice_with_history):
    standing = await ana.get(f"/api/einvoice/status/{invoice_with_history['id']}")

    entries = [
        (entry["event"], entry["kind"], entry["flags"], entry["status"], entry["code"]) for entry in standing["history"]
    ]
    again, more = {"Subsanacion": "S", "RechazoPrevio": "X"}, {"RechazoPrevio": "S"}
    assert entries == [
        ("sealed", "issue", {}, None, None),
        ("sent", "issue", {}, None, None),
        ("answered", "issue", {}, "rejected", "1124"),
        ("sealed", "issue", again, None, None),
        ("sent", "issue", again, None, None),
        ("answered", "issue", again, "accepted", None),
        ("sealed", "annul", {}, None, None),
        ("sent", "annul", {}, None, None),
        ("answered", "annul", {}, "rejected", "1110"),
        ("sealed", "annul", more, None, None),
        ("sent", "annul", more, None, None),
        ("answered", "annul", more, "accepted", None),
    ]
    assert (standing["status"], standing["kind"]) == ("annulled", "annul")
    assert {entry["reason"] for entry in standing["history"]} == {None, "Duplicada", "Duplicada de verdad"}
    assert standing["history"][2]["message"]


async def test_each_record_is_returned_as_it_was_sent_and_the_newest_by_default(office, ana, invoice_with_history):
    standing = await ana.get(f"/api/einvoice/status/{invoice_with_history['id']}")
    path = f"/api/einvoice/xml/{invoice_with_history['id']}?fiscalId={standing['fiscalId']}"
    ids = list(dict.fromkeys(entry["record"] for entry in standing["history"]))

    files = [await ana.request("GET", f"{path}&record={one}") for one in ids]
    newest = await ana.request("GET", path)

    stored = await office.records(ana)
    assert [str(record.id) for record in stored] == ids
    assert [answer.content for answer in files] == [record.content for record in stored]
    assert newest.content == stored[-1].content
    names = [answer.headers["content-disposition"] for answer in files]
    assert ["annulment" in name for name in names] == [False, False, True, True]


@pytest.mark.parametrize("unknown_id", ["01990000-0000-7000-8000-000000000000", "x"])
async def test_a_record_of_another_invoice_is_not_found(ana, invoice_with_history, unknown_id):
    other = await emit(ana, await ana.invoice())
    standing = await ana.get(f"/api/einvoice/status/{invoice_with_history['id']}")
    path = f"/api/einvoice/xml/{invoice_with_history['id']}?fiscalId={standing['fiscalId']}"

    for record_id in (unknown_id, other["id"]):
        problem = await ana.refused(404, "GET", f"{path}&record={record_id}")
        assert problem["code"] == "NOT_FOUND"


@pytest.mark.parametrize("file", ["xml", "download"])
async def test_files_are_given_for_the_invoices_own_identity_only(ana, invoice_with_history, file):
    other = await emit(ana, await ana.invoice())

    for wrong in (other["fiscalId"], "x"):
        problem = await ana.refused(400, "GET", f"/api/einvoice/{file}/{invoice_with_history['id']}?fiscalId={wrong}")
        assert [error["field"] for error in problem["errors"]] == ["fiscalId"]


async def test_the_id_of_any_record_leads_to_its_invoice(ana, invoice_with_history):
    standing = await ana.get(f"/api/einvoice/status/{invoice_with_history['id']}")

    for entry in standing["history"]:
        assert (await ana.get(f"/api/einvoice/status/{entry['record']}"))["id"] == standing["id"]


async def test_a_till_ticket_is_read_downloaded_and_mailed_like_any_other(office, ana):
    register = await ana.post("/api/cash-register", {"openingAmount": 0})
    line = {"description": "Café", "quantity": 1, "unitPrice": 10, "taxRate": 10}
    sale = {"type": "sale", "amount": 11, "description": "Café", "lineItems": [line]}
    moved = await ana.post(f"/api/cash-register/{register['id']}/movement", sale)
    ticket = {"id": moved["movements"][-1]["invoiceId"]}
    standing = await settled(ana, ticket)
    query = f"{ticket['id']}?fiscalId={standing['fiscalId']}"

    pdf = await ana.request("GET", f"/api/einvoice/download/{query}")
    xml = await ana.request("GET", f"/api/einvoice/xml/{query}")
    mailed = await ana.post(f"/api/einvoice/send-email/{ticket['id']}", {"email": "cliente@example.com"})

    assert [entry["event"] for entry in standing["history"]] == ["sealed", "sent", "answered"]
    assert pdf.content.startswith(b"%PDF-")
    assert xml.content == (await office.records(ana))[0].content
    assert (mailed["deliveredTo"], mailed["sentTo"]) == ("file", None)


async def test_the_mail_of_an_annulled_invoice_asks_for_no_money(office, ana):
    invoice = await ana.invoice(iban="ES9121000418450200051332")
    result = await emit(ana, invoice)
    await ana.post("/api/einvoice/annul", {"fiscalId": result["fiscalId"], "reason": "Duplicada"})

    await ana.post(f"/api/einvoice/send-email/{invoice['id']}", {"email": f"{ana.team['taxId']}@example.com"})

    files = [path.read_bytes() for path in (office.kernel.settings.data_dir / "mail").glob("*.eml")]
    mails = [BytesParser(EmailMessage, policy=SMTP).parsebytes(file) for file in files]
    [mail] = [each for each in mails if each["To"].lower() == f"{ana.team['taxId']}@example.com".lower()]
    _, xml = mail.iter_attachments()
    text = mail.get_body(("plain",)).get_content()
    assert xml.get_filename() == f"F{YEAR}-0001-annulment.xml"
    assert f"F{YEAR}-0001" in text
    assert "ES91" not in text
