"""Every kind of document through the API: record, message, QR and printed document agree."""

from base64 import b64decode
from datetime import datetime
from io import BytesIO
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pypdfium2
import pytest
import zxingcpp
from lxml import etree
from PIL import Image
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from support.api import CLIENT, item
from support.office import emit
from support.periods import YEAR

LR = "https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
SUBMISSION = f"{{{LR}SuministroLR.xsd}}"
SF = f"{{{LR}SuministroInformacion.xsd}}"

FRENCH = {"name": "Société Générique", "taxId": "FR61954506077", "country": "FR"}
AMERICAN = {"name": "Acme Inc", "taxId": "12-3456789", "country": "US"}
MARKUP = {**CLIENT, "name": 'Ñandú & <b>"Hijos"</b> ]]> 😀 \u202e'}

DOCUMENTS = {
    "plain": {},
    "several rates": {"items": [item(taxRate=21), item(taxRate=10, unitPrice=50), item(taxRate=4, unitPrice=0.37)]},
    "zero rate": {"items": [item(taxRate=0)]},
    "discounts": {"items": [item(quantity=3, unitPrice=0.335, discount=12.5), item(discount=100), item()]},
    "surcharge": {"items": [item(surchargeRate=5.2), item(taxRate=10, surchargeRate=1.4)]},
    "retention": {"retentionRate": 15},
    "exempt": {"items": [item(taxCategory="exempt")]},
    "exempt by its code": {"items": [item(taxCategory="exempt", exemptionCode="E6")]},
    "not subject": {"items": [item(taxCategory="not_subject", notSubjectReason="article_7")]},
    "reverse charge": {"items": [item(taxCategory="reverse_charge")]},
    "export": {"client": AMERICAN, "items": [item(taxCategory="export")]},
    "goods to the EU": {"client": FRENCH, "items": [item(taxCategory="intra_eu_goods")]},
    "services to the EU": {"client": FRENCH, "items": [item(taxCategory="intra_eu_services")]},
    "services beyond the EU": {
        "client": AMERICAN,
        "items": [item(taxCategory="not_subject", notSubjectReason="location_rules")],
    },
    "mixed": {"items": [item(), item(taxCategory="exempt"), item(taxCategory="reverse_charge")]},
    "markup": {"client": MARKUP, "items": [item(description='<script>alert("é")</script> & ]]> 🧾')]},
    "long": {"items": [item(description="ñ€" * 400) for _ in range(3)]},
    "operated before": {"operationDate": "2026-11-02"},
    "simplified": {"docType": "simplified", "client": None, "items": [item(unitPrice=19.9)]},
    "simplified to a client": {"docType": "simplified", "items": [item(unitPrice=19.9)]},
    "large": {"items": [item(quantity=2, unitPrice=60_000_000)]},
}


class Emission:
    """An emission: the caller's result, the stored record, and the message as it arrived."""

    def __init__(self, result, record, message: bytes) -> None:
        self.result, self.record, self.message = result, record, message
        self.root = etree.fromstring(record.content)

    def __getitem__(self, name: str) -> str | None:
        """Text of a leaf of the record, at any depth."""
        return next((leaf.text for leaf in self.root.iter(SF + name)), None)

    def schema_errors(self, schema: etree.XMLSchema) -> list[str]:
        submission = etree.fromstring(self.message).find(f".//{SUBMISSION}RegFactuSistemaFacturacion")
        schema.validate(submission)
        return [str(error) for error in schema.error_log]


@pytest.fixture
def emission(office):
    """Emits an invoice, and shows every side of it."""

    async def emitted(api, invoice) -> Emission:
        result = await emit(api, invoice)
        record = (await office.records(api))[-1]
        message = next(one for one in reversed(office.authority.received) if record.content in one)
        return Emission(result, record, message)

    return emitted


