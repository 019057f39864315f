"""Exports, which anybody with Python can verify."""

import io
import json
import sys
import zipfile
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from hashlib import sha256
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import text

from ledgerkit import clock
from ledgerkit.core.einvoice.inspection import export, verification
from ledgerkit.core.einvoice.table import fiscal_record
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.problems import Invalid
from ledgerkit.providers.es.sandbox import Fault, Spoil
from support.database import as_owner
from support.exports import SCRIPT, verify_files, verify_path
from support.office import emit
from support.scenes.einvoice import LAST_ELSEWHERE

TODAY = clock.today("Europe/Madrid")
PATH = f"/api/einvoice/export?from={TODAY - timedelta(days=1)}&to={TODAY + timedelta(days=1)}"


async def exported(ana) -> bytes:
    answer = await ana.request("GET", PATH)
    assert answer.headers["content-type"] == "application/zip"
    return answer.content


def unpacked(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


async def test_an_export_is_complete_ordered_and_verified_by_the_script(office, ana, tmp_path):
    results = [await emit(ana, await ana.invoice()) for _ in range(3)]
    archive = await exported(ana)
    (tmp_path / "export.zip").write_bytes(archive)

    files = unpacked(archive)

    manifest = json.loads(files["manifest.json"])
    (chain,) = manifest["chains"]
    names = [name for name in files if "/records/" in name]
    records = await office.records(ana)
    assert [files[name] for name in names] == [record.content for record in records]
    assert names == sorted(names)
    assert (chain["count"], chain["issued"], chain["annulled"], chain["previous"]) == (3, 3, 0, None)
    assert (chain["taxTotal"], chain["grossTotal"]) == ("756.00", "4356.00")
    assert chain["last"]["hash"] == results[-1]["hash"]
    standing = [json.loads(line) for line in files[f"{chain['installationNumber']}/standing.jsonl"].splitlines()]
    assert [(one["state"], one["csv"]) for one in standing] == [("accepted", one["csv"]) for one in results]
    assert any("/answers/" in name and one["csv"].encode() in files[name] for name in files for one in results)
    sent = [content for name, content in files.items() if "/messages/" in name]
    assert all(any(record.content in message for message in sent) for record in records)
    assert verify_path(tmp_path / "export.zip") == (0, "The export is whole, and its chains hold.\n")
    assert verify_files(tmp_path / "export", files)[0] == 0


def test_the_script_says_where_there_is_no_export(tmp_path):
    assert verify_path(tmp_path / "none.zip") == (1, f"{tmp_path / 'none.zip'} is no export: no manifest.json in it.\n")


def test_the_script_has_forty_lines_that_need_nothing_but_python():
    lines = SCRIPT.read_text().splitlines()

    imported = {line.split()[1].partition(".")[0] for line in lines if line.startswith(("import ", "from "))}
    assert (len(lines) <= 40, max(map(len, lines)) <= 120) == (True, True)
    assert imported <= sys.stdlib_module_names


def _relisted(files: dict[str, bytes], name: str, content: bytes) -> dict[str, bytes]:
    """Change a file together with its hash in the manifest, as a forger can."""
    manifest = json.loads(files["manifest.json"])
    manifest["files"][name] = sha256(content).hexdigest()
    return {**files, name: content, "manifest.json": json.dumps(manifest).encode()}


@pytest.mark.parametrize("change", ["flipped", "forged", "removed", "added", "swapped", "uncounted"])
async def test_the_script_finds_changes(ana, tmp_path, change):
    for _ in range(3):
        await emit(ana, await ana.invoice())
    files = unpacked(await exported(ana))
    names = [name for name in files if "/records/" in name]
    if change == "flipped":
        files[names[1]] = files[names[1]][:300] + bytes([files[names[1]][300] ^ 1]) + files[names[1]][301:]
    elif change == "forged":
        files = _relisted(files, names[1], files[names[1]].replace(b"<sum1:ImporteTotal>1", b"<sum1:ImporteTotal>2"))
    elif change == "removed":
        del files[names[1]]
    elif change == "added":
        files[names[1].replace("0000000002", "0000000004")] = files[names[1]]
    elif change == "swapped":
        files[names[0]], files[names[1]] = files[names[1]], files[names[0]]
    else:
        manifest = json.loads(files["manifest.json"])
        manifest["chains"][0]["grossTotal"] = "1.00"
        files["manifest.json"] = json.dumps(manifest).encode()

    code, output = verify_files(tmp_path, files)

    assert code == 1
    expected = {"uncounted": "count, last record or sum", "added": "0000000004"}.get(change, "0000000002")
    assert expected in output


async def test_a_chain_that_was_continued_and_one_begun_anew_are_both_exported(office, ana, tmp_path):
    last = LAST_ELSEWHERE | {"lastNumber": "A-1"}
    await ana.post("/api/einvoice/chain/continue", last)
    await emit(ana, await ana.invoice())
    await verification.begin_anew(await accounts.system_context(office.kernel, UUID(ana.team["id"])), "moved")
    await emit(ana, await ana.invoice())

    files = unpacked(await exported(ana))

    first, second = json.loads(files["manifest.json"])["chains"]
    assert (first["previous"]["hash"], second["previous"]) == (last["lastFingerprint"], None)
    assert verify_files(tmp_path, files)[0] == 0


async def test_questions_to_the_authority_and_what_it_answered_are_exported(office, ana):
    office.authority.faults.add(Fault(spoil=Spoil.LOST))
    result = await emit(ana, await ana.invoice())

    files = unpacked(await exported(ana))

    questions = [content for name, content in files.items() if name.endswith("-question.xml")]
    answers = [content for name, content in files.items() if name.endswith("-answer.xml")]
    assert result["status"] == "accepted"
    assert [result["number"].encode() in one for one in (*questions, *answers)] == [True, True]
    assert sum("/messages/" in name for name in files) == 1


async def test_a_period_without_records_is_an_export_without_chains(ana, tmp_path):
    answer = await ana.request("GET", "/api/einvoice/export?from=2020-01-01&to=2020-01-31")

    files = unpacked(answer.content)

    assert list(files) == ["manifest.json"]
    assert verify_files(tmp_path, files)[0] == 0


async def test_a_period_has_days_of_the_issuers_time_zone_and_names_the_record_before(office, ana, tmp_path):
    """Records are generated a second before a day begins, as it begins, a second before it ends, and as it ends."""
    results = [await emit(ana, await ana.invoice()) for _ in range(4)]
    day = TODAY - timedelta(days=30)
    begin = datetime.combine(day, time(), ZoneInfo("Europe/Madrid"))
    statement = "update fiscal_record set generated_at = :at where account_id = :account and position = :position"
    async with as_owner(office.kernel) as connection:
        for position, seconds in enumerate((-1, 0, 86_399, 86_400), start=1):
            at = {"at": begin + timedelta(seconds=seconds), "account": ana.team["id"], "position": position}
            await connection.execute(text(statement), at)

    files = unpacked((await ana.request("GET", f"/api/einvoice/export?from={day}&to={day}")).content)

    (chain,) = json.loads(files["manifest.json"])["chains"]
    assert (chain["count"], chain["first"]["position"], chain["last"]["position"]) == (2, 2, 3)
    assert chain["previous"]["hash"] == results[0]["hash"]
    assert [name[-20:] for name in files if "/records/" in name] == ["0000000002-issue.xml", "0000000003-issue.xml"]
    assert verify_files(tmp_path, files)[0] == 0


async def test_a_period_too_long_or_reversed_is_refused_and_an_export_is_in_the_activity(office, ana):
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))
    for _ in range(2):
        await emit(ana, await ana.invoice())

    with pytest.raises(Invalid, match="2 records in this period; a request exports 1"):
        await export.export(ctx, export.ExportPeriod(TODAY, TODAY + timedelta(days=1)), most=1)
    backwards = await ana.refused(400, "GET", f"/api/einvoice/export?from={TODAY}&to={TODAY - timedelta(days=1)}")
    await exported(ana)

    assert [error["field"] for error in backwards["errors"]] == ["to"]
    feed = await ana.get("/api/invoices/activity/feed")
    (line,) = [one for one in feed if one["action"] == "records_exported"]
    assert line["changes"]["positions"]["to"] == "1 to 2"


