"""After a change of the team's tax identifier, documents of the earlier one are corrected under the earlier one."""

from dataclasses import replace
from uuid import UUID

import pytest
from lxml import etree
from sqlalchemy import text

from ledgerkit.core.einvoice.chain import heads, history
from ledgerkit.core.einvoice.issuance import seals
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.sales.invoices.documents import frozen as documents
from ledgerkit.core.sales.invoices.issuance import lifecycle
from support.api import item
from support.database import as_owner
from support.office import emit, nif
from support.periods import YEAR
from support.printed import texts
from support.signed_mode import keep, signed_mode_office
from support.tills import Till, line

SF = (
    "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
    "SuministroInformacion.xsd}"
)
NEW_NAME, OLD_NAME = "Ruiz y Gil, S.L.", "Ana Ruiz"


@pytest.fixture
def new_nif() -> str:
    return nif(next(_NUMBERS))


_NUMBERS = iter(range(31_000_101, 31_000_200))


async def emitted(api, **fields):
    invoice = await api.invoice(**fields)
    await emit(api, invoice)
    return await api.get(f"/api/invoices/{invoice['id']}")


async def change_nif(api, tax_id):
    await api.put("/api/teams/current", {"taxId": tax_id, "company": NEW_NAME, "address": "Gran Vía 2"})


async def credited(api, invoice, **fields):
    original = {
        "invoiceId": invoice["id"],
        "originalFiscalId": invoice["einvoice"]["fiscalId"],
        "originalDate": invoice["issueDate"],
    }
    return await api.post("/api/einvoice/credit-note", original | fields)


def leaves(record, *path: str) -> list[str]:
    """Texts of the leaves at a path of elements of a record."""
    return [one.text for one in etree.fromstring(record.content).iterfind("/".join(SF + name for name in path))]


def issuers_named(record) -> dict[str, list[str]]:
    return {
        "issuer": leaves(record, "IDFactura", "IDEmisorFactura"),
        "name": leaves(record, "NombreRazonEmisor"),
        "corrected": leaves(record, "FacturasRectificadas", "IDFacturaRectificada", "IDEmisorFactura"),
        "before": leaves(record, "Encadenamiento", "RegistroAnterior", "IDEmisorFactura"),
    }


async def test_a_credit_note_is_of_the_originals_issuer_in_record_chain_and_message(office, ana, new_nif):
    old_nif = ana.team["taxId"]
    original = await emitted(ana)
    await change_nif(ana, new_nif)

    result = await credited(ana, original)

    of_original, of_note = await office.records(ana)
    assert result["status"] == "accepted"
    assert issuers_named(of_note) == {
        "issuer": [old_nif],
        "name": [OLD_NAME],
        "corrected": [old_nif],
        "before": [old_nif],
    }
    assert (of_note.issuer_tax_id, of_note.installation_id) == (old_nif, of_original.installation_id)
    assert result["fiscalId"].startswith(f"{old_nif}:RB{YEAR}-0001:")
    header = etree.fromstring(office.authority.received[-1]).find(f".//{SF}ObligadoEmision")
    assert (header.findtext(f"{SF}NIF"), header.findtext(f"{SF}NombreRazon")) == (old_nif, OLD_NAME)
    assert office.authority.chain_breaks(old_nif) == ()


async def test_what_is_invoiced_after_the_change_is_of_the_new_issuer(office, ana, new_nif):
    await emitted(ana)
    await change_nif(ana, new_nif)

    await emitted(ana)

    record = (await office.records(ana))[-1]
    assert issuers_named(record) == {"issuer": [new_nif], "name": [NEW_NAME], "corrected": [], "before": []}


async def test_the_printed_credit_note_and_its_draft_name_the_originals_issuer(ana, new_nif):
    old_nif = ana.team["taxId"]
    original = await emitted(ana)
    await change_nif(ana, new_nif)
    original_lines = {"docType": "credit_note", "items": [item(quantity=-1)]}
    draft = await ana.post("/api/invoices", {**original_lines, "rectifies": original["id"]})

    of_draft = await ana.request("GET", f"/api/invoices/{draft['id']}/pdf")
    await emit(ana, draft)
    of_note = await ana.request("GET", f"/api/invoices/{draft['id']}/pdf")

    for printed in (" ".join(texts(of_draft.content)), " ".join(texts(of_note.content))):
        assert old_nif in printed
        assert OLD_NAME in printed
        assert new_nif not in printed
        assert "Gran Vía" not in printed


async def test_only_another_tax_id_makes_another_issuer(office, ana):
    original = await emitted(ana)
    await ana.put("/api/teams/current", {"company": NEW_NAME})

    await credited(ana, original)

    record = (await office.records(ana))[-1]
    assert leaves(record, "NombreRazonEmisor") == [NEW_NAME]


