"""Records of documents in another currency: in euros by the exchange rate, corrections and annulments alike."""

from uuid import UUID

import pytest
from lxml import etree
from sqlalchemy import text

from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.pdf import printed_invoice
from ledgerkit.core.sales.invoices.pdf.markup import document_html
from support.api import invoice_body, item
from support.database import as_owner
from support.issuing import as_earlier_versions_did
from support.office import emit
from support.periods import YEAR

SF = (
    "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
    "SuministroInformacion.xsd}"
)
AMOUNTS = ("BaseImponibleOimporteNoSujeto", "CuotaRepercutida", "CuotaTotal", "ImporteTotal")
DOLLARS = {"currency": "USD", "exchangeRate": 0.92, "exchangeRateSource": "ECB 2026-11-20"}
CREDIT = "/api/einvoice/credit-note"


async def emitted(api, **fields):
    invoice = await api.invoice(**fields)
    await emit(api, invoice)
    return await api.get(f"/api/invoices/{invoice['id']}")


@pytest.fixture
def leaves(office):
    """The texts of these leaves of the account's latest record."""

    async def read(api, *names: str) -> list[list[str]]:
        tree = etree.fromstring((await office.records(api))[-1].content)
        return [[element.text for element in tree.iter(SF + name)] for name in names]

    return read


def asked(invoice, **fields):
    named = {"originalFiscalId": invoice["einvoice"]["fiscalId"], "originalDate": invoice["issueDate"]}
    return {"invoiceId": invoice["id"], **named, **fields}


async def test_the_record_is_in_euros(office, ana, leaves):
    # 1000.01 x 0.92 = 920.0092; 210.00 x 0.92 = 193.20; the other row 50.00 x 0.92 = 46, 5 x 0.92 = 4.60
    invoice = await emitted(ana, items=[item(unitPrice=1000.01), item(unitPrice=50, taxRate=10)], **DOLLARS)

    bases, quotas, [quota], [total] = await leaves(ana, *AMOUNTS)
    assert (sorted(bases), sorted(quotas)) == (["46.00", "920.01"], ["193.20", "4.60"])
    assert (quota, total) == ("197.80", "1163.81")
    assert "importe=1163.81" in (await ana.get(f"/api/einvoice/status/{invoice['id']}"))["qrUrl"]
    assert invoice["total"] == 1265.01


async def test_an_export_is_in_euros_too(ana, leaves):
    line = item(unitPrice=1000, taxCategory="export", exemptionCode="E2", taxRate=0)
    client = {"name": "Acme Inc.", "taxId": "12-3456789", "country": "US", "address": "1 Main St"}

    await emitted(ana, items=[line], client=client, **DOLLARS)

    assert await leaves(ana, "BaseImponibleOimporteNoSujeto", "CuotaTotal", "ImporteTotal") == [
        ["920.00"],
        ["0.00"],
        ["920.00"],
    ]


@pytest.mark.parametrize("call", ["pay", "send"])
async def test_without_a_rate_it_gets_no_number(ana, call):
    draft = await ana.invoice(currency="USD")

    problem = await ana.refused(400, "PATCH", f"/api/invoices/{draft['id']}/{call}")

    assert problem["code"] == "FISCAL_CHECK_FAILED"
    assert "exchangeRate" in problem["errors"][0]["remedy"]
    await ana.put(f"/api/invoices/{draft['id']}", {"exchangeRate": 0.92})
    assert (await emit(ana, draft))["number"] == f"F{YEAR}-0001"


async def test_a_rate_that_leaves_nothing_of_an_amount_is_refused(ana):
    body = invoice_body(items=[item(unitPrice=1000)], currency="USD", exchangeRate=0.000001)

    problems = [await ana.refused(400, "POST", f"/api/invoices{path}", body) for path in ("", "/preview")]
    draft = await ana.invoice(**DOLLARS)
    changed = await ana.refused(400, "PUT", f"/api/invoices/{draft['id']}", {"exchangeRate": 0.000001})

    for problem in (*problems, changed):
        assert [error["field"] for error in problem["errors"]] == ["exchangeRate"]
        assert "0.00" in problem["detail"]


async def test_a_draft_of_an_earlier_version_with_such_a_rate_gets_no_number(office, ana):
    draft = await ana.invoice(**DOLLARS)
    async with as_owner(office.kernel) as connection:
        statement = text("update invoice set exchange_rate = 0.000001 where id = :id")
        await connection.execute(statement, {"id": UUID(draft["id"])})

    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})

    assert [error["field"] for error in problem["errors"]] == ["exchangeRate"]
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] is None


async def test_a_line_of_nothing_and_a_cent_that_is_one_still_are_converted(ana):
    invoice = await emitted(ana, items=[item(unitPrice=0), item(unitPrice=0.01)], **DOLLARS)

    assert (invoice["total"], invoice["einvoice"]["status"]) == (0.01, "accepted")


