"""Everything of one's own as a file: made in the background, whole, and of nobody else."""

import csv
import io
import json
import shutil
import zipfile
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import time_machine
from sqlalchemy import text

from ledgerkit import clock
from ledgerkit.core.operation.personal_data.export import contents, rows
from ledgerkit.core.operation.personal_data.export import operations as export
from ledgerkit.core.operation.personal_data.export.directory import ExportDirectory
from ledgerkit.core.operation.personal_data.table import POSITION, ExportPosition
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.database.tenancy import is_shared, scope_of
from ledgerkit.core.platform.identity.logins.tokens import key_digest
from ledgerkit.money import dumps_exact
from support.api import PASSWORD, Api, kernel_of
from support.database import as_owner, row_counts, set_role
from support.files import JPEG, PDF, PNG, URL, expense, of, uploaded
from support.office import cloned, emit, eventually, opened
from support.scenes import scene
from support.scenes.messaging import linked_chat
from support.work import next_job, worked_off

EXPORT, DOWNLOAD = "/auth/export", "/auth/export/download"


async def exported(api: Api) -> zipfile.ZipFile:
    """One's export, made now."""
    begun = await api.request("POST", EXPORT)
    assert begun.status_code == 202
    await worked_off(kernel_of(api.client))
    return await fetched(api)


async def fetched(api: Api) -> zipfile.ZipFile:
    answer = await api.request("GET", DOWNLOAD)
    assert answer.status_code == 200, answer.text
    return zipfile.ZipFile(io.BytesIO(answer.content))


def everything(archive: zipfile.ZipFile) -> str:
    return "\n".join(name + archive.read(name).decode("latin-1") for name in archive.namelist())


def one_file(archive: zipfile.ZipFile, end: str) -> bytes:
    [name] = [one for one in archive.namelist() if one.endswith(end)]
    return archive.read(name)


async def test_an_export_is_begun_made_and_fetched(ana, client):
    begun = await ana.request("POST", EXPORT)
    waiting = await ana.refused(404, "GET", DOWNLOAD)
    await worked_off(kernel_of(client))
    ready = await ana.request("GET", EXPORT)
    file = await ana.request("GET", DOWNLOAD)

    assert (begun.status_code, begun.json()["state"], begun.headers["retry-after"]) == (202, "making", "5")
    assert waiting["code"] == "NOT_FOUND"
    assert (ready.status_code, ready.json()["state"]) == (200, "ready")
    assert ready.json()["downloadUrl"] == f"http://127.0.0.1:8000{DOWNLOAD}"
    assert ready.json()["size"] == len(file.content)
    assert file.headers["content-type"] == "application/zip"
    assert file.headers["cache-control"] == "no-store"
    assert zipfile.ZipFile(io.BytesIO(file.content)).testzip() is None


async def test_an_export_holds_the_person_and_every_record_of_the_accounts_they_own(kernel, ana):
    ids = await scene(ana)
    await ana.post("/api/teams", {"name": "Otra", "country": "ES"})
    link_id = await linked_chat(ana)

    archive = await exported(ana)

    person = json.loads(archive.read("persona.json"))
    assert link_id in [link["id"] for link in person["linkedChats"]]
    assert (person["email"], {one["name"] for one in person["memberships"]}) == (ana.email, {"Ana Ruiz", "Otra"})
    assert {name.partition("/")[0].rpartition("-")[0] for name in archive.namelist() if "/" in name} == {
        "ana-ruiz",
        "otra",
    }
    [client_row] = [one for one in json.loads(one_file(archive, "data/client.json")) if one["id"] == ids["client"]]
    assert client_row["name"]
    counted = await row_counts(kernel)
    counted["activity"] -= 1  # that fiscal records were exported is noted after the log was copied
    for table in rows.tables():
        names = [one for one in archive.namelist() if one.endswith(f"data/{table.name}.json")]
        stored = sum(len(json.loads(archive.read(one))) for one in names)
        assert stored == counted[table.name], table.name


async def test_an_export_names_the_persons_keys_and_holds_none_that_opens_anything(ana):
    key = await ana.post("/api/keys", {"name": "Gestoría", "scopes": ["read"]})

    archive = await exported(ana)

    [exported_key] = json.loads(archive.read("persona.json"))["apiKeys"]
    assert (exported_key["name"], exported_key["scopes"]) == ("Gestoría", ["read"])
    assert (exported_key["prefix"], exported_key["accountId"]) == (key["prefix"], ana.team["id"])
    assert key_digest(key["key"]) not in everything(archive)


