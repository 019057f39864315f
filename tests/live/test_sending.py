"""Sending of records: messages, pace, obstacles, incidents and reconciliation."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from email import message_from_bytes, policy
from pathlib import Path
from uuid import UUID

import pytest
import time_machine
from sqlalchemy import func, text, update

from ledgerkit import clock
from ledgerkit.core.einvoice.outbox import retry_policy
from ledgerkit.core.einvoice.outbox.table import fiscal_sender
from ledgerkit.core.einvoice.table import fiscal_record
from ledgerkit.core.einvoice.transmission import fiscal_messages, reconciliation
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.problems import BadGateway, Forbidden, Invalid
from ledgerkit.providers.api import FieldProblem
from ledgerkit.providers.es.sandbox import Fault, HttpAnswer
from ledgerkit.providers.es.sandbox import authority as theirs
from ledgerkit.providers.es.sandbox.faults import HTML_PAGE, LOST_ANSWER, SERVER_ERROR
from ledgerkit.texts import fixed
from support.api import item
from support.database import as_owner
from support.office import emit, eventually, settled

LATE = b":Incidencia>S</"
NOT_NOW = Fault(http=HttpAnswer(status=503))


def marked(marker: str) -> dict:
    return {"items": [item(description=f"Identidad visual [sandbox:{marker}]")]}


def messages_of(office, api) -> list[bytes]:
    return [message for message in office.authority.received if api.team["taxId"].encode() in message]


def sizes(office, api) -> list[int]:
    return [message.count(b":RegistroAlta ") for message in messages_of(office, api)]


async def states(office, api) -> list[str]:
    return [record.state for record in await office.records(api)]


async def all_settled(office, api) -> None:
    async def over() -> bool:
        return not {"pending", "unknown"} & set(await states(office, api))

    await eventually(over)


@asynccontextmanager
async def held_back(office, api):
    """While it lasts nothing of the account goes out, though it is emitted."""
    first = await api.invoice()
    await emit(api, first)
    await settled(api, first)
    await set_sender(office, api, stopped_at=func.now(), due_at=None)
    yield
    await set_sender(office, api, stopped_at=None, due_at=func.now())


async def set_sender(office, api, **values) -> None:
    of_account = fiscal_sender.c.account_id == UUID(api.team["id"])
    async with as_owner(office.kernel) as connection:
        await connection.execute(update(fiscal_sender).where(of_account).values(**values))


async def sender(office, api):
    (row,) = await office.rows("select * from fiscal_sender where account_id = :account", account=api.team["id"])
    return row


async def actions(api) -> list[str]:
    """Actions in the activity log about the chain, sorted."""
    feed = await api.get("/api/invoices/activity/feed?limit=100")
    return sorted(entry["action"] for entry in feed if entry["entityType"] == "fiscal_installation")


# ---------------------------------------------------------------- runs, and what spoils them


async def test_what_waits_goes_in_one_message_in_chain_order(hasty, berta):
    async with held_back(hasty, berta):
        for _ in range(5):
            await emit(berta, await berta.invoice())

    await all_settled(hasty, berta)

    assert sizes(hasty, berta) == [1, 5]
    records = await hasty.records(berta)
    places = [messages_of(hasty, berta)[1].index(record.content) for record in records[1:]]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("age", "late"),
    [
        pytest.param(0, [False, False, True, False], id="fresh"),
        pytest.param(241, [False, True, True, True], id="late", marks=pytest.mark.whole),
    ],
)
async def test_a_record_that_has_to_go_alone_ends_the_message_before_it(hasty, age, late):
    """Nothing is left out of a message's run: what follows that record in the chain follows it to the authority."""
    with time_machine.travel(datetime.now(UTC) - timedelta(seconds=age), tick=True):
        dora = await hasty.account("Dora Mas")
        async with held_back(hasty, dora):
            results = [await emitted(dora) for _ in range(4)]
            await doubted(hasty, dora, results[1])

    await all_settled(hasty, dora)

    records = (await hasty.records(dora))[1:]
    assert sizes(hasty, dora) == [1, 1, 1, 2]
    assert [LATE in message for message in messages_of(hasty, dora)] == late
    sent = b"".join(messages_of(hasty, dora))
    places = [sent.index(record.content) for record in records]
    assert places == sorted(places)


