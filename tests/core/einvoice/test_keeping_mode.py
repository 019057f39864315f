"""NO VERI*FACTU through the API: the choice of mode, and records that are signed and kept."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime

import pytest
from lxml import etree

from ledgerkit import clock
from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.es.verifactu.signatures import verify
from support.office import Office, cloned, emit, opened

SF = "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Office]:
    """One whose operator lets issuers choose."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(country.channels[0], "_setup", VerifactuSettings(_env_file=None, signed_mode="on"))
        directory = tmp_path_factory.mktemp("dual")
        async with cloned(postgres) as url, opened(url, directory, cheap_passwords, einvoice_wait=20) as office:
            yield office


@pytest.fixture
async def ana(office):
    return await office.account()


@pytest.fixture
def on_day(monkeypatch):
    """Lets the process believe that it is another day, at the same time of day."""

    def travel(day: date) -> None:
        away = datetime.combine(day, datetime.now(UTC).time(), UTC) - datetime.now(UTC)
        monkeypatch.setattr(clock, "now", lambda: datetime.now(UTC) + away)

    return travel


async def keep(api):
    return await api.put("/api/einvoice/mode", {"mode": "no_verifactu"})


async def report(api):
    return await api.put("/api/einvoice/mode", {"mode": "verifactu"})


async def kinds(office, api) -> list[str]:
    rows = await office.rows(
        "select kind from fiscal_event where account_id = :account order by position", account=api.team["id"]
    )
    return [row.kind for row in rows]


# ---------------------------------------------------------------- the choice


async def test_everybody_reports_until_something_else_is_chosen(ana):
    mode = await ana.get("/api/einvoice/mode")

    assert mode["mode"] == "verifactu"
    assert (mode["since"], mode["scheduled"]) == (None, None)
    assert mode["choices"] == ["verifactu", "no_verifactu"]


async def test_who_has_not_reported_yet_may_keep_at_once(office, ana):
    mode = await keep(ana)

    assert (mode["mode"], mode["scheduled"]) == ("no_verifactu", None)
    assert await kinds(office, ana) == ["started"]


async def test_who_has_reported_does_so_to_the_end_of_the_year(office, ana, on_day):
    await emit(ana, await ana.invoice())
    year = datetime.now(UTC).year

    mode = await keep(ana)

    assert (mode["mode"], mode["scheduled"]) == (
        "verifactu",
        {"mode": "no_verifactu", "firstDay": f"{year + 1}-01-01"},
    )
    assert (await emit(ana, await ana.invoice()))["status"] == "accepted"
    on_day(date(year, 12, 30))
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


async def test_choosing_what_is_chosen_changes_nothing(office, ana):
    first = await keep(ana)

    assert await keep(ana) == first
    assert await kinds(office, ana) == ["started"]


async def test_an_unknown_mode_is_refused_naming_those_there_are(ana):
    problem = await ana.refused(400, "PUT", "/api/einvoice/mode", {"mode": "sometimes"})

    assert problem["errors"][0]["message"] == "is one of verifactu, no_verifactu"


async def test_a_choice_stands_in_the_activity_log(ana):
    await keep(ana)

    feed = await ana.get("/api/invoices/activity/feed")
    changed = next(one for one in feed if one["action"] == "mode_changed")
    assert changed["changes"]["mode"] == {"from": "reporting", "to": "keeping"}


# ---------------------------------------------------------------- records


async def test_a_kept_record_is_signed_and_not_sent(office, ana):
    await keep(ana)
    before = len(office.authority.received)

    emitted = await emit(ana, await ana.invoice())

    (record,) = await office.records(ana)
    assert (emitted["status"], record.state, record.attempts) == ("kept", "kept", 0)
    assert emitted["submittedAt"] is None
    verify(record.content, exact=True)
    assert len(office.authority.received) == before
    assert emitted["qrUrl"].startswith("https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQRNoVerifactu?")
    shown = await ana.get(f"/api/einvoice/status/{emitted['invoiceId']}")
    assert (shown["status"], [one["event"] for one in shown["history"]]) == ("kept", ["sealed"])


async def test_kept_and_reported_records_are_one_chain(office, ana):
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


async def test_every_record_of_a_dual_product_says_so(office, ana):
    await emit(ana, await ana.invoice())

    (record,) = await office.records(ana)
    assert b"TipoUsoPosibleSoloVerifactu>N<" in record.content


async def test_one_issuer_who_keeps_leaves_the_others_reporting(office, ana):
    other = await office.account("Berta Gil")
    await keep(ana)

    assert (await emit(other, await other.invoice()))["status"] == "accepted"
    assert (await other.get("/api/einvoice/mode"))["mode"] == "verifactu"


# ---------------------------------------------------------------- the log


async def test_the_log_is_listed_newest_first_and_only_ones_own(office, ana):
    other = await office.account("Berta Gil")
    await keep(ana)
    await report(ana)

    listed = await ana.get("/api/einvoice/events")

    assert [one["kind"] for one in listed] == ["stopped", "summary", "started"]
    assert [one["code"] for one in listed] == ["02", "10", "01"]
    assert [one["position"] for one in listed] == [3, 2, 1]
    assert await other.get("/api/einvoice/events") == []
    answer = await ana.request("GET", "/api/einvoice/events?limit=1&page=2")
    assert (answer.headers["x-total-count"], [one["kind"] for one in answer.json()]) == ("3", ["summary"])


async def test_a_summary_counts_what_happened_since_the_one_before(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    await emit(ana, await ana.invoice())

    await report(ana)

    (summary,) = await office.rows(
        "select content from fiscal_event where account_id = :account and kind = 'summary'", account=ana.team["id"]
    )
    said = {etree.QName(one).localname: one.text for one in etree.fromstring(summary.content).iter()}
    first, last = await office.records(ana)
    assert said["NumeroDeRegistrosFacturacionAltaGenerados"] == "2"
    assert (said["SumaCuotaTotalAlta"], said["SumaImporteTotalAlta"]) == ("504.00", "2904.00")
    assert said["Huella"] == last.fingerprint
    assert (said["TipoEvento"], said["NumeroDeEventos"]) == ("01", "1")
    assert first.fingerprint in etree.tostring(etree.fromstring(summary.content)).decode()


async def test_events_cannot_be_changed_or_removed_by_the_application(office, ana):
    await keep(ana)

    grants = await office.rows(
        "select privilege_type from information_schema.role_table_grants"
        " where table_name = 'fiscal_event' and grantee = 'ledgerkit_app'"
    )
    assert {row.privilege_type for row in grants} == {"SELECT", "INSERT"}
