"""After a restore the series go on after what the authority holds, or in another name; no number is given twice."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text

from ledgerkit.clock import today
from ledgerkit.core.einvoice.chain import restore_detection
from ledgerkit.core.einvoice.transmission import number_recovery
from ledgerkit.core.platform.identity.persons.passwords import Passwords
from ledgerkit.embedded_postgres import EmbeddedPostgres
from ledgerkit.providers.es.sandbox import faults
from support.api import Api, item
from support.database import as_owner
from support.migrated_cluster import TEMPLATE
from support.office import Office, emit, eventually, nif, opened
from support.periods import YEAR
from support.signed_mode import keep, signed_mode_office
from support.tills import Till, line

CURRENT = "/api/teams/current"


@dataclass
class Site:
    """A machine: its database, of which copies are made, and its data directory, in which the sandbox lives."""

    postgres: EmbeddedPostgres
    passwords: Passwords
    directory: Path
    database: str

    @asynccontextmanager
    async def serving(self, **settings: Any) -> AsyncIterator[Office]:
        usual = {"einvoice_wait": 20} | settings
        async with opened(self.postgres.url(self.database), self.directory, self.passwords, **usual) as office:
            yield office

    async def copied(self) -> str:
        """The name of a copy of the database: a backup."""
        name = f"backup_{uuid4().hex}"
        await self.postgres.clone(self.database, name)
        return name


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A stalled machine is not taken for an authority that does not answer."""
    monkeypatch.setattr(number_recovery, "ASKING_SECONDS", 600.0)


@pytest.fixture
async def site(postgres, cheap_passwords, tmp_path) -> AsyncIterator[Site]:
    first = f"site_{uuid4().hex}"
    await postgres.clone(TEMPLATE, first)
    here = Site(postgres, cheap_passwords, tmp_path / "data", first)
    yield here
    await postgres.drop_database(first)
    if here.database != first:
        await postgres.drop_database(here.database)


async def emitted(api: Api, total: float = 100, **fields: Any) -> Any:
    exempt = item(unitPrice=total, taxRate=0, taxCategory="exempt", exemptionCode="E1")
    return await emit(api, await api.invoice(items=[exempt], **fields))


async def set_back(site: Site, lost: Callable[[Api], Any], before: Callable[[Api], Any] = emitted) -> Api:
    """Ana's account after a restore: before the backup she made an invoice, or what `before` makes, then `lost`."""
    async with site.serving() as office:
        ana = await office.account()
        await before(ana)
    backup = await site.copied()
    async with site.serving() as office:
        ana.client = office.client
        await lost(ana)
    await site.postgres.drop_database(site.database)
    site.database = backup
    return ana


async def two_invoices(ana: Api) -> None:
    await emitted(ana, 5000)
    await emitted(ana, 6050)


@asynccontextmanager
async def restored(site: Site, ana: Api, **settings: Any) -> AsyncIterator[Office]:
    async with site.serving(**settings) as office:
        ana.client = office.client
        yield office


async def open_chain(ana: Api) -> Any:
    return next(one for one in (await ana.get("/api/einvoice/chain"))["chains"] if one["closedAt"] is None)


async def test_the_series_goes_on_after_what_the_authority_holds_and_tells_what_was_lost(site):
    ana = await set_back(site, two_invoices)

    async with restored(site, ana) as office:
        due = await open_chain(ana)
        told_before = (await ana.get("/api/einvoice/providers"))["warnings"]
        result = await emitted(ana, 8.47)
        again = await emitted(ana, 9)
        chain = await open_chain(ana)
        providers = await ana.get("/api/einvoice/providers")
        listed = [one["number"] for one in await ana.get("/api/invoices") if one["number"]]
        held = {entry.invoice[1]: entry.total for entry in office.authority.records(ana.team["taxId"])}
        income = (await ana.get("/api/expenses/profit-loss"))["income"]

    assert (due["numbers"], due["lostDocuments"], len(told_before)) == ("due", [], 1)
    assert (result["number"], result["status"], again["number"]) == (f"F{YEAR}-0004", "accepted", f"F{YEAR}-0005")
    assert held == {
        f"F{YEAR}-0001": "100.00",
        f"F{YEAR}-0002": "5000.00",
        f"F{YEAR}-0003": "6050.00",
        f"F{YEAR}-0004": "8.47",
        f"F{YEAR}-0005": "9.00",
    }
    assert chain["numbers"] == "asked"
    assert [(one["number"], one["total"], one["status"], one["held"]) for one in chain["lostDocuments"]] == [
        (f"F{YEAR}-0002", 5000, "accepted", True),
        (f"F{YEAR}-0003", 6050, "accepted", True),
    ]
    (warning,) = result["warnings"]
    for part in (f"F{YEAR}-0002", f"F{YEAR}-0003", "6050.00", f"{today('Europe/Madrid')}"):
        assert part in warning
    assert again["warnings"] == []
    assert providers["warnings"] == [warning]
    assert sorted(listed) == [f"F{YEAR}-0001", f"F{YEAR}-0004", f"F{YEAR}-0005"]
    assert income == pytest.approx(117.47)


