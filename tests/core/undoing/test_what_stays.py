"""Writes that stay, the reasons, and the remedies."""

import ast
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import ledgerkit
from ledgerkit.core.platform.activity.writes import calls
from ledgerkit.core.platform.activity.writes.calls import is_note
from ledgerkit.core.platform.approvals.decisions.execution import Execution
from ledgerkit.core.platform.request.field_facts import KINDS
from ledgerkit.core.undoing.acts import READERS
from ledgerkit.core.undoing.ways.inverses import WAYS
from ledgerkit.texts import languages, text
from support.api import Api
from support.office import emit
from support.payables import create_vendor, pay, record_invoice
from support.scopes import with_scoped_key

UNDO, HISTORY = "/api/activity/undo", "/api/activity/history"

COMPUTED = {
    "catalog/files/imports.py": {("catalog_item", "created"), ("catalog_item", "updated")},
    "catalog/supplier_invoices/imports.py": {("catalog_item", "created"), ("catalog_item", "updated")},
    "catalog/stock/operations.py": {("catalog_item", "stock_changed")},
    "sales/invoices/issuance/lifecycle.py": {("invoice", "issued"), ("invoice", "paid"), ("invoice", "payment_added")},
    "sales/invoices/payments/operations.py": {("invoice", "paid"), ("invoice", "payment_added")},
    "sales/invoices/imports/operations.py": {("invoice", "imported")},
    "teams/members/operations.py": {("member", "left"), ("member", "removed")},
    "purchases/supplier_invoices/imports/operations.py": {("supplier_invoice", "imported")},
    "einvoice/transmission/answers.py": {
        ("invoice", action)
        for action in (
            *("accepted", "accepted_with_errors", "rejected", "kept", "annulled"),
            *("annulment_rejected", "correction_rejected"),
        )
    },
    "einvoice/issuance/seals.py": {
        ("invoice", action) for action in ("emitted", "corrected", "annulled", "annulment_requested")
    },
    "platform/attachments/operations.py": {
        (kind, action)
        for kind in ("expense", "invoice", "supplier_invoice", "supplier_payment", "task")
        for action in ("attachment_added", "attachment_deleted")
    },
    "tasks/operations.py": {("task", action) for action in ("assigned", "completed", "status_changed", "updated")},
    "cash_register/operations.py": {
        ("cash_register", action) for action in ("sale", "refund", "cash_in", "cash_out", "opened", "closed")
    },
    "declarations/computation/generation.py": {("tax_declaration", "generated"), ("tax_declaration", "updated")},
    "einvoice/certificates/operations.py": {("fiscal_certificate", "certificate_uploaded")},
    "einvoice/certificates/expiry.py": {("fiscal_certificate", "certificate_expiring")},
    "einvoice/chain/heads.py": {("fiscal_installation", "chain_continued")},
    "einvoice/inspection/export.py": {("fiscal_installation", "records_exported")},
    "einvoice/outbox/incidents.py": {("fiscal_installation", "sending_delayed")},
    "platform/activity/writes/calls.py": {("any", "undone")},
    "platform/approvals/proposals/storage.py": {
        ("approval", action) for action in ("approved", "failed", "proposed", "rejected", "superseded")
    },
}
"""Kinds of entries whose type or action is computed where they are logged, by file."""


def logged() -> set[tuple[str, str]]:
    """Kinds of all entries that the sources log."""
    core = Path(ledgerkit.__file__).parent / "core"
    kinds: set[tuple[str, str]] = set()
    unread: set[str] = set()
    for path in core.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            name, owner = call.func.attr, ast.unparse(call.func.value)
            if owner not in {"activity", "activity_log"} or name not in {"record", "record_all", "record_each"}:
                continue
            action, subject = (*call.args[1:3], None)[:2]
            place = path.relative_to(core).as_posix()
            if name == "record" and isinstance(action, ast.Constant) and isinstance(subject, ast.Tuple):
                kind = subject.elts[0]
                if isinstance(kind, ast.Constant):
                    kinds.add((kind.value, action.value))
                    continue
            unread.add(place)
    assert unread == set(COMPUTED), "say here which kinds of entries are logged there"
    return kinds.union(*COMPUTED.values())


def test_every_kind_of_entry_has_its_row_in_the_table():
    kinds = {kind for kind in logged() if not is_note(*kind) and not kind[0].startswith("fiscal")}

    assert kinds - WAYS.keys() == set(), "a new kind of write needs a way back in undoing/ways, or the reason why not"
    assert WAYS.keys() - kinds == set()


