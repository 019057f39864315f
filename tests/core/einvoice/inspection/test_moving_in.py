"""Continuing the chain of other software: its last record is checked, and the authority is asked for it."""

import asyncio
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from lxml import etree

from ledgerkit.providers.api import ChainLink
from ledgerkit.providers.es import country
from ledgerkit.providers.es.sandbox import Fault, HttpAnswer
from support.api import item
from support.office import emit, eventually, until, withheld
from support.scenes.einvoice import LAST_ELSEWHERE

SPANISH = {"accept-language": "es"}


async def emitted(ana, count: int):
    return [await emit(ana, await ana.invoice()) for _ in range(count)]


async def test_an_issuer_continues_the_chain_of_other_software(office, ana):
    questions_before = office.authority.asked
    last = LAST_ELSEWHERE | {"lastGeneratedAt": "2026-10-31T10:00:00+01:00"}
    continued = await ana.post("/api/einvoice/chain/continue", last)

    results = await emitted(ana, 2)

    first = (await office.records(ana))[0]
    assert (continued["continuedFrom"]["number"], continued["confirmation"]) == ("A-2026-0099", "not_asked")
    assert continued["continuedFrom"]["generatedAt"] == "2026-10-31T09:00:00.000Z"
    (entry,) = [one for one in await log_of(ana) if one["action"] == "chain_continued"]
    assert entry["changes"]["lastNumber"]["to"] == "A-2026-0099"
    assert office.authority.asked == questions_before
    link = etree.fromstring(first.content).find("{*}Encadenamiento")
    assert link.findtext("{*}RegistroAnterior/{*}Huella") == LAST_ELSEWHERE["lastFingerprint"]
    assert link.find("{*}PrimerRegistro") is None
    assert [one["status"] for one in results] == ["accepted", "accepted"]
    assert (await ana.get("/api/einvoice/chain?verify=true"))["verification"]["ok"]


async def elsewhere(office, ana, **invoice):
    """The last record of another installation of the same issuer, which the authority has taken."""
    other = await office.account("Otra instalación")
    await other.put("/api/teams/current", {"taxId": ana.team["taxId"]})
    result = await emit(other, await other.invoice(**invoice))
    assert result["status"] == "accepted"
    (record,) = await office.records(other)
    return {
        "lastNumber": record.number,
        "lastIssueDate": record.issue_date.isoformat(),
        "lastFingerprint": record.fingerprint,
    }


@pytest.mark.parametrize("operated", [0, 1])
async def test_the_authority_is_asked_whether_it_holds_the_last_record(office, ana, operated):
    today = datetime.now(ZoneInfo("Europe/Madrid")).date()
    month_before = today.replace(day=1) - timedelta(days=1)
    last = await elsewhere(office, ana, operationDate=(month_before if operated else today).isoformat())

    continued = await ana.post("/api/einvoice/chain/continue", last)

    assert (continued["confirmation"], continued["head"]) == ("held", None)
    assert continued["continuedFrom"]["hash"] == last["lastFingerprint"]
    (entry,) = [one for one in await log_of(ana) if one["action"] == "chain_continued"]
    assert entry["changes"]["confirmation"]["to"] == "held"


@pytest.mark.parametrize(
    ("change", "remedy"),
    [
        ({"lastFingerprint": "F" * 64}, ("holds another record", "tiene otro registro")),
        ({"lastNumber": "F-0000"}, ("holds no record", "no tiene ningún registro")),
    ],
)
async def test_a_last_record_that_the_authority_does_not_hold_is_refused(office, ana, change, remedy):
    last = await elsewhere(office, ana) | change

    problem = await ana.refused(400, "POST", "/api/einvoice/chain/continue", last)
    spanish = await ana.refused(400, "POST", "/api/einvoice/chain/continue", last, **SPANISH)

    assert [one["field"] for one in problem["errors"]] == [*change]
    assert remedy[0] in problem["detail"]
    assert remedy[1] in spanish["detail"]
    assert all("reported: false" in answer["remedy"] for answer in (problem, spanish))
    assert all(one["continuedFrom"] is None for one in (await ana.get("/api/einvoice/chain"))["chains"])
    assert (await ana.post("/api/einvoice/chain/continue", last | {"reported": False}))["confirmation"] == "not_asked"


