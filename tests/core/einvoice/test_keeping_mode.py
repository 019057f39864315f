"""NO VERI*FACTU through the API: the choice of mode, and records that are signed and kept."""

import asyncio
import io
import json
import zipfile
from base64 import b64decode
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from uuid import UUID

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID
from lxml import etree
from sqlalchemy import text

from ledgerkit import clock
from ledgerkit.core.einvoice import restoring
from ledgerkit.core.einvoice.inspection import checking, exporting, requests, scanning
from ledgerkit.core.einvoice.keeping import Keeper
from ledgerkit.core.einvoice.log_schemas import DemandInput
from ledgerkit.core.identity import accounts
from ledgerkit.problems import Invalid
from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.sandbox import Fault, Spoil
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.es.verifactu.signatures import verify
from support.api import item
from support.credentials import encoded, person
from support.exports import checked
from support.office import Office, cloned, emit, eventually, nif, opened

SF = "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"


WAITING = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"


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


# ---------------------------------------------------------------- who signs


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


async def test_who_begins_to_report_again_and_has_sent_nothing_yet_may_keep_at_once(office, ana, on_day):
    await emit(ana, await ana.invoice())
    await keep(ana)
    on_day(date(datetime.now(UTC).year + 1, 1, 2))
    assert (await report(ana))["mode"] == "verifactu"

    mode = await keep(ana)

    assert (mode["mode"], mode["scheduled"]) == ("no_verifactu", None)


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
    assert changed["changes"]["mode"] == {"from": "verifactu", "to": "no_verifactu"}


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


async def test_an_annulment_is_signed_and_kept_too(office, ana):
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


async def test_who_waited_while_somebody_else_corrected_gets_that_record(office, ana):
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


async def summed(office, api) -> list[dict[str, str]]:
    """What each summary says of records and their sums, and how many events of each kind it counts."""
    rows = await office.rows(
        "select content from fiscal_event where account_id = :account and kind = 'summary' order by position",
        account=api.team["id"],
    )
    found = []
    for row in rows:
        (block,) = etree.fromstring(row.content).iter("{*}ResumenEventos")
        leaves = {etree.QName(one).localname: one.text for one in block}
        counts = {one[0].text: one[1].text for one in block.iter("{*}TipoEvento") if len(one)}
        found.append(leaves | {"events": counts})
    return found


