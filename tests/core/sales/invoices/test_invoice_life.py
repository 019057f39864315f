"""An invoice's life over REST: drafts, numbers, payments, changes, deletion, copies (interface decisions B, T1)."""

from datetime import UTC, date, datetime

import pytest
import time_machine
from sqlalchemy import text

from support.api import CLIENT, Api, item
from support.database import as_owner
from support.periods import YEAR

FISCAL = ("number", "issuedAt", "sentAt", "paidAt", "shareToken", "shareUrl", "einvoice", "deletedAt")


@pytest.fixture
def settings(settings):
    return settings.model_copy(update={"mail_from": "facturas@example.com"})


async def pay(api: Api, invoice: dict, **body: object) -> dict:
    return await api.patch(f"/api/invoices/{invoice['id']}/pay", body or None)


async def counts(api: Api) -> dict[str, int]:
    """Totals of the lists, and the numbers of invoices that the lists contain."""
    totals = {}
    for query in ("", "?status=draft", "?status=sent", "?status=paid", "?status=overdue", "?includeDeleted=true"):
        answer = await api.request("GET", f"/api/invoices{query}")
        assert answer.headers["x-total-count"] == str(len(answer.json())), query
        totals[query] = len(answer.json())
    return totals


def counted(draft: int = 0, sent: int = 0, paid: int = 0, overdue: int = 0, deleted: int = 0) -> dict[str, int]:
    whole = draft + sent + paid + overdue
    shown = {"": whole, "?status=draft": draft, "?status=sent": sent, "?status=paid": paid}
    return {**shown, "?status=overdue": overdue, "?includeDeleted=true": whole + deleted}


async def test_a_new_invoice_is_a_draft_with_defaults(ana):
    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC), tick=False):
        invoice = await ana.post(
            "/api/invoices", {"client": {"name": "Norte"}, "items": [{"description": "x", "unitPrice": 100}]}
        )

    assert {name: invoice[name] for name in FISCAL} == dict.fromkeys(FISCAL)
    assert (invoice["status"], invoice["docType"], invoice["series"], invoice["currency"]) == (
        "draft",
        "invoice",
        "F",
        "EUR",
    )
    assert (invoice["issueDate"], invoice["dueDate"]) == ("2026-11-21", "2026-12-21")
    assert (invoice["taxRate"], invoice["retentionRate"], invoice["items"][0]["quantity"]) == (21, 0, 1)
    assert (invoice["subtotal"], invoice["taxAmount"], invoice["total"], invoice["balance"]) == (100, 21, 121, 121)
    assert invoice["channel"] == "api"
    assert invoice["createdBy"] == (await ana.get("/auth/me"))["user"]["id"]


async def test_defaults_come_from_the_client_then_the_team(ana):
    await ana.put("/api/teams/current", {"defaultTaxRate": 10, "defaultRetentionRate": 15, "paymentTermDays": 10})
    stored = await ana.post("/api/clients", {"name": "Norte", "defaultTaxRate": 4, "paymentTermDays": 5})
    lines = [{"description": "x", "unitPrice": 100}]

    by_client = await ana.post("/api/invoices", {"clientId": stored["id"], "items": lines, "issueDate": "2026-11-01"})
    by_team = await ana.post("/api/invoices", {"client": {"name": "Sur"}, "items": lines, "issueDate": "2026-11-01"})
    sent = await ana.post("/api/invoices", {"clientId": stored["id"], "items": lines, "taxRate": 0, "retentionRate": 7})

    assert (by_client["taxRate"], by_client["retentionRate"], by_client["dueDate"]) == (4, 15, "2026-11-06")
    assert (by_team["taxRate"], by_team["retentionRate"], by_team["dueDate"]) == (10, 15, "2026-11-11")
    assert (sent["taxRate"], sent["retentionRate"]) == (0, 7)


async def test_numbers_follow_each_other_within_series_and_year(ana, berta):
    days = ["2025-12-30", "2025-12-31", "2026-01-01", "2026-01-01"]

    numbers = [(await pay(ana, await ana.invoice(issueDate=day)))["number"] for day in days]
    hers = await pay(berta, await berta.invoice(issueDate="2026-01-01"))

    assert numbers == ["F2025-0001", "F2025-0002", "F2026-0001", "F2026-0002"]
    assert hers["number"] == "F2026-0001"


