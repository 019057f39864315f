"""NO VERI*FACTU through the API: the choice of mode, and records that are signed and stored."""

import asyncio
from base64 import b64decode
from datetime import UTC, date, datetime
from uuid import UUID

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID
from lxml import etree
from sqlalchemy import text

from ledgerkit.providers.es.verifactu.signed_mode.signatures import verify
from support.api import item
from support.credentials import encoded, person
from support.office import emit, eventually
from support.periods import YEAR
from support.signed_mode import SF, keep, kinds, report

WAITING = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"


def signed_by(content: bytes) -> str:
    """The common name in the certificate of a record's signature."""
    encoded = etree.fromstring(content).findtext(".//{http://www.w3.org/2000/09/xmldsig#}X509Certificate")
    subject = x509.load_der_x509_certificate(b64decode(encoded)).subject
    return str(subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)


async def test_the_issuers_own_certificate_signs_records_and_log(office, ana):
    one = person(ana.team["taxId"], kind="rsa", given="FIRMA")
    await ana.put("/api/einvoice/certificate", {"file": encoded(one.pem())})
    await keep(ana)

    await emit(ana, await ana.invoice())

    (record,) = await office.records(ana)
    logged = await office.rows("select content from fiscal_event where account_id = :id", id=ana.team["id"])
    assert {signed_by(row.content) for row in (record, *logged)} == {f"RUIZ GIL FIRMA - {ana.team['taxId']}"}


async def test_every_operation_that_numbers_signs_its_record(office, ana):
    await keep(ana)

    paid = await ana.patch(f"/api/invoices/{(await ana.invoice())['id']}/pay")
    sent = await ana.patch(f"/api/invoices/{(await ana.invoice())['id']}/send")

    assert [one["einvoice"]["status"] for one in (paid, sent["invoice"])] == ["kept", "kept"]
    records = await office.records(ana)
    assert [record.number for record in records] == [f"F{YEAR}-0001", f"F{YEAR}-0002"]
    assert all(signed_by(record.content) for record in records)


# ---------------------------------------------------------------- the choice


async def test_everybody_reports_until_something_else_is_chosen(ana):
    mode = await ana.get("/api/einvoice/mode")

    assert mode["mode"] == "verifactu"
    assert (mode["since"], mode["scheduled"]) == (None, None)
    assert mode["choices"] == ["verifactu", "no_verifactu"]


async def test_the_signed_mode_begins_at_once_for_an_issuer_who_has_not_reported(office, ana):
    mode = await keep(ana)

    assert (mode["mode"], mode["scheduled"]) == ("no_verifactu", None)
    assert await kinds(office, ana) == ["started"]


async def test_an_issuer_who_has_reported_reports_to_the_end_of_the_year(office, ana, on_day):
    await emit(ana, await ana.invoice())
    year = datetime.now(UTC).year

    mode = await keep(ana)

    assert (mode["mode"], mode["scheduled"]) == (
        "verifactu",
        {"mode": "no_verifactu", "firstDay": f"{year + 1}-01-01"},
    )
    assert (await emit(ana, await ana.invoice()))["status"] == "accepted"
    on_day(date(year, 12, 31))
    assert (await ana.get("/api/einvoice/mode"))["mode"] == "verifactu"
    on_day(date(year + 1, 1, 1))
    later = await ana.get("/api/einvoice/mode")
    assert (later["mode"], later["scheduled"]) == ("no_verifactu", None)
    assert await kinds(office, ana) == []


async def test_the_last_messages_of_the_year_say_that_reporting_ends(office, ana):
    await emit(ana, await ana.invoice())
    await keep(ana)

    await emit(ana, await ana.invoice())

    message = etree.fromstring(office.authority.received[-1])
    assert [one.text for one in message.iter(f"{SF}SuministroInformacion.xsd}}FechaFinVeriFactu")] == [
        f"31-12-{datetime.now(UTC).year}"
    ]


async def test_a_choice_for_the_next_year_can_be_taken_back(office, ana):
    await emit(ana, await ana.invoice())
    await keep(ana)

    mode = await report(ana)

    assert (mode["mode"], mode["scheduled"]) == ("verifactu", None)
    await emit(ana, await ana.invoice())
    assert b"FechaFinVeriFactu" not in office.authority.received[-1]


async def test_reporting_may_begin_on_any_day(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())

    mode = await report(ana)
    emitted = await emit(ana, await ana.invoice())

    assert mode["mode"] == "verifactu"
    assert emitted["status"] == "accepted"
    assert await kinds(office, ana) == ["started", "summary", "stopped"]


async def test_an_issuer_who_reports_again_and_has_sent_nothing_may_sign_again_at_once(office, ana, on_day):
    await emit(ana, await ana.invoice())
    await keep(ana)
    on_day(date(datetime.now(UTC).year + 1, 1, 2))
    assert (await report(ana))["mode"] == "verifactu"

    mode = await keep(ana)

    assert (mode["mode"], mode["scheduled"]) == ("no_verifactu", None)


