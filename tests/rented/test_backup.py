"""A whole installation in one file: out of a running server, into another PostgreSQL, and back."""

import asyncio
import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from zipfile import ZipFile

import httpx2
import pytest
from alembic.script import ScriptDirectory
from pwdlib import PasswordHash

from ledgerkit.app import create_app
from ledgerkit.commands.backups import backed_up, restored
from ledgerkit.core.operation.backup import BackupError
from ledgerkit.core.operation.backup.archive.writer import EXCLUDED
from ledgerkit.core.platform.database import migrations
from ledgerkit.embedded_postgres.errors import DirectoryInUse
from ledgerkit.settings import Settings
from ledgerkit.settings.start_errors import Misconfigured, StartError
from support.api import PASSWORD, Api
from support.clusters import execute, fetch
from support.commands import ledgerkit
from support.directories import open_directory
from support.office import BASE, emit, eventually, nif
from support.serving import served

pytestmark = pytest.mark.whole

TAX_ID = nif(20_300_001)
LOGIN = {"email": "ana@example.com", "password": PASSWORD}
ACCOUNT = (
    "insert into account (id, kind, name, country, currency, time_zone)"
    " values (gen_random_uuid(), 'personal', 'Ana', 'ES', 'EUR', 'Europe/Madrid')"
)
USER = (
    "insert into app_user (id, email, name, password_hash, country, currency, locale, time_zone, active_account_id)"
    " select gen_random_uuid(), '{}', 'Ana', '{}', 'ES', 'EUR', 'es-ES', 'Europe/Madrid', id from account"
)
STANDS_AT = "update alembic_version set version_num = '{}'"
KEY = "insert into api_key (id, kind, owner_id) select gen_random_uuid(), 'user', id from app_user"


def installation(directory: Path, **settings: object) -> Settings:
    """An installation with data in `directory`, on an embedded PostgreSQL unless `settings` name another one."""
    return Settings(_env_file=None, data_dir=directory, rate_limit="off", **settings)


@pytest.fixture
def data(tmp_path, fresh_urls) -> Settings:
    """An installation on a migrated database of the worker's PostgreSQL, where it does not matter whose that is."""
    return installation(tmp_path / "data", database_url=fresh_urls.owner)


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[httpx2.AsyncClient]:
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url=BASE) as client:
            yield client


async def ana_in(client: httpx2.AsyncClient) -> Api:
    return await Api.with_team(client, LOGIN["email"], "Ana Ruiz", TAX_ID)


async def chains(api: Api) -> list[dict[str, object]]:
    return (await api.get("/api/einvoice/chain"))["chains"]


async def whole(api: Api) -> list[bool]:
    """For each chain with records whether every link of it holds."""
    checked = [
        await api.get(f"/api/einvoice/chain?verify=true&installation={one['installationNumber']}")
        for one in await chains(api)
        if one["positions"]
    ]
    return [one["verification"]["ok"] for one in checked]


async def numbers(api: Api) -> set[str]:
    """Numbers of the issued invoices; a draft has none yet."""
    return {one["number"] for one in await api.get("/api/invoices?limit=100") if one["number"]}


async def test_an_installation_moves_from_embedded_to_rented_and_back(newest, name, tmp_path):
    owner = await newest.rented(name, name)
    await newest.sql(f"create role {name}_app login password 'app'")
    app = newest.url(f"{name}_app", "app", name)
    first, third = installation(tmp_path / "first"), installation(tmp_path / "third")
    second = installation(tmp_path / "second", database_url=owner, database_app_url=app)

    async with running(first) as client:
        ana = await ana_in(client)
        issued = [await emit(ana, await ana.invoice()) for _ in range(3)]
        await backed_up(first, tmp_path / "out.zip")
    await restored(second, tmp_path / "out.zip", replaces=False)
    async with running(second) as ana.client:
        there, kept_there = await chains(ana), await numbers(ana)
        issued.append(await emit(ana, await ana.invoice()))
        await backed_up(second, tmp_path / "back.zip")
    await restored(third, tmp_path / "back.zip", replaces=False)
    async with running(third) as ana.client:
        back, kept, hold = await chains(ana), await numbers(ana), await whole(ana)

    assert kept_there == {one["number"] for one in issued[:3]}
    assert kept == {one["number"] for one in issued}
    assert (len(there), len(back)) == (2, 3)
    assert len({one["installationNumber"] for one in back}) == 3
    assert hold == [True, True]


