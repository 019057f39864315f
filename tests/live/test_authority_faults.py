"""Faults of the authority, and the emissions that meet them."""

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

import asyncpg
import pytest
import time_machine
from sqlalchemy import delete, text
from sqlalchemy.exc import ProgrammingError

from ledgerkit.core.einvoice.transmission import sender
from ledgerkit.core.einvoice.transmission.table import (
    fiscal_answer,
    fiscal_query,
    fiscal_query_answer,
    fiscal_submission,
)
from ledgerkit.providers.es.sandbox import Fault, HttpAnswer, Spoil
from ledgerkit.providers.es.sandbox.faults import (
    CLOSE_BEFORE_READING,
    HTML_PAGE,
    LOST_ANSWER,
    REDIRECT,
    SERVER_ERROR,
)
from support.api import item
from support.database import as_owner
from support.office import emit, eventually, settled

LATE = b":Incidencia>S</"


def marked(marker: str) -> dict:
    return {"items": [item(description=f"Identidad visual [sandbox:{marker}]")]}


def messages(office, api) -> list[bytes]:
    """Messages that the authority has received from an account, oldest first."""
    return [message for message in office.authority.received if api.team["taxId"].encode() in message]


def questions(office, api) -> list[bytes]:
    """Questions that the authority has received from an account, oldest first."""
    return [question for question in office.authority.asked if api.team["taxId"].encode() in question]


async def refused(api, invoice):
    return await api.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})


async def test_a_rejection_is_422_with_the_authoritys_code_text_and_the_stored_result(ana):
    invoice = await ana.invoice(**marked("reject 1124"))

    problem = await refused(ana, invoice)

    assert problem["code"] == "AUTHORITY_REJECTED"
    [error] = problem["result"]["errors"]
    assert error["code"] == "1124"
    assert error["message"]
    assert f"(1124: {error['message']})" in problem["detail"]
    assert problem["result"]["status"] == "rejected"


async def test_a_rejected_invoice_keeps_its_number_and_record_and_shows_the_answer(ana):
    invoice = await ana.invoice(**marked("reject 1124"))
    problem = await refused(ana, invoice)

    standing = await ana.get(f"/api/einvoice/status/{invoice['id']}")
    shown = await ana.get(f"/api/invoices/{invoice['id']}")

    assert standing["status"] == shown["einvoice"]["status"] == "rejected"
    assert standing["number"] == shown["number"] == problem["result"]["number"]
    assert [entry["event"] for entry in standing["history"]] == ["sealed", "sent", "answered"]
    assert standing["history"][-1]["code"] == "1124"
    assert shown["status"] == "sent"


async def test_the_chain_goes_on_after_a_rejected_record(office, ana):
    rejected = (await refused(ana, await ana.invoice(**marked("reject 1124"))))["result"]

    following = await emit(ana, await ana.invoice())

    assert following["status"] == "accepted"
    assert following["number"] != rejected["number"]
    first, second = await office.records(ana)
    assert f":Huella>{first.fingerprint}</".encode() in second.content
    assert office.authority.chain_breaks(ana.team["taxId"]) == ()


async def test_a_remark_of_the_authority_is_accepted_with_errors(ana):
    answer = await emit(ana, await ana.invoice(**marked("warn 2001")))

    assert answer["status"] == "accepted_with_errors"
    assert [error["code"] for error in answer["errors"]] == ["2001"]
    assert answer["csv"]


PENDING = {
    "soap client fault": Fault(soap_code=4102),
    "soap server fault": Fault(soap_code=3501),
    "too many requests": Fault(http=HttpAnswer(status=429, headers=(("Retry-After", "1"),))),
    "redirect": REDIRECT,
    "forbidden": Fault(http=HttpAnswer(status=403)),
}
UNKNOWN = {
    "server error": SERVER_ERROR,
    "html": HTML_PAGE,
    "cut before reading": CLOSE_BEFORE_READING,
    "lost": LOST_ANSWER,
    "truncated": Fault(spoil=Spoil.TRUNCATED),
    "empty": Fault(spoil=Spoil.EMPTY),
    "garbage": Fault(spoil=Spoil.GARBAGE),
    "reset": Fault(spoil=Spoil.RESET),
    "reset in the middle": Fault(spoil=Spoil.CUT),
    "document type": Fault(spoil=Spoil.DTD),
}
FAULTS = [(fault, "pending") for fault in PENDING.values()] + [(fault, "unknown") for fault in UNKNOWN.values()]