async def test_a_credit_note_is_in_euros(ana, leaves):
    invoice = await emitted(ana, items=[item(unitPrice=1000)], **DOLLARS)

    await ana.post(CREDIT, asked(invoice, items=[item(unitPrice=100)]))
    in_part = await leaves(ana, *AMOUNTS)
    await ana.post(CREDIT, asked(invoice))
    rest = await leaves(ana, *AMOUNTS)

    assert in_part == [["-92.00"], ["-19.32"], ["-19.32"], ["-111.32"]]
    assert rest == [["-828.00"], ["-173.88"], ["-173.88"], ["-1001.88"]]
    profit, vat = await ana.get("/api/expenses/profit-loss"), await ana.get("/api/expenses/vat-balance")
    assert (profit["income"], vat["outputVat"]) == (0, 0)


async def test_by_substitution_the_replaced_amounts_are_in_euros(ana, leaves):
    invoice = await emitted(ana, items=[item(unitPrice=1000)], **DOLLARS)

    await ana.post(CREDIT, asked(invoice, method="substitution", items=[item(unitPrice=600)]))

    names = ("BaseRectificada", "CuotaRectificada", "ImporteTotal")
    assert await leaves(ana, *names) == [["920.00"], ["193.20"], ["667.92"]]
    profit, vat = await ana.get("/api/expenses/profit-loss"), await ana.get("/api/expenses/vat-balance")
    assert (profit["income"], vat["outputVat"]) == (552, 115.92)


async def test_an_annulled_one_counts_no_more(ana):
    invoice = await emitted(ana, items=[item(unitPrice=1000)], **DOLLARS)

    await ana.post("/api/einvoice/annul", {"fiscalId": invoice["einvoice"]["fiscalId"], "reason": "No prestado"})

    assert (await ana.get("/api/expenses/profit-loss"))["income"] == 0
    [client] = await ana.get("/api/clients")
    assert (client["totalInvoiced"], client["balance"]) == (0, 0)


@pytest.mark.parametrize("change", [{"exchangeRate": 0.93}, {"exchangeRateSource": "DOF"}, {"exchangeRate": None}])
async def test_the_rate_of_a_record_stays(ana, change):
    invoice = await emitted(ana, **DOLLARS)

    problem = await ana.refused(400, "PUT", f"/api/invoices/{invoice['id']}", change)

    assert problem["code"] == "INVOICE_LOCKED"


async def test_the_record_of_what_only_it_contains_is_corrected_in_euros(ana, leaves):
    invoice = await emitted(ana, items=[item(unitPrice=1000)], **DOLLARS)
    path = f"/api/invoices/{invoice['id']}"

    await ana.put(path, {"operationDescription": "Consultoría"})
    await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"], "correct": True})

    assert await leaves(ana, "DescripcionOperacion", "Subsanacion", "ImporteTotal") == [
        ["Consultoría"],
        ["S"],
        ["1113.20"],
    ]


async def test_one_that_was_numbered_without_its_record_may_get_its_rate(office, ana, leaves):
    await emit(ana, await ana.invoice())
    invoice = await ana.invoice(currency="USD", items=[item(unitPrice=1000)])
    async with as_earlier_versions_did(office, ana):
        await ana.patch(f"/api/invoices/{invoice['id']}/pay")
    path = f"/api/invoices/{invoice['id']}"

    await ana.put(path, {"exchangeRate": 0.92, "exchangeRateSource": "ECB"})
    locked = await ana.refused(400, "PUT", path, {"exchangeRate": 0.93})
    await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})

    assert locked["code"] == "INVOICE_LOCKED"
    assert await leaves(ana, "ImporteTotal") == [["1113.20"]]


async def html(office, api, invoice) -> str:
    ctx = await accounts.system_context(office.kernel, UUID(api.team["id"]))
    async with ctx.transaction() as inner:
        row = await lifecycle.fetch(inner, invoice["id"])
        return document_html(await printed_invoice.printed_document(inner, row))


async def test_the_document_shows_its_tax_in_euros_beside_its_currency(office, ana):
    page = await html(office, ana, await emitted(ana, items=[item(unitPrice=1000)], **DOLLARS))

    shown = page.replace("\N{NO-BREAK SPACE}", " ")
    assert "Importes en EUR" in shown
    assert "1 USD = 0,92 EUR (ECB 2026-11-20)" in shown
    for amount in ("1.210,00 US$", "210,00 US$", "920,00 €", "193,20 €", "1.113,20 €"):
        assert amount in shown, shown


async def test_a_document_in_euros_shows_no_exchange(office, ana):
    assert "exchange" not in await html(office, ana, await emitted(ana))
