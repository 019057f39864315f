"""Numbers that somebody else's document has at the authority: nothing of it is touched, and there are ways out."""

from datetime import date, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from lxml import etree

from ledgerkit import clock
from ledgerkit.core.einvoice.transmission import reconciliation
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.request.clock_watch import ClockWatch, Reference
from ledgerkit.providers.es.sandbox import Fault, HttpAnswer
from ledgerkit.providers.es.sandbox.faults import LOST_ANSWER
from support.api import Api, item
from support.office import cloned, emit, opened, settled

EMIT, ANNUL = "/api/einvoice/emit", "/api/einvoice/annul"
SF = "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/SuministroInformacion.xsd}"
NOT_NOW = Fault(http=HttpAnswer(status=503))
REAL = Decimal("6050.00")


def today() -> date:
    return clock.today("Europe/Madrid")


def held(office, api, wanted=None):
    """Record that the authority holds under a number, whoever reported it."""
    wanted = wanted or number(1)
    return next(one for one in office.authority.records(api.team["taxId"]) if one.invoice[1] == wanted)


def number(ordinal: int) -> str:
    return f"F{today().year}-{ordinal:04d}"


def of_others(office, api, ordinal: int = 1, **details):
    """A document of other software that the authority holds under our next number."""
    invoice = api.team["taxId"], number(ordinal), f"{today():%d-%m-%Y}"
    return office.authority.hold_of_others(invoice, REAL, recipient="Cliente Real SL", **details)


@pytest.fixture
async def taken(office, ana):
    """An invoice of 8.47 whose number somebody else's document of 6,050.00 has, and what the authority holds."""
    theirs = of_others(office, ana)
    invoice = await ana.invoice(items=[item(unitPrice=7)])
    await ana.refused(422, "POST", EMIT, {"invoiceId": invoice["id"]})
    return await ana.get(f"/api/invoices/{invoice['id']}"), theirs


async def rosa_as(office, ana, role: str) -> Api:
    """Another person at work in ana's team."""
    rosa = await office.account("Rosa Gil")
    await ana.post("/api/teams/current/invite", {"email": rosa.email, "role": role})
    await rosa.post(f"/api/teams/switch/{ana.team['id']}")
    return rosa


async def flags(office, api) -> list[tuple[str | None, str | None]]:
    roots = [etree.fromstring(record.content) for record in await office.records(api)]
    return [(root.findtext(f"{SF}Subsanacion"), root.findtext(f"{SF}RechazoPrevio")) for root in roots]


async def actions(api, invoice) -> list[str]:
    feed = await api.get("/api/invoices/activity/feed?limit=100")
    return [one["action"] for one in reversed(feed) if one["entityId"] == invoice["id"]]


# ---------------------------------------------------------------- asking


async def test_somebody_elses_number_is_refused_with_what_stands_there(office, ana):
    theirs = of_others(office, ana)
    invoice = await ana.invoice(items=[item(unitPrice=7)])

    problem = await ana.refused(422, "POST", EMIT, {"invoiceId": invoice["id"]})

    result = problem["result"]
    assert (problem["code"], result["status"], result["errors"][0]["code"]) == (
        "NUMBER_TAKEN",
        "rejected",
        "NUMBER_TAKEN",
    )
    assert "3000" in result["errors"][0]["message"]
    assert "renumber" in problem["remedy"]
    assert "renumber" in result["errors"][0]["remedy"]["es"]
    there = result["takenBy"]
    assert (there["status"], there["total"], there["recipient"], there["hash"], there["issueDate"]) == (
        "accepted",
        6050,
        "Cliente Real SL",
        theirs.fingerprint,
        today().isoformat(),
    )
    assert there["askedAt"]
    stored = (await ana.get(f"/api/invoices/{invoice['id']}"))["einvoice"]
    assert (stored["status"], stored["takenBy"]) == (
        "rejected",
        there,
    )


async def test_a_document_of_another_month_is_not_shown_and_takes_the_number_all_the_same(office, ana):
    of_others(office, ana, period="2020-01")

    problem = await ana.refused(422, "POST", EMIT, {"invoiceId": (await ana.invoice())["id"]})

    assert problem["code"] == "NUMBER_TAKEN"
    assert (problem["result"]["takenBy"]["status"], problem["result"]["takenBy"]["hash"]) == (None, None)