@pytest.mark.parametrize(("fault", "state"), FAULTS, ids=[*PENDING, *UNKNOWN])
async def test_a_passing_fault_leaves_the_record_open_and_it_settles_by_itself(office, ana, fault, state):
    office.authority.faults.add(fault)
    invoice = await ana.invoice()

    answer = await emit(ana, invoice)

    assert answer["status"] == "accepted"
    history = (await ana.get(f"/api/einvoice/status/{invoice['id']}"))["history"]
    assert [entry["status"] for entry in history if entry["event"] == "answered"] == [state, "accepted"]
    assert len(office.authority.records(ana.team["taxId"])) == 1
    assert len(await office.records(ana)) == 1


async def test_an_answer_that_says_to_be_a_picture_is_read_all_the_same(office, ana):
    office.authority.faults.add(Fault(spoil=Spoil.TYPE))

    answer = await emit(ana, await ana.invoice())

    assert (answer["status"], len(messages(office, ana))) == ("accepted", 1)


@pytest.mark.parametrize("fault", PENDING.values(), ids=PENDING)
async def test_what_was_surely_not_stored_is_sent_again_as_it_was(office, ana, fault):
    office.authority.faults.add(fault)

    await emit(ana, await ana.invoice())

    first, second = messages(office, ana)
    assert second == first
    assert LATE not in first


IN_DOUBT = [
    pytest.param(LOST_ANSWER, id="lost"),
    pytest.param(Fault(spoil=Spoil.TRUNCATED), id="truncated", marks=pytest.mark.whole),
]


@pytest.mark.parametrize("fault", IN_DOUBT)
async def test_what_may_have_been_stored_is_asked_for_and_adopted_without_sending_it_again(office, ana, fault):
    office.authority.faults.add(fault)

    answer = await emit(ana, await ana.invoice())

    [record] = await office.records(ana)
    assert (answer["status"], answer["errors"], record.in_doubt) == ("accepted", [], False)
    assert len(messages(office, ana)) == len(questions(office, ana)) == 1


@pytest.mark.parametrize("fault", IN_DOUBT)
async def test_where_asking_fails_the_record_is_sent_again_as_late_and_the_duplicate_adopted(office, ana, fault):
    office.authority.faults.add(fault)
    office.authority.question_faults.add(SERVER_ERROR)

    answer = await emit(ana, await ana.invoice())

    first, second = messages(office, ana)
    [record] = await office.records(ana)
    assert first.count(record.content) == second.count(record.content) == 1
    assert LATE not in first
    assert LATE in second
    assert (answer["status"], answer["errors"]) == ("accepted", [])


async def test_what_was_not_stored_is_asked_for_and_sent_again_as_late(office, ana):
    office.authority.faults.add(CLOSE_BEFORE_READING)

    answer = await emit(ana, await ana.invoice())

    [again] = messages(office, ana)
    assert LATE in again
    assert len(questions(office, ana)) == 1
    assert answer["status"] == "accepted"


@pytest.mark.whole
async def test_a_late_message_whose_answer_is_lost_again_goes_out_as_the_very_same_bytes(office, ana):
    office.authority.faults.add(CLOSE_BEFORE_READING)
    office.authority.faults.add(HTML_PAGE, times=3)

    answer = await emit(ana, await ana.invoice())

    sent = messages(office, ana)
    submissions = await office.rows(
        "select id, repeats_id, late from fiscal_submission where account_id = :account order by id",
        account=ana.team["id"],
    )
    assert answer["status"] == "accepted"
    assert len(sent) == 4
    assert len(set(sent)) == 1
    assert [row.late for row in submissions] == [False, True, True, True, True]
    assert [row.repeats_id for row in submissions] == [None, None, *[row.id for row in submissions[1:4]]]