@pytest.mark.parametrize("language", languages())
def test_every_kind_of_record_that_is_logged_has_its_word(language):
    logged_of = {kind for kind, _ in logged()} - {"any"}

    assert logged_of - KINDS.keys() == set(), "a new kind of record needs its word in platform/request/field_facts.py"
    assert KINDS.keys() == READERS.keys(), "and the right to read it"
    assert [kind for kind, word in KINDS.items() if "_" in str(text(word).in_language(language))] == []
    assert len({text(word).in_language(language) for word in KINDS.values()}) == len(KINDS)


async def undo(api: Api, **body: Any) -> Any:
    return await api.post(UNDO, body)


def outcome(answer: Any) -> list[tuple[str, bool]]:
    return [(entry["action"], entry["undone"]) for entry in answer["entries"]]


async def test_an_emitted_invoice_stays_and_the_answer_says_what_to_do(ana):
    draft = await ana.invoice()
    await emit(ana, draft)

    answer = await undo(ana)

    assert answer["calls"] == 0
    assert outcome(answer) == [("emitted", False), ("issued", False)]
    assert "POST /api/einvoice/annul" in answer["entries"][0]["remedy"]
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "sent"


async def test_undo_goes_further_back_each_time_and_never_in_circles(ana):
    client = await ana.post("/api/clients", {"name": "Uno", "city": "Bilbao"})
    path = f"/api/clients/{client['id']}"
    await ana.put(path, {"city": "Madrid"})
    await ana.put(path, {"city": "Lugo"})

    cities = []
    for _ in range(2):
        await undo(ana)
        cities.append((await ana.get(path))["city"])
    last = await undo(ana)

    assert cities == ["Madrid", "Bilbao"]
    assert outcome(last) == [("created", True)]
    await ana.refused(404, "GET", path)


async def test_several_calls_are_taken_back_the_newest_first(ana):
    client = await ana.post("/api/clients", {"name": "Uno", "city": "Bilbao"})
    await ana.put(f"/api/clients/{client['id']}", {"city": "Madrid"})
    await ana.post("/api/tasks", {"title": "Llamar"})

    answer = await undo(ana, count=3)

    assert (answer["calls"], outcome(answer)) == (3, [("created", True), ("updated", True), ("created", True)])
    assert (await ana.get("/api/clients"), await ana.get("/api/tasks")) == ([], [])


async def test_what_undo_has_done_is_not_taken_back(ana):
    await ana.post("/api/clients", {"name": "Uno"})
    await undo(ana)
    newest, *_ = await ana.get(HISTORY)
    [created] = [entry for entry in await ana.get(HISTORY) if entry["action"] == "created"][:1]

    by_undo = await undo(ana, entryIds=[newest["id"]])
    again = await undo(ana, entryIds=[created["id"]])

    assert newest["action"] == "undone"
    assert (by_undo["entries"][0]["reason"], again["entries"][0]["reason"]) == (
        "This was itself done by taking something back.",
        "It was taken back already.",
    )


async def test_what_somebody_else_has_changed_since_stays(ana):
    client = await ana.post("/api/clients", {"name": "Uno"})
    robot = await with_scoped_key(ana, "read", "write")
    await robot.put(f"/api/clients/{client['id']}", {"city": "Lugo"})

    [entry] = (await undo(ana, type="client", id=client["id"]))["entries"]

    assert (entry["undone"], entry["action"]) == (False, "created")
    assert re.search(r"\(Asistente\) has written to it since, on \d{4}-\d\d-\d\d \d\d:\d\d\.$", entry["reason"])


@pytest.mark.parametrize(("language", "row"), [("en", "from its row"), ("es", "desde su fila"), ("ca", "la seva fila")])
async def test_the_remedy_for_what_is_older_is_for_people_and_for_programs(office, ana, language, row):
    robot = await with_scoped_key(ana, "read", "write", "propose")
    await robot.post("/api/clients", {"name": "Uno"})
    await invited_by_approval(ana, robot)
    await robot.post("/api/clients", {"name": "Dos"})
    spoken = Api(office.client, {**robot.headers, "Accept-Language": language}, team=ana.team)

    entries = (await undo(spoken, count=3))["entries"]

    assert [(entry["action"], entry["undone"]) for entry in entries] == [
        ("created", True),
        ("approved", False),
        ("created", False),
    ]
    for entry in entries[1:]:
        assert row in entry["remedy"]
        assert "`entryIds`" in entry["remedy"]


