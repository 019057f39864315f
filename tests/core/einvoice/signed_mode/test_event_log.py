"""The event log of the signed mode, and its export."""

import asyncio
import io
import json
import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from types import MappingProxyType

import pytest
from lxml import etree
from sqlalchemy import select
from structlog.testing import capture_logs

from ledgerkit import clock
from ledgerkit.core.einvoice.chain import heads, restore_detection
from ledgerkit.core.einvoice.inspection import export, verification
from ledgerkit.core.einvoice.signed_mode import requests, scan
from ledgerkit.core.einvoice.signed_mode.lifecycle import SignedModeProcess
from ledgerkit.core.einvoice.table import fiscal_installation
from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.es.verifactu.signed_mode.signatures import verify
from ledgerkit.providers.registry import Registry
from support.api import item
from support.exports import verify_files
from support.office import cloned, emit, eventually, opened
from support.signed_mode import keep, kinds, report, request, system, tamper


async def test_the_log_lists_the_accounts_own_events_newest_first(office, ana):
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
    leaves = {etree.QName(one).localname: one.text for one in etree.fromstring(summary.content).iter()}
    first, last = await office.records(ana)
    assert leaves["NumeroDeRegistrosFacturacionAltaGenerados"] == "2"
    assert (leaves["SumaCuotaTotalAlta"], leaves["SumaImporteTotalAlta"]) == ("504.00", "2904.00")
    assert leaves["Huella"] == last.fingerprint
    assert (leaves["TipoEvento"], leaves["NumeroDeEventos"]) == ("01", "1")
    assert first.fingerprint in etree.tostring(etree.fromstring(summary.content)).decode()


async def test_a_mode_switched_off_while_a_chain_is_in_it_is_told_in_a_line_without_a_traceback(office, ana):
    await keep(ana)
    (chain,) = await office.rows(
        "select id from fiscal_installation where account_id = :account", account=ana.team["id"]
    )
    channel = VerifactuChannel(VerifactuSettings(_env_file=None, signed_mode="off"))
    off = replace(country, channels=(channel.connect_sandbox(office.authority.access),))
    kernel = replace(office.kernel, countries=Registry(countries=MappingProxyType({"ES": off})))
    before = await ana.get("/api/einvoice/events")

    with capture_logs() as lines:
        await SignedModeProcess(kernel).start()

    told = [one for one in lines if one.get("installation") == chain.id.hex]
    assert [(one["log_level"], one["setting"]) for one in told] == [("error", "LEDGERKIT_VERIFACTU_SIGNED_MODE")]
    assert "LEDGERKIT_VERIFACTU_SIGNED_MODE" in told[0]["remedy"]
    assert [one for one in lines if "exc_info" in one] == []
    assert await ana.get("/api/einvoice/events") == before
    await report(ana)


async def test_events_cannot_be_changed_or_removed_by_the_application(office, ana):
    await keep(ana)

    grants = await office.rows(
        "select privilege_type from information_schema.role_table_grants"
        " where table_name = 'fiscal_event' and grantee = 'ledgerkit_app'"
    )
    assert {row.privilege_type for row in grants} == {"SELECT", "INSERT"}


async def summaries_of(office, api) -> list[dict[str, str]]:
    """Each summary's totals of records, and its number of events of each kind."""
    rows = await office.rows(
        "select content from fiscal_event where account_id = :account and kind = 'summary' order by position",
        account=api.team["id"],
    )
    summaries = []
    for row in rows:
        (block,) = etree.fromstring(row.content).iter("{*}ResumenEventos")
        leaves = {etree.QName(one).localname: one.text for one in block}
        counts = {one[0].text: one[1].text for one in block.iter("{*}TipoEvento") if len(one)}
        summaries.append(leaves | {"events": counts})
    return summaries