async def test_csv_and_json_say_the_same(ana):
    await scene(ana)

    archive = await exported(ana)

    for name in [one for one in archive.namelist() if one.endswith(".csv")]:
        lines = list(csv.reader(io.StringIO(archive.read(name).decode("utf-8-sig"), newline="")))
        records = json.loads(archive.read(name.removesuffix("csv") + "json"))
        assert lines[0] == list(records[0]), name
        assert len(lines) - 1 == len(records), name


async def test_issued_invoices_are_there_as_pdf(ana):
    invoice = await ana.invoice()
    await ana.patch(f"/api/invoices/{invoice['id']}/pay")
    await ana.invoice()

    archive = await exported(ana)

    papers = [one for one in archive.namelist() if "/invoices/" in one]
    [paper] = papers
    assert paper.endswith("-0001.pdf")
    assert archive.read(paper).startswith(b"%PDF-")


async def test_imported_invoices_are_told_from_ones_own(ana):
    row = {"number": "OLD-7", "issueDate": "2026-03-05", "clientName": "Ana", "base": 100, "taxRate": 21}
    await ana.post("/api/invoices/import", {"rows": [row]})
    await ana.invoice()

    archive = await exported(ana)

    origins = {one["number"]: one["origin"] for one in json.loads(one_file(archive, "data/invoice.json"))}
    assert origins == {"OLD-7": "external", None: "own"}


async def test_what_a_spreadsheet_would_compute_is_harmless(ana):
    await ana.post("/api/clients", {"name": "=1+1"})

    archive = await exported(ana)

    assert b"'=1+1" in one_file(archive, "data/client.csv")


async def test_nothing_of_others_is_in_it(kernel, ana, berta, client):
    await berta.invoice(notes="A secret of Berta")
    await berta.post("/api/clients", {"name": "Nobody else's client"})
    await set_role(kernel, team_id=berta.team["id"], user_email=ana.email, role="admin")

    archive = await exported(ana)

    found = everything(archive)
    for word in ("A secret of Berta", "Nobody else's client", berta.email, "87654321X"):
        assert word not in found
    member = next(one for one in json.loads(archive.read("persona.json"))["memberships"] if one["name"] == "Berta Gil")
    assert member["role"] == "admin"


async def test_nothing_that_opens_an_account_is_in_it(ana, berta):
    invoice = await ana.invoice()
    link = await ana.post(f"/api/invoices/{invoice['id']}/share")
    await ana.request("POST", "/api/teams", {"name": "Otra", "country": "ES"}, **{"Idempotency-Key": "k"})

    found = everything(await exported(ana))

    secrets = [PASSWORD, "$argon2id$", ana.api_key[41:], ana.team["apiKey"][41:], link["shareToken"]]
    assert [one for one in secrets if one in found] == []


def test_every_table_of_an_account_is_exported_or_says_why_not():
    of_accounts = {one.name for one in metadata.tables.values() if not is_shared(scope_of(one))}

    assert {one.name for one in rows.tables()} | rows.LEFT_OUT.keys() == of_accounts
    assert {name for name, _ in rows.SECRET} <= of_accounts
    assert all(column in metadata.tables[name].c for name, column in rows.SECRET)


async def test_nobody_fetches_the_export_of_another(kernel, ana, berta, client):
    await exported(ana)

    await berta.refused(404, "GET", DOWNLOAD)
    await berta.request("DELETE", EXPORT)
    await Api(client, {}).refused(401, "GET", DOWNLOAD)

    assert (await fetched(ana)).namelist()
    theirs = await exported(berta)
    assert json.loads(theirs.read("persona.json"))["email"] == berta.email


@pytest.mark.parametrize(("method", "path"), [("POST", EXPORT), ("GET", EXPORT), ("GET", DOWNLOAD), ("DELETE", EXPORT)])
async def test_an_api_key_takes_nothing_out(ana, method, path):
    for key in (ana.api_key, ana.team["apiKey"]):
        await Api(ana.client, {"x-api-key": key}).refused(401, method, path)


async def test_asking_how_it_stands_begins_none(kernel, ana):
    problem = await ana.refused(404, "GET", EXPORT)

    assert "POST /auth/export" in problem["remedy"]
    assert (await row_counts(kernel)).get("data_export", 0) == 0