async def test_a_client_takes_back_only_what_it_has_written_itself(ana):
    client = await ana.post("/api/clients", {"name": "De Ana"})
    robot = await with_scoped_key(ana, "read", "write")
    [entry] = [entry for entry in await ana.get(HISTORY) if entry["entityId"] == client["id"]]

    assert (await undo(robot))["entries"] == []
    [refused] = (await undo(robot, entryIds=[entry["id"]]))["entries"]
    assert "another connection" in refused["reason"]
    await ana.get(f"/api/clients/{client['id']}")


async def test_a_call_is_taken_back_whole_or_not_at_all(ana):
    await ana.invoice(client={"name": "Nueva", "country": "ES"})
    [client] = await ana.get("/api/clients")
    await ana.put(f"/api/clients/{client['id']}", {"city": "Lugo"})
    entries = [entry["id"] for entry in await ana.get(HISTORY) if entry["action"] == "created"][:1]

    answer = await undo(ana, entryIds=entries)

    assert outcome(answer) == [("created", False), ("created", False)]
    assert len(await ana.get("/api/invoices")) == 1


async def test_an_undo_that_takes_nothing_back_is_not_proposed(ana):
    robot = await with_scoped_key(ana, "read", "propose")
    await ana.post("/api/clients", {"name": "Uno"})

    proposed = await robot.request("POST", UNDO, {})

    assert (proposed.status_code, proposed.json()["code"]) == (400, "NOT_PROPOSABLE")
    assert await ana.get("/api/approvals") == []


async def submitted(api: Api, form: str) -> None:
    """File a form of the fourth quarter."""
    body = {"country": "ES", "form": form, "year": 2026, "period": "Q4"}
    quarter = await api.post("/api/tax-declarations/generate", body)
    await api.patch(f"/api/tax-declarations/{quarter['declaration']['id']}/submit")


def reason(answer: Any) -> str:
    """The reason for which nothing of the only call was taken back."""
    assert answer["calls"] == 0, answer
    return str(answer["entries"][0]["reason"])


async def test_a_payment_of_a_bill_with_retention_or_credit_note_stays(ana):
    vendor = await create_vendor(ana)
    withheld = await record_invoice(
        ana, vendor, None, items=[{"description": "Obra", "unitPrice": 100}], retentionRate=15
    )
    await pay(ana, withheld, withheld["total"])
    of_retention = await undo(ana)
    plain = await record_invoice(ana, vendor, 121, invoiceNumber="P")
    await record_invoice(ana, vendor, -121, invoiceNumber="R", rectifies=plain["id"])
    await pay(ana, plain, 121)
    of_corrected = await undo(ana)

    assert "retention" in reason(of_retention)
    assert "credit note" in reason(of_corrected)
    assert len((await ana.get(f"/api/supplier-invoices/{plain['id']}"))["payments"]) == 1


async def test_a_supplier_payment_is_checked_against_every_filed_form(ana):
    vendor = await create_vendor(ana)
    bill = await record_invoice(ana, vendor, 121)
    await pay(ana, bill, 121)
    await submitted(ana, "111")

    assert "111 2026 Q4" in reason(await undo(ana, type="supplier_invoice", id=bill["id"]))


async def test_purchases_of_a_filed_period_stay(ana):
    expense = {"description": "Papel", "date": "2026-11-02", "amount": 121, "taxRate": 21}
    changed = await ana.post("/api/expenses", expense)
    await ana.put(f"/api/expenses/{changed['id']}", {"amount": 242})
    noted = await ana.post("/api/expenses", expense)
    await ana.put(f"/api/expenses/{noted['id']}", {"notes": "Nada"})
    deleted = await ana.post("/api/expenses", expense)
    await ana.delete(f"/api/expenses/{deleted['id']}")
    created = await ana.post("/api/expenses", expense)
    bill = await record_invoice(ana, await create_vendor(ana), 121, invoiceDate="2026-11-01", dueDate="2026-12-01")
    await submitted(ana, "303")

    for stays in (changed, deleted, created):
        assert "303 2026 Q4" in reason(await undo(ana, type="expense", id=stays["id"]))
    assert "303 2026 Q4" in reason(await undo(ana, type="supplier_invoice", id=bill["id"]))
    assert (await undo(ana, type="expense", id=noted["id"]))["calls"] == 1