async def test_a_backup_is_of_one_moment_while_writes_go_on(tmp_path, data, fresh_urls):
    copy = installation(tmp_path / "copy")
    async with running(data) as client:
        ana = await ana_in(client)
        await emit(ana, await ana.invoice())
        writing = asyncio.create_task(_writes(ana))
        backup = ("backup", str(tmp_path / "b.zip"))
        command = await ledgerkit(tmp_path / "data", *backup, DATABASE_URL=fresh_urls.owner)
        before_the_end = await numbers(ana)
        await eventually(lambda: _more_than(ana, before_the_end))
        writing.cancel()
        with suppress(asyncio.CancelledError):
            await writing
        written = await numbers(ana)
    await restored(copy, tmp_path / "b.zip", replaces=False)
    async with running(copy) as ana.client:
        kept, held, hold = await numbers(ana), await chains(ana), await whole(ana)

    assert command.code == 0, command.err
    assert "fiscal_record: " in command.err
    assert 1 <= len(kept) < len(written)
    assert kept < written
    assert hold == [True]
    assert sum(one["positions"] for one in held) == len(kept)


async def _more_than(api: Api, written: set[str]) -> bool:
    return await numbers(api) > written


async def _writes(api: Api) -> None:
    while True:
        await emit(api, await api.invoice())


async def test_what_an_installation_holds_is_not_replaced_unsaid(tmp_path, data):
    one, other, file = installation(tmp_path / "one"), data, tmp_path / "b.zip"
    async with running(one) as client:
        await ana_in(client)
        await backed_up(one, file)
        with pytest.raises(DirectoryInUse):
            await restored(one, file, replaces=True)
    async with running(other) as client:
        berta = await Api.with_team(client, "berta@example.com", "Berta Gil", nif(20_300_002))

    with pytest.raises(BackupError, match=r"holds 1 user, 1 account and 0 fiscal records.*--replace"):
        await restored(other, file, replaces=False)
    async with running(other) as berta.client:
        kept = await berta.request("GET", "/api/teams/current")
    await restored(other, file, replaces=True)
    async with running(other) as berta.client:
        gone = await berta.request("GET", "/api/teams/current")
        login = await berta.client.post("/auth/login", json=LOGIN)

    assert (kept.status_code, gone.status_code, login.status_code) == (200, 401, 200)


async def test_a_restore_in_place_begins_a_new_installation_even_if_nothing_was_sent_since(tmp_path, data):
    file = tmp_path / "b.zip"
    async with running(data) as client:
        ana = await ana_in(client)
        await emit(ana, await ana.invoice())
        before = await chains(ana)
        await backed_up(data, file)
    await restored(data, file, replaces=True)
    async with running(data) as ana.client:
        after = await chains(ana)

    assert (len(before), len(after)) == (1, 2)


async def test_a_witness_of_what_was_sent_is_never_set_back(tmp_path, data):
    """Records that were sent after the backup are known to be lost, though the files of the backup know nothing."""
    file = tmp_path / "b.zip"
    async with running(data) as client:
        ana = await ana_in(client)
        await emit(ana, await ana.invoice())
        await backed_up(data, file)
        await emit(ana, await ana.invoice())
    (witness,) = (tmp_path / "data/chains").glob("*.json")
    before = witness.read_text()
    await restored(data, file, replaces=True)
    async with running(data) as ana.client:
        after = await chains(ana)

    assert witness.read_text() == before
    assert any("records were lost" in (one["closedReason"] or "") for one in after)