async def test_asking_again_makes_no_second_one(kernel, ana):
    first = await ana.request("POST", EXPORT)
    second = await ana.request("POST", EXPORT)

    assert first.json() == second.json()
    assert (await row_counts(kernel))["job"] == 1


async def test_an_export_is_gone_after_a_day_and_another_one_is_made(kernel, ana, settings):
    first = await exported(ana)
    with time_machine.travel(clock.now() + timedelta(hours=23), tick=False):
        await export.forget(kernel)
        await ana.log_in()
        assert (await fetched(ana)).namelist() == first.namelist()
    with time_machine.travel(clock.now() + timedelta(hours=24, seconds=1), tick=False):
        await ana.log_in()
        await ana.refused(404, "GET", DOWNLOAD)
        await export.forget(kernel)
        left = list((settings.data_dir / "exports").iterdir())
        await ana.refused(404, "GET", EXPORT)
        again = await ana.request("POST", EXPORT)

    assert left == []
    assert (again.status_code, again.json()["state"]) == (202, "making")


async def test_discarding_removes_it_at_once(kernel, ana, settings):
    await exported(ana)

    assert await ana.delete(EXPORT) == {"ok": True}

    assert list((settings.data_dir / "exports").iterdir()) == []
    await ana.refused(404, "GET", DOWNLOAD)
    await ana.refused(404, "GET", EXPORT)
    assert (await ana.request("POST", EXPORT)).status_code == 202


async def test_discarding_while_it_is_made_leaves_nothing_behind(kernel, ana, settings):
    await ana.post(EXPORT)
    name, payload = await next_job(kernel)
    await export.make_part(kernel, payload)
    await ana.delete(EXPORT)

    await worked_off(kernel)

    assert name == export.MAKE_PART
    assert [one for one in (settings.data_dir / "exports").rglob("*") if one.is_file()] == []


async def test_files_of_no_export_are_swept_away(kernel, ana, settings):
    await exported(ana)
    folder = settings.data_dir / "exports"
    (folder / f"{'0' * 32}.zip").write_bytes(b"left behind")
    (folder / ("1" * 32)).mkdir()

    await export.forget(kernel)

    assert len(list(folder.iterdir())) == 1
    assert (await fetched(ana)).namelist()


async def test_only_this_user_reads_the_files(ana, settings):
    await exported(ana)

    folder = settings.data_dir / "exports"
    modes = {path.name: path.stat().st_mode & 0o777 for path in (folder, *folder.iterdir())}

    assert modes.pop("exports") == 0o700
    assert set(modes.values()) == {0o600}


async def test_a_part_that_was_interrupted_is_made_again(kernel, ana):
    """As after a crash between the writing of a part and the noting of it: the job comes again."""
    await ana.post(EXPORT)
    seen = []
    while (waiting := await next_job(kernel)) is not None:
        _, payload = waiting
        path = await _path_of(kernel, payload)
        path.with_suffix(".tmp").write_bytes(b"half a part")
        await export.make_part(kernel, payload)
        await export.make_part(kernel, payload)  # the same job once more
        seen.append(payload["part"])

    archive = await fetched(ana)

    assert seen == sorted(set(seen))
    assert archive.testzip() is None
    assert len(archive.namelist()) == len(set(archive.namelist()))


async def _path_of(kernel, payload) -> Path:
    async with as_owner(kernel) as connection:
        [known] = (await connection.execute(text("select id from data_export"))).scalars()
    return ExportDirectory(kernel.settings).parts(known) / f"{payload['part']:08d}.zip"


async def test_an_account_that_is_lost_meanwhile_is_left_out(kernel, ana, berta):
    await ana.invoice(notes="Mine no more")
    await ana.post(EXPORT)
    _, payload = await next_job(kernel)
    await export.make_part(kernel, payload)
    async with as_owner(kernel) as connection:
        await connection.execute(
            text("update membership set role = 'viewer' where account_id = cast(:id as uuid)"), {"id": ana.team["id"]}
        )

    await worked_off(kernel)

    assert "Mine no more" not in everything(await fetched(ana))