async def doubted(office, api, invoice) -> None:
    """Make the record look sent in the account's last message, with that message's answer lost."""
    async with as_owner(office.kernel) as connection:
        await connection.execute(
            text(
                "update fiscal_status set in_doubt = true, submission_id ="
                " (select id from fiscal_submission where account_id = :account order by id desc limit 1)"
                " where record_id = (select id from fiscal_record where invoice_id = :invoice)"
            ),
            {"account": UUID(api.team["id"]), "invoice": UUID(invoice["id"])},
        )


@pytest.mark.parametrize(
    "place", [pytest.param(0, marks=pytest.mark.whole), 3, pytest.param(6, marks=pytest.mark.whole)]
)
async def test_one_record_that_spoils_every_message_is_found_rejected_and_the_others_go(hasty, berta, place):
    async with held_back(hasty, berta):
        for ordinal in range(7):
            await emit(berta, await berta.invoice(**(marked("fault 4102") if ordinal == place else {})))

    await all_settled(hasty, berta)

    expected = ["accepted"] * 8
    expected[place + 1] = "rejected"
    assert await states(hasty, berta) == expected
    spoiled = (await hasty.records(berta))[place + 1]
    assert spoiled.code == "4102"
    assert len(hasty.authority.records(berta.team["taxId"])) == 7
    assert max(sizes(hasty, berta)) == 7


@pytest.mark.whole
async def test_two_records_that_spoil_messages_are_both_found(hasty, berta):
    async with held_back(hasty, berta):
        for ordinal in range(6):
            await emit(berta, await berta.invoice(**(marked("fault 4102") if ordinal in {1, 4} else {})))

    await all_settled(hasty, berta)

    assert await states(hasty, berta) == ["accepted"] * 2 + ["rejected"] + ["accepted"] * 2 + ["rejected", "accepted"]


async def test_a_spoiling_record_is_never_sent_again_by_itself_once_it_is_rejected(hasty, berta):
    await settled(berta, await emitted(berta))
    await settled(berta, await emitted(berta, **marked("fault 4102")))
    sent = len(messages_of(hasty, berta))

    await settled(berta, await emitted(berta))

    spoiled = (await hasty.records(berta))[1]
    assert not any(spoiled.content in message for message in messages_of(hasty, berta)[sent:])