async def test_a_server_beside_a_restore_is_noticed(newest, name, tmp_path):
    owner = await newest.rented(name, name, "createrole")
    data, file = installation(tmp_path / "data", database_url=owner), tmp_path / "b.zip"
    async with running(data) as client:
        await ana_in(client)
        await backed_up(data, file)

        with pytest.raises(StartError, match="are open on this database") as refused:
            await restored(data, file, replaces=True)

    assert refused.value.exit_code == 69


async def test_a_restore_that_fails_leaves_what_was_there(newest, name, tmp_path):
    owner = await newest.rented(name, name, "createrole")
    data, file, spoilt = installation(tmp_path / "data", database_url=owner), tmp_path / "b.zip", tmp_path / "s.zip"
    async with running(data) as client:
        await ana_in(client)
        await backed_up(data, file)
    with ZipFile(file) as source, ZipFile(spoilt, "w") as target:
        for member in source.namelist():
            nonsense = member == "database/membership.copy"
            target.writestr(member, b"nonsense\n" if nonsense else source.read(member))

    with pytest.raises(BackupError, match=r"does not fit its tables .*Nothing was changed"):
        await restored(data, spoilt, replaces=True)

    assert await fetch(owner, "select count(*) from app_user") == [(1,)]
    async with running(data) as client:
        assert (await client.post("/auth/login", json=LOGIN)).status_code == 200


async def test_an_older_backup_is_brought_up_to_date(newest, name, tmp_path):
    """An older backup's tables are made as they were, filled, and then migrated like any other."""
    owner = await newest.rented(name, name, "createrole")
    older = ScriptDirectory(str(migrations.scripts())).get_revision(migrations.head()).down_revision
    async with migrations.alone(owner) as connection:
        await migrations.upgrade_on(connection, older)
    await execute(owner, ACCOUNT, USER.format(LOGIN["email"], PasswordHash.recommended().hash(PASSWORD)), KEY)
    made = await backed_up(installation(tmp_path / "data", database_url=owner), tmp_path / "b.zip")

    await restored(installation(tmp_path / "copy"), tmp_path / "b.zip", replaces=False)
    async with running(installation(tmp_path / "copy")) as client:
        login = await client.post("/auth/login", json=LOGIN)

    assert made.revision == older
    assert login.status_code == 200


@pytest.mark.parametrize(("revision", "said"), [("0031", "begins with revision 0058"), ("9999", "newer than this one")])
async def test_a_backup_of_tables_without_migrations_is_refused(data, fresh_urls, tmp_path, revision, said):
    async with running(data):
        pass
    await execute(fresh_urls.owner.replace("+asyncpg", ""), STANDS_AT.format(revision))
    await backed_up(data, tmp_path / "b.zip")

    with pytest.raises(BackupError, match=said):
        await restored(data, tmp_path / "b.zip", replaces=True)


async def test_what_people_took_out_stays_behind_and_what_comes_back_is_closed_to_others(tmp_path, data):
    copy = installation(tmp_path / "new" / "copy")
    async with running(data) as client:
        await ana_in(client)
        (data.data_dir / "exports").mkdir(exist_ok=True)
        (data.data_dir / "exports" / "everything.zip").write_bytes(b"a person's books")
        await backed_up(data, tmp_path / "b.zip")

    await restored(copy, tmp_path / "b.zip", replaces=False)

    with ZipFile(tmp_path / "b.zip") as archive:
        assert [one for one in archive.namelist() if "exports" in one] == []
    opened = [one for one in copy.data_dir.rglob("*") if one.is_dir() and one.parts[-1] not in EXCLUDED]
    places = [one for one in opened if "postgres" not in one.parts]
    assert {stat.S_IMODE(one.stat().st_mode) for one in (copy.data_dir, *places)} == {0o700}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root lends the embedded PostgreSQL another account")