async def test_kinds_have_their_own_series(ana):
    invoice = await pay(ana, await ana.invoice())
    correcting = {"docType": "credit_note", "rectifies": invoice["id"], "correctionReason": "R1"}
    note = await ana.invoice(**correcting, items=[item(quantity=-1)])
    simplified = await ana.post("/api/invoices", {"docType": "simplified", "items": [item(unitPrice=10)]})

    issued = [await pay(ana, one) for one in (note, simplified)]

    assert [one["number"][0] for one in issued] == ["R", "T"]
    assert simplified["client"]["name"] is None
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["rectifiedBy"] == [note["id"]]


async def test_a_refused_issue_leaves_no_gap(ana):
    first = await pay(ana, await ana.invoice(issueDate="2026-11-10"))
    await ana.refused(400, "PATCH", f"/api/invoices/{(await ana.invoice(issueDate='2026-11-01'))['id']}/pay")

    second = await pay(ana, await ana.invoice(issueDate="2026-11-10"))

    assert (first["number"], second["number"]) == ("F2026-0001", "F2026-0002")


async def test_paying_a_draft_issues_it(ana):
    draft = await ana.invoice(issueDate="2026-11-10")

    paid = await pay(ana, draft, paidAt="2026-11-20")

    assert (paid["status"], paid["number"][:5], paid["paidAt"]) == ("paid", "F2026", "2026-11-20")
    assert (paid["amountPaid"], paid["balance"]) == (paid["total"], 0)
    assert await counts(ana) == counted(paid=1)


async def test_paying_twice_moves_the_date_and_nothing_else(ana):
    once = await pay(ana, await ana.invoice(issueDate="2026-11-10"), paidAt="2026-11-20")

    twice = await pay(ana, once, paidAt="2026-11-19")

    changed = {name for name in once if once[name] != twice[name]}
    assert changed <= {"paidAt", "updatedAt", "warnings"}
    assert twice["paidAt"] == "2026-11-19"
    assert await counts(ana) == counted(paid=1)


async def test_payment_is_dated_today_where_the_team_is(ana):
    await ana.put("/api/teams/current", {"timezone": "Pacific/Auckland"})
    draft = await ana.invoice(issueDate="2026-11-10")

    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC), tick=False):
        paid = await pay(ana, draft)

    assert paid["paidAt"] == "2026-11-22"


EDGES = [
    ("Europe/Madrid", "2026-11-30T22:59:59+00:00", "sent"),
    ("Europe/Madrid", "2026-11-30T23:00:00+00:00", "overdue"),
    ("Pacific/Auckland", "2026-11-30T10:59:59+00:00", "sent"),
    ("Pacific/Auckland", "2026-11-30T11:00:00+00:00", "overdue"),
    ("Pacific/Honolulu", "2026-12-01T09:59:59+00:00", "sent"),
    ("Pacific/Honolulu", "2026-12-01T10:00:00+00:00", "overdue"),
]
"""Time zone, instant, and what an invoice due on 30 November reads there and then."""


async def test_overdue_begins_the_day_after_where_the_team_is(ana):
    issued = await issue(ana, issueDate="2026-11-01", dueDate="2026-11-30")
    lasting = Api(ana.client, {"x-api-key": ana.api_key})

    for zone, moment, status in EDGES:
        await ana.put("/api/teams/current", {"timezone": zone})
        with time_machine.travel(datetime.fromisoformat(moment), tick=False):
            one = await lasting.get(f"/api/invoices/{issued['id']}")
            seen = await counts(lasting)
            [listed] = await lasting.get(f"/api/invoices?status={status}")
            summary = await lasting.get("/api/invoices/context")

        assert (one["status"], listed["status"]) == (status, status), (zone, moment)
        assert seen == counted(**{status: 1})
        assert (summary["pending"]["count"], summary["overdue"]["count"]) == (1, int(status == "overdue"))


async def issue(api: Api, **fields: object) -> dict:
    """An issued, unpaid invoice: mailed to the file outbox."""
    invoice = await api.invoice(**fields)
    await api.patch(f"/api/invoices/{invoice['id']}/send")
    return await api.get(f"/api/invoices/{invoice['id']}")


