"""Chains as their owner and an inspector see them: checked, broken, continued, begun anew."""

import asyncio
from collections import OrderedDict
from datetime import timedelta
from stat import S_IMODE
from uuid import UUID

import pytest
import time_machine
from lxml import etree
from sqlalchemy import text

from ledgerkit import clock
from ledgerkit.core.einvoice.chain import links, restore_detection
from ledgerkit.core.einvoice.chain.api import Stretch
from ledgerkit.core.einvoice.chain.restore_detection import LastSent, SentRecords
from ledgerkit.core.einvoice.inspection import verification
from ledgerkit.core.einvoice.transmission.sender import SWEEP_SECONDS
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.providers.es.sandbox import faults
from support.api import Api, item
from support.database import as_owner
from support.office import emit, eventually, nif, settled
from support.scenes.einvoice import LAST_ELSEWHERE

CHECK = "/api/einvoice/chain?verify=true"


async def emitted(ana, count: int):
    return [await emit(ana, await ana.invoice()) for _ in range(count)]


async def forge(office, statement: str, **values):
    """Change the database as its owner, past grants, row-level security and foreign keys."""
    async with as_owner(office.kernel) as connection:
        await connection.execute(text("set session_replication_role = replica"))
        await connection.execute(text(statement), values)
        await connection.execute(text("set session_replication_role = default"))


async def flip(office, ana, position: int, byte: int):
    await forge(
        office,
        "update fiscal_record set content = set_byte(content, :byte, get_byte(content, :byte) # 1)"
        " where account_id = :account and position = :position",
        account=ana.team["id"],
        position=position,
        byte=byte,
    )


async def broken(ana) -> list[tuple[int, str, str]]:
    check = (await ana.get(CHECK))["verification"]
    assert check["ok"] == (check["anomalies"] == 0)
    one = check["firstBreak"]
    return [] if one is None else [(one["position"], one["kind"], one["code"])]


async def actions(ana) -> list[str]:
    feed = await ana.get("/api/invoices/activity/feed")
    return [line["action"] for line in feed if line["entityType"] == "fiscal_installation"]


def linked_to(record) -> tuple[str | None, str | None]:
    """Return the record's mark of being the first, and the fingerprint that it is linked to."""
    root = etree.fromstring(record.content)
    return root.findtext("{*}Encadenamiento/{*}PrimerRegistro"), root.findtext(
        "{*}Encadenamiento/{*}RegistroAnterior/{*}Huella"
    )


def installation(record) -> str:
    """NumeroInstalacion, as the record says it."""
    return str(etree.fromstring(record.content).findtext("{*}SistemaInformatico/{*}NumeroInstalacion"))


# ---------------------------------------------------------------- checking


async def test_a_chain_that_holds_is_shown_with_its_head_and_its_check(ana):
    before = await ana.get("/api/einvoice/chain")
    results = await emitted(ana, 3)

    after = await ana.get(CHECK)

    assert (before["chains"], before["verification"]) == ([], None)
    (chain,) = after["chains"]
    assert (chain["positions"], chain["environment"], chain["mode"]) == (3, "sandbox", "verifactu")
    assert (chain["head"]["number"], chain["head"]["hash"]) == (results[2]["number"], results[2]["hash"])
    assert chain["lastCheck"] == after["verification"]
    assert (after["verification"]["records"], after["verification"]["ok"]) == (3, True)


@pytest.mark.parametrize(("position", "byte"), [(1, 300), (2, 1), (3, 700)])
async def test_a_byte_that_was_flipped_in_the_store_is_named(office, ana, position, byte):
    await emitted(ana, 3)

    await flip(office, ana, position, byte)

    assert [place for place, *_ in await broken(ana)] == [position]


@pytest.mark.parametrize(("position", "code"), [(1, "04"), (2, "04"), (3, "05")])
async def test_a_record_that_was_deleted_is_named(office, ana, position, code):
    await emitted(ana, 3)

    await forge(
        office,
        "delete from fiscal_record where account_id = :account and position = :position",
        account=ana.team["id"],
        position=position,
    )

    assert await broken(ana) == [(position, "gap", code)]