async def test_a_purchase_that_is_newer_than_the_filing_of_its_period_is_taken_back(ana):
    await submitted(ana, "303")
    late = await ana.post("/api/expenses", {"description": "Papel", "date": "2026-11-02", "amount": 121, "taxRate": 21})
    bill = await record_invoice(ana, await create_vendor(ana), 121, invoiceDate="2026-11-01", dueDate="2026-12-01")

    of_bill = await undo(ana, type="supplier_invoice", id=bill["id"])
    of_expense = await undo(ana, type="expense", id=late["id"])

    assert (of_bill["calls"], of_expense["calls"]) == (1, 1)
    assert await ana.get("/api/expenses") == []


async def test_a_counted_stock_that_was_sold_from_since_stays(ana):
    item = await ana.post("/api/catalog", {"name": "Tornillo", "unitPrice": 2, "stock": 7})
    await ana.patch(f"/api/catalog/{item['id']}/stock", {"delta": 3})
    draft = await ana.invoice(
        items=[{"description": "Tornillo", "quantity": 2, "unitPrice": 2, "taxRate": 21, "catalogItemId": item["id"]}]
    )
    await emit(ana, draft)

    answer = await undo(ana, type="catalog_item", id=item["id"])

    assert "has moved since" in reason(answer)
    assert (await ana.get(f"/api/catalog/{item['id']}"))["stock"] == 8


async def test_a_client_whom_others_use_stays(ana):
    client = await ana.post("/api/clients", {"name": "Uno"})
    task = await ana.post("/api/tasks", {"title": "Llamar", "clientId": client["id"]})

    used = await undo(ana, type="client", id=client["id"])
    await ana.delete(f"/api/tasks/{task['id']}")
    unused = await undo(ana, type="client", id=client["id"])

    assert "tasks refer" in reason(used)
    assert unused["calls"] == 1


async def test_undo_does_not_reach_behind_what_somebody_else_has_approved(ana):
    robot = await with_scoped_key(ana, "read", "write", "propose")
    client = await robot.post("/api/clients", {"name": "Uno"})
    made = await robot.request("POST", "/api/approvals", {"operation": "tasks.create", "arguments": {"title": "Dos"}})
    await ana.post(f"/api/approvals/{made.json()['id']}/approve")

    answer = await undo(robot)

    assert outcome(answer) == [("approved", False), ("created", False)]
    assert "approved it" in reason(answer)
    await ana.get(f"/api/clients/{client['id']}")
    await undo(ana)
    assert outcome(await undo(robot)) == [("created", True)]


async def invited_by_approval(ana, robot) -> str:
    """A proposal whose act has several transactions, approved and done."""
    body = {"operation": "teams.invitations.invite", "arguments": {"email": "nueva@example.com", "role": "member"}}
    proposal = (await robot.request("POST", "/api/approvals", body)).json()
    assert (await ana.post(f"/api/approvals/{proposal['id']}/approve"))["status"] == "done"
    return str(proposal["id"])


async def test_an_act_of_several_transactions_stops_undo_until_its_approver_takes_it_back(ana):
    robot = await with_scoped_key(ana, "read", "write", "propose")
    await robot.post("/api/clients", {"name": "Uno"})
    await invited_by_approval(ana, robot)

    assert outcome(await undo(robot)) == [("approved", False), ("created", False)]
    assert outcome(await undo(ana)) == [("invited", True)]
    assert outcome(await undo(robot)) == [("created", True)]


async def test_what_its_approver_takes_back_of_something_else_does_not_count(ana):
    robot = await with_scoped_key(ana, "read", "write", "propose")
    await robot.post("/api/clients", {"name": "Uno"})
    before = await ana.post("/api/clients", {"name": "Dos"})
    await invited_by_approval(ana, robot)
    await ana.post("/api/clients", {"name": "Tres"})
    await undo(ana)
    await undo(ana, type="client", id=before["id"])

    assert outcome(await undo(robot)) == [("approved", False), ("created", False)]


async def client_added(api: Api) -> None:
    await api.post("/api/clients", {"name": "Durante"})


async def another_invited(api: Api) -> None:
    await api.request("POST", "/api/teams/current/invite", {"email": "otra@example.com", "role": "member"})


@pytest.mark.parametrize("write", [client_added, another_invited])
async def test_what_its_approver_writes_and_takes_back_while_it_runs_does_not_count(ana, monkeypatch, write):
    robot = await with_scoped_key(ana, "read", "write", "propose")
    await robot.post("/api/clients", {"name": "Uno"})
    genuine = Execution.finish

    async def after_another_write(execution: Execution) -> None:
        await write(ana)
        assert (await undo(ana))["calls"] == 1
        await genuine(execution)

    monkeypatch.setattr(Execution, "finish", after_another_write)
    await invited_by_approval(ana, robot)

    assert outcome(await undo(robot)) == [("approved", False), ("created", False)]
    assert outcome(await undo(ana)) == [("invited", True)]
    assert outcome(await undo(robot)) == [("created", True)]