async def test_a_later_due_date_or_a_payment_ends_overdue(ana):
    late = await issue(ana, issueDate="2026-01-01", dueDate="2026-01-31")
    assert late["status"] == "overdue"

    moved = await ana.put(f"/api/invoices/{late['id']}", {"dueDate": "2099-01-31"})
    back = await ana.put(f"/api/invoices/{late['id']}", {"dueDate": "2026-01-31"})
    paid = await pay(ana, late)

    assert [moved["status"], back["status"], paid["status"]] == ["sent", "overdue", "paid"]
    assert await counts(ana) == counted(paid=1)


async def test_drafts_and_paid_invoices_are_never_overdue(ana):
    draft = await ana.invoice(issueDate="2026-01-01", dueDate="2026-01-02")
    paid = await pay(ana, await ana.invoice(issueDate="2026-01-01", dueDate="2026-01-02"))

    assert [(await ana.get(f"/api/invoices/{one['id']}"))["status"] for one in (draft, paid)] == ["draft", "paid"]
    assert await counts(ana) == counted(draft=1, paid=1)


# ---------------------------------------------------------------- changing


async def test_absent_fields_keep_their_value(ana):
    invoice = await ana.invoice(notes="Gracias", purchaseOrder="PO-1", retentionRate=15)

    changed = await ana.put(f"/api/invoices/{invoice['id']}", {"terms": "30 días"})

    assert changed | {"terms": None, "updatedAt": invoice["updatedAt"]} == invoice
    assert changed["terms"] == "30 días"


async def test_null_clears_what_may_be_empty(ana):
    invoice = await ana.invoice(notes="Gracias")

    changed = await ana.put(f"/api/invoices/{invoice['id']}", {"notes": None, "taxRate": None})

    assert (changed["notes"], changed["taxRate"]) == (None, 21)


async def test_lines_at_the_invoices_rate_follow_it(ana):
    invoice = await ana.invoice(items=[item(), item(taxRate=4)])

    changed = await ana.put(f"/api/invoices/{invoice['id']}", {"taxRate": 10})

    assert [line["taxRate"] for line in changed["items"]] == [10, 4]


@pytest.mark.usefixtures("unreported")
async def test_an_issued_invoice_changes_all_but_its_number(ana):
    paid = await pay(ana, await ana.invoice(issueDate="2026-11-10"))

    changed = await ana.put(f"/api/invoices/{paid['id']}", {"notes": "x", "number": "F2026-0099", "series": "Z"})

    assert (changed["notes"], changed["number"], changed["series"]) == ("x", paid["number"], "F")


@pytest.mark.usefixtures("unreported")
async def test_the_dates_of_issued_invoices_stay_in_order(ana):
    first, second, third = [await pay(ana, await ana.invoice(issueDate=f"2026-11-{day}")) for day in (10, 12, 14)]

    moved = await ana.put(f"/api/invoices/{second['id']}", {"issueDate": "2026-11-13"})
    for one, day in ((second, "2026-11-09"), (second, "2026-11-15"), (third, "2027-01-01"), (first, "2025-12-31")):
        body = {"issueDate": day, "dueDate": "2027-12-31"}
        problem = await ana.refused(400, "PUT", f"/api/invoices/{one['id']}", body)
        assert problem["code"] == "ISSUE_DATE_BEFORE_LAST"

    assert moved["issueDate"] == "2026-11-13"


async def leave_out_a_number(kernel) -> None:
    """The next number has no invoice, as one that was burnt or was lost by a restore."""
    async with as_owner(kernel) as connection:
        await connection.execute(text("update invoice_counter set next = next + 1"))


@pytest.mark.usefixtures("unreported")
async def test_dates_are_held_against_the_nearest_numbers_that_have_an_invoice(ana, kernel):
    made = []
    for day in (10, 12, 14):
        made.append(await pay(ana, await ana.invoice(issueDate=f"2026-11-{day}")))
        await leave_out_a_number(kernel)
    first, second, third = made

    for one, day in ((second, 9), (second, 15), (first, 13), (third, 11)):
        body = {"issueDate": f"2026-11-{day:02}", "dueDate": "2027-12-31"}
        problem = await ana.refused(400, "PUT", f"/api/invoices/{one['id']}", body)
        assert problem["code"] == "ISSUE_DATE_BEFORE_LAST"
    moved = await ana.put(f"/api/invoices/{second['id']}", {"issueDate": "2026-11-11"})
    late = await ana.invoice(issueDate="2026-11-13")
    problem = await ana.refused(400, "PATCH", f"/api/invoices/{late['id']}/pay", None)

    assert [one["number"] for one in made] == ["F2026-0001", "F2026-0003", "F2026-0005"]
    assert moved["issueDate"] == "2026-11-11"
    assert problem["code"] == "ISSUE_DATE_BEFORE_LAST", "the series' last date is still the last invoice's"