@pytest.mark.parametrize("fields", DOCUMENTS.values(), ids=DOCUMENTS)
async def test_its_record_keeps_to_the_official_schema_and_is_accepted(schema, ana, emission, fields):
    invoice = await ana.invoice(**fields)

    reported = await emission(ana, invoice)

    assert reported.schema_errors(schema) == []
    assert (reported.result["status"], reported.result["errors"]) == ("accepted", [])


@pytest.mark.parametrize("fields", DOCUMENTS.values(), ids=DOCUMENTS)
async def test_record_result_and_invoice_carry_the_same_amounts_and_identity(ana, emission, fields):
    invoice = await ana.invoice(**fields)

    reported = await emission(ana, invoice)

    shown = await ana.get(f"/api/invoices/{invoice['id']}")
    gross = shown["total"] + shown["retentionAmount"]
    assert reported["ImporteTotal"] == f"{gross:.2f}"
    assert reported["CuotaTotal"] == f"{shown['taxAmount'] + shown['surchargeAmount']:.2f}"
    assert reported["NumSerieFactura"] == shown["number"] == reported.result["number"]
    assert reported.result["hash"] == reported.root.findtext(f"{SF}Huella")
    assert literals_of(reported.result["qrUrl"]) == {
        "nif": reported["IDEmisorFactura"],
        "numserie": reported["NumSerieFactura"],
        "fecha": reported["FechaExpedicionFactura"],
        "importe": reported["ImporteTotal"],
    }


def literals_of(url: str) -> dict[str, str]:
    """Decode the values in a QR."""
    return {name: value for name, [value] in parse_qs(urlsplit(url).query, strict_parsing=True).items()}


KINDS = {"plain": "F1", "simplified": "F2", "simplified to a client": "F2", "large": "F1"}


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
async def test_the_record_says_what_kind_of_document_it_is(ana, emission, name, kind):
    reported = await emission(ana, await ana.invoice(**DOCUMENTS[name]))

    assert reported["TipoFactura"] == kind
    assert (reported["Macrodato"] == "S") == (name == "large")


async def credit_note(api, original, **fields):
    back = item(unitPrice=-200, description="Abono parcial")
    note = {"docType": "credit_note", "rectifies": original["id"], "items": [back], **fields}
    return await api.invoice(**note)


@pytest.mark.parametrize(("reason", "kind"), [(None, "R1"), ("R1", "R1"), ("R4", "R4")])
async def test_a_credit_note_names_what_it_corrects_and_is_accepted(schema, ana, emission, reason, kind):
    original = await ana.invoice()
    first = await emission(ana, original)

    reported = await emission(ana, await credit_note(ana, original, correctionReason=reason))

    assert reported.schema_errors(schema) == []
    assert reported.result["status"] == "accepted"
    assert (
        reported["TipoFactura"],
        reported["TipoRectificativa"],
        reported["ImporteTotal"],
    ) == (kind, "I", "-242.00")
    [corrected] = reported.root.iter(f"{SF}IDFacturaRectificada")
    assert corrected.findtext(f"{SF}NumSerieFactura") == first.result["number"]
    assert reported.result["number"].startswith(f"R{YEAR}-")


async def test_invoices_and_credit_notes_share_one_chain(office, ana):
    original = await ana.invoice()
    await emit(ana, original)

    await emit(ana, await credit_note(ana, original))
    await emit(ana, await ana.invoice(docType="simplified", items=[item(unitPrice=10)]))

    chain = await office.records(ana)
    assert [record.number[0] for record in chain] == ["F", "R", "T"]
    assert [record.previous_id for record in chain] == [None, chain[0].id, chain[1].id]
    assert office.authority.chain_breaks(ana.team["taxId"]) == ()


async def test_the_xml_is_byte_for_byte_what_was_stored_and_what_the_authority_received(office, ana, emission):
    reported = await emission(ana, await ana.invoice(**DOCUMENTS["markup"]))

    path = f"/api/einvoice/xml/{reported.result['invoiceId']}?fiscalId={reported.result['fiscalId']}"
    answer = await ana.request("GET", path)

    assert answer.content == reported.record.content
    assert reported.message.count(reported.record.content) == 1