async def emitted(api, **fields):
    invoice = await api.invoice(**fields)
    await api.request("POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    return invoice


@pytest.mark.whole
async def test_a_question_that_settles_all_that_was_lost_ends_the_back_off(hasty, berta):
    """The next lost answer waits as the first one did."""
    failures = []
    for _ in range(3):
        await settled(berta, await emitted(berta, **marked("lost")))
        failures.append((await sender(hasty, berta)).failures)

    assert failures == [0, 0, 0]
    assert await states(hasty, berta) == ["accepted"] * 3


@pytest.mark.whole
async def test_the_first_record_of_a_chain_is_not_blamed_before_another_was_taken(hasty, berta):
    """The first message is refused: for the record or for its heading, which only the next one can show."""
    await emit(berta, await berta.invoice(**marked("fault 4102")))
    await eventually(lambda: asyncio.sleep(0, len(messages_of(hasty, berta)) >= 2))
    alone = await states(hasty, berta)

    following = await emitted(berta)

    assert alone == ["pending"]
    assert (await settled(berta, following))["status"] == "accepted"
    await all_settled(hasty, berta)
    assert await states(hasty, berta) == ["rejected", "accepted"]


@pytest.mark.whole
async def test_a_record_that_the_authority_cannot_answer_lets_the_others_go_and_stays_open(hasty, berta):
    """The record's lone message breaks the authority each time, while questions are answered."""
    await settled(berta, await emitted(berta))
    hasty.authority.faults.add(SERVER_ERROR, times=2 * retry_policy.SILENCES_BEFORE_DEFERRAL)
    stuck = await emitted(berta)

    async def aside() -> bool:
        return (await hasty.records(berta))[-1].aside_until is not None

    await eventually(aside)
    hasty.authority.faults.clear()
    following = await emitted(berta)

    assert (await settled(berta, following))["status"] == "accepted"
    assert (await settled(berta, stuck))["status"] == "accepted"


@pytest.mark.whole
async def test_an_outage_puts_nobody_aside_and_the_order_stays(hasty, berta):
    await settled(berta, await emitted(berta))
    hasty.authority.faults.add(SERVER_ERROR, times=1000)
    hasty.authority.question_faults.add(SERVER_ERROR, times=1000)
    for _ in range(3):
        await emitted(berta)
    sent = retry_policy.SILENCES_BEFORE_DEFERRAL + 5
    await eventually(lambda: asyncio.sleep(0, len(messages_of(hasty, berta)) > sent))

    hasty.authority.faults.clear()
    hasty.authority.question_faults.clear()
    await all_settled(hasty, berta)

    records = await hasty.records(berta)
    assert [record.aside_until for record in records] == [None] * 4
    held_numbers = [entry.invoice[1] for entry in hasty.authority.records(berta.team["taxId"])]
    assert held_numbers == [record.number for record in records]


# ---------------------------------------------------------------- what no record is to blame for


@pytest.mark.parametrize("code", [4104, pytest.param(4112, marks=pytest.mark.whole)])
async def test_a_fault_of_issuer_or_certificate_keeps_the_chain_waiting_and_tells(hasty, berta, code):
    hasty.authority.faults.add(Fault(soap_code=code), times=1000)
    invoice = await berta.invoice()
    await emit(berta, invoice)
    await eventually(lambda: asyncio.sleep(0, len(messages_of(hasty, berta)) > 5))

    unsent = (await berta.get("/api/einvoice/providers"))["unsent"]
    waiting = await states(hasty, berta)
    hasty.authority.faults.clear()
    standing = await settled(berta, invoice)

    assert waiting == ["pending"]
    assert (unsent["count"], [one["kind"] for one in unsent["troubles"]]) == (1, ["refused"])
    assert f"Codigo[{code}]" in unsent["troubles"][0]["message"]
    assert unsent["troubles"][0]["remedy"]
    assert standing["status"] == "accepted"
    assert standing["unsent"] == {"count": 0, "oldestAt": None, "troubles": []}
    assert await actions(berta) == ["sending_accepted_again", "sending_refused"]


async def test_nothing_goes_out_under_a_certificate_that_is_of_another(hasty, berta, monkeypatch):
    why = FieldProblem(field="x", code="CERTIFICATE_OF_ANOTHER", text=fixed("it is of another", "Mend it.", None))
    certifying = hasty.kernel.countries.channel("ES", "verifactu").certifies
    async with held_back(hasty, berta):
        invoice = await berta.invoice()
        await emit(berta, invoice)
        monkeypatch.setattr(fiscal_messages, "OBSTACLE_PAUSE", timedelta(seconds=0.2))
        monkeypatch.setattr(certifying, "of_another", lambda _, tax_id: why if tax_id == berta.team["taxId"] else None)

    async def told():
        return (await berta.get("/api/einvoice/providers"))["unsent"]["troubles"]

    await eventually(told)
    with pytest.raises(Invalid, match="it is of another"):
        await reconciled(hasty, berta)
    (trouble,), waiting, sent = await told(), await states(hasty, berta), len(messages_of(hasty, berta))
    monkeypatch.setattr(certifying, "of_another", lambda *_: None)
    standing = await settled(berta, invoice)

    assert (trouble["kind"], trouble["message"]) == ("refused", "it is of another. Mend it.")
    assert (waiting, sent) == (["accepted", "pending"], 1)
    assert (standing["status"], standing["unsent"]["troubles"]) == ("accepted", [])
    assert await actions(berta) == ["sending_accepted_again", "sending_refused"]


async def test_suspended_access_stops_everything_until_somebody_resumes(hasty, berta):
    hasty.authority.faults.add(Fault(soap_code=4141))
    first = await berta.invoice()
    await emit(berta, first)
    await eventually(lambda: stopped(hasty, berta))
    second = await berta.invoice()
    await emit(berta, second)
    await asyncio.sleep(0.5)

    assert len(messages_of(hasty, berta)) == 1
    troubles = (await berta.get("/api/einvoice/providers"))["unsent"]["troubles"]
    assert [one["kind"] for one in troubles] == ["stopped"]
    ctx = await accounts.system_context(hasty.kernel, UUID(berta.team["id"]))
    assert await reconciliation.resume(ctx) == 1
    assert (await settled(berta, first))["status"] == (await settled(berta, second))["status"] == "accepted"
    assert await actions(berta) == ["sending_resumed", "sending_stopped"]


async def test_who_resumes_does_so_for_ones_own_account_only(hasty, berta):
    clara = await hasty.account("Clara Vidal")
    for api in (berta, clara):
        hasty.authority.faults.add(Fault(soap_code=4141))
        await emit(api, await api.invoice())
        await eventually(lambda api=api: stopped(hasty, api))

    assert await reconciliation.resume(await accounts.system_context(hasty.kernel, UUID(berta.team["id"]))) == 1

    await all_settled(hasty, berta)
    assert await stopped(hasty, clara)
    assert await states(hasty, clara) == ["pending"]


async def stopped(office, api) -> bool:
    return (await sender(office, api)).stopped_at is not None


async def test_the_authoritys_server_is_left_alone_as_long_as_it_wants(hasty, berta):
    hasty.authority.faults.add(Fault(http=HttpAnswer(status=429, headers=(("Retry-After", "60"),))))

    before = datetime.now(UTC)
    await emit(berta, await berta.invoice())
    await eventually(lambda: failed_once(hasty, berta))

    row = await sender(hasty, berta)
    assert before + timedelta(seconds=50) < row.due_at <= datetime.now(UTC) + timedelta(seconds=60)


async def failed_once(office, api) -> bool:
    return (await sender(office, api)).failures == 1


# ---------------------------------------------------------------- pace


async def test_a_whole_message_does_not_wait_for_the_pause_to_end(hasty, berta):
    await settled(berta, await emitted(berta, **marked("wait 600")))
    await set_sender(hasty, berta, waiting=998)
    waiting_result = await emitted(berta)
    waits = (await berta.get(f"/api/einvoice/status/{waiting_result['id']}"))["status"]

    await emitted(berta)
    standing = await settled(berta, waiting_result)

    assert waits == "pending"
    assert standing["status"] == "accepted"
    assert sizes(hasty, berta) == [1, 2]


@pytest.mark.whole
async def test_whole_messages_that_still_wait_after_an_answer_go_at_once_too(hasty, berta, monkeypatch):
    monkeypatch.setattr(hasty.kernel.countries.channel("ES", "verifactu"), "max_batch", 2)
    async with held_back(hasty, berta):
        for _ in range(5):
            await emitted(berta, **marked("wait 600"))

    await eventually(lambda: asyncio.sleep(0, len(messages_of(hasty, berta)) == 3))
    await asyncio.sleep(0.5)

    assert sizes(hasty, berta) == [1, 2, 2]
    assert await states(hasty, berta) == ["accepted"] * 5 + ["pending"]


async def test_an_empty_pause_keeps_the_one_before(hasty, berta):
    await settled(berta, await emitted(berta, **marked("wait 600")))

    assert (await sender(hasty, berta)).wait_seconds == 600


async def test_two_issuers_do_not_wait_for_each_other(hasty, berta):
    other = await hasty.account("Clara Vidal")
    await settled(berta, await emitted(berta, **marked("wait 600")))

    assert (await emit_and_settle(other))["status"] == "accepted"


async def emit_and_settle(api, **fields):
    return await settled(api, await emitted(api, **fields))


# ---------------------------------------------------------------- doubt


async def test_doubt_survives_an_answer_that_says_nothing(office, ana):
    """Lost first, then turned away: what is found afterwards is still our own."""
    office.authority.faults.add(LOST_ANSWER)
    office.authority.question_faults.add(NOT_NOW, times=2)
    office.authority.faults.add(Fault(http=HttpAnswer(status=403)))

    answer = await emit(ana, await ana.invoice())

    assert (answer["status"], answer["errors"]) == ("accepted", [])
    assert len(messages_of(office, ana)) == 3


async def test_what_was_lost_and_then_refused_is_asked_for_before_it_counts_as_rejected(hasty, berta):
    """The authority took it, its answer was lost, no question was answered, and whole messages were refused since."""
    await settled(berta, await emitted(berta))
    hasty.authority.faults.add(LOST_ANSWER)
    hasty.authority.faults.add(Fault(soap_code=4102), times=1000)
    hasty.authority.question_faults.add(NOT_NOW, times=1000)
    lost = await emitted(berta)

    async def refused_and_aside() -> bool:
        return (await hasty.records(berta))[-1].aside_until is not None

    await eventually(refused_and_aside)
    refused = await states(hasty, berta)
    hasty.authority.faults.clear()
    hasty.authority.question_faults.clear()
    following = await emitted(berta)

    assert refused == ["accepted", "pending"]
    assert (await settled(berta, following))["status"] == "accepted"
    assert (await settled(berta, lost))["status"] == "accepted"


async def test_what_was_lost_and_is_not_held_is_rejected_when_it_is_refused(hasty, berta):
    await settled(berta, await emitted(berta))
    hasty.authority.faults.add(SERVER_ERROR)
    hasty.authority.faults.add(Fault(soap_code=4102), times=retry_policy.REFUSALS_BEFORE_REJECTION)

    assert (await settled(berta, await emitted(berta)))["status"] == "rejected"


async def test_what_another_system_reported_under_our_number_is_not_adopted(office, ana):
    """The answer is lost, and the authority holds something else of this number: nothing is sent again."""
    theirs = of_others(office, ana)
    office.authority.faults.add(HTML_PAGE)

    problem = await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": (await ana.invoice())["id"]})

    assert (problem["code"], problem["result"]["errors"][0]["code"]) == ("NUMBER_TAKEN", "NUMBER_TAKEN")
    assert len(messages_of(office, ana)) == 1
    assert office.authority.records(ana.team["taxId"]) == (theirs,)


async def test_while_the_authority_does_not_say_whose_the_number_is_nothing_is_decided(hasty, berta):
    theirs = of_others(hasty, berta)
    hasty.authority.question_faults.add(NOT_NOW, times=1000)
    invoice = await emitted(berta)

    async def asked_often() -> bool:
        return len([one for one in hasty.authority.asked if berta.team["taxId"].encode() in one]) > 2

    await eventually(asked_often)
    meanwhile = await berta.get(f"/api/einvoice/status/{invoice['id']}")
    annulling = {"fiscalId": meanwhile["fiscalId"], "reason": "Por error"}
    refused = await berta.refused(400, "POST", "/api/einvoice/annul", annulling)
    hasty.authority.question_faults.clear()
    after = await settled(berta, invoice)

    assert (meanwhile["status"], refused["code"]) == ("unknown", "NOT_ANNULLABLE")
    assert (after["status"], after["takenBy"]["hash"]) == ("rejected", theirs.fingerprint)
    assert hasty.authority.records(berta.team["taxId"]) == (theirs,)


def of_others(office, api):
    """A document of other software under the account's first number."""
    today = clock.today("Europe/Madrid")
    invoice = api.team["taxId"], f"F{today.year}-0001", f"{today:%d-%m-%Y}"
    return office.authority.hold_of_others(invoice, Decimal(6050))


@pytest.mark.whole
async def test_a_thousand_lost_records_are_asked_for_by_their_days_and_adopted(hasty, berta):
    async with held_back(hasty, berta):
        for _ in range(5):
            await emitted(berta)
        hasty.authority.faults.add(LOST_ANSWER)
        hasty.authority.page_size = 2
    try:
        await all_settled(hasty, berta)
    finally:
        hasty.authority.page_size = 10_000

    asked = [one for one in hasty.authority.asked if berta.team["taxId"].encode() in one]
    assert await states(hasty, berta) == ["accepted"] * 6
    assert sizes(hasty, berta) == [1, 5]
    assert len(asked) == 3
    assert not any(b"<con:NumSerieFactura>" in one for one in asked)


# ---------------------------------------------------------------- names, clocks, notices


async def test_a_message_names_the_issuer_as_it_was_when_the_record_was_made(hasty, berta):
    async with held_back(hasty, berta):
        await emitted(berta)
        await berta.put("/api/teams/current", {"name": "Nombre Nuevo SL", "company": "Nombre Nuevo SL"})

    await all_settled(hasty, berta)

    (head, waited) = messages_of(hasty, berta)
    assert b"Nombre Nuevo" not in waited
    assert name_in(waited) == name_in(head)


def name_in(message: bytes) -> bytes:
    return message.partition(b"NombreRazon>")[2].partition(b"<")[0]


async def test_records_that_wait_too_long_are_told_once_and_their_end_too(hasty, berta):
    hasty.authority.faults.add(NOT_NOW, times=1000)
    hasty.authority.question_faults.add(NOT_NOW, times=1000)
    with time_machine.travel(datetime.now(UTC) - timedelta(seconds=241), tick=True):
        dora = await hasty.account("Dora Mas")
        invoice = await dora.invoice()
        await emit(dora, invoice)
    await eventually(lambda: told(dora, "sending_delayed"))
    shown = (await dora.get("/api/einvoice/providers"))["unsent"]
    mails = await mails_of(hasty, dora)
    looked_at = (await sender(hasty, dora)).watch_at
    await emit(dora, await dora.invoice())
    both = (await dora.get("/api/einvoice/providers"))["unsent"]

    hasty.authority.faults.clear()
    hasty.authority.question_faults.clear()
    await settled(dora, invoice)
    await eventually(lambda: told(dora, "sending_caught_up"))

    assert (shown["count"], [one["kind"] for one in shown["troubles"]]) == (1, ["delayed"])
    assert (both["count"], both["oldestAt"]) == (2, shown["oldestAt"])
    assert datetime.now(UTC) - datetime.fromisoformat(shown["oldestAt"]) >= retry_policy.LATE_AFTER
    assert timedelta(hours=23) < looked_at - datetime.now(UTC) <= timedelta(days=1)
    assert [(mail.kind, mail.outcome) for mail in mails] == [("sending", "accepted")]
    assert "Registros sin enviar: 1" in text_of(mails[0]).splitlines()
    assert await actions(dora) == ["sending_caught_up", "sending_delayed"]
    assert len(await mails_of(hasty, dora)) == 1


async def told(api, action: str) -> bool:
    return action in await actions(api)


async def mails_of(office, api):
    mails = []

    async def there() -> bool:
        mails[:] = await office.rows(
            "select * from mail_log where account_id = :account and kind = 'sending'", account=api.team["id"]
        )
        return bool(mails)

    await eventually(there)
    return mails


def text_of(mail) -> str:
    """The plain text of a mail that lies in a file."""
    message = message_from_bytes(Path(mail.reply).read_bytes(), policy=policy.default)
    return message.get_body(("plain",)).get_content()


@pytest.mark.whole
async def test_incidents_that_come_and_go_are_mailed_once_a_day(hasty, berta):
    for _ in range(2):
        hasty.authority.faults.add(Fault(soap_code=4104), times=3)
        await settled(berta, await emitted(berta))
        await eventually(lambda: told(berta, "sending_accepted_again"))
    assert (await actions(berta)).count("sending_refused") == 2

    assert len(await mails_of(hasty, berta)) == 1
    await asyncio.sleep(0.3)
    assert len(await mails_of(hasty, berta)) == 1


@pytest.mark.parametrize("seconds", [-90, 90])
async def test_a_clock_that_differs_from_the_authoritys_is_told_and_stops_nothing(hasty, berta, seconds, monkeypatch):
    real = theirs.clock.local_now

    class Wrong:
        today = staticmethod(theirs.clock.today)
        local_now = staticmethod(lambda zone: real(zone) + timedelta(seconds=seconds))

    monkeypatch.setattr(theirs, "clock", Wrong)
    first = await emit_and_settle(berta)
    troubles = (await berta.get("/api/einvoice/providers"))["unsent"]["troubles"]
    monkeypatch.undo()
    second = await emit_and_settle(berta)

    assert first["status"] == second["status"] == "accepted"
    assert [one["kind"] for one in troubles] == ["clock"]
    assert await actions(berta) == ["clock_right_again", "clock_wrong"]


# ---------------------------------------------------------------- comparing a month


async def reconciled(office, api):
    ctx = await accounts.system_context(office.kernel, UUID(api.team["id"]))
    today = ctx.account.today()
    return await reconciliation.reconcile(ctx, today.year, today.month)


@pytest.mark.whole
async def test_a_month_that_agrees_has_no_differences_whatever_its_pages(office, ana):
    office.authority.page_size = 2
    for _ in range(5):
        await emit(ana, await ana.invoice())
    try:
        reconciliation_result = await reconciled(office, ana)
    finally:
        office.authority.page_size = 10_000

    assert (
        reconciliation_result.documents_here,
        reconciliation_result.documents_there,
        reconciliation_result.differences,
    ) == (5, 5, [])


async def operated(office, record, day: date) -> None:
    async with as_owner(office.kernel) as connection:
        moved = update(fiscal_record).where(fiscal_record.c.id == record.id).values(operated_on=day)
        await connection.execute(moved)


async def test_a_month_has_what_was_operated_from_its_first_day_to_its_last(office, ana):
    days = [date(2026, 11, 30), date(2026, 12, 1), date(2026, 12, 31), date(2027, 1, 1)]
    for _ in days:
        await emit(ana, await ana.invoice())
    for record, day in zip(await office.records(ana), days, strict=True):
        await operated(office, record, day)
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))

    results = [await reconciliation.reconcile(ctx, *month) for month in ((2026, 11), (2026, 12), (2027, 1))]

    assert [one.documents_here for one in results] == [1, 2, 1]


