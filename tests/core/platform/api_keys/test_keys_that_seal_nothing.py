"""A key without the scope `fiscal` gives no number: paying, sending, selling and emitting seal nothing with it."""

import pytest

from support.api import Api
from support.database import row_counts, set_role
from support.scopes import with_scoped_key
from support.tills import Till, line, sale


@pytest.fixture
async def writer(ana) -> Api:
    return await with_scoped_key(ana, "read", "write")


@pytest.fixture
async def sealing(ana) -> Api:
    return await with_scoped_key(ana, "read", "write", "fiscal")


async def assert_seals_nothing(kernel, caller: Api, method: str, path: str, body=None) -> None:
    before = await row_counts(kernel)

    problem = await caller.refused(403, method, path, body)

    assert (problem["code"], problem["requiredScope"]) == ("INSUFFICIENT_SCOPE", "fiscal")
    assert problem["requiredPermission"] == "einvoice:emit"
    assert await row_counts(kernel) == before


@pytest.mark.parametrize(
    ("row", "body"),
    [
        ("PATCH /api/invoices/{id}/pay", {}),
        ("PATCH /api/invoices/{id}/pay", {"amount": 10}),
        ("PATCH /api/invoices/{id}/send", None),
        ("POST /api/einvoice/emit", {"invoiceId": "{id}"}),
        ("POST /api/einvoice", {"invoiceId": "{id}"}),
    ],
)
async def test_a_draft_stays_untouched(kernel, ana, writer, row, body):
    draft = await ana.invoice()
    method, path = row.replace("{id}", draft["id"]).split()
    body = {name: draft["id"] if value == "{id}" else value for name, value in body.items()} if body else body

    await assert_seals_nothing(kernel, writer, method, path, body)

    assert await ana.get(f"/api/invoices/{draft['id']}") == draft


async def test_an_issued_invoice_is_neither_annulled_nor_credited(kernel, ana, writer):
    issued = await ana.patch(f"/api/invoices/{(await ana.invoice())['id']}/pay")
    fiscal_id = issued["einvoice"]["fiscalId"]
    annulment = {"fiscalId": fiscal_id, "reason": "prueba"}
    credit = {"invoiceId": issued["id"], "originalFiscalId": fiscal_id, "originalDate": issued["issueDate"]}

    await assert_seals_nothing(kernel, writer, "POST", "/api/einvoice/annul", annulment)
    await assert_seals_nothing(kernel, writer, "POST", "/api/einvoice/credit-note", credit)

    assert await ana.get(f"/api/invoices/{issued['id']}") == issued


async def test_the_till_neither_sells_nor_refunds_with_an_invoice(kernel, ana, writer):
    till = await Till.of(ana)
    sold = await till.sells(12.1, line(10))
    refund = {**sale(12.1, line(10)), "type": "refund", "invoiceId": sold["invoiceId"]}

    for body in (sale(12.1, line(10)), refund):
        await assert_seals_nothing(kernel, writer, "POST", f"{till.path}/movement", body)


async def test_what_is_issued_already_is_paid_and_money_moves(ana, writer):
    draft = await ana.invoice()
    await ana.patch(f"/api/invoices/{draft['id']}/pay", {"amount": 10})
    till = await Till.of(writer)

    paid = await writer.patch(f"/api/invoices/{draft['id']}/pay")

    assert paid["status"] == "paid"
    await till.takes({"type": "cash_in", "amount": 20, "description": "Cambio"})


@pytest.mark.usefixtures("unreported")
async def test_without_einvoicing_nothing_is_sealed_and_nothing_refused(ana, writer):
    draft = await ana.invoice()

    assert (await writer.patch(f"/api/invoices/{draft['id']}/pay"))["number"] is not None


async def test_a_key_with_the_scope_seals(ana, sealing):
    draft = await ana.invoice()

    paid = await sealing.patch(f"/api/invoices/{draft['id']}/pay")

    assert paid["einvoice"]["status"] == "pending"


async def test_a_member_sells_with_a_key_that_covers_it_and_with_no_other(kernel, ana, client):
    rosa = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")
    till = await Till.of(rosa)
    body = sale(12.1, line(10))

    await assert_seals_nothing(
        kernel, await with_scoped_key(rosa, "read", "write"), "POST", f"{till.path}/movement", body
    )
    answer = await (await with_scoped_key(rosa, "write", "fiscal")).post(f"{till.path}/movement", body)

    assert answer["movements"][-1]["invoiceId"] is not None
