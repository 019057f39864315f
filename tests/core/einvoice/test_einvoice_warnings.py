"""Warnings of an emission's answer: a clock that is wrong, taxes that are hardly meant so."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from ledgerkit.core.platform.request.clock_watch import ClockWatch, Reference
from ledgerkit.providers.es.sandbox.faults import Fault, HttpAnswer
from support.api import item
from support.office import emit

EMIT = "/api/einvoice/emit"


@pytest.fixture
def watch(office):
    """Watch over other clocks; the authority's is right again at the end."""
    watch = office.kernel.service(ClockWatch)
    watch.hears = True
    yield watch
    watch.note(Reference.AUTHORITY, datetime.now(UTC))
    watch.hears = False


def credit(draft, emitted):
    return {"invoiceId": draft["id"], "originalFiscalId": emitted["fiscalId"], "originalDate": draft["issueDate"]}


async def test_a_right_clock_is_no_warning(ana):
    assert (await emit(ana, await ana.invoice()))["warnings"] == []


async def test_a_wrong_clock_is_warned_of_by_emission_and_credit_note(watch, ana):
    watch.note(Reference.AUTHORITY, datetime.now(UTC) - timedelta(minutes=2))
    draft = await ana.invoice()

    emitted = (await ana.request("POST", EMIT, {"invoiceId": draft["id"]}, **{"accept-language": "es"})).json()
    credited = await ana.post("/api/einvoice/credit-note", credit(draft, emitted))

    (spanish,), (english,) = emitted["warnings"], credited["warnings"]
    assert spanish.startswith("CLOCK_WRONG: el reloj del servidor va 12")
    assert english.startswith("CLOCK_WRONG: the server's clock is 12")


async def test_the_date_of_the_authoritys_answer_is_heard(watch, office, ana):
    said = format_datetime(datetime.now(UTC) + timedelta(minutes=3), usegmt=True)
    office.authority.faults.add(Fault(http=HttpAnswer(status=500, headers=(("Date", said),))))

    emitted = await emit(ana, await ana.invoice())

    (warning,) = emitted["warnings"]
    assert warning.startswith("CLOCK_WRONG: the server's clock is -1")
    assert watch.offsets()[Reference.AUTHORITY].total_seconds() == pytest.approx(-180, abs=20)


async def test_domestic_vat_for_a_foreign_business_is_warned_of_by_its_emission_and_dry_run(ana):
    german = {"name": "Beispiel GmbH", "taxId": "DE811569869", "country": "DE", "address": "Hauptstr. 1"}
    draft = await ana.invoice(client=german)

    rehearsed = (await ana.request("POST", EMIT, {"invoiceId": draft["id"]}, **{"Dry-Run": "true"})).json()
    emitted = await emit(ana, draft)

    (warning,) = emitted["warnings"]
    assert warning.startswith("FOREIGN_BUSINESS_DOMESTIC_VAT: ")
    assert rehearsed["answer"]["warnings"] == [warning]


async def test_what_the_form_of_an_invoice_lacks_is_warned_of_by_its_emission_and_stops_nothing(ana):
    company = {"name": "Talleres Sur, S.L.", "taxId": "B12345674", "country": "ES"}
    simplified = await ana.invoice(docType="simplified", client=None, items=[item(unitPrice=400)])

    emitted = [await emit(ana, simplified), await emit(ana, await ana.invoice(client=company))]

    assert [one["status"] for one in emitted] == ["accepted", "accepted"]
    assert [[said.partition(":")[0] for said in one["warnings"]] for one in emitted] == [
        ["SIMPLIFIED_LIMIT"],
        ["ADDRESS_MISSING"],
    ]
