"""Every operation that numbers a document seals its record in the same transaction, or does not number it (ADR 17)."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from asyncpg import CheckViolationError

from ledgerkit.core.einvoice.issuance import operations as issuance
from ledgerkit.core.operation.installation.server import scheduled_jobs
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.request.operation import OPERATIONS
from ledgerkit.core.sales.invoices.api import Payment
from ledgerkit.core.sales.invoices.issuance import day, lifecycle
from support.api import item
from support.callgraph import leads_to
from support.office import Office, cloned, emit, opened, settled, withheld
from support.periods import YEAR
from support.tills import Till, line

WITHOUT_A_RECORD = (
    "select number from invoice where number is not null and not exists"
    " (select 1 from fiscal_record r where r.account_id = invoice.account_id and r.invoice_id = invoice.id)"
)


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Office]:
    """An application of its own: other tests give numbers past the application."""
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, einvoice_wait=20) as office:
        yield office


async def emits(api):
    """An invoice; tickets, and the full invoice that they are exchanged for; a prepared credit note."""
    invoice = await api.invoice()
    tickets = [await api.invoice(docType="simplified", items=[item(unitPrice=10)]) for _ in range(2)]
    for one in (invoice, *tickets):
        await emit(api, one)
    await emit(api, await api.invoice(items=None, substitutes=[one["id"] for one in tickets]))
    await emit(api, await api.invoice(docType="credit_note", rectifies=invoice["id"], items=[item(unitPrice=-1)]))
    return 5


async def gives_back(api):
    """The credit note of an emitted invoice, made at once and from a draft."""
    invoice = await api.invoice()
    fiscal = await emit(api, invoice)
    draft = await api.invoice(docType="credit_note", rectifies=invoice["id"], items=[item(unitPrice=-200)])
    named = {"originalFiscalId": fiscal["fiscalId"], "originalDate": invoice["issueDate"]}
    for one in (draft, invoice):
        await api.post("/api/einvoice/credit-note", {"invoiceId": one["id"], **named})
    return 3


async def sells(api):
    """A sale at a till, and its refund."""
    till = await Till.of(api)
    sale = await till.sells(24.2, line(10, quantity=2))
    await till.refunds(sale, 12.1)
    return 2


async def sends(api):
    await api.patch(f"/api/invoices/{(await api.invoice())['id']}/send")
    return 1


async def pays(api):
    """Payments in full and in part, and one of a credit note back to the client."""
    paid_in_full, part = await api.invoice(), await api.invoice()
    await api.patch(f"/api/invoices/{paid_in_full['id']}/pay")
    await api.patch(f"/api/invoices/{part['id']}/pay", {"amount": 1})
    note = await api.invoice(docType="credit_note", rectifies=paid_in_full["id"], items=[item(unitPrice=-1200)])
    await api.patch(f"/api/invoices/{note['id']}/pay")
    return 3


SCENES = {
    "einvoice.emit": emits,
    "einvoice.issuance.credit_note": gives_back,
    "einvoice.issuance.send_invoice": sends,
    "einvoice.issuance.pay": pays,
    "cash_register.move": sells,
}
"""Calls of each operation that can give a number; each returns the count of documents that it has numbered."""


def test_every_operation_that_can_number_has_a_scene():
    """A new operation fails here until it has its scene. No job gives numbers."""
    numbering = {name for name, one in OPERATIONS.items() if leads_to(one.function, lifecycle.issue)}

    assert numbering == set(SCENES)
    assert not leads_to(scheduled_jobs.all_jobs, lifecycle.issue)


@pytest.mark.parametrize("name", SCENES)
async def test_every_number_given_has_its_record(office, ana, name):
    count = await SCENES[name](ana)

    numbered = await office.rows(
        "select id from invoice where account_id = :a and number is not null", a=ana.team["id"]
    )
    records = await office.records(ana)
    assert len(numbered) == count
    assert {row.id for row in numbered} == {record.invoice_id for record in records}
    assert office.authority.chain_breaks(ana.team["taxId"]) == ()


async def test_nobody_in_the_database_has_a_number_without_a_record(office):
    """Look at an account that has numbered in every way, and at those of the other tests here."""
    busy = await office.account()
    count = sum([await scene(busy) for scene in SCENES.values()])
    numbered = await office.rows(
        "select id from invoice where account_id = :a and number is not null", a=busy.team["id"]
    )
    assert len(numbered) == count > len(SCENES)
    off = "account_id in (select id from account where einvoicing = 'off' or tax_id is null)"

    assert await office.rows(f"{WITHOUT_A_RECORD} and not {off}") == []


async def test_the_database_refuses_a_number_without_a_record(office, ana):
    draft = await ana.invoice()
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))

    async def issue():
        async with ctx.transaction() as inner:
            row = await day.dated(inner, await lifecycle.fetch_locked(inner, draft["id"]))
            await lifecycle.issue(inner, row)

    with pytest.raises(CheckViolationError, match="numbered_with_its_record"):
        await issue()

    assert await ana.get(f"/api/invoices/{draft['id']}") == draft
    assert (await emit(ana, draft))["number"] == f"F{YEAR}-0001"


# ---------------------------------------------------------------- the checks come first

UNREPORTABLE = {
    "a currency": {"currency": "USD"},
    "a client without what the law wants": {"client": {"name": "Sin NIF", "email": "sin@nif.example"}},
}


@pytest.mark.parametrize("fields", UNREPORTABLE)
@pytest.mark.parametrize("call", ["pay", "send"])
async def test_a_document_that_cannot_be_reported_cannot_be_numbered(office, ana, fields, call):
    draft = await ana.invoice(**UNREPORTABLE[fields])

    problem = await ana.refused(400, "PATCH", f"/api/invoices/{draft['id']}/{call}")

    assert problem["code"] == "FISCAL_CHECK_FAILED"
    assert problem["errors"]
    assert await ana.get(f"/api/invoices/{draft['id']}") == draft
    assert await office.records(ana) == []
    assert (await emit(ana, await ana.invoice()))["number"] == f"F{YEAR}-0001"


@pytest.mark.parametrize("call", ["pay", "send"])
async def test_the_plans_limit_holds_for_every_way_to_a_number(office, ana, call):
    draft, before = await ana.invoice(), office.kernel.settings
    object.__setattr__(office.kernel, "settings", before.model_copy(update={"einvoice_limit": 0}))
    try:
        problem = await ana.refused(402, "PATCH", f"/api/invoices/{draft['id']}/{call}")
    finally:
        object.__setattr__(office.kernel, "settings", before)

    assert problem["code"] == "EINVOICE_LIMIT"
    assert await ana.get(f"/api/invoices/{draft['id']}") == draft


# ---------------------------------------------------------------- and nobody waits


@pytest.mark.whole
@pytest.mark.parametrize("call", ["pay", "send"])
async def test_paying_and_sending_do_not_wait_for_the_authority(office, ana, call):
    draft = await ana.invoice()

    # Who waits for the authority does so for einvoice_wait, and gets the same answer then.
    with withheld():
        async with asyncio.timeout(office.kernel.settings.einvoice_wait - 2):
            answer = await ana.patch(f"/api/invoices/{draft['id']}/{call}")

    invoice = answer.get("invoice", answer)
    assert (invoice["number"], invoice["einvoice"]["status"]) == (f"F{YEAR}-0001", "pending")
    assert (await settled(ana, draft))["status"] == "accepted"


async def test_a_repeated_payment_makes_no_second_record(office, ana):
    draft = await ana.invoice()

    for _ in range(2):
        await ana.patch(f"/api/invoices/{draft['id']}/pay")
    answer = await emit(ana, draft)

    assert answer["status"] == "accepted"
    assert len(await office.records(ana)) == 1


async def test_a_request_from_before_the_switch_to_on_seals_its_number(office, ana):
    """The request comes in while e-invoicing is off, and numbers once it is on."""
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    draft = await ana.invoice()
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))
    await ana.put("/api/teams/current", {"einvoicing": "on"})

    paid = await issuance.pay(ctx, draft["id"], Payment())

    assert paid.einvoice is not None
    assert len(await office.records(ana)) == 1


# ---------------------------------------------------------------- the switch and the first record at the same time


async def paid(api, draft):
    return await api.request("PATCH", f"/api/invoices/{draft['id']}/pay")


async def emitted(api, draft):
    return await api.request("POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})


async def switched_off(api):
    return await api.request("PUT", "/api/teams/current", {"einvoicing": "off"})


async def assert_one_has_won(office, api, draft, numbering, off):
    """Either e-invoicing is off and the number has no record, or the record is sealed and `off` is refused."""
    team, records = (await api.get("/api/teams/current"))["team"], await office.records(api)
    [row] = await office.rows("select number, unrecorded from invoice where id = :id", id=draft["id"])
    if off.status_code == 200:
        assert (team["einvoicing"], records) == ("off", [])
        assert row.unrecorded == ("chosen" if row.number else None)
    else:
        assert (off.status_code, off.json()["code"]) == (409, "EINVOICING_STARTED")
        assert (team["einvoicing"], len(records), row.unrecorded) == ("on", 1, None)
    assert (numbering.status_code == 200) == (row.number is not None)
    if numbering.status_code != 200:
        assert numbering.json()["code"] == "EINVOICING_OFF"


@pytest.mark.parametrize("number", [paid, emitted])
async def test_off_and_the_first_record_at_the_same_time_have_one_winner(office, number):
    for place in range(8):
        api = await office.account()
        draft = await api.invoice()
        both = [number(api, draft), switched_off(api)]
        answers = await asyncio.gather(*(both if place % 2 else reversed(both)))
        numbering, off = answers if place % 2 else reversed(answers)

        await assert_one_has_won(office, api, draft, numbering, off)


async def test_a_request_from_before_off_numbers_without_a_record(office, ana):
    """The request comes in while e-invoicing is on, and numbers once it is off."""
    draft = await ana.invoice()
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))
    assert (await switched_off(ana)).status_code == 200

    invoice = await issuance.pay(ctx, draft["id"], Payment())

    assert (invoice.number, invoice.einvoice) == (f"F{YEAR}-0001", None)
    assert await office.records(ana) == []
    [row] = await office.rows("select unrecorded from invoice where id = :id", id=draft["id"])
    assert row.unrecorded == "chosen"


async def test_several_first_records_at_the_same_time_are_all_sealed(office, ana):
    drafts = [await ana.invoice() for _ in range(6)]

    answers = await asyncio.gather(*(paid(ana, draft) for draft in drafts))

    assert {answer.status_code for answer in answers} == {200}
    assert [record.position for record in await office.records(ana)] == [1, 2, 3, 4, 5, 6]