async def test_our_own_record_is_adopted_when_its_answer_was_lost_and_it_is_refused_as_a_duplicate(office, ana):
    """The first question is not answered, so that the record is sent again and refused: then it is asked about."""
    office.authority.faults.add(LOST_ANSWER)
    office.authority.question_faults.add(NOT_NOW)
    invoice = await ana.invoice()
    await ana.post(EMIT, {"invoiceId": invoice["id"]})

    result = await settled(ana, invoice)

    assert (result["status"], result["errors"], result["takenBy"]) == ("accepted", [], None)
    assert held(office, ana, result["number"]).fingerprint == result["hash"]


# ---------------------------------------------------------------- what is refused meanwhile


async def test_emitted_again_and_again_it_is_refused_and_theirs_stays(office, ana, taken):
    invoice, theirs = taken

    for body in ({}, {"correct": True}, {}):
        problem = await ana.refused(422, "POST", EMIT, {"invoiceId": invoice["id"], **body})
        assert (problem["code"], problem["result"]["takenBy"]["total"]) == ("NUMBER_TAKEN", 6050)

    assert held(office, ana) == theirs
    assert len(await office.records(ana)) == 1


async def test_it_can_be_neither_annulled_nor_mailed_nor_credited(office, ana, taken):
    invoice, theirs = taken
    fiscal_id = invoice["einvoice"]["fiscalId"]
    credit = {"invoiceId": invoice["id"], "originalFiscalId": fiscal_id, "originalDate": invoice["issueDate"]}

    refused = [
        await ana.refused(400, "POST", ANNUL, {"fiscalId": fiscal_id, "reason": "Por error"}),
        await ana.refused(400, "PATCH", f"/api/invoices/{invoice['id']}/send"),
        await ana.refused(400, "POST", f"/api/einvoice/send-email/{invoice['id']}", {"email": "a@example.com"}),
        await ana.refused(400, "POST", "/api/einvoice/credit-note", credit),
    ]

    assert [problem["code"] for problem in refused] == ["NUMBER_TAKEN"] * 4
    assert all("renumber" in problem["remedy"] for problem in refused)
    assert held(office, ana) == theirs
    assert len(await office.records(ana)) == 1


async def test_a_prepared_credit_note_that_would_name_it_is_refused(office, ana, taken):
    invoice, _ = taken
    note = await ana.invoice(docType="credit_note", rectifies=invoice["id"], items=[item(unitPrice=-7)])

    problem = await ana.refused(400, "POST", EMIT, {"invoiceId": note["id"]})

    assert problem["code"] == "NUMBER_TAKEN"
    assert (await ana.get(f"/api/invoices/{note['id']}"))["number"] is None


async def test_an_annulment_of_what_was_never_accepted_leaves_somebody_elses_document_alone(office, ana):
    invoice = await ana.invoice(items=[item(description="Identidad visual [sandbox:reject 1124]")])
    await ana.refused(422, "POST", EMIT, {"invoiceId": invoice["id"]})
    theirs = of_others(office, ana)
    fiscal_id = (await ana.get(f"/api/invoices/{invoice['id']}"))["einvoice"]["fiscalId"]

    problem = await ana.refused(422, "POST", ANNUL, {"fiscalId": fiscal_id, "reason": "Por error"})
    again = await ana.refused(400, "POST", ANNUL, {"fiscalId": fiscal_id, "reason": "Por error"})
    emitted = await ana.refused(422, "POST", EMIT, {"invoiceId": invoice["id"]})

    assert [one["code"] for one in (problem, again, emitted)] == ["NUMBER_TAKEN"] * 3
    assert emitted["result"]["errors"][0]["code"] == "NUMBER_TAKEN"
    assert held(office, ana) == theirs


async def test_emitted_again_after_another_refusal_it_leaves_somebody_elses_document_alone(office, ana):
    invoice = await ana.invoice(items=[item(description="Identidad visual [sandbox:reject 1124]")])
    await ana.refused(422, "POST", EMIT, {"invoiceId": invoice["id"]})
    theirs = of_others(office, ana)
    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [item()]})

    problem = await ana.refused(422, "POST", EMIT, {"invoiceId": invoice["id"]})

    assert problem["code"] == "NUMBER_TAKEN"
    assert held(office, ana) == theirs


async def test_the_authority_is_asked_again_and_ours_is_adopted_after_all(office, ana):
    """As after an upgrade: an earlier version took a refused duplicate for somebody else's without asking."""
    invoice = await ana.invoice()
    result = await emit(ana, invoice)
    await office.rows(
        "update fiscal_status set state = 'rejected', code = 'NUMBER_TAKEN' where record_id = :id returning 1",
        id=UUID(result["id"]),
    )

    answer = await emit(ana, invoice)

    assert (answer["status"], answer["hash"], answer["takenBy"]) == ("accepted", result["hash"], None)
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["einvoice"]["status"] == "accepted"


