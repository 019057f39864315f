"""Receivables: who owes how much, and since when, counted as the balances of the invoices are."""

from support.api import CLIENT
from support.issuing import issued
from support.office import nif

PATH = "/api/reports/receivables"
NORTE, SUR = CLIENT, {**CLIENT, "name": "Librería Sur", "taxId": nif(30_000_001)}


async def sold(studio, price, due, client=NORTE, **fields):
    """An issued invoice over `price`, VAT included, that is due on a day."""
    line = {"description": "Trabajo", "quantity": 1, "unitPrice": price, "taxRate": 0}
    return await studio.sold(0, "2026-06-01", items=[line], dueDate=due, client=client, **fields)


async def pay(studio, invoice, amount):
    return await studio.patch(f"/api/invoices/{invoice['id']}/pay", {"amount": amount, "paidAt": "2026-11-20"})


async def test_sums_are_by_age(studio):
    days = ("2026-12-24", "2026-11-21", "2026-11-20", "2026-10-22", "2026-10-21", "2026-09-22", "2026-08-23")
    for amount, due in zip((1, 2, 4, 8, 16, 32, 64), days, strict=True):
        await sold(studio, amount, due)
    await sold(studio, 128, "2026-08-22")

    found = await studio.get(PATH)

    [euros] = found["currencies"]
    assert found["asOf"] == "2026-11-21"
    assert euros["aged"] == {"current": 3, "days30": 12, "days60": 48, "days90": 64, "over90": 128}
    assert (euros["open"], euros["overdue"], euros["invoices"], euros["overdueInvoices"]) == (255, 252, 8, 6)
    assert (euros["oldestDue"], euros["daysOverdue"]) == ("2026-08-22", 91)


async def test_payments_and_credits_are_counted_as_in_the_balance(studio):
    part = await pay(studio, await sold(studio, 100, "2026-10-01"), 30.5)
    whole = await sold(studio, 40, "2026-10-01")
    await pay(studio, whole, 40)
    credited = await sold(studio, 60, "2026-10-01")
    line = {"description": "Trabajo", "quantity": -1, "unitPrice": 25, "taxRate": 0}
    note = {"docType": "credit_note", "rectifies": credited["id"], "correctionReason": "R1", "items": [line]}
    await issued(studio.kernel, studio, await studio.post("/api/invoices", note))
    deleted = await sold(studio, 70, "2026-10-01")
    await studio.delete(f"/api/invoices/{deleted['id']}")
    await studio.sell(500, "2026-06-01")

    [euros] = (await studio.get(PATH))["currencies"]
    rows = await studio.get(f"{PATH}/invoices")

    assert {row["id"]: row["balance"] for row in rows} == {part["id"]: 69.5, credited["id"]: 35}
    assert euros["open"] == 104.5


async def test_clients_come_by_what_they_owe_in_each_currency(studio):
    sur = await sold(studio, 100, "2026-12-24", SUR)
    await sold(studio, 60, "2026-10-12", NORTE)
    norte = await sold(studio, 70, "2026-11-20", NORTE)
    await sold(studio, 900, "2026-11-11", SUR, currency="USD", exchangeRate=0.9)

    rows = await studio.get(f"{PATH}/clients")

    assert [(row["client"], row["owed"], row["currency"]) for row in rows] == [
        ("Talleres Norte, S.L.", 130, "EUR"),
        ("Librería Sur", 100, "EUR"),
        ("Librería Sur", 900, "USD"),
    ]
    assert rows[0] == {
        "clientId": norte["clientId"],
        "client": "Talleres Norte, S.L.",
        "owed": 130,
        "overdue": 130,
        "oldestDue": "2026-10-12",
        "daysOverdue": 40,
        "count": 2,
        "currency": "EUR",
    }
    assert (rows[1]["overdue"], rows[1]["daysOverdue"], rows[1]["clientId"]) == (0, 0, sur["clientId"])


async def test_a_client_has_the_name_of_today(studio):
    invoice = await sold(studio, 100, "2026-10-01")
    await studio.put(f"/api/clients/{invoice['clientId']}", {"name": "Norte Talleres, S.A."})

    [row] = await studio.get(f"{PATH}/clients")

    assert row["client"] == "Norte Talleres, S.A."


async def test_buyers_that_are_not_stored_are_told_apart(studio):
    till = {"docType": "simplified", "client": None}
    for amount in (20, 30):
        await sold(studio, amount, "2026-10-01", **till)
    await sold(studio, 40, "2026-10-01")

    rows = await studio.get(f"{PATH}/clients")

    assert [(row["clientId"] is None, row["client"], row["owed"], row["count"]) for row in rows] == [
        (True, None, 50, 2),
        (False, "Talleres Norte, S.L.", 40, 1),
    ]


async def test_every_view_is_of_one_client_or_of_what_is_late(studio):
    old = await sold(studio, 100, "2026-10-01", NORTE)
    await sold(studio, 50, "2026-11-20", NORTE)
    await sold(studio, 7, "2026-10-01", SUR)

    asked = f"clientId={old['clientId']}&overdueDays=30"

    assert (await studio.get(f"{PATH}?{asked}"))["currencies"][0]["open"] == 100
    assert [row["owed"] for row in await studio.get(f"{PATH}/clients?{asked}")] == [100]
    assert [row["id"] for row in await studio.get(f"{PATH}/invoices?{asked}")] == [old["id"]]
    assert await studio.get(f"{PATH}/invoices?clientId=nobody") == []


async def test_nobody_owes_anything(studio):
    [euros] = (await studio.get(PATH))["currencies"]

    assert (euros["currency"], euros["open"], euros["oldestDue"], euros["daysOverdue"]) == ("EUR", 0, None, 0)
    assert await studio.get(f"{PATH}/clients") == []


async def test_another_account_owes_nothing_here(studio, other):
    await sold(studio, 100, "2026-10-01")

    assert (await other.get(PATH))["currencies"][0]["open"] == 0
    assert await other.get(f"{PATH}/clients") == await other.get(f"{PATH}/invoices") == []


async def test_days_are_bounded(studio):
    for days in (0, 36_501, "x"):
        problem = await studio.refused(400, "GET", f"{PATH}/invoices?overdueDays={days}")
        assert [error["field"] for error in problem["errors"]] == ["overdueDays"]
