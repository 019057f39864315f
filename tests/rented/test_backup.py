"""A whole installation in one file: out of a running server, into another PostgreSQL, and back."""

import asyncio
import stat
from contextlib import asynccontextmanager
from pathlib import Path
from zipfile import ZipFile

import httpx2
import pytest

from support.api import PASSWORD, Api
from support.clusters import fetch
from support.commands import Ended, ledgerkit
from support.office import emit, nif
from support.serving import served

TAX_ID = nif(20_300_001)
LOGIN = {"email": "ana@example.com", "password": PASSWORD}


@asynccontextmanager
async def running(directory: Path, **settings: str):
    async with (
        served(directory, **settings) as server,
        httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
    ):
        yield client


async def chains(api: Api) -> list[dict[str, object]]:
    return (await api.get("/api/einvoice/chain"))["chains"]


async def numbers(api: Api) -> set[str]:
    return {one["number"] for one in await api.get("/api/invoices?limit=100")}


async def done(directory: Path, *words: str, **settings: str) -> Ended:
    ended = await ledgerkit(directory, *words, **settings)
    assert ended.code == 0, ended.err
    return ended


async def test_an_installation_moves_from_embedded_to_rented_and_back(newest, name, tmp_path):
    owner = await newest.rented(name, name)
    await newest.sql(f"create role {name}_app login password 'app'")
    rented = {"DATABASE_URL": owner, "DATABASE_APP_URL": newest.url(f"{name}_app", "app", name)}
    first, second, third = (tmp_path / place for place in ("first", "second", "third"))

    async with running(first) as client:
        ana = await Api.with_team(client, LOGIN["email"], "Ana Ruiz", TAX_ID)
        issued = [await emit(ana, await ana.invoice()) for _ in range(3)]
        begun = await chains(ana)
        out = await done(first, "backup", str(tmp_path / "out.zip"))
    moved = await done(second, "restore", str(tmp_path / "out.zip"), **rented)
    async with running(second, **rented) as client:
        ana.client = client
        there = await chains(ana)
        kept = await numbers(ana)
        issued.append(await emit(ana, await ana.invoice()))
        await done(second, "backup", str(tmp_path / "back.zip"), **rented)
    await done(third, "restore", str(tmp_path / "back.zip"))
    async with running(third) as client:
        ana.client = client
        back = await chains(ana)
        all_kept = await numbers(ana)
        verified = await done(third, "verifactu", "verify")

    assert "fiscal_record: 3 rows" in out.err
    assert "begin anew" in moved.out
    assert kept == {one["number"] for one in issued[:3]}
    assert all_kept == {one["number"] for one in issued}
    assert [len(one) for one in (begun, there, back)] == [1, 2, 3]
    assert len({one["installationNumber"] for one in back}) == 3
    assert [one["positions"] for one in back if one["closedAt"]] == [1, 3] or verified.out.count("the chain holds") == 2
    assert [stat.S_IMODE((third / file).stat().st_mode) for file in ("secret.key",)] == [0o600]


async def test_a_backup_is_of_one_moment_while_writes_go_on(tmp_path):
    data, file = tmp_path / "data", tmp_path / "b.zip"
    async with running(data) as client:
        ana = await Api.with_team(client, LOGIN["email"], "Ana Ruiz", TAX_ID)
        await emit(ana, await ana.invoice())
        writing = asyncio.create_task(_writes(ana))
        await done(data, "backup", str(file))
        writing.cancel()
        written = len(await numbers(ana))
    await done(tmp_path / "copy", "restore", str(file))
    async with running(tmp_path / "copy") as client:
        ana.client = client
        kept = len(await numbers(ana))
        verified = await done(tmp_path / "copy", "verifactu", "verify")
        pages = [
            await ana.request("GET", f"/api/invoices/{one['id']}") for one in await ana.get("/api/invoices?limit=100")
        ]

    assert 1 <= kept <= written
    assert "the chain holds" in verified.out
    assert {page.status_code for page in pages} == {200}


async def _writes(api: Api) -> None:
    while True:
        await emit(api, await api.invoice())


async def test_what_an_installation_holds_is_not_replaced_unsaid(tmp_path):
    one, other, file = tmp_path / "one", tmp_path / "other", tmp_path / "b.zip"
    async with running(one) as client:
        await Api.with_team(client, LOGIN["email"], "Ana Ruiz", TAX_ID)
        await done(one, "backup", str(file))
        beside = await ledgerkit(one, "restore", str(file))
    async with running(other) as client:
        berta = await Api.with_team(client, "berta@example.com", "Berta Gil", nif(20_300_002))

    refused = await ledgerkit(other, "restore", str(file))
    async with running(other) as client:
        berta.client = client
        kept = await berta.get("/api/teams/current")
    await done(other, "restore", str(file), "--replace")
    async with running(other) as client:
        berta.client = client
        gone = await berta.request("GET", "/api/teams/current")
        login = await client.post("/auth/login", json=LOGIN)

    assert (beside.code, refused.code) == (69, 3)
    assert "holds 1 users, 1 accounts and 0 fiscal records" in refused.err
    assert "--replace" in refused.err
    assert kept["team"]["name"]
    assert (gone.status_code, login.status_code) == (401, 200)