# ---------------------------------------------------------------- the next number


async def test_under_the_next_number_it_is_accepted_and_the_old_one_is_burnt_and_explained(office, ana, taken):
    invoice, theirs = taken

    result = await ana.post(EMIT, {"invoiceId": invoice["id"], "renumber": True})

    after = await ana.get(f"/api/invoices/{invoice['id']}")
    assert (result["status"], result["number"], after["number"]) == ("accepted", number(2), number(2))
    assert (result["corrects"], result["takenBy"]) == (None, None)
    assert held(office, ana) == theirs
    assert held(office, ana, number(2)).fingerprint == result["hash"]
    assert await flags(office, ana) == [(None, None), (None, None)]
    assert (await actions(ana, invoice))[-3:] == ["renumbered", "emitted", "accepted"]
    records = await ana.get("/api/einvoice/records")
    assert [(one["number"], bool(one["burnt"]), one["needsAction"]) for one in records] == [
        (number(2), False, False),
        (number(1), True, False),
    ]
    assert number(2) in records[1]["burnt"]
    assert [one["number"] for one in await ana.get(f"/api/invoices?search={number(2)}")] == [number(2)]
    assert await ana.get(f"/api/invoices?search={number(1)}") == []


async def test_one_key_burns_one_number_however_often_it_is_sent(office, ana, taken):
    invoice, _ = taken
    of_others(office, ana, 2)
    asked = {"invoiceId": invoice["id"], "renumber": True}

    answers = [await ana.request("POST", EMIT, asked, **{"Idempotency-Key": "the next one"}) for _ in range(3)]

    assert [(one.status_code, one.json()["code"]) for one in answers] == [(422, "NUMBER_TAKEN")] * 3
    assert [one.headers.get("Idempotent-Replayed") for one in answers] == [None, "true", "true"]
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["number"] == number(2)


async def test_on_another_day_than_the_authoritys_no_number_is_burnt(office, ana, taken):
    invoice, _ = taken
    watch = office.kernel.service(ClockWatch)
    watch.hears = True
    watch.note(Reference.AUTHORITY, clock.now() - timedelta(days=2))
    watch.hears = False

    problem = await ana.refused(503, "POST", EMIT, {"invoiceId": invoice["id"], "renumber": True})
    after = await ana.get(f"/api/invoices/{invoice['id']}")
    watch.hears = True
    watch.note(Reference.AUTHORITY, clock.now())
    watch.hears = False

    assert (problem["code"], after["number"], len(await office.records(ana))) == ("CLOCK_WRONG", number(1), 1)
    assert (await ana.post(EMIT, {"invoiceId": invoice["id"], "renumber": True}))["number"] == number(2)


async def test_the_burnt_number_is_in_no_book_and_the_invoice_counts_once(ana, taken):
    invoice, _ = taken
    before = await ana.get("/api/expenses/vat-balance")

    await ana.post(EMIT, {"invoiceId": invoice["id"], "renumber": True})

    after = await ana.get("/api/expenses/vat-balance")
    book = await ana.request("GET", f"/api/tax-declarations/books?year={today().year}&book=issued&format=csv")
    assert after == before
    assert (number(1) in book.text, book.text.count(number(2))) == (False, 1)


async def test_the_fiscal_id_of_the_burnt_number_names_no_invoice_any_more(office, ana, taken):
    invoice, theirs = taken
    old = invoice["einvoice"]["fiscalId"]
    result = await ana.post(EMIT, {"invoiceId": invoice["id"], "renumber": True})

    problem = await ana.refused(400, "POST", ANNUL, {"fiscalId": old, "reason": "Por error"})
    annulled = await ana.post(ANNUL, {"fiscalId": result["fiscalId"], "reason": "Por error"})

    assert (problem["code"], number(2) in problem["detail"]) == ("NUMBER_TAKEN", True)
    assert (annulled["status"], annulled["number"]) == ("annulled", number(2))
    assert held(office, ana) == theirs


async def test_the_record_of_the_burnt_number_can_still_be_read(ana, taken):
    invoice, _ = taken
    old = invoice["einvoice"]
    await ana.post(EMIT, {"invoiceId": invoice["id"], "renumber": True})

    answer = await ana.request("GET", f"/api/einvoice/xml/{invoice['id']}?fiscalId={old['fiscalId']}")

    assert answer.status_code == 200
    assert old["number"] in answer.text