async def test_the_application_itself_cannot_alter_or_remove_a_record(office, ana, emission):
    reported = await emission(ana, await ana.invoice())
    account = UUID(ana.team["id"])

    for statement in ("update fiscal_record set number = 'X'", "delete from fiscal_record"):
        with pytest.raises(ProgrammingError, match="permission denied"):
            async with office.kernel.database.transaction(account) as connection:
                await connection.execute(text(statement))

    [record] = await office.records(ana)
    assert record.content == reported.record.content


async def pages_of(api, invoice):
    answer = await api.request("GET", f"/api/invoices/{invoice['id']}/pdf")
    assert answer.status_code == 200, answer.text
    return pypdfium2.PdfDocument(BytesIO(answer.content))


@pytest.mark.parametrize("name", ["plain", "markup", "retention"])
async def test_the_qr_on_the_paper_reads_as_the_records_own_literals(ana, emission, name):
    invoice = await ana.invoice(**DOCUMENTS[name])
    reported = await emission(ana, invoice)

    page = (await pages_of(ana, invoice))[0]
    [code] = zxingcpp.read_barcodes(page.render(scale=3).to_pil())

    assert code.text == reported.result["qrUrl"]
    assert literals_of(code.text)["importe"] == reported["ImporteTotal"]


async def test_the_downloaded_paper_is_the_one_with_the_qr(ana, emission):
    reported = await emission(ana, await ana.invoice())

    answer = await ana.request("GET", urlsplit(reported.result["pdfUrl"])._replace(scheme="", netloc="").geturl())
    page = pypdfium2.PdfDocument(BytesIO(answer.content))[0]

    [code] = zxingcpp.read_barcodes(page.render(scale=3).to_pil())
    assert code.text == reported.result["qrUrl"]


async def test_result_and_status_tell_of_the_record(ana, emission):
    reported = await emission(ana, await ana.invoice())
    result, record = reported.result, reported.record

    standing = await ana.get(f"/api/einvoice/status/{result['invoiceId']}")
    xml = await ana.request("GET", urlsplit(result["xmlUrl"])._replace(scheme="", netloc="").geturl())

    assert {name: standing[name] for name in result} == result
    assert result["fiscalId"] == f"{ana.team['taxId']}:{record.number}:{record.issue_date.isoformat()}"
    assert (result["id"], result["csv"], result["environment"]) == (str(record.id), record.reference, "sandbox")
    assert datetime.fromisoformat(result["issuedAt"]) == datetime.fromisoformat(reported["FechaHoraHusoGenRegistro"])
    assert result["submittedAt"] >= result["issuedAt"]
    assert xml.content == record.content


async def test_the_picture_of_the_qr_reads_as_its_address(ana, emission):
    reported = await emission(ana, await ana.invoice())
    shown = (await ana.get(f"/api/einvoice/status/{reported.result['invoiceId']}"))["qr"]

    scheme, data = reported.result["qr"].split(",")
    [code] = zxingcpp.read_barcodes(Image.open(BytesIO(b64decode(data))))

    assert scheme == "data:image/png;base64"
    assert (code.text, code.ec_level) == (reported.result["qrUrl"], "M")
    assert shown == reported.result["qr"]


async def test_the_paper_of_a_sandbox_emission_says_so(ana):
    invoice = await ana.invoice()
    before = (await pages_of(ana, invoice))[0].get_textpage().get_text_bounded()
    await emit(ana, invoice)

    after = (await pages_of(ana, invoice))[0].get_textpage().get_text_bounded()

    assert "sin validez fiscal" not in before.lower()
    assert f"F{YEAR}-0001" in after
    assert f"F{YEAR}-0001" not in before
    assert "sin validez fiscal" in " ".join(after.lower().split())
