"""Documents that were numbered without a record, by earlier versions or with e-invoicing off: listed and repaired."""

import pytest
from sqlalchemy import text

from ledgerkit.commands.examining import einvoicing
from ledgerkit.commands.examining.findings import Weight
from support.api import CLIENT, item
from support.database import as_owner
from support.issuing import as_earlier_versions_did
from support.office import emit
from support.periods import YEAR

VERIFY = "/api/einvoice/chain?verify=true"
FORGED = (
    "update invoice set status = 'sent', number = 'F2026-0099', issued_at = now(), einvoice = '{}',"
    " issue_date = current_date, due_date = current_date, term_days = null,"
    " fiscal_standing = 'held' where id = :id"
)


async def numbered_by_an_earlier_version(office, api, **fields):
    """An invoice that `pay` of an earlier version numbered after the account's first record."""
    await emit(api, await api.invoice())
    invoice = await api.invoice(**fields)
    async with as_earlier_versions_did(office, api):
        await api.patch(f"/api/invoices/{invoice['id']}/pay", {"amount": 1})
    return await api.get(f"/api/invoices/{invoice['id']}")


async def change(office, statement: str, **values) -> None:
    async with as_owner(office.kernel) as connection:
        await connection.execute(text(statement), values)


async def test_with_records_for_all_documents_nothing_is_named(ana):
    await emit(ana, await ana.invoice())

    overview = await ana.get(VERIFY)

    assert overview["verification"]["ok"]
    assert overview["unrecorded"] == {
        "count": 0,
        "documents": [],
        "others": {},
        "importedCount": 0,
        "imported": [],
    }
    assert (await ana.get("/api/einvoice/chain"))["unrecorded"] is None
    assert (await ana.get("/api/einvoice/providers"))["unrecorded"] == 0


async def test_a_document_numbered_by_an_earlier_version_is_named_with_its_remedy(office, ana):
    unrecorded = await numbered_by_an_earlier_version(office, ana)

    overview = await ana.get(VERIFY)

    assert (overview["verification"]["ok"], overview["verification"]["firstBreak"]) == (False, None)
    [named] = overview["unrecorded"]["documents"]
    assert (overview["unrecorded"]["count"], named["number"], named["deleted"]) == (1, unrecorded["number"], False)
    assert f'POST /api/einvoice/emit {{"invoiceId": "{unrecorded["id"]}"}}' in named["remedy"]
    assert (await ana.get("/api/einvoice/providers"))["unrecorded"] == 1


async def test_the_remedy_is_in_the_callers_language(office, ana):
    unrecorded = await numbered_by_an_earlier_version(office, ana)
    emitted, spanish = await emit(ana, await ana.invoice()), {"Accept-Language": "es"}
    await ana.patch(f"/api/invoices/{emitted['invoiceId']}/pay")

    [named] = (await ana.request("GET", VERIFY, **spanish)).json()["unrecorded"]["documents"]
    deleted = (await ana.request("DELETE", f"/api/invoices/{emitted['invoiceId']}", **spanish)).json()
    annulment = {"fiscalId": emitted["fiscalId"], "reason": "Emitida por error"}
    annulled = (await ana.request("POST", "/api/einvoice/annul", annulment, **spanish)).json()

    assert named["remedy"].startswith(f'Emítelo (POST /api/einvoice/emit {{"invoiceId": "{unrecorded["id"]}"}})')
    assert "sigue en los libros" in deleted["warning"]
    assert f'{{"fiscalId": "{emitted["fiscalId"]}", "reason": ...}}' in deleted["warning"]
    assert "ya no cuenta" in annulled["warning"]


async def test_the_doctor_names_the_issuer_of_a_document_without_a_record(office, ana):
    before = [one async for one in einvoicing.of_issuers(office.kernel)]
    await numbered_by_an_earlier_version(office, ana)

    (finding,) = [one async for one in einvoicing.of_issuers(office.kernel) if one not in before]

    assert finding.weight is Weight.MISSING
    assert "1 document has a number and no fiscal record" in finding.line("en")
    assert finding.line("es").endswith(f"ledgerkit verifactu verify --account {ana.team['id']}")


async def test_emitting_it_seals_it_late_and_nothing_is_named_any_more(office, ana):
    unrecorded = await numbered_by_an_earlier_version(office, ana)

    late = await emit(ana, unrecorded)

    assert (late["status"], late["number"]) == ("accepted", unrecorded["number"])
    assert [record.number for record in await office.records(ana)] == [f"F{YEAR}-0001", f"F{YEAR}-0002"]
    assert office.authority.chain_breaks(ana.team["taxId"]) == ()
    overview = await ana.get(VERIFY)
    assert (overview["verification"]["ok"], overview["unrecorded"]["count"]) == (True, 0)