STATE = "update approval set status = :status, decided_at = now() - cast(:age as interval) where id = :id returning id"


@pytest.mark.parametrize(
    ("status", "age", "stops"),
    [
        ("approved", timedelta(hours=19), True),
        ("approved", timedelta(hours=21), False),
        ("failed", timedelta(hours=1), False),
        ("done", timedelta(hours=1), False),
    ],
    ids=["may run", "is never taken up again", "was given up", "was taken back"],
)
async def test_only_what_may_still_run_stops_undo_though_it_was_taken_back(office, ana, status, age, stops):
    robot = await with_scoped_key(ana, "read", "write", "propose")
    await robot.post("/api/clients", {"name": "Uno"})
    proposal_id = await invited_by_approval(ana, robot)
    await undo(ana)
    await office.rows(STATE, status=status, age=age, id=proposal_id)

    expected = [("approved", False), ("created", False)] if stops else [("created", True)]
    assert outcome(await undo(robot)) == expected


async def test_who_has_written_nothing_is_told_so(ana):
    answer = await undo(await with_scoped_key(ana, "read", "write"))

    assert answer["entries"] == []
    assert "has written nothing itself" in answer["note"]


async def test_an_entry_of_long_ago_is_refused(ana, monkeypatch):
    await ana.post("/api/clients", {"name": "Uno"})
    [newest, *_] = await ana.get(HISTORY)
    monkeypatch.setattr(calls, "LOOKED_BACK", timedelta(0))

    assert "older than" in reason(await undo(ana, entryIds=[newest["id"]]))


async def test_a_deleted_vendor_stays_and_its_data_is_not_in_the_log(ana):
    vendor = await create_vendor(ana, email="a@example.com")
    await ana.delete(f"/api/vendors/{vendor}")

    answer = await undo(ana)
    [deleted, *_] = await ana.get(HISTORY)

    assert "POST /api/vendors" in answer["entries"][0]["remedy"]
    assert (deleted["action"], deleted["changes"]) == ("deleted", {})


async def test_imported_goods_stay(ana):
    line = {"name": "Silla", "quantity": 6, "unitPrice": 3, "suggestedAction": "create"}
    await ana.post("/api/catalog/confirm-import", {"analysis": {"items": [line], "invoiceNumber": "1"}})

    assert "never imported twice" in reason(await undo(ana))


async def test_drafts_that_follow_their_client_go_back_with_it(ana):
    client = await ana.post("/api/clients", {"name": "Uno", "city": "Bilbao"})
    draft = await ana.invoice(client=None, clientId=client["id"])
    await ana.put(f"/api/clients/{client['id']}", {"city": "Lugo"})

    answer = await undo(ana)

    assert outcome(answer) == [("updated", True), ("updated", True)]
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["client"]["city"] == "Bilbao"


async def test_entries_of_access_are_for_those_who_may_see_it(office, ana):
    colleague = await Api.register(office.client, f"col{ana.email}")
    await ana.post("/api/teams/current/invite", {"email": colleague.email, "role": "member"})
    await ana.request("POST", "/api/teams/current/invite", {"email": f"x{ana.email}", "role": "viewer"})
    robot = await with_scoped_key(ana, "read")
    await colleague.post(f"/api/teams/switch/{ana.team['id']}")

    kinds = {
        reader: {entry["entityType"] for entry in await api.get(HISTORY)}
        for reader, api in (("owner", ana), ("member", colleague), ("key", robot))
    }

    assert "invitation" in kinds["owner"] & kinds["key"]
    assert kinds["member"].isdisjoint({"invitation", "api_key"})
    assert "api_key" not in kinds["key"]


async def test_a_dry_run_takes_nothing_back(ana):
    client = await ana.post("/api/clients", {"name": "Uno"})

    preview = await ana.request("POST", UNDO, {}, **{"Dry-Run": "true"})

    assert preview.json()["answer"]["calls"] == 1
    await ana.get(f"/api/clients/{client['id']}")


