"""A backup of yesterday is restored by its commands, beside an authority that knows better."""

import httpx2
import pytest

from support.api import Api, item
from support.commands import ledgerkit
from support.office import emit, nif
from support.periods import YEAR
from support.serving import Server, served

pytestmark = pytest.mark.whole

TAX_ID = nif(34_000_101)


def at(server: Server, ana: Api | None = None) -> httpx2.AsyncClient:
    client = httpx2.AsyncClient(base_url=server.url, timeout=60)
    if ana is not None:
        ana.client = client
    return client


async def invoiced(api: Api, price: float) -> dict:
    return await emit(api, await api.invoice(items=[item(unitPrice=price, taxRate=21)]))


async def test_a_restored_backup_gives_the_number_after_the_last_one_that_the_authority_holds(tmp_path, fresh_urls):
    directory, file = tmp_path / "data", tmp_path / "yesterday.zip"
    url = {"DATABASE_URL": fresh_urls.owner}
    async with served(directory, **url) as server, at(server) as client:
        ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", TAX_ID)
        first = await invoiced(ana, 100)
        written = await ledgerkit(directory, "backup", str(file), **url)
        lost = [await invoiced(ana, 5000), await invoiced(ana, 7)]
    register = directory / "sandbox" / "es" / "register.jsonl"
    known_to_the_authority = register.read_bytes()

    restored = await ledgerkit(directory, "restore", str(file), "--replace", **url)
    as_before = register.read_bytes()
    async with served(directory, **url) as server, at(server, ana):
        told = (await ana.get("/api/einvoice/providers"))["warnings"]
        after = await invoiced(ana, 8.47)
        chains = (await ana.get("/api/einvoice/chain"))["chains"]
        doctor = await ledgerkit(directory, "doctor", **url, LANG="es")
        verified = await ledgerkit(directory, "verifactu", "verify", "--tax-id", TAX_ID, **url)

    assert (written.code, restored.code) == (0, 0), written.err + restored.err
    assert as_before == known_to_the_authority
    assert [one["number"] for one in (first, *lost)] == [f"F{YEAR}-0001", f"F{YEAR}-0002", f"F{YEAR}-0003"]
    assert (after["number"], after["status"]) == (f"F{YEAR}-0004", "accepted")
    assert len(told) == 1
    found = next(one for one in chains if one["closedAt"] is None)["lostDocuments"]
    assert [(one["number"], one["total"]) for one in found] == [(f"F{YEAR}-0002", 6050), (f"F{YEAR}-0003", 8.47)]
    for said in (after["warnings"][0], doctor.out, verified.out):
        assert f"F{YEAR}-0002" in said
        assert "6050.00" in said
    assert verified.code == 0, verified.out


async def test_a_restored_server_without_its_authority_goes_on_in_other_series(tmp_path, fresh_urls):
    directory, file = tmp_path / "data", tmp_path / "yesterday.zip"
    url = {"DATABASE_URL": fresh_urls.owner}
    async with served(directory, **url) as server, at(server) as client:
        ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", TAX_ID)
        await invoiced(ana, 100)
        await ledgerkit(directory, "backup", str(file), **url)
        await invoiced(ana, 5000)
    await ledgerkit(directory, "restore", str(file), "--replace", **url)
    (directory / "sandbox" / "es" / "register.jsonl").unlink()

    async with served(directory, **url) as server, at(server, ana):
        after = await invoiced(ana, 8.47)
        team = (await ana.get("/api/teams/current"))["team"]
        doctor = await ledgerkit(directory, "doctor", **url)

    assert (after["number"], team["series"]["invoice"]) == (f"FB{YEAR}-0001", "FB")
    assert "another series" in doctor.out