async def test_a_deleted_document_is_restored_and_emitted(office, ana):
    unrecorded = await numbered_by_an_earlier_version(office, ana)
    await change(office, "update invoice set deleted_at = now() where id = :id", id=unrecorded["id"])

    [named] = (await ana.get(VERIFY))["unrecorded"]["documents"]
    await ana.post(f"/api/invoices/{unrecorded['id']}/restore")

    assert named["deleted"]
    assert f"/api/invoices/{unrecorded['id']}/restore" in named["remedy"]
    assert (await emit(ana, unrecorded))["status"] == "accepted"
    assert (await ana.get(VERIFY))["verification"]["ok"]


async def test_documents_issued_before_the_first_record_owe_none(office, ana):
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

    overview = await ana.get(VERIFY)

    assert (overview["verification"]["ok"], overview["unrecorded"]["count"]) == (True, 0)
    assert overview["unrecorded"]["others"] == {"earlier_version": 1, "no_tax_id": 1, "chosen": 1}


async def test_a_document_stamped_with_a_record_that_is_missing_is_named(office, ana):
    """The database is changed past the application."""
    await emit(ana, await ana.invoice())
    draft = await ana.invoice()
    await change(office, FORGED, id=draft["id"])

    overview = await ana.get(VERIFY)

    assert not overview["verification"]["ok"]
    assert [one["number"] for one in overview["unrecorded"]["documents"]] == ["F2026-0099"]
    await change(office, "delete from invoice where id = :id", id=draft["id"])


async def test_each_account_sees_only_its_own_documents(office, ana):
    berta = await office.account("Berta Gil")
    await numbered_by_an_earlier_version(office, berta)
    await emit(ana, await ana.invoice())

    assert (await ana.get(VERIFY))["unrecorded"]["count"] == 0


# ---------------------------------------------------------------- while e-invoicing is on, it stays


FIXED = [{"items": [item(unitPrice=1)]}, {"issueDate": "2026-01-01"}, {"taxRate": 10}, {"currency": "USD"}]


@pytest.mark.parametrize("changes", FIXED)
async def test_amounts_and_dates_of_a_document_without_a_record_stay(office, ana, changes):
    unrecorded = await numbered_by_an_earlier_version(office, ana)

    problem = await ana.refused(400, "PUT", f"/api/invoices/{unrecorded['id']}", changes)

    assert problem["code"] == "INVOICE_LOCKED"
    assert "POST /api/einvoice/emit" in problem["remedy"]


async def test_fields_that_prevent_its_emission_can_be_corrected(office, ana):
    unrecorded = await numbered_by_an_earlier_version(office, ana, client={"name": "Sin NIF"})
    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": unrecorded["id"]})

    await ana.put(f"/api/invoices/{unrecorded['id']}", {"client": CLIENT, "notes": "Gracias"})

    assert problem["code"] == "FISCAL_CHECK_FAILED"
    assert (await emit(ana, unrecorded))["status"] == "accepted"


async def test_a_document_that_owes_a_record_is_not_deleted(office, ana):
    unrecorded = await numbered_by_an_earlier_version(office, ana)

    problem = await ana.refused(400, "DELETE", f"/api/invoices/{unrecorded['id']}")

    assert problem["code"] == "INVOICE_LOCKED"
    assert await ana.get(f"/api/invoices/{unrecorded['id']}") == unrecorded


async def test_a_draft_can_be_deleted(ana):
    draft = await ana.invoice()

    assert await ana.delete(f"/api/invoices/{draft['id']}") == {"ok": True, "warning": None}


async def test_a_document_without_a_tax_id_becomes_an_invoice_with_its_record(office, ana):
    tax_id = ana.team["taxId"]
    await ana.put("/api/teams/current", {"taxId": None})
    paid = await ana.patch(f"/api/invoices/{(await ana.invoice())['id']}/pay")
    await ana.put("/api/teams/current", {"taxId": tax_id})

    await emit(ana, paid)

    recorded = await ana.get(f"/api/invoices/{paid['id']}")
    assert (paid["issuerIncomplete"], recorded["issuerIncomplete"], recorded["warnings"]) == (True, False, [])