async def test_a_month_has_what_was_issued_under_todays_tax_id(office, ana):
    await emit(ana, await ana.invoice())
    other = await office.account("Clara Vidal")
    await ana.put("/api/teams/current", {"taxId": other.team["taxId"]})
    await emit(ana, await ana.invoice())

    reconciliation_result = await reconciled(office, ana)

    assert (
        reconciliation_result.issuer_tax_id,
        reconciliation_result.documents_here,
        reconciliation_result.documents_there,
    ) == (other.team["taxId"], 1, 1)


async def test_a_record_that_waits_takes_the_state_that_the_authority_shows(hasty, berta):
    hasty.authority.faults.add(LOST_ANSWER)
    hasty.authority.faults.add(NOT_NOW, times=1000)
    hasty.authority.question_faults.add(NOT_NOW)
    invoice = await emitted(berta)
    await eventually(lambda: asyncio.sleep(0, len(messages_of(hasty, berta)) > 1))

    reconciliation_result = await reconciled(hasty, berta)

    [difference] = reconciliation_result.differences
    assert (difference.repaired, difference.there) == (True, "accepted")
    assert (await berta.get(f"/api/einvoice/status/{invoice['id']}"))["status"] == "accepted"
    assert (await reconciled(hasty, berta)).differences == []