async def test_the_next_number_may_be_taken_too_and_then_the_one_after_it_is_given(office, ana, taken):
    invoice, _ = taken
    of_others(office, ana, 2)

    problem = await ana.refused(422, "POST", EMIT, {"invoiceId": invoice["id"], "renumber": True})
    result = await ana.post(EMIT, {"invoiceId": invoice["id"], "renumber": True})

    assert (problem["code"], problem["result"]["number"]) == ("NUMBER_TAKEN", number(2))
    assert (result["status"], result["number"]) == ("accepted", number(3))


async def test_where_the_series_has_gone_on_it_is_dated_today_and_keeps_its_day_of_operation(office, ana, taken):
    invoice, _ = taken
    yesterday = (await office.rows("select cast(:day as date) - 1 as day", day=today()))[0].day
    await office.rows(
        "update invoice set issue_date = :day where id = :id returning 1", day=yesterday, id=UUID(invoice["id"])
    )
    await emit(ana, await ana.invoice())

    result = await ana.post(EMIT, {"invoiceId": invoice["id"], "renumber": True})

    after = await ana.get(f"/api/invoices/{invoice['id']}")
    assert (result["status"], after["number"]) == ("accepted", number(3))
    assert (after["issueDate"], after["operationDate"]) == (today().isoformat(), yesterday.isoformat())


async def test_a_number_that_nobody_else_has_is_not_given_up(ana):
    invoice = await ana.invoice()
    await emit(ana, invoice)

    for way in ("renumber", "replace"):
        problem = await ana.refused(400, "POST", EMIT, {"invoiceId": invoice["id"], way: True})
        assert problem["code"] == "NOT_CORRECTABLE"
    draft = await ana.invoice()
    assert (await ana.refused(400, "POST", EMIT, {"invoiceId": draft["id"], "renumber": True}))["code"]


async def test_only_one_way_out_may_be_demanded(ana, taken):
    invoice, _ = taken

    problem = await ana.refused(400, "POST", EMIT, {"invoiceId": invoice["id"], "renumber": True, "replace": True})

    assert problem["errors"][0]["field"] == "replace"


# ---------------------------------------------------------------- replacement by the owner


async def test_only_the_owner_may_replace(office, ana, taken):
    invoice, theirs = taken
    admin = await rosa_as(office, ana, "admin")

    problem = await admin.refused(403, "POST", EMIT, {"invoiceId": invoice["id"], "replace": True})

    assert (problem["code"], problem["requiredRoles"]) == ("FORBIDDEN_ROLE", ["owner"])
    assert held(office, ana) == theirs


async def test_a_dry_run_of_the_replacement_shows_what_would_be_replaced_and_sends_nothing(office, ana, taken):
    invoice, theirs = taken

    answer = await ana.request("POST", EMIT, {"invoiceId": invoice["id"], "replace": True}, **{"Dry-Run": "true"})

    shown = answer.json()["answer"]["replaces"]
    assert (shown["total"], shown["hash"], shown["recipient"]) == (6050, theirs.fingerprint, "Cliente Real SL")
    assert held(office, ana) == theirs
    assert len(await office.records(ana)) == 1


async def test_the_owner_replaces_what_stands_there_and_it_is_logged(office, ana, taken):
    invoice, theirs = taken

    result = await ana.post(EMIT, {"invoiceId": invoice["id"], "replace": True})

    assert (result["status"], result["replaces"]["hash"]) == ("accepted", theirs.fingerprint)
    assert (held(office, ana).fingerprint, held(office, ana).total) == (result["hash"], "8.47")
    assert (await flags(office, ana))[-1] == ("S", "S")
    assert (await actions(ana, invoice))[-3:] == ["replaced", "corrected", "accepted"]
    feed = await ana.get("/api/invoices/activity/feed?limit=100")
    entry = next(one for one in feed if one["action"] == "replaced")
    assert entry["changes"]["fingerprint"]["from"] == theirs.fingerprint
    assert float(entry["changes"]["total"]["from"]) == 6050


async def test_what_is_not_shown_is_not_replaced(office, ana):
    theirs = of_others(office, ana, period="2020-01")
    invoice = await ana.invoice()
    await ana.refused(422, "POST", EMIT, {"invoiceId": invoice["id"]})

    problem = await ana.refused(400, "POST", EMIT, {"invoiceId": invoice["id"], "replace": True})

    assert problem["code"] == "NUMBER_TAKEN"
    assert held(office, ana) == theirs


async def test_nothing_is_replaced_while_the_authority_does_not_show_it(office, ana, taken):
    invoice, theirs = taken
    office.authority.question_faults.add(NOT_NOW)

    problem = await ana.refused(502, "POST", EMIT, {"invoiceId": invoice["id"], "replace": True})

    assert problem["code"] == "AUTHORITY_SILENT"
    assert held(office, ana) == theirs