@pytest.mark.usefixtures("unreported")
async def test_the_amounts_of_a_paid_invoice_are_settled(ana):
    paid = await pay(ana, await ana.invoice())

    problem = await ana.refused(400, "PUT", f"/api/invoices/{paid['id']}", {"items": [item(unitPrice=1)]})

    assert problem["code"] == "INVOICE_LOCKED"


FIXED_BY_EMISSION = [
    {"items": [item(unitPrice=1)]},
    {"taxRate": 10},
    {"client": {"name": "Otro"}},
    {"retentionRate": 15},
    {"issueDate": "2026-01-01"},
]


async def test_an_emitted_invoice_takes_notes_and_due_date_only(live):
    ana = await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")
    invoice = await ana.invoice()
    await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    path = f"/api/invoices/{invoice['id']}"
    before = await ana.get(path)

    changed = await ana.put(path, {"notes": "Gracias", "dueDate": "2099-01-01"})
    same = await ana.put(path, {"items": before["items"], "taxRate": 21, "client": {**CLIENT}})
    for body in FIXED_BY_EMISSION:
        problem = await ana.refused(400, "PUT", path, body)
        assert (problem["code"], "credit" in problem["remedy"].lower()) == ("INVOICE_LOCKED", True)

    assert (changed["notes"], changed["dueDate"], same["total"]) == ("Gracias", "2099-01-01", before["total"])
    gone = await ana.delete(path)
    assert "authority" in gone["warning"]
    await ana.refused(404, "GET", path)
    summary = await ana.get("/api/invoices/context")
    assert summary["year"]["invoiced"] == before["subtotal"]
    assert await counts(ana) == counted(deleted=1)


# ---------------------------------------------------------------- deleting and copying


AFTER_DELETION = [
    ("GET", ""),
    ("PUT", ""),
    ("DELETE", ""),
    ("PATCH", "/pay"),
    ("POST", "/duplicate"),
    ("POST", "/share"),
]


async def test_a_deleted_draft_is_hidden_everywhere(ana, client):
    invoice = await ana.invoice()
    link = await ana.post(f"/api/invoices/{invoice['id']}/share")

    gone = await ana.delete(f"/api/invoices/{invoice['id']}")

    assert gone == {"ok": True, "warning": None}
    for method, tail in AFTER_DELETION:
        await ana.refused(404, method, f"/api/invoices/{invoice['id']}{tail}", {} if method == "PUT" else None)
    assert (await client.get(f"/s/{link['shareToken']}")).status_code == 404
    assert await counts(ana) == counted(deleted=1)


@pytest.mark.usefixtures("unreported")
async def test_the_number_of_a_deleted_invoice_stays_burnt(ana):
    first = await pay(ana, await ana.invoice())
    await ana.delete(f"/api/invoices/{first['id']}")

    second = await pay(ana, await ana.invoice())

    assert (first["number"][-4:], second["number"][-4:]) == ("0001", "0002")
    [stored] = await ana.get("/api/clients")
    assert (stored["invoiceCount"], stored["totalInvoiced"]) == (1, 1452)
    assert (await ana.get("/api/invoices/context"))["year"]["invoiced"] == 1200
    assert await counts(ana) == counted(paid=1, deleted=1)


async def test_a_copy_has_nothing_fiscal(ana):
    lines = [item(discount=10), item(taxRate=4)]
    original = await ana.invoice(issueDate="2026-01-10", dueDate="2026-01-25", retentionRate=15, notes="x", items=lines)
    await pay(ana, original)
    await ana.post(f"/api/invoices/{original['id']}/share")

    copy = await ana.post(f"/api/invoices/{original['id']}/duplicate")

    assert {name: copy[name] for name in FISCAL} == dict.fromkeys(FISCAL)
    assert (copy["status"], copy["amountPaid"], copy["balance"]) == ("draft", 0, original["total"])
    same = ("client", "clientId", "items", "taxRate", "retentionRate", "subtotal", "total", "notes", "currency")
    assert {name: copy[name] for name in same} == {name: original[name] for name in same}
    term = date.fromisoformat(copy["dueDate"]) - date.fromisoformat(copy["issueDate"])
    assert term.days == 15
    assert copy["id"] != original["id"]