@pytest.mark.whole
async def test_owner_and_log_are_told_in_mail_and_activity(site):
    ana = await set_back(site, two_invoices)

    async with restored(site, ana) as office:
        await emitted(ana)
        feed = await ana.get("/api/invoices/activity/feed?limit=20")
        mailed = "select subject from mail_log where entity_type = 'fiscal_installation' and account_id = :account"
        await eventually(lambda: office.rows(mailed, account=ana.team["id"]))

    lost = next(one for one in feed if one["action"] == "numbers_lost")
    assert f"F{YEAR}-0003" in str(lost["changes"])


async def test_every_kind_of_document_goes_on_and_every_way_of_numbering_asks_first(site):
    async def lost(ana: Api) -> None:
        till = await Till.of(ana)
        await till.sells(12.1, line(12.1, taxRate=21))
        await till.sells(24.2, line(24.2, taxRate=21))
        original = await emitted(ana)
        await ana.post("/api/einvoice/credit-note", as_original(original))
        await eventually(lambda: all_answered(ana))

    ana = await set_back(site, lost)

    async with restored(site, ana):
        till = await Till.of(ana)
        sold = await till.sells(12.1, line(12.1, taxRate=21))
        sale = await ana.get(f"/api/invoices/{sold['invoiceId']}")
        paid = await ana.patch(f"/api/invoices/{(await ana.invoice())['id']}/pay")
        note = await ana.post("/api/einvoice/credit-note", as_original(paid["einvoice"]))
        chain = await open_chain(ana)

    assert (sale["number"], paid["number"], note["number"]) == (f"T{YEAR}-0003", f"F{YEAR}-0003", f"R{YEAR}-0002")
    assert [one["number"] for one in chain["lostDocuments"]] == [
        f"F{YEAR}-0002",
        f"R{YEAR}-0001",
        f"T{YEAR}-0001",
        f"T{YEAR}-0002",
    ]


def as_original(result: Any) -> dict[str, Any]:
    return {
        "invoiceId": result["invoiceId"],
        "originalFiscalId": result["fiscalId"],
        "originalDate": result["fiscalId"][-10:],
    }


async def all_answered(ana: Api) -> bool:
    return (await ana.get("/api/einvoice/providers"))["unsent"]["count"] == 0


@pytest.mark.whole
async def test_crowds_after_a_restore_get_the_numbers_that_follow(site):
    ana = await set_back(site, two_invoices)

    async with restored(site, ana):
        drafts = [await ana.invoice() for _ in range(6)]
        results = await asyncio.gather(*(emit(ana, draft) for draft in drafts))

    assert sorted(one["number"] for one in results) == [f"F2026-{ordinal:04d}" for ordinal in range(4, 10)]
    assert {one["status"] for one in results} == {"accepted"}


@pytest.mark.whole
async def test_a_restore_that_lost_nothing_goes_on_with_the_next_number_and_warns_of_nothing(site):
    async def nothing(ana: Api) -> None:
        await ana.invoice()

    ana = await set_back(site, nothing)

    async with restored(site, ana):
        result = await emitted(ana)
        chain = await open_chain(ana)

    assert (result["number"], result["warnings"]) == (f"F{YEAR}-0002", [])
    assert (chain["numbers"], chain["lostDocuments"]) == ("asked", [])


@pytest.mark.whole
async def test_numbers_of_an_account_that_had_none_at_the_time_of_the_backup_are_asked_for_too(site):
    async def nothing(ana: Api) -> None:
        await ana.invoice()

    ana = await set_back(site, two_invoices, nothing)

    async with restored(site, ana) as office:
        result = await emitted(ana)
        berta = await Api.with_team(office.client, "berta@example.com", "Berta Gil", nif(33_000_102))
        hers = await emitted(berta)
        chain = await open_chain(ana)
        of_berta = await open_chain(berta)

    assert (result["number"], len(chain["lostDocuments"])) == (f"F{YEAR}-0003", 2)
    assert (hers["number"], of_berta["numbers"]) == (f"F{YEAR}-0001", None)