async def test_a_record_that_was_put_behind_the_head_is_named(office, ana):
    await emitted(ana, 2)
    await forge(
        office,
        "update fiscal_installation i set position = 1, last_fingerprint = r.fingerprint, last_number = r.number"
        " from fiscal_record r where r.position = 1 and r.account_id = i.account_id and i.account_id = :account",
        account=ana.team["id"],
    )

    assert await broken(ana) == [(2, "link", "10")]


async def test_a_stretch_is_checked_by_itself(office, ana):
    await emitted(ana, 4)
    await flip(office, ana, 1, 300)

    part = (await ana.get(f"{CHECK}&from=3&to=4"))["verification"]
    whole = (await ana.get(CHECK))["verification"]

    assert (part["records"], part["ok"]) == (2, True)
    assert (whole["records"], whole["ok"], whole["firstBreak"]["position"]) == (4, False, 1)


async def test_a_stretch_ends_where_it_is_asked_to(office, ana):
    await emitted(ana, 4)
    await flip(office, ana, 4, 300)

    part = (await ana.get(f"{CHECK}&from=2&to=3"))["verification"]

    assert (part["firstPosition"], part["lastPosition"], part["records"], part["ok"]) == (2, 3, 2, True)


async def test_a_stretch_behind_a_record_that_is_gone_begins_with_a_break(office, ana):
    await emitted(ana, 3)
    await forge(
        office, "delete from fiscal_record where account_id = :account and position = 2", account=ana.team["id"]
    )

    part = (await ana.get(f"{CHECK}&from=3"))["verification"]

    assert (part["records"], part["ok"], part["firstBreak"]["position"]) == (1, False, 3)


async def test_of_several_breaks_the_first_is_named_and_all_are_counted(monkeypatch, office, ana):
    await emitted(ana, 5)
    for position in (2, 5):
        await flip(office, ana, position, 300)
    monkeypatch.setattr("ledgerkit.core.einvoice.inspection.walk.BATCH", 2)

    check = (await ana.get(CHECK))["verification"]

    assert (check["anomalies"], check["firstBreak"]["position"]) == (2, 2)


async def test_a_request_checks_ten_thousand_records_at_most(office, ana):
    await emitted(ana, 1)
    await forge(
        office,
        "update fiscal_installation set position = 10001 where account_id = :account",
        account=ana.team["id"],
    )

    problem = await ana.refused(400, "GET", CHECK)

    assert "ledgerkit verifactu verify" in problem["remedy"]
    assert (await ana.get(f"{CHECK}&from=2"))["verification"]["firstBreak"]["code"] == "05"


async def test_chains_of_others_are_not_seen(office, ana):
    berta = await office.account("Berta Gil")
    await emitted(berta, 1)
    number = (await berta.get("/api/einvoice/chain"))["chains"][0]["installationNumber"]

    overview = await ana.get(f"{CHECK}&installation={number}")

    assert (overview["chains"], overview["verification"]) == ([], None)


async def test_long_chains_are_walked_in_batches(monkeypatch, office, ana):
    await emitted(ana, 5)
    monkeypatch.setattr("ledgerkit.core.einvoice.inspection.walk.BATCH", 2)
    progress: list[int] = []
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))

    check = await verification.verify(ctx, Stretch(), progress.append)

    assert (check.ok, check.records, progress) == (True, 5, [2, 2, 1])


# ---------------------------------------------------------------- alarms


async def test_a_broken_chain_raises_one_alarm_and_never_stops_a_sale(office, ana):
    await emitted(ana, 2)
    await flip(office, ana, 2, 300)

    later = await emitted(ana, 2)

    (chain,) = (await ana.get("/api/einvoice/chain"))["chains"]
    assert [one["status"] for one in later] == ["accepted", "accepted"]
    assert (chain["positions"], chain["alarm"]["position"]) == (4, 2)
    assert await actions(ana) == ["chain_broken"]
    (trouble,) = (await ana.get("/api/einvoice/providers"))["unsent"]["troubles"]
    assert (trouble["kind"], trouble["message"].partition(":")[0]) == ("chain", "position 2 (code 01)")
    mailed = "select 1 from mail_log where entity_type = 'fiscal_installation' and account_id = :account"
    await eventually(lambda: office.rows(mailed, account=ana.team["id"]))


