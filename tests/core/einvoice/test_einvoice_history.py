"""What can be read of an emitted invoice: its standing with the history of all its records, the files, the mails."""

from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP

import pytest

from ledgerkit.providers.es.verifactu.sandbox import Fault
from support.api import item
from support.office import emit, settled


@pytest.fixture
async def told_often(office, ana):
    """An invoice that was refused, corrected, annulled in vain, and annulled."""
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:reject 1124]")])
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [item(description="Diseño")]})
    result = await emit(ana, invoice)
    office.authority.faults.add(Fault(reject=1110))
    annulling = {"fiscalId": result["fiscalId"], "reason": "Duplicada"}
    await ana.refused(422, "POST", "/api/einvoice/annul", annulling)
    await ana.post("/api/einvoice/annul", annulling | {"reason": "Duplicada de verdad"})
    return invoice


async def test_the_history_tells_of_each_record_what_it_said_and_what_was_answered(ana, told_often):
    standing = await ana.get(f"/api/einvoice/status/{told_often['id']}")

    told = [
        (entry["event"], entry["kind"], entry["flags"], entry["status"], entry["code"]) for entry in standing["history"]
    ]
    again, more = {"Subsanacion": "S", "RechazoPrevio": "X"}, {"RechazoPrevio": "S"}
    assert told == [
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


async def test_each_record_can_be_had_as_it_was_sent_the_newest_unasked(office, ana, told_often):
    standing = await ana.get(f"/api/einvoice/status/{told_often['id']}")
    path = f"/api/einvoice/xml/{told_often['id']}?fiscalId={standing['fiscalId']}"
    ids = list(dict.fromkeys(entry["record"] for entry in standing["history"]))

    files = [await ana.request("GET", f"{path}&record={one}") for one in ids]
    newest = await ana.request("GET", path)

    stored = await office.records(ana)
    assert [str(record.id) for record in stored] == ids
    assert [answer.content for answer in files] == [record.content for record in stored]
    assert newest.content == stored[-1].content
    names = [answer.headers["content-disposition"] for answer in files]
    assert ["annulment" in name for name in names] == [False, False, True, True]


@pytest.mark.parametrize("known", ["01990000-0000-7000-8000-000000000000", "x"])
async def test_a_record_of_another_invoice_is_a_missing_one(ana, told_often, known):
    other = await emit(ana, await ana.invoice())
    standing = await ana.get(f"/api/einvoice/status/{told_often['id']}")
    path = f"/api/einvoice/xml/{told_often['id']}?fiscalId={standing['fiscalId']}"

    for wanted in (known, other["id"]):
        problem = await ana.refused(404, "GET", f"{path}&record={wanted}")
        assert problem["code"] == "NOT_FOUND"


@pytest.mark.parametrize("file", ["xml", "download"])
async def test_files_are_given_for_the_invoices_own_identity_only(ana, told_often, file):
    other = await emit(ana, await ana.invoice())

    for wrong in (other["fiscalId"], "x"):
        problem = await ana.refused(400, "GET", f"/api/einvoice/{file}/{told_often['id']}?fiscalId={wrong}")
        assert [error["field"] for error in problem["errors"]] == ["fiscalId"]


async def test_any_of_its_records_names_the_invoice(ana, told_often):
    standing = await ana.get(f"/api/einvoice/status/{told_often['id']}")

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
    assert mailed["sentTo"] == "cliente@example.com"


async def test_the_mail_of_an_annulled_invoice_asks_for_no_money(office, ana):
    invoice = await ana.invoice(iban="ES9121000418450200051332")
    result = await emit(ana, invoice)
    await ana.post("/api/einvoice/annul", {"fiscalId": result["fiscalId"], "reason": "Duplicada"})

    await ana.post(f"/api/einvoice/send-email/{invoice['id']}", {"email": f"{ana.team['taxId']}@example.com"})

    found = [path.read_bytes() for path in (office.kernel.settings.data_dir / "mail").glob("*.eml")]
    mails = [BytesParser(EmailMessage, policy=SMTP).parsebytes(one) for one in found]
    [mail] = [one for one in mails if one["To"].lower() == f"{ana.team['taxId']}@example.com".lower()]
    _, xml = mail.iter_attachments()
    text = mail.get_body(("plain",)).get_content()
    assert xml.get_filename() == "F2026-0001-annulment.xml"
    assert "F2026-0001" in text
    assert "ES91" not in text