async def test_a_second_summary_tells_only_what_came_after_the_first(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    await report(ana)
    await keep(ana)
    await emit(ana, await ana.invoice(items=[item(unitPrice=100)]))

    await report(ana)

    first, second = await summed(office, ana)
    sums = ("NumeroDeRegistrosFacturacionAltaGenerados", "SumaImporteTotalAlta")
    assert [tuple(one[name] for name in sums) for one in (first, second)] == [("1", "1452.00"), ("1", "121.00")]
    assert (first["events"], second["events"]) == ({"01": "1"}, {"01": "1", "02": "1", "10": "1"})


async def test_events_never_go_back_in_time(office, ana, monkeypatch):
    await keep(ana)
    monkeypatch.setattr(clock, "now", lambda: datetime.now(UTC) - timedelta(hours=1))

    await report(ana)

    rows = await office.rows(
        "select generated_at from fiscal_event where account_id = :account order by position", account=ana.team["id"]
    )
    times = [row.generated_at for row in rows]
    assert (len(times), times) == (3, sorted(times))


async def test_a_restoration_is_logged_in_the_log_of_the_new_installation(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    account = {"account": ana.team["id"]}
    await spoil(office, "update fiscal_installation set database_identity = 'x' where account_id = :account", **account)
    await spoil(office, "update fiscal_sender set database_identity = 'x' where account_id = :account", **account)

    await restoring.look(office.kernel)
    await emit(ana, await ana.invoice())

    rows = await office.rows(
        "select installation_id, kind, code from fiscal_event where account_id = :account order by id",
        account=ana.team["id"],
    )
    old, new = (
        one.installation_id
        for one in await office.rows(
            "select id as installation_id from fiscal_installation where account_id = :account order by id",
            account=ana.team["id"],
        )
    )
    logs = [[(row.kind, row.code) for row in rows if row.installation_id == one] for one in (old, new)]
    assert logs == [[("started", "01")], [("started", "01"), ("restored", "07")]]


# ---------------------------------------------------------------- while a process runs


async def test_a_process_logs_its_start_and_its_stop(postgres, tmp_path, cheap_passwords, monkeypatch):
    monkeypatch.setattr(country.channels[0], "_setup", VerifactuSettings(_env_file=None, signed_mode="on"))
    async with cloned(postgres) as url:
        async with opened(url, tmp_path, cheap_passwords, einvoice_wait=20) as first:
            ana = await first.account()
            await keep(ana)
        async with opened(url, tmp_path, cheap_passwords, einvoice_wait=20) as second:
            assert await kinds(second, ana) == ["started", "summary", "stopped", "started"]
            await Keeper(second.kernel).start()
            notes = await second.rows("select content from fiscal_event where kind = 'started' order by position")

    assert [b"OtrosDatosEvento" in row.content for row in notes] == [False, False, True]


async def test_a_summary_is_due_before_six_hours_are_over(office, ana, monkeypatch):
    await keep(ana)
    keeper = Keeper(office.kernel)
    later = datetime.now(UTC)

    async def after(hours: float) -> list[str]:
        monkeypatch.setattr(clock, "now", lambda: later + timedelta(hours=hours))
        await keeper.sum_up()
        return await kinds(office, ana)

    assert await after(5.5) == ["started"]
    assert await after(5.9) == ["started", "summary"]
    assert await after(6.1) == ["started", "summary"]
    assert await after(11.8) == ["started", "summary", "summary"]


async def test_keeping_that_was_decided_before_begins_by_itself_on_its_day(office, ana, on_day):
    await emit(ana, await ana.invoice())
    await keep(ana)
    keeper = Keeper(office.kernel)
    on_day(date(datetime.now(UTC).year, 12, 31))
    await keeper.sum_up()
    assert await kinds(office, ana) == []

    on_day(date(datetime.now(UTC).year + 1, 1, 2))
    await keeper.sum_up()

    assert await kinds(office, ana) == ["started", "summary"]
    assert (await emit(ana, await ana.invoice(issueDate=None)))["status"] == "kept"


async def test_a_new_installation_goes_on_keeping_with_a_log_of_its_own(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    ctx = await system(office, ana)

    await checking.begin_anew(ctx, "another machine")
    await emit(ana, await ana.invoice())

    first, second = await office.records(ana)
    assert (second.state, second.position) == ("kept", 1)
    rows = await office.rows(
        "select installation_id, kind from fiscal_event where account_id = :account order by id", account=ana.team["id"]
    )
    logs = {one: [row.kind for row in rows if row.installation_id == one.installation_id] for one in (first, second)}
    assert list(logs.values()) == [["started", "summary", "stopped"], ["started"]]


async def test_the_log_of_a_new_installation_is_summed_up_too(office, ana, monkeypatch):
    await keep(ana)
    await checking.begin_anew(await system(office, ana), "another machine")
    later = datetime.now(UTC) + timedelta(hours=6)
    monkeypatch.setattr(clock, "now", lambda: later)

    await Keeper(office.kernel).sum_up()

    rows = await office.rows(
        "select kind from fiscal_event where account_id = :account order by id", account=ana.team["id"]
    )
    assert [row.kind for row in rows] == ["started", "summary", "stopped", "started", "summary"]


async def test_where_records_are_reported_an_export_is_not_logged(office, ana):
    await emit(ana, await ana.invoice())

    await exported(ana)

    assert await kinds(office, ana) == []


async def test_an_export_of_kept_records_is_logged_with_its_sums(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    today = clock.today("Europe/Madrid")

    await exporting.export(await system(office, ana), exporting.Period(today - timedelta(days=1), today))

    assert await kinds(office, ana) == ["started", "records_exported", "events_exported"]
    (event,) = await office.rows(
        "select content from fiscal_event where account_id = :account and kind = 'records_exported'",
        account=ana.team["id"],
    )
    said = {etree.QName(one).localname: one.text for one in etree.fromstring(event.content).iter()}
    assert (said["NumeroDeRegistrosFacturacionAltaExportados"], said["SumaImporteTotalAlta"]) == ("1", "1452.00")
    assert said["RegistrosFacturacionExportadosDejanDeConservarse"] == "N"


async def exported(api) -> dict[str, bytes]:
    today = clock.today("Europe/Madrid")
    answer = await api.request("GET", f"/api/einvoice/export?from={today - timedelta(days=1)}&to={today}")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


async def test_an_export_holds_the_log_of_events_as_a_chain_of_its_own(office, ana, tmp_path):
    await keep(ana)
    await emit(ana, await ana.invoice())
    await scanning.scan(await system(office, ana))

    files = await exported(ana)

    rows = await office.rows(
        "select position, kind, content, fingerprint from fiscal_event where account_id = :account order by position",
        account=ana.team["id"],
    )
    assert [row.kind for row in rows[3:]] == ["records_exported", "events_exported"]
    assert [files[name] for name in files if "/events/" in name] == [row.content for row in rows[:3]]
    kept, log = json.loads(files["manifest.json"])["chains"]
    assert (kept["folder"].endswith("/records/"), log["folder"].endswith("/events/")) == (True, True)
    assert (log["count"], log["follows"], log["last"]["hash"]) == (3, "", rows[2].fingerprint)
    said = {etree.QName(one).localname: one.text for one in etree.fromstring(rows[4].content).iter()}
    assert (said["NumeroDeRegEventoExportados"], said["RegEventoExportadosDejanDeConservarse"]) == ("3", "N")
    assert checked(tmp_path / "sound", files)[0] == 0
    later = await exported(ana)
    assert json.loads(later["manifest.json"])["chains"][1]["count"] == 5
    assert checked(tmp_path / "later", later)[0] == 0


@pytest.mark.parametrize("change", ["forged", "removed"])
async def test_the_script_finds_what_was_changed_in_the_log(ana, tmp_path, change):
    await keep(ana)
    await report(ana)
    files = await exported(ana)
    name = [name for name in files if "/events/" in name][1]
    manifest = json.loads(files["manifest.json"])
    if change == "removed":
        del files[name], manifest["files"][name]
    else:
        files[name] = files[name].replace(b"TipoEvento>10<", b"TipoEvento>90<")
        manifest["files"][name] = sha256(files[name]).hexdigest()
    files["manifest.json"] = json.dumps(manifest).encode()

    code, words = checked(tmp_path, files)

    assert code == 1
    assert ("its fingerprint" if change == "forged" else "does not follow") in words


async def test_events_of_days_without_records_are_exported_and_only_ones_own(ana, office):
    other = await office.account("Berta Gil")
    await keep(other)
    await keep(ana)

    files = await exported(ana)

    (log,) = json.loads(files["manifest.json"])["chains"]
    assert (log["count"], log["issuerTaxId"]) == (1, ana.team["taxId"])


async def test_what_was_demanded_and_answered_is_exported(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    answered = await requests.answer(await system(office, ana), demand())

    files = await exported(ana)

    (message,) = (content for name, content in files.items() if name.endswith("-message.xml"))
    (answer,) = (content for name, content in files.items() if name.endswith("-answer.xml"))
    assert (await office.records(ana))[0].content in message
    assert answered.messages[0].csv.encode() in answer


async def test_an_event_can_be_read_as_it_was_signed_by_its_own_account(office, ana):
    other = await office.account("Berta Gil")
    await keep(ana)
    (listed,) = await ana.get("/api/einvoice/events")

    path = f"/api/einvoice/events/xml?position=1&installation={listed['installationNumber']}"
    answer = await ana.request("GET", path)

    verify(answer.content, exact=True)
    assert listed["hash"].encode() in answer.content
    assert answer.headers["content-type"] == "application/xml"
    assert (await ana.request("GET", "/api/einvoice/events/xml?position=1")).content == answer.content
    await other.refused(404, "GET", path)
    await ana.refused(404, "GET", "/api/einvoice/events/xml?position=2")
    await checking.begin_anew(await system(office, ana), "another machine")
    assert (await ana.request("GET", path)).content == answer.content
    assert (await ana.request("GET", "/api/einvoice/events/xml?position=1")).content != answer.content


# ---------------------------------------------------------------- checks on demand


async def system(office, api):
    return await accounts.system_context(office.kernel, UUID(api.team["id"]))


async def spoil(office, statement: str, **values) -> None:
    async with office.kernel.database.engine.connect() as connection:
        await connection.execute(text(statement), values)


async def test_a_check_of_what_holds_is_logged_with_its_counts(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())

    found = await scanning.scan(await system(office, ana))

    assert (found.records, found.signatures, found.events, found.logged) == (1, 1, 1, True)
    assert (found.record_flaws, found.event_flaws) == ([], [])
    assert await kinds(office, ana) == ["started", "records_checked", "events_checked"]


async def test_a_long_log_is_checked_to_its_end_in_batches(office, ana, monkeypatch):
    monkeypatch.setattr("ledgerkit.core.einvoice.inspection.walking.BATCH", 2)
    for _ in range(2):
        await keep(ana)
        await report(ana)

    found = await scanning.scan(await system(office, ana))

    assert (found.events, found.event_flaws) == (6, [])


async def test_a_changed_record_and_a_changed_event_are_found_and_logged(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    account = {"account": ana.team["id"]}
    flip = "set content = set_byte(content, 700, get_byte(content, 700) # 1) where account_id = :account"
    await spoil(office, f"update fiscal_record {flip}", **account)
    await spoil(office, f"update fiscal_event {flip}", **account)

    found = await scanning.scan(await system(office, ana))

    assert {one.kind for one in found.record_flaws} >= {"signature"}
    assert {one.code for one in found.event_flaws} >= {"02"}
    logged = await kinds(office, ana)
    assert logged[:3] == ["started", "records_checked", "record_flawed"]
    assert set(logged[3:]) == {"events_checked", "event_flawed"}
    flawed = await office.rows(
        "select content from fiscal_event where account_id = :account and kind = 'event_flawed' order by position",
        **account,
    )
    (named,) = etree.fromstring(flawed[0].content).iter("{*}RegEventoAnomalo")
    assert named.findtext("{*}TipoEvento") == "01"


async def test_a_check_of_the_chain_is_logged_too_with_what_it_finds(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    await flip_in_signature(office, ana)

    await ana.get("/api/einvoice/chain?verify=true")

    assert await kinds(office, ana) == ["started", "records_checked", "record_flawed"]


async def test_what_the_look_before_a_record_finds_is_logged_and_stops_no_sale(office, ana):
    await keep(ana)
    emitted = [await emit(ana, await ana.invoice())]
    for _ in range(2):
        await flip_in_signature(office, ana)
        emitted.append(await emit(ana, await ana.invoice()))
    await emit(ana, await ana.invoice())

    assert {one["status"] for one in emitted} == {"kept"}
    assert await kinds(office, ana) == ["started", "record_flawed", "record_flawed"]
    events = await office.rows(
        "select content from fiscal_event where account_id = :account and kind = 'record_flawed' order by position",
        account=ana.team["id"],
    )
    said = [{etree.QName(one).localname: one.text for one in etree.fromstring(row.content).iter()} for row in events]
    assert [(one["TipoAnomalia"], one["NumSerieFactura"]) for one in said] == [
        ("02", one["number"]) for one in emitted[:2]
    ]


async def flip_in_signature(office, api) -> None:
    """In the last record, one bit of the last digit of the RSA value; it stays base64, and the XML well-formed."""
    *_, record = await office.records(api)
    at = record.content.index(b"</ds:SignatureValue>") - 10
    content = record.content[:at] + (b"A" if record.content[at : at + 1] != b"A" else b"B") + record.content[at + 1 :]
    await spoil(office, "update fiscal_record set content = :content where id = :id", content=content, id=record.id)


async def test_a_byte_that_was_flipped_in_a_signature_is_named_so_wherever_it_is_looked_for(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    await flip_in_signature(office, ana)

    walked = (await ana.get("/api/einvoice/chain?verify=true"))["verification"]
    found = await scanning.scan(await system(office, ana))

    assert (walked["anomalies"], walked["firstBreak"]["position"]) == (1, 1)
    assert (walked["firstBreak"]["kind"], walked["firstBreak"]["code"]) == ("signature", "02")
    assert [(one.position, one.kind, one.code) for one in found.record_flaws] == [(1, "signature", "02")]


async def test_a_signature_that_was_taken_away_is_missed_by_a_walk_along_the_chain(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    await spoil(
        office,
        "update fiscal_record set content = decode(regexp_replace(encode(content, 'escape'),"
        " '<ds:Signature .*</ds:Signature>', ''), 'escape') where account_id = :account",
        account=ana.team["id"],
    )

    walked = (await ana.get("/api/einvoice/chain?verify=true"))["verification"]

    assert (walked["firstBreak"]["kind"], walked["firstBreak"]["code"]) == ("signature", "02")


async def test_a_kept_record_without_signature_and_events_gone_at_the_end_are_found(office, ana):
    await keep(ana)
    emitted = await emit(ana, await ana.invoice())
    await report(ana)
    await keep(ana)
    account = {"account": ana.team["id"]}
    await spoil(office, "delete from fiscal_event where account_id = :account and position = 4", **account)
    await spoil(
        office,
        "update fiscal_record set content = decode(regexp_replace(encode(content, 'escape'),"
        " '<ds:Signature .*</ds:Signature>', ''), 'escape') where account_id = :account",
        **account,
    )

    found = await scanning.scan(await system(office, ana))

    assert emitted["status"] == "kept"
    assert "signature" in {one.kind for one in found.record_flaws}
    assert ("gap", "05") in {(one.kind, one.code) for one in found.event_flaws}


async def test_where_records_are_reported_a_check_is_not_logged(office, ana):
    await emit(ana, await ana.invoice())

    found = await scanning.scan(await system(office, ana))

    assert (found.records, found.signatures, found.logged) == (1, 0, False)


# ---------------------------------------------------------------- on demand of the authority


def demand(reference: str = "REQ2026A") -> DemandInput:
    today = clock.today("Europe/Madrid")
    return DemandInput(reference=reference, since=today - timedelta(days=1), until=today)


async def test_a_demand_is_answered_with_the_very_bytes_that_were_kept(office, ana, schema):
    await keep(ana)
    for _ in range(3):
        await emit(ana, await ana.invoice())

    answered = await requests.answer(await system(office, ana), demand())

    message = office.authority.received[-1]
    assert (answered.records, answered.complete, answered.messages[0].problem) == (3, True, None)
    assert answered.messages[0].csv
    assert all(record.content in message for record in await office.records(ana))
    root = etree.fromstring(message)
    schema.assertValid(root[-1][0])
    assert root.findtext(f".//{SF}SuministroInformacion.xsd}}FinRequerimiento") == "S"
    assert [record.state for record in await office.records(ana)] == ["kept"] * 3


async def test_only_what_the_demanded_issuer_kept_on_these_days_is_shown(office, ana):
    today = clock.today("Europe/Madrid")
    await keep(ana)
    await emit(ana, await ana.invoice())
    await ana.put("/api/teams/current", {"taxId": nif(29_100_001)})
    await keep(ana)
    second = await emit(ana, await ana.invoice())
    ctx = await system(office, ana)

    shown = await requests.answer(ctx, demand())

    assert (shown.records, second["number"].encode() in office.authority.received[-1]) == (1, True)
    for since, until in ((-9, -1), (1, 9)):
        days = {"since": today + timedelta(days=since), "until": today + timedelta(days=until)}
        with pytest.raises(Invalid, match="no record"):
            await requests.answer(ctx, demand(f"REQ{since % 10}").model_copy(update=days))
    feed = await ana.get("/api/invoices/activity/feed")
    assert [one["entityLabel"] for one in feed if one["action"] == "demand_answered"] == ["REQ2026A"]


async def test_nothing_is_sent_after_a_message_that_was_not_taken(office, ana, monkeypatch):
    monkeypatch.setattr(VerifactuChannel, "max_batch", 1)
    await keep(ana)
    for _ in range(2):
        await emit(ana, await ana.invoice())
    office.authority.faults.add(Fault(spoil=Spoil.LOST))
    before = len(office.authority.received)

    answered = await requests.answer(await system(office, ana), demand())

    assert [one.delivered for one in answered.messages] == [False, False]
    assert len(office.authority.received) == before + 1


async def test_many_records_go_in_several_messages_and_only_the_last_says_so(office, ana, monkeypatch):
    monkeypatch.setattr(VerifactuChannel, "max_batch", 2)
    await keep(ana)
    for _ in range(5):
        await emit(ana, await ana.invoice())

    answered = await requests.answer(await system(office, ana), demand())

    assert [one.records for one in answered.messages] == [2, 2, 1]
    assert ["FinRequerimiento" in one.decode() for one in office.authority.received[-3:]] == [False, False, True]


async def test_what_was_not_taken_is_sent_again_byte_for_byte(office, ana, monkeypatch):
    monkeypatch.setattr(VerifactuChannel, "max_batch", 1)
    await keep(ana)
    for _ in range(2):
        await emit(ana, await ana.invoice())
    ctx = await system(office, ana)
    office.authority.faults.add(Fault())
    office.authority.faults.add(Fault(spoil=Spoil.LOST))

    first = await requests.answer(ctx, demand())
    second = await requests.answer(ctx, demand())

    assert ([one.delivered for one in first.messages], first.complete) == ([True, False], False)
    assert (second.complete, office.authority.received[-1]) == (True, office.authority.received[-2])
    answers = await office.rows("select delivered from fiscal_demand_answer order by id")
    assert [row.delivered for row in answers][-3:] == [True, False, True]


async def test_a_demand_for_a_period_without_kept_records_or_another_period_is_refused(office, ana):
    ctx = await system(office, ana)
    await emit(ana, await ana.invoice())
    with pytest.raises(Invalid, match="kept"):
        await requests.answer(ctx, demand())

    berta = await office.account("Berta")
    await keep(berta)
    await emit(berta, await berta.invoice())
    hers = await system(office, berta)
    await requests.answer(hers, demand())
    backwards = demand("REQ2026B").model_copy(update={"until": date(2026, 1, 1)})
    with pytest.raises(Invalid, match="lies before"):
        await requests.answer(hers, backwards)
    longer = demand().model_copy(update={"since": date(2026, 1, 1)})
    with pytest.raises(Invalid, match="was answered for"):
        await requests.answer(hers, longer)


async def test_the_authority_says_what_is_wrong_with_a_reference(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())

    answered = await requests.answer(await system(office, ana), demand("not/alphanumeric"))

    assert (answered.complete, answered.messages[0].delivered) == (False, False)
    assert "4133" in answered.messages[0].problem