@pytest.mark.parametrize(
    "change",
    [
        "fiscal_record set kind = 'annul' where position = 2",
        "fiscal_record set number = number || '1' where position = 2",
        "fiscal_record set issue_date = issue_date - 1 where position = 2",
        "fiscal_record set generated_at = generated_at - interval '1 second' where position = 2",
        "fiscal_record set fingerprint = repeat('A', 64) where position = 2",
        "fiscal_record set digest = set_byte(digest, 0, get_byte(digest, 0) # 1) where position = 2",
        "fiscal_record set issuer_tax_id = '12345678Z' where position = 2",
        "fiscal_record set fingerprint = repeat('A', 64) where position = 1",
        "fiscal_record set number = number || '1' where position = 1",
        "fiscal_record set digest = set_byte(digest, 0, get_byte(digest, 0) # 1) where position = 1",
        "fiscal_installation set last_number = last_number || '1' where position = 2",
        "fiscal_installation set last_fingerprint = repeat('A', 64) where position = 2",
    ],
)
async def test_whatever_is_changed_at_the_end_is_seen_by_the_next_record(office, ana, change):
    await emitted(ana, 2)
    await forge(office, f"update {change} and account_id = :account", account=ana.team["id"])

    await emitted(ana, 1)

    (chain,) = (await ana.get("/api/einvoice/chain"))["chains"]
    assert chain["alarm"] is not None


@pytest.mark.parametrize("count", [1, 2, 3])
async def test_what_another_process_has_put_there_is_looked_at_and_holds(monkeypatch, office, ana, count):
    await ana.post("/api/einvoice/chain/continue", LAST_ELSEWHERE)
    await emitted(ana, count)
    monkeypatch.setattr(links, "_remembered", OrderedDict())

    await emitted(ana, 1)

    (chain,) = (await ana.get("/api/einvoice/chain"))["chains"]
    assert (chain["positions"], chain["alarm"]) == (count + 1, None)


async def test_an_alarm_tells_of_what_raised_it_whatever_is_found_later(office, ana):
    await emitted(ana, 2)
    await flip(office, ana, 2, 300)
    await emitted(ana, 1)
    (before,) = (await ana.get("/api/einvoice/chain"))["chains"]
    await flip(office, ana, 3, 300)

    await emitted(ana, 1)

    (after,) = (await ana.get("/api/einvoice/chain"))["chains"]
    assert before["alarm"]["position"] == 2
    assert after["alarm"] == before["alarm"]
    assert await actions(ana) == ["chain_broken"]


async def test_a_byte_that_no_fingerprint_is_over_raises_the_alarm_too(office, ana):
    await emitted(ana, 1)
    (record,) = await office.records(ana)
    await flip(office, ana, 1, record.content.index(b"NombreRazonEmisor>") + 20)

    await emitted(ana, 1)

    (chain,) = (await ana.get("/api/einvoice/chain"))["chains"]
    assert (chain["alarm"]["position"], chain["alarm"]["code"]) == (1, "03")


async def test_the_alarm_ends_when_the_whole_chain_holds_again(office, ana):
    await emitted(ana, 2)
    await flip(office, ana, 2, 300)
    await ana.get(CHECK)
    await flip(office, ana, 2, 300)
    await ana.get(f"{CHECK}&from=2")
    still = (await ana.get("/api/einvoice/chain"))["chains"][0]["alarm"]

    await ana.get(CHECK)

    assert still is not None
    assert (await ana.get("/api/einvoice/chain"))["chains"][0]["alarm"] is None
    assert await actions(ana) == ["chain_repaired", "chain_broken"]


