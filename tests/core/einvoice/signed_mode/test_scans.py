"""Checks on demand of signed records and of the event log."""

from datetime import UTC, date, datetime

from lxml import etree

from ledgerkit.core.einvoice.inspection import verification
from ledgerkit.core.einvoice.signed_mode import scan
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from support.office import emit
from support.signed_mode import keep, kinds, report, system, tamper


async def test_a_check_without_flaws_is_logged_with_its_counts(office, ana):
    await keep(ana)
    for _ in range(2):
        await emit(ana, await ana.invoice())

    result = await scan.scan(await system(office, ana))

    assert (result.records, result.signatures, result.events, result.logged) == (2, 2, 1, True)
    assert (result.record_flaws, result.event_flaws) == ([], [])
    assert await kinds(office, ana) == ["started", "records_checked", "events_checked"]
    assert await logged_counts(office, ana) == [["S", "2"] * 4, ["S", "1"] * 4]


async def logged_counts(office, api) -> list[list[str]]:
    """Counts of each logged check: fingerprints, signatures, links and dates."""
    rows = await office.rows(
        "select content from fiscal_event where account_id = :account and kind like '%_checked' order by position",
        account=api.team["id"],
    )
    checks = [etree.fromstring(row.content).find(".//{*}DatosPropiosEvento")[0] for row in rows]
    return [[leaf.text for leaf in check] for check in checks]


async def test_a_record_that_was_reported_counts_in_a_check_and_its_signature_does_not(office, ana, on_day):
    await emit(ana, await ana.invoice())
    await keep(ana)
    on_day(date(datetime.now(UTC).year + 1, 1, 2))
    await emit(ana, await ana.invoice(issueDate=None))

    await scan.scan(await system(office, ana))

    assert (await logged_counts(office, ana))[0] == ["S", "2", "S", "1", "S", "2", "S", "2"]


async def test_a_long_log_is_checked_to_its_end_in_batches(office, ana, monkeypatch):
    monkeypatch.setattr("ledgerkit.core.einvoice.inspection.walk.BATCH", 2)
    for _ in range(2):
        await keep(ana)
        await report(ana)

    result = await scan.scan(await system(office, ana))

    assert (result.events, result.event_flaws) == (6, [])


async def test_a_changed_record_and_a_changed_event_are_found_and_logged(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    account = {"account": ana.team["id"]}
    flip = "set content = set_byte(content, 700, get_byte(content, 700) # 1) where account_id = :account"
    await tamper(office, f"update fiscal_record {flip}", **account)
    await tamper(office, f"update fiscal_event {flip}", **account)

    result = await scan.scan(await system(office, ana))

    assert {one.kind for one in result.record_flaws} >= {"signature"}
    assert {one.code for one in result.event_flaws} >= {"02"}
    logged = await kinds(office, ana)
    assert logged[:3] == ["started", "records_checked", "record_flawed"]
    assert set(logged[3:]) == {"events_checked", "event_flawed"}
    flawed = await office.rows(
        "select content from fiscal_event where account_id = :account and kind = 'event_flawed' order by position",
        **account,
    )
    (named,) = etree.fromstring(flawed[0].content).iter("{*}RegEventoAnomalo")
    assert named.findtext("{*}TipoEvento") == "01"


async def test_a_verification_of_the_chain_is_logged_with_its_flaws(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    await flip_in_signature(office, ana)

    await ana.get("/api/einvoice/chain?verify=true")

    assert await kinds(office, ana) == ["started", "records_checked", "record_flawed"]


async def test_a_flaw_found_before_a_record_is_logged_and_stops_no_sale(office, ana):
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
    leaves = [{etree.QName(one).localname: one.text for one in etree.fromstring(row.content).iter()} for row in events]
    assert [(one["TipoAnomalia"], one["NumSerieFactura"]) for one in leaves] == [
        ("02", one["number"]) for one in emitted[:2]
    ]


async def flip_in_signature(office, api) -> None:
    """Change the end of the RSA value in the last record, which stays valid base64 in well-formed XML."""
    *_, record = await office.records(api)
    at = record.content.index(b"</ds:SignatureValue>") - 10
    content = record.content[:at] + (b"A" if record.content[at : at + 1] != b"A" else b"B") + record.content[at + 1 :]
    await tamper(office, "update fiscal_record set content = :content where id = :id", content=content, id=record.id)


async def test_a_changed_byte_of_a_signature_is_named_by_every_check(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    await flip_in_signature(office, ana)

    walked = (await ana.get("/api/einvoice/chain?verify=true"))["verification"]
    result = await scan.scan(await system(office, ana))

    assert (walked["anomalies"], walked["firstBreak"]["position"]) == (1, 1)
    assert (walked["firstBreak"]["kind"], walked["firstBreak"]["code"]) == ("signature", "02")
    assert [(one.position, one.kind, one.code) for one in result.record_flaws] == [(1, "signature", "02")]


async def test_a_verification_of_the_chain_finds_a_removed_signature(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    await tamper(
        office,
        "update fiscal_record set content = decode(regexp_replace(encode(content, 'escape'),"
        " '<ds:Signature .*</ds:Signature>', ''), 'escape') where account_id = :account",
        account=ana.team["id"],
    )

    walked = (await ana.get("/api/einvoice/chain?verify=true"))["verification"]

    assert (walked["firstBreak"]["kind"], walked["firstBreak"]["code"]) == ("signature", "02")


async def test_a_removed_signature_and_removed_events_are_found(office, ana):
    await keep(ana)
    emitted = await emit(ana, await ana.invoice())
    await report(ana)
    await keep(ana)
    account = {"account": ana.team["id"]}
    await tamper(office, "delete from fiscal_event where account_id = :account and position = 4", **account)
    await tamper(
        office,
        "update fiscal_record set content = decode(regexp_replace(encode(content, 'escape'),"
        " '<ds:Signature .*</ds:Signature>', ''), 'escape') where account_id = :account",
        **account,
    )

    result = await scan.scan(await system(office, ana))

    assert emitted["status"] == "kept"
    assert "signature" in {one.kind for one in result.record_flaws}
    assert ("gap", "05") in {(one.kind, one.code) for one in result.event_flaws}


async def test_a_check_of_a_closed_chain_is_not_logged(office, ana):
    await keep(ana)
    await emit(ana, await ana.invoice())
    await verification.begin_anew(await system(office, ana), "another machine")
    *_, closed = (await ana.get("/api/einvoice/chain"))["chains"]

    checked = await ana.get(f"/api/einvoice/chain?verify=true&installation={closed['installationNumber']}")

    assert (checked["verification"]["records"], checked["verification"]["ok"]) == (1, True)
    assert sorted(await kinds(office, ana)) == ["started", "started", "stopped", "summary"]


async def test_without_a_key_a_check_is_answered_and_not_logged(office, ana, monkeypatch):
    await keep(ana)
    await emit(ana, await ana.invoice())
    channel = office.kernel.countries.countries["ES"].channels[0]
    monkeypatch.setattr(channel, "_setup", VerifactuSettings(_env_file=None, signed_mode="off"))

    result = await scan.scan(await system(office, ana))

    assert (result.records, result.signatures, result.record_flaws, result.logged) == (1, 1, [], False)
    assert await kinds(office, ana) == ["started"]


async def test_where_records_are_reported_a_check_is_not_logged(office, ana):
    await emit(ana, await ana.invoice())

    result = await scan.scan(await system(office, ana))

    assert (result.records, result.signatures, result.logged) == (1, 0, False)