async def test_questions_and_their_answers_are_kept_raw_and_cannot_be_altered(office, ana):
    office.authority.faults.add(LOST_ANSWER)
    office.authority.question_faults.add(HTML_PAGE)
    await emit(ana, await ana.invoice())

    stored_questions = await office.rows(
        "select q.request, a.http_status, a.body, a.failure from fiscal_query q join fiscal_query_answer a"
        " on a.account_id = q.account_id and a.query_id = q.id where q.account_id = :account order by q.id",
        account=ana.team["id"],
    )

    assert [row.request for row in stored_questions] == questions(office, ana)
    assert stored_questions[0].body == HTML_PAGE.http.body
    assert stored_questions[0].failure
    for table in (fiscal_query, fiscal_query_answer, fiscal_submission, fiscal_answer):
        with pytest.raises(ProgrammingError, match="permission denied"):
            async with office.kernel.database.transaction(UUID(ana.team["id"])) as connection:
                await connection.execute(delete(table))


async def test_every_request_and_every_answer_is_kept_raw(office, ana):
    office.authority.faults.add(HTML_PAGE)

    await emit(ana, await ana.invoice())

    stored_messages = await office.rows(
        "select s.request, a.http_status, a.body, a.reference from fiscal_submission s join fiscal_answer a"
        " on a.account_id = s.account_id and a.submission_id = s.id where s.account_id = :account order by s.id",
        account=ana.team["id"],
    )
    assert [row.request for row in stored_messages] == messages(office, ana)
    assert stored_messages[0].body == HTML_PAGE.http.body
    assert [row.http_status for row in stored_messages] == [200, 200]
    assert stored_messages[0].reference is None
    assert stored_messages[1].reference.encode() in stored_messages[1].body


@pytest.mark.whole
async def test_an_answer_that_finds_no_database_is_kept_as_soon_as_there_is_one(postgres, hasty, berta):
    """The receipt can never be fetched again: an answer to a question carries none."""
    hasty.authority.faults.add(Fault(delay_seconds=1))
    invoice = await berta.invoice()
    await emit(berta, invoice)
    await eventually(lambda: asyncio.sleep(0, messages(hasty, berta)))

    await thrown_out(postgres, hasty.name, seconds=2.5)
    standing = await settled(berta, invoice)

    assert standing["status"] == "accepted"
    assert standing["csv"]
    assert (len(messages(hasty, berta)), questions(hasty, berta)) == (1, [])


async def thrown_out(postgres, name: str, *, seconds: float) -> None:
    """Meanwhile every connection to the database is ended before a transaction could end."""
    connection = await asyncpg.connect(postgres.url("postgres").replace("+asyncpg", ""))
    end = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < end:
        await connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", name)
    await connection.close()


@pytest.mark.parametrize(
    ("fault", "state"), [pytest.param(REDIRECT, "pending", marks=pytest.mark.whole), (SERVER_ERROR, "unknown")]
)
async def test_a_fault_that_lasts_is_answered_with_200_and_never_leads_to_a_second_number(hasty, berta, fault, state):
    hasty.authority.faults.add(fault, times=1000)
    invoice = await berta.invoice()

    answers = [await emit(berta, invoice) for _ in range(2)]
    hasty.authority.faults.clear()
    standing = await settled(berta, invoice)

    assert answers[-1]["status"] == state
    assert {answer["number"] for answer in answers} == {standing["number"]}
    assert standing["status"] == "accepted"
    assert len(await hasty.records(berta)) == 1


async def test_the_caller_waits_no_longer_than_the_operator_allows(hasty, berta):
    hasty.authority.faults.add(Fault(delay_seconds=15))
    invoice = await berta.invoice()
    loop = asyncio.get_running_loop()
    began = loop.time()

    answer = await emit(berta, invoice)

    assert answer["status"] == "pending"
    assert 0.2 <= loop.time() - began < 15
    assert (await settled(berta, invoice))["status"] == "accepted"
    assert len(messages(hasty, berta)) == 1


