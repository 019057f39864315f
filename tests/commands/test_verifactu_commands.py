"""`ledgerkit verifactu ...` as an operator runs it: beside a running server, alone, and wrongly."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import httpx2
import pytest

from ledgerkit.embedded_postgres import EmbeddedPostgres
from support.api import Api
from support.clusters import execute
from support.commands import ledgerkit
from support.exports import verify_path
from support.office import emit
from support.periods import YEAR
from support.serving import served

TAX_ID = "50000001W"
FLIP = "update fiscal_record set content = set_byte(content, 300, get_byte(content, 300) # 1)"


async def as_superuser(directory: Path, statement: str) -> None:
    """Change stored rows with the rights of PostgreSQL's superuser."""
    server = EmbeddedPostgres(directory / "postgres")
    await server.start()
    connection = await asyncpg.connect(server.dsn.replace("+asyncpg", ""))
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
        await server.stop()


@pytest.mark.whole
async def test_an_operator_checks_the_chains_beside_a_server_and_without_one(tmp_path):
    data = tmp_path / "data"
    async with served(data) as server, httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
        api = await Api.with_team(client, "ana@example.com", "Ana Ruiz", TAX_ID)
        await emit(api, await api.invoice())
        result = await ledgerkit(data, "verifactu", "verify", "--tax-id", TAX_ID.lower())
        wrong = await ledgerkit(data, "verifactu", "verify", "--tax-id", "12345678Z")
        begun = await ledgerkit(data, "verifactu", "new-installation", "--reason", "moved")
    alone = await ledgerkit(data, "verifactu", "verify")
    await as_superuser(data, FLIP)
    broken = await ledgerkit(data, "verifactu", "verify", "--account", api.team["id"])

    assert (result[0], result[1].count("the chain holds")) == (0, 1)
    assert (wrong[0], wrong[2].count("\n")) == (2, 1)
    assert f"--tax-id {TAX_ID} --account {api.team['id']}" in wrong[2]
    assert (begun[0], begun[1].count(TAX_ID)) == (0, 1)
    assert (alone[0], alone[1].count("the chain holds")) == (0, 1)
    assert broken[0] == 1
    assert "First break" in broken[1]
    assert "position 1" in broken[1]


async def test_an_operator_exports_a_period_and_the_script_verifies_it(tmp_path, fresh_urls):
    data, settings = tmp_path / "data", {"DATABASE_URL": fresh_urls.owner}
    days = [(datetime.now(UTC) + timedelta(days=days)).date().isoformat() for days in (-1, 1)]
    period = ("--from", days[0], "--to", days[1], "--output")
    async with served(data, **settings) as server, httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
        api = await Api.with_team(client, "ana@example.com", "Ana Ruiz", TAX_ID)
        for _ in range(3):
            await emit(api, await api.invoice())
        zipped = await ledgerkit(data, "verifactu", "export", *period, str(tmp_path / "a.zip"), **settings)
        folder = await ledgerkit(data, "verifactu", "export", *period, str(tmp_path / "a"), **settings)
        number = (await api.get("/api/einvoice/chain"))["chains"][0]["installationNumber"]
        stretch = ("--installation", number, "--from", "2", "--to", "3")
        verified = await ledgerkit(data, "verifactu", "verify", *stretch, **settings)

    assert (zipped[:2], folder[0]) == ((0, f"3 records in {tmp_path / 'a.zip'}\n"), 0)
    assert [verify_path(tmp_path / name)[0] for name in ("a.zip", "a")] == [0, 0]
    assert sorted(path.name for path in tmp_path.glob("a/*/records/*")) == [
        f"000000000{n}-issue.xml" for n in (1, 2, 3)
    ]
    assert f"{number}, positions 2 to 3: 2 records, and the chain holds." in verified[1]
    written = [tmp_path / "a.zip", tmp_path / "a", *tmp_path.glob("a/**/*"), *data.glob("chains/*"), data / "chains"]
    assert [path for path in written if path.stat().st_mode & 0o077] == []


async def test_a_failure_is_printed_in_one_line(tmp_path, fresh_urls):
    settings = {"DATABASE_URL": fresh_urls.owner}
    nobody = await ledgerkit(tmp_path / "data", "verifactu", "verify", "--tax-id", TAX_ID, **settings)
    unknown = await ledgerkit(tmp_path / "data", "verifactu", "verify", "--from", "0")

    assert (nobody[0], nobody[2].count("\n")) == (2, 1)
    assert unknown[0] == 2


async def test_verify_names_documents_numbered_without_a_record(tmp_path, fresh_urls):
    data, settings = tmp_path / "data", {"DATABASE_URL": fresh_urls.owner}
    async with served(data, **settings) as server, httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
        api = await Api.with_team(client, "ana@example.com", "Ana Ruiz", None)
        old, unrecorded = await api.invoice(), await api.invoice()
        for one in (old, unrecorded):
            await api.patch(f"/api/invoices/{one['id']}/pay")
        await api.put("/api/teams/current", {"taxId": TAX_ID})
        await emit(api, await api.invoice())
    sound = await ledgerkit(data, "verifactu", "verify", **settings)
    await execute(
        fresh_urls.owner.replace("+asyncpg", ""),
        "update invoice set issued_at = now() where number like 'F%-0002'",
    )
    owing = await ledgerkit(data, "verifactu", "verify", **settings)

    assert (sound[0], "the chain holds" in sound[1]) == (0, True)
    assert "Issued without a record before the issuer had a tax identifier: 2." in sound[1]
    assert (owing[0], "the chain holds" in owing[1]) == (1, True)
    assert "Numbered without the record that is owed: 1." in owing[1]
    assert f"F{YEAR}-0002, issued" in owing[1]
    assert f'{{"invoiceId": "{unrecorded["id"]}"}}' in owing[1]