async def test_a_payment_of_a_filed_period_stays(ana):
    issued = await ana.invoice()
    await emit(ana, issued)
    await ana.patch(f"/api/invoices/{issued['id']}/pay")
    quarter = await ana.post(
        "/api/tax-declarations/generate", {"country": "ES", "form": "303", "year": 2026, "period": "Q4"}
    )
    await ana.patch(f"/api/tax-declarations/{quarter['declaration']['id']}/submit")

    [entry] = (await undo(ana, type="invoice", id=issued["id"]))["entries"]

    assert (entry["undone"], "303" in entry["reason"]) == (False, True)
    assert (await ana.get(f"/api/invoices/{issued['id']}"))["status"] == "paid"


@pytest.mark.parametrize(
    ("body", "field"),
    [({"count": 0}, "count"), ({"count": 21}, "count"), ({"type": "client"}, "id"), ({"entryIds": []}, "entryIds")],
)
async def test_wrong_requests_name_their_field(ana, body, field):
    problem = await ana.refused(400, "POST", UNDO, body)

    assert [error["field"] for error in problem["errors"]] == [field]


async def test_the_history_is_filtered_and_works_in_a_personal_workspace(office, ana):
    client = await ana.post("/api/clients", {"name": "Talleres Norte"})
    robot = await with_scoped_key(ana, "read", "write")
    await robot.put(f"/api/clients/{client['id']}", {"city": "Lugo"})
    eva = await Api.register(office.client, f"eva{ana.email}")
    await eva.post("/api/tasks", {"title": "Llamar"})

    of_record = await ana.get(f"{HISTORY}?type=client&id={client['id']}")
    by_robot = await ana.get(f"{HISTORY}?client=asistente")
    named = await ana.get(f"{HISTORY}?search=norte")
    long_ago = await ana.get(f"{HISTORY}?to=2020-01-01")

    assert [entry["action"] for entry in of_record] == ["updated", "created"]
    assert of_record[0]["changes"] == {"city": {"from": None, "to": "Lugo"}}
    assert [entry["action"] for entry in by_robot] == ["updated"]
    assert (named, long_ago) == (of_record, [])
    assert [entry["action"] for entry in await eva.get(f"{HISTORY}?mine=true")] == ["created"]


def told(entries: Any) -> list[tuple[str, str]]:
    return [(entry["entityType"], entry["action"]) for entry in entries]


async def test_the_history_of_a_client_has_its_invoices_payments_and_tasks(ana):
    client = await ana.post("/api/clients", {"name": "Talleres Norte", "taxId": "B12345674"})
    invoice = await ana.invoice(client=None, clientId=client["id"])
    await emit(ana, invoice)
    await ana.post(f"/api/invoices/{invoice['id']}/share")
    await ana.patch(f"/api/invoices/{invoice['id']}/pay")
    await ana.post("/api/tasks", {"title": "Llamar", "clientId": client["id"]})
    other = await ana.post("/api/clients", {"name": "Otra"})
    await ana.invoice(client=None, clientId=other["id"])
    await ana.post("/api/tasks", {"title": "Otra"})

    whole = f"{HISTORY}?clientId={client['id']}"
    answer = await ana.request("GET", whole)
    page = await ana.request("GET", f"{whole}&limit=2&page=2")

    entries = answer.json()
    written = [("invoice", "created"), ("invoice", "emitted"), ("invoice", "shared"), ("invoice", "paid")]
    assert set(written) | {("client", "created"), ("task", "created")} <= set(told(entries))
    assert {entry["entityId"] for entry in entries if entry["entityType"] == "client"} == {client["id"]}
    assert {entry["entityId"] for entry in entries if entry["entityType"] == "invoice"} == {invoice["id"]}
    assert [entry["id"] for entry in entries] == sorted((entry["id"] for entry in entries), reverse=True)
    assert answer.headers["x-total-count"] == page.headers["x-total-count"] == str(len(entries))
    assert page.json() == entries[2:4]
    assert told(await ana.get(f"{whole}&type=task")) == [("task", "created")]


async def test_the_history_of_a_client_is_ones_own(office, ana):
    client = await ana.post("/api/clients", {"name": "Talleres Norte"})
    await ana.invoice(client=None, clientId=client["id"])
    berta = await office.account("Berta Gil")
    await berta.invoice()

    whole = f"{HISTORY}?clientId={client['id']}"
    answer = await berta.request("GET", whole)

    assert (answer.json(), answer.headers["x-total-count"]) == ([], "0")
    assert len(await ana.get(whole)) == 2
    assert await ana.get(f"{HISTORY}?clientId=nobody") == []
