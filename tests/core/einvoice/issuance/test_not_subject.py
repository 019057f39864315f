"""A line that is not subject states the reason, or nothing is numbered; record and printed invoice state the same."""

import pytest
from lxml import etree

from support.api import CLIENT, item
from support.office import emit, settled
from support.tills import Till, line

SF = (
    "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
    "SuministroInformacion.xsd}"
)
AMERICAN = {"name": "Acme Inc", "taxId": "12-3456789", "country": "US"}
ELSEWHERE = "Operación no sujeta al IVA español por reglas de localización"


def untaxed(**fields):
    return item(**{"unitPrice": 100, "taxCategory": "not_subject", **fields})


@pytest.fixture
def qualification(office):
    """CalificacionOperacion of an account's latest record."""

    async def read(api):
        record = (await office.records(api))[-1]
        return next(leaf.text for leaf in etree.fromstring(record.content).iter(f"{SF}CalificacionOperacion"))

    return read


async def page(api, invoice) -> str:
    """The HTML of the invoice's public page."""
    link = await api.post(f"/api/invoices/{invoice['id']}/share")
    return (await api.client.get(f"/s/{link['shareToken']}")).text


@pytest.mark.parametrize(
    ("fields", "declared", "printed"),
    [
        ({"items": [untaxed(notSubjectReason="article_7")]}, "N1", "no sujeta a IVA (art. 7 "),
        ({"items": [untaxed(notSubjectReason="article_14")]}, "N1", "no sujeta a IVA (art. 14 "),
        ({"items": [untaxed(notSubjectReason="other")]}, "N1", "Operación no sujeta a IVA<"),
        ({"items": [untaxed(notSubjectReason="location_rules")]}, "N2", ELSEWHERE),
        ({"items": [untaxed(regimeKey="17")]}, "N2", ELSEWHERE),
        ({"items": [untaxed()], "placeOfSupply": "FR"}, "N2", ELSEWHERE),
    ],
)
async def test_record_and_print_state_the_reason_of_the_line(ana, qualification, fields, declared, printed):
    invoice = await ana.invoice(client={**CLIENT, "language": "es"}, **fields)

    result = await emit(ana, invoice)

    assert result["status"] == "accepted"
    assert await qualification(ana) == declared
    assert printed in await page(ana, invoice)


@pytest.mark.parametrize("client", [CLIENT, AMERICAN])
async def test_a_line_without_a_reason_is_not_numbered(ana, client):
    invoice = await ana.invoice(client=client, items=[untaxed()])

    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})

    assert problem["code"] == "FISCAL_CHECK_FAILED"
    assert [error["code"] for error in problem["errors"]] == ["NOT_SUBJECT_REASON_MISSING"]
    assert "location_rules" in problem["remedy"]
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["number"] is None


async def test_the_remedy_is_in_spanish_and_works(ana, qualification):
    invoice = await ana.invoice(client=AMERICAN, items=[untaxed()])
    body, spanish = {"invoiceId": invoice["id"]}, {"Accept-Language": "es"}

    problem = await ana.refused(400, "POST", "/api/einvoice/emit", body, **spanish)
    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [untaxed(notSubjectReason="location_rules")]})
    await emit(ana, invoice)

    assert "no dice por qué" in problem["detail"]
    assert await qualification(ana) == "N2"


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (untaxed(notSubjectReason="article_8"), "items[0].notSubjectReason"),
        (item(notSubjectReason="article_7"), "items[0].notSubjectReason"),
    ],
)
async def test_a_reason_that_does_not_fit_is_named(ana, line, field):
    problem = await ana.refused(400, "POST", "/api/invoices", {"client": CLIENT, "items": [line]})

    assert [error["field"] for error in problem["errors"]] == [field]


async def test_reasons_are_rows_of_their_own(ana):
    invoice = await ana.invoice(items=[untaxed(notSubjectReason=one) for one in ("other", "article_7", "other")])

    assert [(row["notSubjectReason"], row["base"]) for row in invoice["taxBreakdown"]] == [
        ("article_7", 100),
        ("other", 200),
    ]


@pytest.mark.parametrize("items", [None, [{"description": "Menos", "quantity": 1, "unitPrice": 40}]])
async def test_a_credit_note_states_the_reason_of_its_invoice(ana, qualification, items):
    invoice = await ana.invoice(client=AMERICAN, items=[untaxed(notSubjectReason="article_7")])
    fiscal = await emit(ana, invoice)
    day = (await ana.get(f"/api/invoices/{invoice['id']}"))["issueDate"]
    body = {"invoiceId": invoice["id"], "originalFiscalId": fiscal["fiscalId"], "originalDate": day}

    note = await ana.post("/api/einvoice/credit-note", body if items is None else {**body, "items": items})

    assert note["status"] == "accepted"
    assert await qualification(ana) == "N1"


async def test_a_sale_and_its_refund_state_the_reason(ana, qualification):
    till = await Till.of(ana)

    sale = await till.sells(100, line(100, taxCategory="not_subject", notSubjectReason="location_rules"))
    first = await qualification(ana)
    back = await till.refunds(sale, 100)

    assert (first, await qualification(ana)) == ("N2", "N2")
    assert (await settled(ana, {"id": back["creditNoteId"]}))["status"] == "accepted"


async def test_a_sale_without_a_reason_is_refused_and_changes_nothing(ana):
    till = await Till.of(ana)

    problem = await till.refuses(
        {"type": "sale", "amount": 100, "description": "x", "lineItems": [line(100, taxCategory="not_subject")]}
    )

    assert problem["code"] == "FISCAL_CHECK_FAILED"
    assert (await ana.get("/api/cash-register/current"))["movements"] == []