@pytest.mark.whole
async def test_a_chain_that_waits_for_its_answer_delays_nobody_else(hasty, berta, monkeypatch):
    """The slow chain is one that the sweep has taken up, after a first attempt that failed; it had the only slot."""
    monkeypatch.setattr(hasty.kernel.service(sender.Transmitter), "_slots", asyncio.Semaphore(1))
    slow, other = await berta.invoice(), await hasty.account("Clara Vidal")
    hasty.authority.faults.add(SERVER_ERROR)
    hasty.authority.faults.add(Fault(delay_seconds=60))
    await emit(berta, slow)
    await eventually(lambda: asyncio.sleep(0, len(messages(hasty, berta)) == 2))
    hasty.authority.faults.add(SERVER_ERROR, times=3)

    quick = await other.invoice()
    await emit(other, quick)
    standing = await settled(other, quick)

    assert standing["status"] == "accepted"
    assert (await berta.get(f"/api/einvoice/status/{slow['id']}"))["status"] in {"pending", "unknown"}


@pytest.mark.whole
async def test_the_sweep_outlives_an_error_of_the_database(hasty, berta, monkeypatch):
    monkeypatch.setattr(sender, "LEASE", timedelta(seconds=2))  # a sender that fails with it gives none back

    async def renamed(old: str, new: str) -> None:
        async with as_owner(hasty.kernel) as connection:
            await connection.execute(text(f"alter table {old} rename to {new}"))

    hasty.authority.faults.add(SERVER_ERROR, times=1000)
    invoice = await berta.invoice()
    await emit(berta, invoice)
    await renamed("fiscal_sender", "mislaid")
    await asyncio.sleep(4 * sender.SWEEP_SECONDS)
    await renamed("mislaid", "fiscal_sender")

    hasty.authority.faults.clear()

    assert (await settled(berta, invoice))["status"] == "accepted"


async def test_records_made_during_the_asked_pause_go_out_together_when_it_is_over(hasty, berta):
    first = await berta.invoice(**marked("wait 1"))
    await emit(berta, first)
    await settled(berta, first)
    second, third = await berta.invoice(), await berta.invoice()

    answers = [await emit(berta, second), await emit(berta, third)]
    standings = [await settled(berta, second), await settled(berta, third)]

    assert [answer["status"] for answer in answers] == ["pending", "pending"]
    assert [standing["status"] for standing in standings] == ["accepted", "accepted"]
    assert [message.count(b":RegistroAlta ") for message in messages(hasty, berta)] == [1, 2]


@asynccontextmanager
async def away(authority):
    """Meanwhile nothing listens at the authority's port; afterwards it is back at the same address."""
    await authority.stop()
    yield
    await authority.start()


async def test_an_authority_that_is_away_gets_its_records_when_it_is_back(hasty, berta):
    invoice = await berta.invoice()
    async with away(hasty.authority):
        answer = await emit(berta, invoice)

    standing = await settled(berta, invoice)

    assert answer["status"] == "pending"
    assert standing["status"] == "accepted"
    assert standing["hash"] == answer["hash"]
    [message] = messages(hasty, berta)
    assert LATE not in message


async def test_records_older_than_240_seconds_go_out_late_apart_and_as_they_were_made(hasty):
    now = datetime.now(UTC)
    async with away(hasty.authority):
        with time_machine.travel(now - timedelta(seconds=241), tick=True):
            dora = await hasty.account("Dora Mas")
            old, fresh = await dora.invoice(), await dora.invoice()
            await emit(dora, old)
        await emit(dora, fresh)
        records = await hasty.records(dora)

    await settled(dora, old)
    await settled(dora, fresh)

    late, prompt = messages(hasty, dora)
    assert LATE in late
    assert LATE not in prompt
    assert [late.count(record.content) for record in records] == [1, 0]
    assert [prompt.count(record.content) for record in records] == [0, 1]
    assert now - records[0].generated_at >= timedelta(seconds=240)
    assert [record.content for record in await hasty.records(dora)] == [record.content for record in records]
    assert hasty.authority.chain_breaks(dora.team["taxId"]) == ()


async def test_a_record_of_less_than_240_seconds_is_not_late(hasty):
    async with away(hasty.authority):
        with time_machine.travel(datetime.now(UTC) - timedelta(seconds=180), tick=True):
            dora = await hasty.account("Dora Mas")
            invoice = await dora.invoice()
            await emit(dora, invoice)

    await settled(dora, invoice)

    [message] = messages(hasty, dora)
    assert LATE not in message