@pytest.mark.whole
async def test_on_a_new_machine_it_is_the_same(site, tmp_path):
    ana = await set_back(site, two_invoices)
    shutil.copytree(site.directory / "sandbox", tmp_path / "elsewhere" / "sandbox")
    site.directory = tmp_path / "elsewhere"

    async with restored(site, ana):
        result = await emitted(ana)

    assert result["number"] == f"F{YEAR}-0004"
    assert f"F{YEAR}-0003" in result["warnings"][0]


@pytest.mark.parametrize("is_slow", [False, True])
async def test_where_the_authority_does_not_answer_the_series_get_other_names(site, monkeypatch, is_slow):
    ana = await set_back(site, two_invoices)

    async with restored(site, ana) as office:
        draft = await ana.invoice()
        if is_slow:
            monkeypatch.setattr(number_recovery, "ASKING_SECONDS", 0.0)
        else:
            office.authority.question_faults.add(faults.SERVER_ERROR)
        result = await emit(ana, draft)
        team = (await ana.get(CURRENT))["team"]
        chain = await open_chain(ana)
        later = await emitted(ana)
        await ana.request("PUT", CURRENT, {"phone": "600000000"})  # any edit of the team releases what is unused
        refused = await ana.refused(400, "PUT", CURRENT, {"series": {"invoice": "F"}})
        unused = await ana.refused(400, "PUT", CURRENT, {"series": {"creditNote": "R"}})
        held = [entry.invoice[1] for entry in office.authority.records(ana.team["taxId"])]

    assert (draft["series"], result["number"], later["number"]) == ("F", f"FB{YEAR}-0001", f"FB{YEAR}-0002")
    assert team["series"] == {"invoice": "FB", "simplified": "TB", "creditNote": "RB"}
    assert chain["numbers"] == "renamed"
    assert "another series" in result["warnings"][0]
    assert (refused["code"], unused["code"]) == ("SERIES_TAKEN", "SERIES_TAKEN")
    assert held == [f"F{YEAR}-0001", f"F{YEAR}-0002", f"F{YEAR}-0003", f"FB{YEAR}-0001", f"FB{YEAR}-0002"]


async def one_taken(ana: Api) -> None:
    draft = await ana.invoice(items=[item(description="Diseño [sandbox:taken 605000]", unitPrice=7)])
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})


@pytest.mark.whole
@pytest.mark.parametrize(("is_silent", "number"), [(False, f"F{YEAR}-0004"), (True, f"FB{YEAR}-0001")])
async def test_a_taken_number_is_exchanged_for_one_that_a_restore_has_not_lost(site, is_silent, number):
    ana = await set_back(site, two_invoices, before=one_taken)

    async with restored(site, ana) as office:
        (taken,) = await ana.get("/api/invoices")
        for _ in range(2 if is_silent else 0):  # asked once whose the number is, and once what was lost
            office.authority.question_faults.add(faults.SERVER_ERROR)
        result = await ana.post("/api/einvoice/emit", {"invoiceId": taken["id"], "renumber": True})

    assert (taken["number"], result["number"], result["status"]) == (f"F{YEAR}-0001", number, "accepted")


@pytest.mark.whole
async def test_an_authority_that_does_not_show_what_it_accepted_is_not_believed(site):
    ana = await set_back(site, two_invoices)
    shutil.rmtree(site.directory / "sandbox")

    async with restored(site, ana):
        result = await emitted(ana)

    assert result["number"] == f"FB{YEAR}-0001"


async def test_in_the_signed_mode_nobody_can_be_asked_and_the_series_get_other_names(
    postgres, cheap_passwords, tmp_path
):
    async with signed_mode_office(postgres, tmp_path, cheap_passwords) as office:
        ana = await office.account()
        await keep(ana)
        first = await emitted(ana)
        async with as_owner(office.kernel) as connection:
            await connection.execute(text("update fiscal_installation set database_identity = 'x'"))
            await connection.execute(text("update fiscal_sender set database_identity = 'x'"))
        await restore_detection.detect_restored_database(office.kernel)
        second = await emitted(ana)

    assert (first["number"], second["number"], second["status"]) == (f"F{YEAR}-0001", f"FB{YEAR}-0001", "kept")