@pytest.mark.parametrize(("minutes", "alarms"), [(0.5, []), (3, ["13"])])
async def test_a_clock_that_ran_ahead_raises_the_alarm_and_the_order_is_kept(office, ana, minutes, alarms):
    draft = await ana.invoice()
    with time_machine.travel(clock.now() + timedelta(minutes=minutes), tick=True):
        await emit(ana, draft)

    await emitted(ana, 1)

    (chain,) = (await ana.get("/api/einvoice/chain"))["chains"]
    records = await office.records(ana)
    assert [chain["alarm"]["code"] for _ in alarms] == alarms
    assert (chain["alarm"] is None) == (not alarms)
    assert records[0].generated_at <= records[1].generated_at


# ---------------------------------------------------------------- whose chain it is


async def test_two_teams_of_one_issuer_have_an_installation_and_a_chain_each(office):
    tax_id = nif(29_000_001)
    ana = await Api.with_team(office.client, "twin1@example.com", "Ana Ruiz", tax_id)
    eva = await Api.with_team(office.client, "twin2@example.com", "Eva Ruiz", tax_id)

    first = await emit(ana, await ana.invoice())
    second = await emit(eva, await eva.invoice(docType="simplified", items=[item(unitPrice=10)]))
    third = await emit(ana, await ana.invoice())

    assert [one["status"] for one in (first, second, third)] == ["accepted"] * 3
    hers, (others,) = await office.records(ana), await office.records(eva)
    assert [linked_to(one) for one in hers] == [("S", None), (None, hers[0].fingerprint)]
    assert linked_to(others) == ("S", None)
    numbers = [installation(one) for one in (*hers, others)]
    assert numbers[0] == numbers[1] == hers[0].installation_id.hex
    assert numbers[2] == others.installation_id.hex != numbers[0]
    assert office.authority.chain_breaks(tax_id) == ()


async def test_an_account_that_bills_for_another_issuer_begins_another_chain(office, ana):
    (before,) = await emitted(ana, 1)
    await ana.put("/api/teams/current", {"taxId": nif(29_000_002)})

    (after,) = await emitted(ana, 1)

    assert [linked_to(one) for one in await office.records(ana)] == [("S", None), ("S", None)]
    chains = (await ana.get("/api/einvoice/chain"))["chains"]
    assert [one["issuerTaxId"] for one in chains] == [nif(29_000_002), ana.team["taxId"]]
    assert [one["closedAt"] for one in chains] == [None, None]
    assert [before["status"], after["status"]] == ["accepted", "accepted"]
    for number in (one["installationNumber"] for one in chains):
        check = (await ana.get(f"{CHECK}&installation={number}"))["verification"]
        assert (check["installationNumber"], check["records"], check["ok"]) == (number, 1, True)


# ---------------------------------------------------------------- a new installation


async def renewed(office, ana, reason: str = "moved to another machine"):
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))
    return await verification.begin_anew(ctx, reason)


async def test_a_new_installation_begins_a_chain_of_its_own(office, ana):
    await emitted(ana, 2)

    begun = await renewed(office, ana)
    await emitted(ana, 1)

    new, old = (await ana.get("/api/einvoice/chain"))["chains"]
    records = await office.records(ana)
    assert begun.installation_number == new["installationNumber"] != old["installationNumber"]
    assert (old["closedReason"], old["positions"], new["positions"]) == ("moved to another machine", 2, 1)
    assert sorted(linked_to(one)[0] or "" for one in records) == ["", "S", "S"]
    assert await broken(ana) == []
    assert await actions(ana) == ["installation_started"]


async def test_what_was_not_sent_of_the_closed_chain_is_still_sent(office, ana):
    draft = await ana.invoice()
    office.authority.faults.add(faults.CLOSE_BEFORE_READING, times=2)
    emission = asyncio.create_task(emit(ana, draft))
    await eventually(lambda: office.records(ana))

    await renewed(office, ana)
    await emission

    assert (await settled(ana, draft))["status"] == "accepted"


async def pretend_copied(office, ana):
    """Make the database look like a copy of another one."""
    statement_of_account = "set database_identity = 'x' where account_id = :account"
    for table in ("fiscal_installation", "fiscal_sender"):
        await forge(office, f"update {table} {statement_of_account}", account=ana.team["id"])