async def test_an_export_holds_nothing_of_another_environment(ana, moved):
    await emit(ana, await ana.invoice())

    moved()

    assert list(unpacked(await exported(ana))) == ["manifest.json"]


async def test_an_export_holds_nothing_of_others(office, ana):
    berta = await office.account("Berta Gil")
    await emit(berta, await berta.invoice())

    assert list(unpacked(await exported(ana))) == ["manifest.json"]


async def test_ten_thousand_records_are_counted_and_summed_right(office, ana, tmp_path):
    """The rows are inserted in bulk: an export reads records and seals none."""
    await emit(ana, await ana.invoice())
    async with as_owner(office.kernel) as connection:
        await connection.execute(text("set session_replication_role = replica"))
        await connection.execute(text(MANY), {"account": ana.team["id"]})
        await connection.execute(text("set session_replication_role = default"))
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))

    result = await export.export(ctx, export.ExportPeriod(date(2026, 1, 1), TODAY + timedelta(days=1)))
    names, manifest = [], {}
    async for name, content in result.files:
        names += [name] if "/records/" in name else []
        manifest = json.loads(content) if name == "manifest.json" else manifest

    (chain,) = manifest["chains"]
    assert result.records == chain["count"] == chain["issued"] == 10_000
    assert Decimal(chain["grossTotal"]) == 10_000 * Decimal("1452.00")
    assert [int(name.rpartition("/")[2][:10]) for name in names] == list(range(1, 10_001))


_COPIED = [one.name for one in fiscal_record.c if one.name not in {"id", "position", "previous_id"}]
MANY = (
    f"insert into fiscal_record (id, position, {', '.join(_COPIED)})"  # noqa: S608 - names of our own
    f" select gen_random_uuid(), n, {', '.join(_COPIED)} from fiscal_record, generate_series(2, 10000) n"
    " where account_id = :account and position = 1"
)