async def test_a_second_summary_covers_only_the_time_after_the_first(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    await report(ana)
    await keep(ana)
    await emit(ana, await ana.invoice(items=[item(unitPrice=100)]))

    await report(ana)

    first, second = await summaries_of(office, ana)
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
    await tamper(
        office, "update fiscal_installation set database_identity = 'x' where account_id = :account", **account
    )
    await tamper(office, "update fiscal_sender set database_identity = 'x' where account_id = :account", **account)

    await restore_detection.detect_restored_database(office.kernel)
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
    monkeypatch.setattr(country.channels[0].loaded, "_setup", VerifactuSettings(_env_file=None, signed_mode="on"))
    async with cloned(postgres) as url:
        async with opened(url, tmp_path, cheap_passwords, einvoice_wait=20) as first:
            ana = await first.account()
            await keep(ana)
        async with opened(url, tmp_path, cheap_passwords, einvoice_wait=20) as second:
            assert await kinds(second, ana) == ["started", "summary", "stopped", "started"]
            await SignedModeProcess(second.kernel).start()
            notes = await second.rows("select content from fiscal_event where kind = 'started' order by position")

    assert [b"OtrosDatosEvento" in row.content for row in notes] == [False, False, True]


async def test_a_summary_is_due_before_six_hours_are_over(office, ana, monkeypatch):
    await keep(ana)
    process_events = SignedModeProcess(office.kernel)
    later = datetime.now(UTC)

    async def after(hours: float) -> list[str]:
        monkeypatch.setattr(clock, "now", lambda: later + timedelta(hours=hours))
        await process_events.summarise()
        return await kinds(office, ana)

    assert await after(5.5) == ["started"]
    assert await after(5.9) == ["started", "summary"]
    assert await after(6.1) == ["started", "summary"]
    assert await after(11.8) == ["started", "summary", "summary"]


async def test_two_jobs_that_find_the_same_summary_due_log_it_once(office, ana, monkeypatch):
    await keep(ana)
    later = datetime.now(UTC) + timedelta(hours=5.9)
    monkeypatch.setattr(clock, "now", lambda: later)
    ctx = await system(office, ana)

    async with ctx.transaction() as inner:
        await lock_chain(inner)
        sweeps = asyncio.gather(*(SignedModeProcess(office.kernel).summarise() for _ in range(2)))
        await eventually(lambda: both_wait(office))
    await sweeps

    assert await kinds(office, ana) == ["started", "summary"]


async def lock_chain(ctx) -> None:
    """Lock the account's only chain, as the job does before it logs."""
    chain = (await ctx.db.execute(select(fiscal_installation.c.id))).scalar_one()
    assert await heads.lock_head(ctx, chain) is not None


async def both_wait(office) -> bool:
    """True when two transactions wait for a lock in this office's database: both have read that a summary is due."""
    (waiting,) = await office.rows(
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    )
    return waiting.count >= 2


async def test_a_scheduled_signed_mode_begins_by_itself_on_its_day(office, ana, on_day):
    await emit(ana, await ana.invoice())
    await keep(ana)
    process_events = SignedModeProcess(office.kernel)
    on_day(date(datetime.now(UTC).year, 12, 31))
    await process_events.summarise()
    assert await kinds(office, ana) == []

    on_day(date(datetime.now(UTC).year + 1, 1, 2))
    await process_events.summarise()

    assert await kinds(office, ana) == ["started", "summary"]
    assert (await emit(ana, await ana.invoice(issueDate=None)))["status"] == "kept"


async def test_a_new_installation_stays_in_the_signed_mode_with_a_log_of_its_own(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    ctx = await system(office, ana)

    await verification.begin_anew(ctx, "another machine")
    await emit(ana, await ana.invoice())

    first, second = await office.records(ana)
    assert (second.state, second.position) == ("kept", 1)
    rows = await office.rows(
        "select installation_id, kind from fiscal_event where account_id = :account order by id", account=ana.team["id"]
    )
    logs = {one: [row.kind for row in rows if row.installation_id == one.installation_id] for one in (first, second)}
    assert list(logs.values()) == [["started", "summary", "stopped"], ["started"]]


async def test_the_log_of_a_new_installation_gets_summaries_too(office, ana, monkeypatch):
    await keep(ana)
    await verification.begin_anew(await system(office, ana), "another machine")
    later = datetime.now(UTC) + timedelta(hours=6)
    monkeypatch.setattr(clock, "now", lambda: later)

    await SignedModeProcess(office.kernel).summarise()

    rows = await office.rows(
        "select kind from fiscal_event where account_id = :account order by id", account=ana.team["id"]
    )
    assert [row.kind for row in rows] == ["started", "summary", "stopped", "started", "summary"]


async def test_where_records_are_reported_an_export_is_not_logged(office, ana):
    await emit(ana, await ana.invoice())

    await exported(ana)

    assert await kinds(office, ana) == []


async def test_an_export_of_signed_records_is_logged_with_its_totals(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    today = clock.today("Europe/Madrid")

    await export.export(await system(office, ana), export.ExportPeriod(today - timedelta(days=1), today))

    assert await kinds(office, ana) == ["started", "records_exported", "events_exported"]
    (event,) = await office.rows(
        "select content from fiscal_event where account_id = :account and kind = 'records_exported'",
        account=ana.team["id"],
    )
    leaves = {etree.QName(one).localname: one.text for one in etree.fromstring(event.content).iter()}
    assert (leaves["NumeroDeRegistrosFacturacionAltaExportados"], leaves["SumaImporteTotalAlta"]) == ("1", "1452.00")
    assert leaves["RegistrosFacturacionExportadosDejanDeConservarse"] == "N"


async def exported(api) -> dict[str, bytes]:
    today = clock.today("Europe/Madrid")
    answer = await api.request("GET", f"/api/einvoice/export?from={today - timedelta(days=1)}&to={today}")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


async def test_an_export_holds_the_log_of_events_as_a_chain_of_its_own(office, ana, tmp_path):
    await keep(ana)
    await emit(ana, await ana.invoice())
    await scan.scan(await system(office, ana))

    files = await exported(ana)

    rows = await office.rows(
        "select position, kind, content, fingerprint from fiscal_event where account_id = :account order by position",
        account=ana.team["id"],
    )
    assert [row.kind for row in rows[3:]] == ["records_exported", "events_exported"]
    assert [files[name] for name in files if "/events/" in name] == [row.content for row in rows[:3]]
    records, log = json.loads(files["manifest.json"])["chains"]
    assert (records["folder"].endswith("/records/"), log["folder"].endswith("/events/")) == (True, True)
    assert (log["count"], log["follows"], log["last"]["hash"]) == (3, "", rows[2].fingerprint)
    leaves = {etree.QName(one).localname: one.text for one in etree.fromstring(rows[4].content).iter()}
    assert (leaves["NumeroDeRegEventoExportados"], leaves["RegEventoExportadosDejanDeConservarse"]) == ("3", "N")
    assert verify_files(tmp_path / "sound", files)[0] == 0
    later = await exported(ana)
    assert json.loads(later["manifest.json"])["chains"][1]["count"] == 5
    assert verify_files(tmp_path / "later", later)[0] == 0


@pytest.mark.parametrize("change", ["forged", "removed"])
async def test_the_script_finds_changes_of_the_log(ana, tmp_path, change):
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

    code, output = verify_files(tmp_path, files)

    assert code == 1
    assert ("its fingerprint" if change == "forged" else "does not follow") in output


async def test_the_accounts_own_events_of_days_without_records_are_exported(ana, office):
    other = await office.account("Berta Gil")
    await keep(other)
    await keep(ana)

    files = await exported(ana)

    (log,) = json.loads(files["manifest.json"])["chains"]
    assert (log["count"], log["issuerTaxId"]) == (1, ana.team["taxId"])


async def test_requests_of_the_authority_and_their_answers_are_exported(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    answered = await requests.answer_request(await system(office, ana), request())

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
    await verification.begin_anew(await system(office, ana), "another machine")
    assert (await ana.request("GET", path)).content == answer.content
    assert (await ana.request("GET", "/api/einvoice/events/xml?position=1")).content != answer.content