async def test_a_restored_database_begins_a_new_chain_at_start_and_says_so(office, ana):
    await emitted(ana, 2)
    await pretend_copied(office, ana)

    await restore_detection.detect_restored_database(office.kernel)
    await restore_detection.detect_restored_database(office.kernel)
    await emitted(ana, 1)

    new, old = (await ana.get("/api/einvoice/chain"))["chains"]
    assert (old["positions"], new["positions"], new["closedAt"]) == (2, 1, None)
    assert "restored" in old["closedReason"]
    assert await actions(ana) == ["installation_started"]


async def test_owner_and_admins_are_mailed_once_that_a_restored_database_began_a_new_chain(office, ana):
    mailed = "select subject from mail_log where entity_type = 'fiscal_installation' and account_id = :account"
    await emitted(ana, 1)
    await renewed(office, ana)
    await emitted(ana, 1)
    await pretend_copied(office, ana)

    await restore_detection.detect_restored_database(office.kernel)
    await eventually(lambda: office.rows(mailed, account=ana.team["id"]))
    await restore_detection.detect_restored_database(office.kernel)
    await asyncio.sleep(SWEEP_SECONDS + 0.5)

    (mail,) = await office.rows(mailed, account=ana.team["id"])
    assert ana.team["taxId"] in mail.subject
    open_ = "select kind from fiscal_incident where account_id = :account and ended_at is null"
    assert await office.rows(open_, account=ana.team["id"]) == []
    assert (await ana.get("/api/einvoice/providers"))["unsent"]["troubles"] == []


async def test_what_a_restored_database_has_not_sent_may_be_known_to_the_authority(office, ana):
    """A record was sent after the backup had been made: the authority's holding of it counts for ours."""
    results = await emitted(ana, 2)
    await forge(
        office,
        "update fiscal_status set state = 'pending', submission_id = null, in_doubt = false"
        " where account_id = :account",
        account=ana.team["id"],
    )
    await pretend_copied(office, ana)
    await restore_detection.detect_restored_database(office.kernel)
    await forge(office, "update fiscal_sender set due_at = now() where account_id = :account", account=ana.team["id"])

    settled_ = [await settled(ana, {"id": one["invoiceId"]}) for one in results]

    assert [one["status"] for one in settled_] == ["accepted", "accepted"]


async def test_a_database_exchanged_under_a_running_server_is_noticed_by_the_next_record(office, ana):
    await emitted(ana, 1)
    await pretend_copied(office, ana)

    await emitted(ana, 1)

    records = await office.records(ana)
    assert [linked_to(one)[0] for one in records] == ["S", "S"]
    assert len({one.installation_id for one in records}) == 2


async def test_files_of_chains_that_others_could_read_are_closed_to_them_at_start(office, ana):
    await emitted(ana, 1)
    (chain,) = (await ana.get("/api/einvoice/chain"))["chains"]
    file = office.kernel.settings.data_dir / "chains" / f"{UUID(chain['installationNumber']).hex}.json"
    as_written = file.stat().st_mode
    file.chmod(0o644)

    await restore_detection.detect_restored_database(office.kernel)

    assert (S_IMODE(as_written), S_IMODE(file.stat().st_mode)) == (0o600, 0o600)


async def test_records_that_were_sent_and_lost_are_noticed_by_the_file_beside_the_database(office, ana):
    await emitted(ana, 3)
    (chain,) = (await ana.get("/api/einvoice/chain"))["chains"]
    number = UUID(chain["installationNumber"])
    seen = office.kernel.service(SentRecords).all()[number]
    await office.kernel.service(SentRecords).remember(number, LastSent(7, "F2026-0007"))

    await restore_detection.detect_restored_database(office.kernel)
    await restore_detection.detect_restored_database(office.kernel)

    new, old = (await ana.get("/api/einvoice/chain"))["chains"]
    assert seen == LastSent(3, chain["head"]["number"])
    assert "position 7 (F2026-0007) was sent from here" in old["closedReason"]
    assert new["positions"] == 0


async def test_nothing_begins_anew_where_nothing_was_lost(office, ana):
    await emitted(ana, 2)

    await restore_detection.detect_restored_database(office.kernel)

    assert [one["closedAt"] for one in (await ana.get("/api/einvoice/chain"))["chains"]] == [None]