@pytest.mark.whole
async def test_what_was_sent_and_is_not_held_is_burnt_too(site):
    async def rejected(ana: Api) -> None:
        draft = await ana.invoice(items=[item(description="Identidad visual [sandbox:reject 1124]")])
        await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})

    ana = await set_back(site, rejected)

    async with restored(site, ana):
        result = await emitted(ana)
        (lost,) = (await open_chain(ana))["lostDocuments"]

    assert result["number"] == f"F{YEAR}-0003"
    assert (lost["number"], lost["held"], lost["issueDate"], lost["total"]) == (f"F{YEAR}-0002", False, None, None)


async def test_series_of_others_are_not_taken_for_lost_ones(site):
    async def lost(ana: Api) -> None:
        await two_invoices(ana)
        await ana.put(CURRENT, {"series": {"invoice": "X"}})
        await emitted(ana)

    ana = await set_back(site, lost)

    async with restored(site, ana):
        await emitted(ana)
        chain = await open_chain(ana)

    assert [one["number"] for one in chain["lostDocuments"]] == [f"F{YEAR}-0002", f"F{YEAR}-0003"]


@pytest.mark.whole
async def test_a_dry_run_asks_nobody_and_gives_no_number(site):
    ana = await set_back(site, two_invoices)

    async with restored(site, ana) as office:
        draft = await ana.invoice()
        asked = len(office.authority.asked)
        answer = await ana.request("POST", "/api/einvoice/emit", {"invoiceId": draft["id"]}, **{"Dry-Run": "true"})
        untouched = await open_chain(ana)
        still_asked = len(office.authority.asked)
        result = await emit(ana, draft)

    assert answer.status_code < 500
    assert (untouched["numbers"], still_asked) == ("due", asked)
    assert result["number"] == f"F{YEAR}-0004"


@pytest.mark.whole
async def test_a_request_with_a_key_is_done_once_though_its_operation_ran_twice(site):
    ana = await set_back(site, two_invoices)

    async with restored(site, ana):
        draft = await ana.invoice()
        key = {"Idempotency-Key": "after the restore"}
        bodies = [
            (await ana.request("POST", "/api/einvoice/emit", {"invoiceId": draft["id"]}, **key)).json()
            for _ in range(2)
        ]
        paid = await ana.request(
            "PATCH", f"/api/invoices/{(await ana.invoice())['id']}/pay", {}, **{"Idempotency-Key": "pay"}
        )

    assert [body["number"] for body in bodies] == [f"F{YEAR}-0004"] * 2
    assert paid.json()["number"] == f"F{YEAR}-0005"


@pytest.mark.whole
async def test_documents_of_an_earlier_identifier_go_on_in_their_own_series(site):
    earlier = {}

    async def before(ana: Api) -> None:
        await emitted(ana)
        earlier["original"] = await emitted(ana)
        await ana.put(CURRENT, {"taxId": nif(33_000_101)})

    async def lost(ana: Api) -> None:
        await emitted(ana)
        await ana.post("/api/einvoice/credit-note", as_original(earlier["original"]) | {"items": [item(unitPrice=1)]})

    ana = await set_back(site, lost, before)

    async with restored(site, ana):
        invoice = await emitted(ana)
        note = await ana.post("/api/einvoice/credit-note", as_original(earlier["original"]))

    assert (invoice["number"], note["number"]) == (f"FB{YEAR}-0002", f"RB{YEAR}-0002")
    assert note["fiscalId"].startswith(f"{ana.team['taxId']}:")


async def test_an_earlier_identifiers_series_are_given_up_and_the_teams_own_stay(site):
    earlier = {}

    async def before(ana: Api) -> None:
        earlier["original"] = await emitted(ana)
        await ana.put(CURRENT, {"taxId": nif(33_000_102)})

    async def lost(ana: Api) -> None:
        await ana.post("/api/einvoice/credit-note", as_original(earlier["original"]) | {"items": [item(unitPrice=1)]})

    ana = await set_back(site, lost, before)

    async with restored(site, ana) as office:
        team = (await ana.get(CURRENT))["team"]
        office.authority.question_faults.add(faults.SERVER_ERROR)
        note = await ana.post("/api/einvoice/credit-note", as_original(earlier["original"]))
        after = (await ana.get(CURRENT))["team"]

    assert (note["status"], note["number"]) == ("accepted", f"RC{YEAR}-0001")
    assert after["series"] == team["series"] == {"invoice": "FB", "simplified": None, "creditNote": None}