async def test_what_root_restores_starts(tmp_path, data):
    backup = tmp_path / "backup.zip"
    async with running(data) as client:
        await ana_in(client)
    await backed_up(data, backup)

    with open_directory() as parent:  # an account that is not root's can come here
        for words in ((), ("--replace",)):
            result = await ledgerkit(parent / "data", "restore", str(backup), *words)
            assert result.code == 0, result.err

            async with (
                served(parent / "data") as server,
                httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
            ):
                login = await client.post("/auth/login", json=LOGIN)

            assert login.status_code == 200
            assert stat.S_IMODE((parent / "data").stat().st_mode) & 0o066 == 0
            assert stat.S_IMODE((parent / "data" / "secret.key").stat().st_mode) == 0o600


async def test_files_that_are_no_backup_are_told_apart_and_none_is_overwritten(tmp_path, data):
    file = tmp_path / "b.zip"
    (tmp_path / "text.zip").write_text("no archive")
    with ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("readme.txt", "x")
    async with running(data):
        await backed_up(data, file)
        with pytest.raises(BackupError, match="exists already"):
            await backed_up(data, file)
        with pytest.raises(BackupError, match="lies in the data directory"):
            await backed_up(data, tmp_path / "data" / "b.zip")
    whole = file.read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[: len(whole) // 2])
    flipped = bytearray(whole)
    flipped[whole.index(b"files/secret.key") + 20] ^= 1
    (tmp_path / "flipped.zip").write_bytes(flipped)

    for name in ("text.zip", "other.zip", "cut.zip", "flipped.zip", "absent.zip"):
        with pytest.raises(BackupError, match=name):
            await restored(data, tmp_path / name, replaces=True)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.glob("*.partial")) == []


async def test_the_operators_certificate_and_key_come_along(tmp_path, fresh_urls, monkeypatch):
    """Files that settings name may lie anywhere; restored, they lie in the data directory."""
    certificate, file = tmp_path / "seal.pem", tmp_path / "b.zip"
    certificate.write_text("a certificate")
    key = "a secret key that a setting holds, and no file"
    data = installation(tmp_path / "data", database_url=fresh_urls.owner, secret_key=key)
    copy = installation(tmp_path / "copy")
    async with running(data) as client:
        ana = await ana_in(client)
        monkeypatch.setenv("LEDGERKIT_VERIFACTU_CERT_FILE", str(certificate))
        await backed_up(data, file)
    monkeypatch.delenv("LEDGERKIT_VERIFACTU_CERT_FILE")

    with pytest.raises(Misconfigured, match="LEDGERKIT_SECRET_KEY is not the key of this backup"):
        await restored(installation(tmp_path / "copy", secret_key=key[::-1]), file, replaces=False)
    done = await restored(copy, file, replaces=False)
    async with running(copy) as ana.client:
        known = await ana.request("GET", "/api/teams/current")

    assert done.certificates == (tmp_path / "copy/certificates/seal.pem",)
    assert done.certificates[0].read_text() == "a certificate"
    assert (tmp_path / "copy/secret.key").read_text() == key
    assert known.status_code == 200


async def test_a_member_that_leads_out_of_the_directory_is_refused(tmp_path, data):
    file = tmp_path / "b.zip"
    async with running(data):
        await backed_up(data, file)
    with ZipFile(file, "a") as archive:
        archive.writestr("files/../outside", "x")

    with pytest.raises(BackupError, match="leads out"):
        await restored(installation(tmp_path / "copy"), file, replaces=False)

    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("words", [("backup", "new.zip"), ("restore", "old.zip"), ("migrate",)])
async def test_the_owner_is_needed(newest, name, tmp_path, words):
    app = newest.url(f"{name}_app", "app", name)
    with ZipFile(tmp_path / "old.zip", "w"):
        pass

    ended = await ledgerkit(tmp_path / "data", *words, DATABASE_APP_URL=app)

    assert (ended.code, ended.err.count("\n")) == (78, 1)
    assert "LEDGERKIT_DATABASE_URL" in ended.err
