"""What was numbered without a record, by earlier versions or while e-invoicing was off: found, named, and mended."""

import pytest
from sqlalchemy import text

from ledgerkit.commands.examining import einvoicing
from ledgerkit.commands.examining.findings import Weight
from support.api import CLIENT, item
from support.database import as_owner
from support.issuing import as_earlier_versions_did
from support.office import emit

VERIFY = "/api/einvoice/chain?verify=true"
FORGED = (
    "update invoice set status = 'sent', number = 'F2026-0099', issued_at = now(), einvoice = '{}',"
    " fiscal_standing = 'held' where id = :id"
)


async def left_by_an_earlier_version(office, api, **fields):
    """An invoice that `pay` of an earlier version numbered after the account's first record."""
    await emit(api, await api.invoice())
    made = await api.invoice(**fields)
    async with as_earlier_versions_did(office, api):
        await api.patch(f"/api/invoices/{made['id']}/pay", {"amount": 1})
    return await api.get(f"/api/invoices/{made['id']}")


async def change(office, statement: str, **values) -> None:
    async with as_owner(office.kernel) as connection:
        await connection.execute(text(statement), values)


async def test_with_records_for_all_there_is_nothing_to_say(ana):
    await emit(ana, await ana.invoice())

    found = await ana.get(VERIFY)

    assert found["verification"]["ok"]
    assert found["unrecorded"] == {"count": 0, "documents": [], "others": {}}
    assert (await ana.get("/api/einvoice/chain"))["unrecorded"] is None
    assert (await ana.get("/api/einvoice/providers"))["unrecorded"] == 0


async def test_what_an_earlier_version_left_is_named_with_what_to_do(office, ana):
    left = await left_by_an_earlier_version(office, ana)

    found = await ana.get(VERIFY)

    assert (found["verification"]["ok"], found["verification"]["firstBreak"]) == (False, None)
    [named] = found["unrecorded"]["documents"]
    assert (found["unrecorded"]["count"], named["number"], named["deleted"]) == (1, left["number"], False)
    assert f'POST /api/einvoice/emit {{"invoiceId": "{left["id"]}"}}' in named["remedy"]
    assert (await ana.get("/api/einvoice/providers"))["unrecorded"] == 1


async def test_what_to_do_is_said_in_the_callers_language(office, ana):
    left = await left_by_an_earlier_version(office, ana)
    emitted, spanish = await emit(ana, await ana.invoice()), {"Accept-Language": "es"}
    await ana.patch(f"/api/invoices/{emitted['invoiceId']}/pay")

    [named] = (await ana.request("GET", VERIFY, **spanish)).json()["unrecorded"]["documents"]
    deleted = (await ana.request("DELETE", f"/api/invoices/{emitted['invoiceId']}", **spanish)).json()
    asked = {"fiscalId": emitted["fiscalId"], "reason": "Emitida por error"}
    annulled = (await ana.request("POST", "/api/einvoice/annul", asked, **spanish)).json()

    assert named["remedy"].startswith(f'Emítelo (POST /api/einvoice/emit {{"invoiceId": "{left["id"]}"}})')
    assert "sigue en los libros" in deleted["warning"]
    assert f'{{"fiscalId": "{emitted["fiscalId"]}", "reason": ...}}' in deleted["warning"]
    assert "ya no cuenta" in annulled["warning"]


async def test_the_doctor_names_whoever_left_one(office, ana):
    before = [one async for one in einvoicing.of_issuers(office.kernel)]
    await left_by_an_earlier_version(office, ana)

    (told,) = [one async for one in einvoicing.of_issuers(office.kernel) if one not in before]

    assert told.weight is Weight.MISSING
    assert "1 documents have a number and no fiscal record" in told.line("en")
    assert told.line("es").endswith(f"ledgerkit verifactu verify --account {ana.team['id']}")


async def test_emitting_it_seals_it_late_and_all_is_well(office, ana):
    left = await left_by_an_earlier_version(office, ana)

    late = await emit(ana, left)

    assert (late["status"], late["number"]) == ("accepted", left["number"])
    assert [record.number for record in await office.records(ana)] == ["F2026-0001", "F2026-0002"]
    assert office.authority.chain_breaks(ana.team["taxId"]) == ()
    found = await ana.get(VERIFY)
    assert (found["verification"]["ok"], found["unrecorded"]["count"]) == (True, 0)