async def test_an_annulment_and_an_amendment_stay_with_the_issuer_of_the_record(office, ana, new_nif):
    old_nif = ana.team["taxId"]
    rejected = await ana.invoice(items=[item(description="Identidad visual [sandbox:reject 1124]")])
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": rejected["id"]})
    await change_nif(ana, new_nif)

    await ana.put(f"/api/invoices/{rejected['id']}", {"items": [item()]})
    amended = await emit(ana, rejected)
    annulled = await ana.post("/api/einvoice/annul", {"fiscalId": amended["fiscalId"], "reason": "No hubo operación"})

    _, amendment, annulment = await office.records(ana)
    assert (amended["status"], annulled["status"]) == ("accepted", "annulled")
    assert leaves(amendment, "IDFactura", "IDEmisorFactura") == [old_nif]
    assert leaves(amendment, "Subsanacion") == ["S"]
    assert leaves(annulment, "IDFactura", "IDEmisorFacturaAnulada") == [old_nif]
    assert {amendment.issuer_tax_id, annulment.issuer_tax_id} == {old_nif}
    assert office.authority.chain_breaks(old_nif) == ()


async def test_a_refund_at_the_till_is_of_the_issuer_of_the_sale(office, ana, new_nif):
    old_nif = ana.team["taxId"]
    till = await Till.of(ana)
    sold = await till.sells(12.1, line(12.1, taxRate=21))
    await change_nif(ana, new_nif)

    await till.refunds(sold, 12.1)

    record = (await office.records(ana))[-1]
    assert leaves(record, "TipoFactura") == ["R5"]
    assert issuers_named(record)["issuer"] == issuers_named(record)["corrected"] == [old_nif]


async def test_tickets_are_exchanged_under_their_issuer_and_only_those_of_one(office, ana, new_nif):
    old_nif = ana.team["taxId"]
    old = await emitted(ana, docType="simplified", items=[item(unitPrice=100)])
    await change_nif(ana, new_nif)
    new = await emitted(ana, docType="simplified", items=[item(unitPrice=100)])
    buyer = {"name": "Talleres Norte, S.L.", "taxId": "B12345674", "country": "ES"}

    both = await ana.refused(400, "POST", "/api/invoices", {"client": buyer, "substitutes": [old["id"], new["id"]]})
    full = await ana.post("/api/invoices", {"client": buyer, "substitutes": [old["id"]]})
    await emit(ana, full)

    record = (await office.records(ana))[-1]
    assert both["errors"][0]["field"] == "substitutes"
    assert old_nif in both["detail"]
    assert new_nif in both["detail"]
    assert leaves(record, "TipoFactura") == ["F3"]
    assert leaves(record, "IDFactura", "IDEmisorFactura") == [old_nif]
    assert leaves(record, "FacturasSustituidas", "IDFacturaSustituida", "IDEmisorFactura") == [old_nif]


@pytest.mark.whole
async def test_in_the_signed_mode_the_chain_and_the_events_are_of_the_originals_issuer(
    postgres, tmp_path, cheap_passwords, new_nif
):
    async with signed_mode_office(postgres, tmp_path, cheap_passwords) as office:
        api = await office.account()
        old_nif = api.team["taxId"]
        await keep(api)
        original = await emitted(api)
        await change_nif(api, new_nif)

        note = await credited(api, original)
        await api.post("/api/einvoice/annul", {"fiscalId": note["fiscalId"], "reason": "No hubo operación"})

        records = await office.records(api)
        assert [record.state for record in records] == ["kept"] * len(records)
        assert {record.issuer_tax_id for record in records} == {old_nif}
        assert issuers_named(records[1])["corrected"] == [old_nif]


async def test_a_credit_note_of_the_wrong_issuer_names_the_right_one_when_it_is_corrected(office, ana, new_nif):
    """Earlier versions made it in the name of the new tax identifier, and named an invoice that never existed."""
    old_nif = ana.team["taxId"]
    original = await emitted(ana)
    await change_nif(ana, new_nif)
    other = await emitted(ana)
    note = await credited(ana, other)
    async with as_owner(office.kernel) as connection:
        await connection.execute(
            text("update invoice set rectifies = :original where id = :id"),
            {"original": UUID(original["id"]), "id": UUID(note["invoiceId"])},
        )

    result = await ana.post("/api/einvoice/emit", {"invoiceId": note["invoiceId"], "correct": True})

    record = (await office.records(ana))[-1]
    assert result["status"] == "accepted"
    assert issuers_named(record)["issuer"] == [new_nif]
    assert issuers_named(record)["corrected"] == [old_nif]


async def test_the_digest_of_what_names_no_other_issuer_is_as_before(office, ana):
    original = await emitted(ana)
    note = await credited(ana, original)
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))
    async with ctx.transaction() as inner:
        document = await documents.document(inner, await lifecycle.fetch(inner, note["invoiceId"]))
        (record,) = await history.of_invoice(inner, UUID(note["invoiceId"]))

    named = replace(document.correction.documents[0], issuer_tax_id="B12345674")
    other = replace(document, correction=replace(document.correction, documents=(named,)))
    assert seals.content_digest(document) == record.record.told
    assert seals.content_digest(other) != record.record.told


async def test_events_of_the_earlier_chain_name_the_earlier_issuer(office, ana, new_nif):
    old_nif = ana.team["taxId"]
    await emitted(ana)
    await change_nif(ana, new_nif)
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))
    (record,) = await office.records(ana)

    async with ctx.transaction() as inner:
        head = await heads.lock_head(inner, record.installation_id)
        party = await heads.recorded_issuer(inner, head)

    assert (party.name, party.tax_id) == (OLD_NAME, old_nif)
