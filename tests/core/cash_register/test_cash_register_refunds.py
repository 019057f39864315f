"""Refunds of what was sold with an invoice: their credit notes, their goods, and never more than there was."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
import time_machine
from lxml import etree
from sqlalchemy import text

from support.api import Api, item
from support.database import row_counts, set_role
from support.periods import YEAR
from support.tills import Till, line

SF = (
    "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
    "SuministroInformacion.xsd}"
)


@pytest.fixture
async def cup(ana):
    return await ana.post(
        "/api/catalog", {"type": "product", "name": "Taza", "unitPrice": 10, "taxRate": 21, "stock": 10}
    )


async def kinds(kernel, api) -> list[str]:
    """TipoFactura of every record of an account, in chain order."""
    async with kernel.database.transaction(UUID(api.team["id"])) as connection:
        rows = (await connection.execute(text("select content from fiscal_record order by position"))).scalars()
        return [etree.fromstring(content).findtext(f"{SF}TipoFactura") for content in rows]


async def test_a_refund_of_a_sale_makes_its_corrective_invoice_sealed_and_paid(kernel, ana, till):
    sold = await till.sells(24.2, line(10, quantity=2), paymentMethod="card")

    back = await till.refunds(sold, 24.2, line(10, quantity=2), paymentMethod="card")

    note = await ana.get(f"/api/invoices/{back['creditNoteId']}")
    original = await ana.get(f"/api/invoices/{sold['invoiceId']}")
    assert (back["invoiceId"], note["rectifies"]) == (sold["invoiceId"], sold["invoiceId"])
    assert (note["number"], note["total"], note["status"], note["balance"]) == (f"R{YEAR}-0001", -24.2, "paid", 0)
    assert (note["correctionReason"], note["einvoice"]["status"]) == ("R5", "pending")
    assert (original["status"], original["balance"], original["rectifiedBy"]) == ("paid", 0, [note["id"]])
    assert await kinds(kernel, ana) == ["F2", "R5"]
    [payment] = await ana.get(f"/api/invoices/{note['id']}/payments")
    assert (payment["amount"], payment["method"]) == (-24.2, "card")
    totals = (await ana.get(till.path))["totals"]
    assert (totals["sales"], totals["refunds"], totals["card"]) == (24.2, 24.2, 0)


async def test_a_refund_is_dated_today_and_never_before_its_sale(ana):
    api = Api(ana.client, {"x-api-key": ana.api_key})  # no clock ends the key
    till = await Till.of(api)
    with time_machine.travel(datetime(2026, 11, 24, 3, tzinfo=UTC), tick=True):
        sold = await till.sells(24.2, line(10, quantity=2))
        await api.put("/api/teams/current", {"timezone": "Pacific/Pago_Pago"})  # where it is the day before
        problem = await till.refuses_to_refund(sold, 24.2)
        assert [one["type"] for one in (await api.get(till.path))["movements"]] == ["sale"]
    with time_machine.travel(datetime(2026, 11, 26, 3, tzinfo=UTC), tick=True):
        back = await till.refunds(sold, 24.2)

    assert [error["field"] for error in problem["errors"]] == ["issueDate"]
    dates = [(await api.get(f"/api/invoices/{one}"))["issueDate"] for one in (sold["invoiceId"], back["creditNoteId"])]
    assert dates == ["2026-11-24", "2026-11-25"]


async def test_the_books_are_as_if_nothing_had_been_sold(ana, till):
    sold = await till.sells(35.01, line(10, quantity=3, taxRate=10), line(1.66, taxRate=21))

    await till.refunds(sold, 35.01)

    profit = await ana.get("/api/expenses/profit-loss")
    taxes = await ana.get("/api/expenses/tax-summary")
    cash = await ana.get("/api/expenses/cashflow")
    assert (profit["income"], taxes["output"]["tax"], cash["months"][-1]["net"]) == (0, 0, 0)


async def test_goods_come_back_once(ana, till, cup):
    sold = await till.sells(36.3, {"catalogItemId": cup["id"], "quantity": 3})
    after_sale = (await ana.get("/api/catalog"))[0]["stock"]

    await till.refunds(sold, 12.1, {"catalogItemId": cup["id"], "quantity": 1})

    assert (after_sale, (await ana.get("/api/catalog"))[0]["stock"]) == (7, 8)


@pytest.mark.parametrize(("amount", "status"), [(12.1, 200), (12.12, 200), (12.13, 400), (24.2, 400)])
async def test_refunds_of_a_sale_never_exceed_it_in_sum(kernel, till, amount, status):
    sold = await till.sells(24.2, line(10, quantity=2))
    await till.refunds(sold, 12.1, line(10))
    before = await row_counts(kernel)

    answer = await till.api.request(
        "POST",
        f"{till.path}/movement",
        {"type": "refund", "amount": amount, "description": "x", "invoiceId": sold["invoiceId"]},
    )

    assert answer.status_code == status, answer.text
    if status == 400:
        assert answer.json()["errors"][0]["field"] == "amount"
        assert "12.1" in answer.json()["detail"]
        assert await row_counts(kernel) == before


async def test_no_more_pieces_come_back_than_went_out(till, cup):
    sold = await till.sells(24.2, {"catalogItemId": cup["id"], "quantity": 2})
    await till.refunds(sold, 12.1, {"catalogItemId": cup["id"], "quantity": 1})

    problem = await till.refuses_to_refund(sold, 2.42, {"catalogItemId": cup["id"], "quantity": 2, "unitPrice": 1})

    assert problem["errors"][0]["field"] == "lineItems"
    assert "1 are out" in problem["detail"]


async def test_nothing_comes_back_that_was_not_sold(till):
    sold = await till.sells(12.1, line(10, taxRate=21))

    problem = await till.refuses_to_refund(sold, 11, line(10, taxRate=10))

    assert problem["errors"][0]["field"] == "lineItems"


async def test_a_part_without_lines_is_a_line_of_its_own(ana, till):
    sold = await till.sells(24.2, line(10, quantity=2))

    back = await till.refunds(sold, 5)

    note = await ana.get(f"/api/invoices/{back['creditNoteId']}")
    assert (note["total"], [one["description"] for one in note["items"]]) == (-5, ["Mostrador"])


async def test_a_part_of_several_taxes_needs_lines(till):
    sold = await till.sells(23.1, line(10, taxRate=21), line(10, taxRate=10))

    problem = await till.refuses_to_refund(sold, 5)

    assert problem["errors"][0]["field"] == "lineItems"


async def test_an_ordinary_invoice_gets_an_r1_of_what_was_paid_of_it(kernel, ana, till):
    invoice = await ana.invoice(items=[item(unitPrice=100)])
    await ana.patch(f"/api/invoices/{invoice['id']}/pay", {"amount": 50})
    sold = {"invoiceId": invoice["id"]}

    problem = await till.refuses_to_refund(sold, 50.03)
    back = await till.refunds(sold, 30)

    note = await ana.get(f"/api/invoices/{back['creditNoteId']}")
    now = await ana.get(f"/api/invoices/{invoice['id']}")
    assert problem["errors"][0]["field"] == "amount"
    assert (note["correctionReason"], note["total"], note["client"]["name"]) == ("R1", -30, "Talleres Norte, S.L.")
    assert (note["status"], note["balance"], now["balance"]) == ("paid", 0, 71)
    assert await kinds(kernel, ana) == ["F1", "R1"]


async def test_a_member_takes_back_sales_but_corrects_no_ordinary_invoice(kernel, ana, client):
    rosa = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")
    invoice = await ana.invoice(items=[item(unitPrice=100)])
    await ana.patch(f"/api/invoices/{invoice['id']}/pay")
    till = await Till.of(rosa)
    sold = await till.sells(12.1, line(10))

    back = await till.refunds(sold, 12.1)
    problem = await till.refuses_to_refund({"invoiceId": invoice["id"]}, 121, status=403)

    assert back["creditNoteId"] is not None
    assert problem["code"] == "FORBIDDEN_ROLE"


async def test_an_invoice_that_was_not_emitted_is_only_linked(ana, till):
    invoice = await ana.invoice()

    back = await till.refunds({"invoiceId": invoice["id"]}, 10, line(10, taxRate=21))

    assert (back["invoiceId"], back["creditNoteId"]) == (invoice["id"], None)


async def test_with_electronic_invoicing_off_a_refund_is_money_only(client):
    eva = await Api.register(client, "eva@example.com")
    await eva.post("/api/teams", {"name": "Eva", "country": "ES"})
    till = await Till.of(eva)
    invoice = await eva.invoice()
    await eva.patch(f"/api/invoices/{invoice['id']}/pay")

    back = await till.refunds({"invoiceId": invoice["id"]}, 9999)

    assert (back["invoiceId"], back["creditNoteId"]) == (invoice["id"], None)