async def test_a_deleted_one_is_brought_back_and_emitted(office, ana):
    left = await left_by_an_earlier_version(office, ana)
    await change(office, "update invoice set deleted_at = now() where id = :id", id=left["id"])

    [named] = (await ana.get(VERIFY))["unrecorded"]["documents"]
    await ana.post(f"/api/invoices/{left['id']}/restore")

    assert named["deleted"]
    assert f"/api/invoices/{left['id']}/restore" in named["remedy"]
    assert (await emit(ana, left))["status"] == "accepted"
    assert (await ana.get(VERIFY))["verification"]["ok"]


async def test_what_was_issued_before_the_first_record_owes_none(office, ana):
    tax_id, drafts = ana.team["taxId"], [await ana.invoice() for _ in range(3)]
    pay = [f"/api/invoices/{draft['id']}/pay" for draft in drafts]
    async with as_earlier_versions_did(office, ana):
        await ana.patch(pay[0])
    await ana.put("/api/teams/current", {"taxId": None})
    await ana.patch(pay[1])
    await ana.put("/api/teams/current", {"taxId": tax_id, "einvoicing": "off"})
    await ana.patch(pay[2])
    await ana.put("/api/teams/current", {"einvoicing": "on"})
    await emit(ana, await ana.invoice())

    found = await ana.get(VERIFY)

    assert (found["verification"]["ok"], found["unrecorded"]["count"]) == (True, 0)
    assert found["unrecorded"]["others"] == {"earlier_version": 1, "no_tax_id": 1, "chosen": 1}


async def test_what_says_that_it_has_a_record_and_has_none_is_found(office, ana):
    """By hands that can write to the database past the application."""
    await emit(ana, await ana.invoice())
    draft = await ana.invoice()
    await change(office, FORGED, id=draft["id"])

    found = await ana.get(VERIFY)

    assert not found["verification"]["ok"]
    assert [one["number"] for one in found["unrecorded"]["documents"]] == ["F2026-0099"]
    await change(office, "delete from invoice where id = :id", id=draft["id"])


async def test_accounts_see_their_own_only(office, ana):
    berta = await office.account("Berta Gil")
    await left_by_an_earlier_version(office, berta)
    await emit(ana, await ana.invoice())

    assert (await ana.get(VERIFY))["unrecorded"]["count"] == 0


# ---------------------------------------------------------------- while e-invoicing is on, it stays


FIXED = [{"items": [item(unitPrice=1)]}, {"issueDate": "2026-01-01"}, {"taxRate": 10}, {"currency": "USD"}]


@pytest.mark.parametrize("changes", FIXED)
async def test_its_amounts_and_dates_stay(office, ana, changes):
    left = await left_by_an_earlier_version(office, ana)

    problem = await ana.refused(400, "PUT", f"/api/invoices/{left['id']}", changes)

    assert problem["code"] == "INVOICE_LOCKED"
    assert "POST /api/einvoice/emit" in problem["remedy"]


async def test_what_keeps_it_from_being_emitted_can_be_mended(office, ana):
    left = await left_by_an_earlier_version(office, ana, client={"name": "Sin NIF"})
    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": left["id"]})

    await ana.put(f"/api/invoices/{left['id']}", {"client": CLIENT, "notes": "Gracias"})

    assert problem["code"] == "FISCAL_CHECK_FAILED"
    assert (await emit(ana, left))["status"] == "accepted"


async def test_it_is_not_deleted(office, ana):
    left = await left_by_an_earlier_version(office, ana)

    problem = await ana.refused(400, "DELETE", f"/api/invoices/{left['id']}")

    assert problem["code"] == "INVOICE_LOCKED"
    assert await ana.get(f"/api/invoices/{left['id']}") == left


async def test_a_draft_is_deleted_as_ever(ana):
    draft = await ana.invoice()

    assert await ana.delete(f"/api/invoices/{draft['id']}") == {"ok": True, "warning": None}