@pytest.mark.parametrize("back", [0, 60], ids=["the same second", "a clock put back"])
async def test_a_record_of_the_same_second_binds_to_the_end_of_the_year(ana, stopped_clock, back):
    """A record bears whole seconds, a choice does not: what is reported after the choice counts whatever the clock."""
    stopped_clock()
    await keep(ana)
    await emit(ana, await ana.invoice())
    await report(ana)
    stopped_clock(back)
    assert (await emit(ana, await ana.invoice()))["status"] == "accepted"

    mode = await keep(ana)

    first_day = f"{datetime.now(UTC).year + 1}-01-01"
    assert (mode["mode"], mode["scheduled"]) == ("verifactu", {"mode": "no_verifactu", "firstDay": first_day})
    assert (await emit(ana, await ana.invoice()))["status"] == "accepted"


async def test_choosing_what_is_chosen_changes_nothing(office, ana):
    first = await keep(ana)

    assert await keep(ana) == first
    assert await kinds(office, ana) == ["started"]


async def test_an_unknown_mode_is_refused_with_the_choices(ana):
    problem = await ana.refused(400, "PUT", "/api/einvoice/mode", {"mode": "sometimes"})

    assert problem["errors"][0]["message"] == "is one of verifactu, no_verifactu"


async def test_a_choice_is_in_the_activity(ana):
    await keep(ana)

    feed = await ana.get("/api/invoices/activity/feed")
    changed = next(one for one in feed if one["action"] == "mode_changed")
    assert changed["changes"]["mode"] == {"from": "verifactu", "to": "no_verifactu"}


# ---------------------------------------------------------------- records


async def test_in_the_signed_mode_a_record_is_signed_and_not_sent(office, ana):
    await keep(ana)
    before = len(office.authority.received)

    emitted = await emit(ana, await ana.invoice())

    (record,) = await office.records(ana)
    assert (emitted["status"], record.state, record.attempts) == ("kept", "kept", 0)
    assert emitted["submittedAt"] is None
    verify(record.content, exact=True)
    assert len(office.authority.received) == before
    assert emitted["qrUrl"].startswith("https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQRNoVerifactu?")
    status = await ana.get(f"/api/einvoice/status/{emitted['invoiceId']}")
    assert (status["status"], [one["event"] for one in status["history"]]) == ("kept", ["sealed"])


async def test_signed_and_reported_records_are_one_chain(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    await report(ana)
    await emit(ana, await ana.invoice())

    first, second = await office.records(ana)
    assert second.previous_id == first.id
    root = etree.fromstring(second.content)
    linked = root.findtext(f".//{SF}SuministroInformacion.xsd}}RegistroAnterior/{SF}SuministroInformacion.xsd}}Huella")
    assert linked == first.fingerprint
    assert (first.state, second.state) == ("kept", "accepted")


async def test_an_annulment_is_signed_and_stored_too(office, ana):
    await keep(ana)
    emitted = await emit(ana, await ana.invoice())

    answer = await ana.post("/api/einvoice/annul", {"fiscalId": emitted["fiscalId"], "reason": "never delivered"})

    first, second = await office.records(ana)
    assert (second.kind, second.state, answer["status"]) == ("annul", "kept", "annulled")
    verify(second.content, exact=True)
    assert second.previous_id == first.id
    await report(ana)
    summary = (await office.rows("select content from fiscal_event where kind = 'summary' order by id"))[-1].content
    assert b"NumeroDeRegistrosFacturacionAnulacionGenerados>1<" in summary


async def test_a_request_that_waited_for_a_correction_is_answered_with_that_record(office, ana):
    await keep(ana)
    invoice = await ana.invoice()
    await emit(ana, invoice)
    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [item(regimeKey="11")]})
    body = {"invoiceId": invoice["id"], "correct": True}

    async def both_wait() -> bool:
        return len(await office.rows(WAITING)) == 2

    async with office.kernel.database.transaction(UUID(ana.team["id"])) as lock:
        await lock.execute(text("select 1 from invoice where id = :id for update"), {"id": invoice["id"]})
        callers = [asyncio.create_task(ana.post("/api/einvoice/emit", body)) for _ in range(2)]
        await eventually(both_wait)
    first, second = await asyncio.gather(*callers)

    assert first["id"] == second["id"]
    assert [record.state for record in await office.records(ana)] == ["kept", "kept"]


async def test_every_record_of_a_dual_product_says_so(office, ana):
    await emit(ana, await ana.invoice())

    (record,) = await office.records(ana)
    assert b"TipoUsoPosibleSoloVerifactu>N<" in record.content


async def test_the_mode_of_one_issuer_leaves_the_others_reporting(office, ana):
    other = await office.account("Berta Gil")
    await keep(ana)

    assert (await emit(other, await other.invoice()))["status"] == "accepted"
    assert (await other.get("/api/einvoice/mode"))["mode"] == "verifactu"