class TestWithoutRoom:
    async def test_it_fails_and_gives_its_room_back(self, kernel, ana, settings, monkeypatch):
        await ana.post(EXPORT)
        monkeypatch.setattr(ExportDirectory, "has_space", lambda *_, **__: False)

        await worked_off(kernel)

        answer = await ana.request("GET", EXPORT)
        assert (answer.status_code, answer.json()["state"]) == (200, "failed")
        assert [one for one in (settings.data_dir / "exports").rglob("*") if one.is_file()] == []
        with time_machine.travel(clock.now() + timedelta(hours=1, seconds=1), tick=False):
            assert (await ana.request("POST", EXPORT)).status_code == 202

    def test_room_is_what_all_exports_have_together(self, settings, monkeypatch):
        room = ExportDirectory(settings.model_copy(update={"export_space_mib": 16}))
        mine, other = uuid4(), uuid4()
        (room.parts(other) / "1.zip").write_bytes(b"x" * (10 << 20))
        (room.parts(mine) / "1.zip").write_bytes(b"x" * (4 << 20))

        assert room.has_space(mine, merging=False)
        assert not room.has_space(mine, merging=True)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 1 << 20))
        assert not room.has_space(mine, merging=False)


async def test_many_invoices_come_in_several_parts(kernel, ana, monkeypatch):
    monkeypatch.setattr(contents, "INVOICES_PER_PART", 2)
    for _ in range(3):
        invoice = await ana.invoice()
        await ana.patch(f"/api/invoices/{invoice['id']}/pay")

    archive = await exported(ana)

    assert len([one for one in archive.namelist() if one.endswith(".pdf")]) == 3


async def test_two_people_have_theirs_made_in_turns(kernel, ana, berta):
    await ana.post(EXPORT)
    await berta.post(EXPORT)
    order = []
    while (waiting := await next_job(kernel)) is not None:
        order.append(str(waiting[1]["exportId"]))
        await export.make_part(kernel, waiting[1])

    first, second = order[0], order[1]
    assert first != second
    assert order[:6] == [first, second] * 3


@pytest.mark.whole
async def test_records_are_there_as_they_were_sealed_and_a_restart_loses_nothing(postgres, tmp_path, cheap_passwords):
    async with cloned(postgres) as url:
        async with opened(url, tmp_path, cheap_passwords, worker="apart", einvoice_env="sandbox") as office:
            ana = await office.account()
            made = await emit(ana, await ana.invoice())
            begun = await ana.request("POST", EXPORT)
        async with opened(url, tmp_path, cheap_passwords) as office:
            ana.client = office.client

            async def ready() -> bool:
                return (await ana.request("GET", EXPORT)).status_code == 200

            await eventually(ready, 60)
            archive = await fetched(ana)
            sealed = await ana.request("GET", f"/api/einvoice/xml/{made['invoiceId']}?fiscalId={made['fiscalId']}")

    assert begun.status_code == 202
    [record] = [one for one in archive.namelist() if one.endswith("-issue.xml")]
    assert archive.read(record) == sealed.content
    assert any(one.endswith("manifest.json") for one in archive.namelist())


@pytest.mark.parametrize(
    "stored",
    [
        {"account": "0198c3b5-0000-7000-8000-000000000001", "section": "data", "after": None},
        {"account": "0198c3b5-0000-7000-8000-000000000001", "section": "records", "after": "2026"},
    ],
)
def test_a_position_is_stored_in_one_form(stored):
    position = POSITION.decode(stored)

    assert position == ExportPosition(**stored)
    assert dumps_exact(POSITION.encode(position)) == dumps_exact(stored)


async def test_an_export_holds_the_files_of_documents(ana, berta, monkeypatch):
    monkeypatch.setattr(contents, "ATTACHMENTS_PER_PART", 1)
    bought = await expense(ana)
    await uploaded(ana, PDF, "ticket.pdf", **of("expense", bought))
    loose = await uploaded(ana, PNG, "foto.png")
    hidden = await uploaded(ana, JPEG, "viejo.jpg", **of("expense", bought))
    await ana.delete(f"{URL}/{hidden['id']}")
    await uploaded(berta, JPEG, "de-berta.jpg")

    archive = await exported(ana)

    files = {name.partition("/attachments/")[2] for name in archive.namelist() if "/attachments/" in name}
    assert {name.rpartition("-")[2] for name in files} == {"ticket.pdf", "foto.png", "viejo.jpg"}
    assert archive.read(next(name for name in archive.namelist() if loose["id"] in name)) == PNG