async def test_another_document_than_the_one_that_was_shown_is_not_replaced(office, ana, taken):
    invoice, theirs = taken
    changed = office.authority.hold_of_others(theirs.invoice, Decimal(7000))

    problem = await ana.refused(422, "POST", EMIT, {"invoiceId": invoice["id"], "replace": True})

    assert (problem["code"], problem["result"]["takenBy"]["total"]) == ("NUMBER_TAKEN", 7000)
    assert held(office, ana) == changed


async def test_a_replacement_whose_answer_is_lost_is_sent_again(office, ana, taken):
    invoice, _ = taken
    office.authority.faults.add(NOT_NOW)
    office.authority.faults.add(Fault(close_before_reading=True))

    await ana.request("POST", EMIT, {"invoiceId": invoice["id"], "replace": True})

    assert (await settled(ana, invoice))["status"] == "accepted"
    assert held(office, ana).total == "8.47"


# ---------------------------------------------------------------- reconciliation


async def test_reconciliation_reports_the_document_that_has_taken_the_number(office, ana, taken):
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))

    (difference,) = (await reconciliation.reconcile(ctx, today().year, today().month)).differences

    assert (difference.kind, difference.here, difference.there) == ("number_taken", "rejected", "accepted")
    assert (difference.total_here, difference.total_there) == (Decimal("8.47"), REAL)
    assert "renumber" in difference.remedy


async def test_after_the_next_number_reconciliation_shows_it_as_unknown_here(office, ana, taken):
    invoice, _ = taken
    await ana.post(EMIT, {"invoiceId": invoice["id"], "renumber": True})
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))

    (difference,) = (await reconciliation.reconcile(ctx, today().year, today().month)).differences

    assert (difference.kind, difference.number, difference.total_there) == ("unknown_here", number(1), REAL)


# ---------------------------------------------------------------- the two stories


async def test_two_teams_of_one_tax_id_leave_each_others_invoices_alone(office):
    first, second = await office.account("Primera SL"), await office.account("Segunda SL")
    real = await emit(first, await first.invoice(items=[item(unitPrice=1000)]))
    await second.put("/api/teams/current", {"taxId": first.team["taxId"]})

    result = await emitted_somehow(second, await second.invoice(items=[item(unitPrice=1)]))

    there = held(office, first, real["number"])
    assert (there.fingerprint, there.total, there.state) == (real["hash"], "1210.00", "Correcta")
    assert (result["status"], result["number"] == real["number"]) == ("accepted", False)
    assert (await first.get(f"/api/einvoice/status/{real['invoiceId']}"))["status"] == "accepted"


async def test_a_restored_backup_does_not_overwrite_what_was_lost(postgres, tmp_path, cheap_passwords):
    """Yesterday's backup: a real invoice of 6,050.00 is lost here, and its number given to one of 8.47."""
    settings = {"einvoice_wait": 20}
    backup = f"backup_{tmp_path.name}".lower().replace("-", "_")
    async with cloned(postgres) as url:
        async with opened(url, tmp_path, cheap_passwords, **settings) as office:
            ana = await office.account()
            await emit(ana, await ana.invoice())
            name = office.name
        await postgres.clone(name, backup)
        async with opened(url, tmp_path, cheap_passwords, **settings) as office:
            ana.client = office.client
            real = await emit(ana, await ana.invoice(items=[item(unitPrice=5000)]))
    try:
        async with opened(postgres.url(backup), tmp_path, cheap_passwords, **settings) as office:
            ana.client = office.client
            result = await emitted_somehow(ana, await ana.invoice(items=[item(unitPrice=7)]))
            there = held(office, ana, real["number"])
    finally:
        await postgres.drop_database(backup)

    assert (there.fingerprint, there.total, there.state) == (real["hash"], "6050.00", "Correcta")
    assert (result["status"], result["number"] == real["number"]) == ("accepted", False)


async def emitted_somehow(api, invoice):
    """The result under a number of its own, whether the taken number is refused or was foreseen."""
    answer = await api.request("POST", EMIT, {"invoiceId": invoice["id"]})
    if answer.status_code != 422:
        return answer.json()
    fiscal_id = answer.json()["result"]["fiscalId"]
    again = await api.refused(422, "POST", EMIT, {"invoiceId": invoice["id"]})
    annulled = await api.refused(400, "POST", ANNUL, {"fiscalId": fiscal_id, "reason": "Por error"})
    assert [answer.json()["code"], again["code"], annulled["code"]] == ["NUMBER_TAKEN"] * 3
    return await api.post(EMIT, {"invoiceId": invoice["id"], "renumber": True})