async def test_what_differs_is_named_with_what_to_do_and_not_repaired(office, ana):
    for _ in range(4):
        await emit(ana, await ana.invoice())
    first, second, third, _ = await office.records(ana)
    held_documents = office.authority._authority.register._held
    keys = {entry.invoice[1]: key for key, entry in held_documents.items() if key[0] == ana.team["taxId"]}
    gone = held_documents.pop(keys[first.number])
    held_documents[keys[second.number]] = replace(held_documents[keys[second.number]], fingerprint="F" * 64)
    held_documents[keys[third.number]] = replace(held_documents[keys[third.number]], state="Anulada")
    strange = (gone.invoice[0], "Z-1", gone.invoice[2])
    held_documents[strange] = replace(gone, invoice=strange, fingerprint="E" * 64)

    reconciliation_result = await reconciled(office, ana)

    assert [(one.number, one.kind, one.here, one.there) for one in reconciliation_result.differences] == [
        (first.number, "missing_there", "accepted", None),
        (second.number, "other_record", "accepted", "accepted"),
        (third.number, "other_state", "accepted", "annulled"),
        ("Z-1", "unknown_here", None, "accepted"),
    ]
    assert all(one.remedy and not one.repaired for one in reconciliation_result.differences)
    assert await states(office, ana) == ["accepted"] * 4


async def test_an_authority_that_does_not_answer_and_a_month_without_records_are_said_so(office, ana):
    with pytest.raises(Invalid):
        await reconciled(office, ana)
    await emit(ana, await ana.invoice())
    office.authority.question_faults.add(HTML_PAGE)

    with pytest.raises(BadGateway):
        await reconciled(office, ana)


async def test_only_owner_and_admins_compare_and_resume(office, ana):
    ctx = await accounts.visitor_context(
        await accounts.system_context(office.kernel, UUID(ana.team["id"])), UUID(ana.team["id"])
    )

    with pytest.raises(Forbidden):
        await reconciliation.resume(ctx)
    with pytest.raises(Forbidden):
        await reconciliation.reconcile(ctx, 2026, 11)