async def test_a_document_of_that_number_and_another_day_is_not_the_last_record(office, ana):
    last = await elsewhere(office, ana)
    before = datetime.fromisoformat(last["lastIssueDate"]) - timedelta(days=1)

    problem = await ana.refused(
        400, "POST", "/api/einvoice/chain/continue", last | {"lastIssueDate": before.date().isoformat()}
    )

    assert "holds no record" in problem["detail"]


async def test_a_record_that_is_sealed_while_the_authority_is_asked_begins_the_chain(office, ana):
    last = await elsewhere(office, ana)
    questions_before = office.authority.asked
    draft = await ana.invoice(docType="simplified", items=[item(unitPrice=10)])
    with withheld():
        moving = asyncio.create_task(ana.refused(400, "POST", "/api/einvoice/chain/continue", last))
        await until(lambda: office.authority.asked != questions_before)
        emitting = asyncio.create_task(emit(ana, draft))
        await eventually(lambda: office.records(ana))
    await emitting

    assert (await moving)["code"] == "CHAIN_BEGUN"
    assert (await ana.get("/api/einvoice/chain?verify=true"))["verification"]["ok"]


async def test_an_authority_that_does_not_answer_stops_no_continuation(office, ana):
    office.authority.question_faults.add(Fault(http=HttpAnswer(status=503)), times=10)

    continued = await ana.post("/api/einvoice/chain/continue", LAST_ELSEWHERE | {"reported": True})

    assert continued["confirmation"] == "no_answer"
    (entry,) = [one for one in await log_of(ana) if one["action"] == "chain_continued"]
    assert entry["changes"]["confirmation"]["to"] == "no_answer"


async def log_of(ana):
    return await ana.get("/api/invoices/activity/feed?limit=100")


async def test_a_chain_with_records_cannot_be_continued_from_others(ana):
    await emitted(ana, 1)

    problem = await ana.refused(400, "POST", "/api/einvoice/chain/continue", LAST_ELSEWHERE)
    spanish = await ana.refused(400, "POST", "/api/einvoice/chain/continue", LAST_ELSEWHERE, **SPANISH)

    assert problem["code"] == "CHAIN_BEGUN"
    assert "has 1 record already" in problem["detail"]
    assert "ya tiene 1 registro" in spanish["detail"]
    assert "antes de su primer registro" in spanish["remedy"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"lastFingerprint": "a" * 64}, "lastFingerprint"),
        ({"lastFingerprint": "A" * 63}, "lastFingerprint"),
        ({"lastNumber": 'F"1'}, "lastNumber"),
        ({"lastNumber": "F" * 61}, "lastNumber"),
        ({"lastIssueDate": "2099-01-01"}, "lastIssueDate"),
        ({"lastIssueDate": "2024-10-27"}, "lastIssueDate"),
        ({"lastGeneratedAt": "2099-01-01T00:00:00Z"}, "lastGeneratedAt"),
    ],
)
async def test_a_link_that_cannot_be_a_last_record_is_refused(ana, change, field):
    problem = await ana.refused(400, "POST", "/api/einvoice/chain/continue", LAST_ELSEWHERE | change)

    assert [one["field"] for one in problem["errors"]] == [field]
    spanish = await ana.refused(400, "POST", "/api/einvoice/chain/continue", LAST_ELSEWHERE | change, **SPANISH)
    (answer,), (spanish_error,) = problem["errors"], spanish["errors"]
    assert spanish_error["message"] == answer["translations"]["es"]["message"] != answer["message"]
    assert spanish_error["message"] in spanish["detail"]
    assert spanish_error["remedy"].startswith("Copia")


@pytest.mark.parametrize(("tax_id", "codes"), [("12345678Z", []), ("12345678A", ["1123"]), ("DE123456789", ["1123"])])
def test_the_last_record_is_one_of_a_spanish_issuer(tax_id, codes):
    day = date(2026, 10, 31)
    last = ChainLink(issuer_tax_id=tax_id, number="A-2026-0099", issue_date=day, fingerprint="A" * 64)

    assert [one.code for one in country.channels[0].audits.continues(last, day)] == codes