async def test_a_restore_in_place_begins_a_new_installation_even_if_nothing_was_sent_since(tmp_path):
    data, file = tmp_path / "data", tmp_path / "b.zip"
    async with running(data) as client:
        ana = await Api.with_team(client, LOGIN["email"], "Ana Ruiz", TAX_ID)
        await emit(ana, await ana.invoice())
        before = await chains(ana)
        await done(data, "backup", str(file))
    await done(data, "restore", str(file), "--replace")
    async with running(data) as client:
        ana.client = client
        after = await chains(ana)

    assert (len(before), len(after)) == (1, 2)


async def test_a_restore_that_fails_leaves_what_was_there(newest, name, tmp_path):
    """Its rows do not fit the tables; all but the role's password is as before."""
    owner = await newest.rented(name, name, "createrole")
    data, file, spoilt = tmp_path / "data", tmp_path / "b.zip", tmp_path / "spoilt.zip"
    async with running(data, DATABASE_URL=owner) as client:
        await Api.with_team(client, LOGIN["email"], "Ana Ruiz", TAX_ID)
        await done(data, "backup", str(file), DATABASE_URL=owner)
    with ZipFile(file) as source, ZipFile(spoilt, "w") as target:
        for member in source.namelist():
            content = source.read(member)
            target.writestr(member, b"nonsense\n" if member == "database/membership.copy" else content)

    failed = await ledgerkit(data, "restore", str(spoilt), "--replace", DATABASE_URL=owner)

    assert (failed.code, failed.err.splitlines()[-1].startswith("The backup does not fit")) == (3, True)
    assert await fetch(owner, "select count(*) from app_user") == [(1,)]
    assert "Traceback" not in failed.err
    async with running(data, DATABASE_URL=owner) as client:
        assert (await client.post("/auth/login", json=LOGIN)).status_code == 200


async def test_files_that_are_no_backup_are_told_apart_and_none_is_overwritten(tmp_path):
    data = tmp_path / "data"
    (tmp_path / "text.zip").write_text("no archive")
    with ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("readme.txt", "x")
    async with running(data):
        await done(data, "backup", str(tmp_path / "b.zip"))
        twice = await ledgerkit(data, "backup", str(tmp_path / "b.zip"))
        inside = await ledgerkit(data, "backup", str(data / "b.zip"))
    whole = (tmp_path / "b.zip").read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[: len(whole) // 2])
    flipped = bytearray(whole)
    flipped[whole.index(b"database/app_user.copy") + 60] ^= 1
    (tmp_path / "flipped.zip").write_bytes(flipped)

    said = {
        file: await ledgerkit(tmp_path / "target", "restore", str(tmp_path / file))
        for file in ("text.zip", "other.zip", "cut.zip", "flipped.zip", "absent.zip")
    }

    assert {file: ended.code for file, ended in said.items()} == dict.fromkeys(said, 3)
    assert all(ended.err.splitlines()[-1].count("zip") and "Traceback" not in ended.err for ended in said.values())
    assert (twice.code, inside.code) == (3, 3)
    assert "exists already" in twice.err
    assert "lies in the data directory" in inside.err
    assert stat.S_IMODE((tmp_path / "b.zip").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.glob("*.partial")) == []


async def test_the_operators_certificate_and_key_come_along(tmp_path):
    """Files that settings name may lie anywhere; restored, they lie in the data directory."""
    data, file = tmp_path / "data", tmp_path / "b.zip"
    certificate = tmp_path / "seal.pem"
    certificate.write_text("a certificate")
    key = {"SECRET_KEY": "a secret key that a setting holds, and no file"}
    async with running(data, **key) as client:
        ana = await Api.with_team(client, LOGIN["email"], "Ana Ruiz", TAX_ID)
        await done(data, "backup", str(file), VERIFACTU_CERT_FILE=str(certificate), **key)

    other_key = await ledgerkit(
        tmp_path / "copy", "restore", str(file), SECRET_KEY="another key, forty characters long!!"
    )
    restored = await done(tmp_path / "copy", "restore", str(file))
    async with running(tmp_path / "copy") as client:
        ana.client = client
        known = await ana.request("GET", "/api/teams/current")

    assert (other_key.code, "LEDGERKIT_SECRET_KEY is not the key" in other_key.err) == (78, True)
    assert str(tmp_path / "copy/certificates/seal.pem") in restored.out
    assert (tmp_path / "copy/certificates/seal.pem").read_text() == "a certificate"
    assert (tmp_path / "copy/secret.key").read_text() == key["SECRET_KEY"]
    assert known.status_code == 200


@pytest.mark.parametrize("words", [("backup", "b.zip"), ("restore", "b.zip")])
async def test_the_owner_is_needed(newest, name, tmp_path, words):
    app = newest.url(f"{name}_app", "app", name)
    with ZipFile(tmp_path / "b.zip", "w"):
        pass
    if words[0] == "backup":
        (tmp_path / "b.zip").unlink()

    ended = await ledgerkit(tmp_path / "data", *words, DATABASE_APP_URL=app)

    assert (ended.code, ended.err.count("\n")) == (78, 1)
    assert "LEDGERKIT_DATABASE_URL" in ended.err