async def credited(ana, price: float) -> tuple[dict, dict]:
    """A paid invoice of 1,452, and an issued credit note that gives back `price` with its tax."""
    paid = await pay(ana, await ana.invoice())
    note = await ana.invoice(docType="credit_note", rectifies=paid["id"], items=[item(unitPrice=-price)])
    return paid, await pay(ana, note)


async def test_the_copy_of_a_credit_note_corrects_the_same_invoice_and_can_be_issued(ana):
    original, note = await credited(ana, 200)

    copy = await ana.post(f"/api/invoices/{note['id']}/duplicate")
    issued = await pay(ana, copy)

    assert (copy["status"], copy["number"], copy["rectifies"], copy["total"]) == ("draft", None, original["id"], -242)
    assert (issued["number"], issued["einvoice"]["status"]) == (f"R{YEAR}-0002", "pending")
    assert len((await ana.get(f"/api/invoices/{original['id']}"))["rectifiedBy"]) == 2


async def test_no_copy_is_made_of_a_credit_note_of_which_not_as_much_is_left(ana):
    original, note = await credited(ana, 1200)
    before = await counts(ana)

    problem = await ana.refused(400, "POST", f"/api/invoices/{note['id']}/duplicate")

    assert original["number"] in problem["detail"]
    assert "POST /api/einvoice/credit-note" in problem["remedy"]
    assert await counts(ana) == before


async def test_a_draft_of_a_credit_note_is_copied_while_nothing_has_been_given_back(ana):
    paid = await pay(ana, await ana.invoice())
    draft = await ana.invoice(docType="credit_note", rectifies=paid["id"], items=[item(unitPrice=-1200)])

    copy = await ana.post(f"/api/invoices/{draft['id']}/duplicate")

    assert (copy["rectifies"], copy["total"]) == (paid["id"], draft["total"])


# ---------------------------------------------------------------- mail


async def test_sending_without_a_mail_server_issues_and_says_that_nothing_was_mailed(settings, ana):
    invoice = await ana.invoice()

    sent = await ana.patch(f"/api/invoices/{invoice['id']}/send")
    again = await ana.patch(f"/api/invoices/{invoice['id']}/send")

    assert (sent["ok"], sent["deliveredTo"], sent["sentTo"], sent["sentAt"]) == (True, "file", None, None)
    assert (sent["invoice"]["status"], sent["invoice"]["sentAt"]) == ("sent", None)
    logged = await ana.get("/api/invoices/activity/feed")
    assert "sent" not in {one["action"] for one in logged if one["entityId"] == invoice["id"]}
    assert again["invoice"]["number"] == sent["invoice"]["number"] == f"F{YEAR}-0001"
    assert len(list((settings.data_dir / "mail").glob("*.eml"))) == 2


async def test_an_address_that_no_mail_can_reach_is_named_before_anything_is_issued(ana):
    invoice = await ana.invoice(client={"name": "José", "email": "josé@example.com"})

    problem = await ana.refused(400, "PATCH", f"/api/invoices/{invoice['id']}/send")

    assert (problem["code"], problem["errors"][0]["field"]) == ("VALIDATION_ERROR", "client.email")
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["number"] is None
    logged = await ana.get("/api/invoices/activity/feed")
    assert {one["action"] for one in logged if one["entityId"] == invoice["id"]} == {"created"}


async def test_without_an_address_nothing_is_sent_or_issued(ana):
    invoice = await ana.invoice(client={"name": "Sin correo"})

    problem = await ana.refused(400, "PATCH", f"/api/invoices/{invoice['id']}/send")

    assert (problem["code"], problem["errors"][0]["field"]) == ("EMAIL_MISSING", "client.email")
    assert await ana.get(f"/api/invoices/{invoice['id']}") == invoice


async def test_sending_a_paid_invoice_leaves_it_paid(ana):
    paid = await pay(ana, await ana.invoice())

    sent = await ana.patch(f"/api/invoices/{paid['id']}/send")

    assert (sent["invoice"]["status"], sent["invoice"]["number"]) == ("paid", paid["number"])
