"""A register's life: opened, moved, counted, closed, looked back on (interface decisions N)."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from ledgerkit import clock
from ledgerkit.core.cash_register.api import CashRegister
from support.api import Api
from support.database import as_owner, row_counts, set_role
from support.description import differences

REGISTERS = "/api/cash-register"


async def opened(api: Api, amount: float = 100, **fields):
    return await api.post(REGISTERS, {"openingAmount": amount, **fields})


async def moved(api: Api, register, kind: str, amount: float, **fields):
    body = {"type": kind, "amount": amount, "description": "Caja", **fields}
    return await api.post(f"{REGISTERS}/{register['id']}/movement", body)


async def closed(api: Api, register, amount: float, **fields):
    return await api.post(f"{REGISTERS}/{register['id']}/close", {"closingAmount": amount, **fields})


@pytest.fixture
async def rosa(kernel, ana, client) -> Api:
    """A member of ana's team."""
    api = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")
    return api


# ---------------------------------------------------------------- opening


async def test_a_register_opens_with_its_float_and_belongs_to_who_opened_it(ana):
    me = (await ana.get("/auth/me"))["user"]

    register = await opened(ana, 150.5, notes="Turno de mañana")

    assert "version" not in register
    assert (register["status"], register["userId"], register["currency"]) == ("open", me["id"], "EUR")
    assert (register["openingAmount"], register["expectedAmount"], register["notes"]) == (
        150.5,
        150.5,
        "Turno de mañana",
    )
    assert [register[name] for name in ("closingAmount", "difference", "closedAt", "zNumber")] == [None] * 4
    assert register["movements"] == register["warnings"] == []
    assert await ana.get(f"{REGISTERS}/current") == register == await ana.get(f"{REGISTERS}/{register['id']}")


async def test_without_an_open_register_the_current_one_is_null(ana):
    assert await ana.get(f"{REGISTERS}/current") is None


async def test_each_user_has_one_register_open_at_a_time(ana, rosa):
    await opened(ana)

    problem = await ana.refused(409, "POST", REGISTERS, {"openingAmount": 1})
    other = await opened(rosa)

    assert problem["code"] == "REGISTER_ALREADY_OPEN"
    assert "/api/cash-register/current" in problem["remedy"]
    await closed(ana, await ana.get(f"{REGISTERS}/current"), 100)
    assert (await opened(ana))["id"] != other["id"]


async def test_a_user_has_one_register_in_each_account(ana):
    first = await opened(ana)
    team = await ana.post("/api/teams", {"name": "Otra", "country": "ES"})

    second = await ana.request("POST", REGISTERS, {"openingAmount": 0}, **{"X-Team-Id": team["id"]})

    assert second.status_code == 201
    team_header = await ana.request("GET", f"{REGISTERS}/current", **{"X-Team-Id": ana.team["id"]})
    assert team_header.json()["id"] == first["id"]


async def test_ones_own_key_is_oneself_and_the_teams_key_has_a_register_of_its_own(ana):
    mine = await opened(ana)
    own_key = Api(ana.client, {"x-api-key": ana.api_key})
    team_key = Api(ana.client, {"x-api-key": ana.team["apiKey"]})

    tills = await opened(team_key, 30)

    assert (await own_key.get(f"{REGISTERS}/current"))["id"] == mine["id"]
    assert (tills["userId"], (await team_key.get(f"{REGISTERS}/current"))["id"]) == (None, tills["id"])
    await team_key.refused(409, "POST", REGISTERS, {"openingAmount": 1})
    await moved(team_key, tills, "sale", 5)


def movement(**fields):
    return {"type": "sale", "amount": 1, "description": "Caja", **fields}


AMOUNTS = [(0, 201), (0.01, 201), (9999999999.99, 201), (-0.01, 400), (0.001, 400), (10000000000, 400)]


@pytest.mark.parametrize(("amount", "status"), AMOUNTS)
async def test_the_float_is_zero_or_more(ana, amount, status):
    answer = await ana.request("POST", REGISTERS, {"openingAmount": amount})

    assert answer.status_code == status
    if status == 400:
        assert [error["field"] for error in answer.json()["errors"]] == ["openingAmount"]


# ---------------------------------------------------------------- movements


async def test_sums_follow_every_movement(ana):
    register = await opened(ana, 100)

    await moved(ana, register, "sale", 10.1)
    await moved(ana, register, "sale", 20.2, paymentMethod="card")
    sold = await moved(ana, register, "sale", 30.3, paymentMethod="transfer")
    sale_in_cash, sale_by_card, _ = (one["invoiceId"] for one in sold["movements"])
    await moved(ana, register, "refund", 1.1, invoiceId=sale_in_cash)
    await moved(ana, register, "refund", 2.2, invoiceId=sale_by_card, paymentMethod="card")
    await moved(ana, register, "cash_in", 50)
    now = await moved(ana, register, "cash_out", 70)

    assert now["totals"] == {
        "sales": 60.6,
        "refunds": 3.3,
        "cashIn": 50,
        "cashOut": 70,
        "cash": 9,
        "card": 18,
        "transfer": 30.3,
    }
    assert (now["salesCount"], now["movementCount"], now["expectedAmount"]) == (3, 7, 89)
    kinds = [one["type"] for one in now["movements"]]
    assert kinds == ["sale"] * 3 + ["refund"] * 2 + ["cash_in", "cash_out"]
    assert await ana.get(f"{REGISTERS}/current") == now


async def test_a_register_is_told_exactly_as_its_description_says(ana):
    register = await opened(ana, 100)

    now = await moved(ana, register, "sale", 12.1, lineItems=[{"unitPrice": 10, "description": "Café"}])

    described_fields = {field.alias or name for name, field in CashRegister.model_fields.items()}
    assert now.keys() == described_fields
    assert differences("GET /api/cash-register/{id}", 200, now) == []
    assert {type(one) for one in (now["expectedAmount"], now["totals"]["cash"])} == {float}


async def test_tenths_add_up(ana):
    register = await opened(ana, 0.1)
    for _ in range(3):
        now = await moved(ana, register, "sale", 0.1)

    for sold in now["movements"]:
        now = await moved(ana, register, "refund", 0.1, invoiceId=sold["invoiceId"])

    assert (now["expectedAmount"], now["totals"]["sales"], now["totals"]["cash"]) == (0.1, 0.3, 0)


async def test_a_movement_says_what_it_was_told(ana):
    invoice = await ana.invoice()
    register = await opened(ana)

    now = await moved(ana, register, "sale", 5, description="  Mesa 4 ", consumerFinal=True, invoiceId=invoice["id"])

    [one] = now["movements"]
    answer = {name: one[name] for name in ("type", "amount", "paymentMethod", "description", "invoiceId")}
    assert answer == {
        "type": "sale",
        "amount": 5,
        "paymentMethod": "cash",
        "description": "Mesa 4",
        "invoiceId": invoice["id"],
    }
    assert (one["consumerFinal"], one["lineItems"], one["channel"]) == (True, [], "api")
    assert one["createdBy"] == now["userId"]


WRONG = [
    ({"amount": 0}, "amount"),
    ({"amount": -5}, "amount"),
    ({"amount": 0.005}, "amount"),
    ({"amount": "5"}, "amount"),
    ({"amount": None}, "amount"),
    ({"amount": 10000000000}, "amount"),
    ({"type": "tip"}, "type"),
    ({"type": None}, "type"),
    ({"description": " "}, "description"),
    ({"description": "x" * 501}, "description"),
    ({"description": None}, "description"),
    ({"paymentMethod": "bizum"}, "paymentMethod"),
    ({"type": "cash_in", "paymentMethod": "card"}, "paymentMethod"),
    ({"type": "cash_out", "lineItems": [{"unitPrice": 1}]}, "lineItems"),
    ({"lineItems": [{"unitPrice": 1}] * 1001}, "lineItems"),
    ({"lineItems": [{"description": "x"}]}, "lineItems[0].unitPrice"),
    ({"lineItems": [{"unitPrice": 1, "quantity": "2"}]}, "lineItems[0].quantity"),
    ({"lineItems": [{"unitPrice": 1, "taxRate": 20}]}, "lineItems[0].taxRate"),
    ({"lineItems": [{"unitPrice": -1}]}, "lineItems"),
    ({"consumerFinal": "maybe"}, "consumerFinal"),
]


@pytest.mark.parametrize(("fields", "field"), WRONG, ids=lambda value: str(value)[:60])
async def test_a_wrong_movement_is_refused_by_its_field_and_leaves_nothing(kernel, ana, fields, field):
    register = await opened(ana)
    before = await row_counts(kernel)

    problem = await ana.refused(400, "POST", f"{REGISTERS}/{register['id']}/movement", movement(**fields))

    assert [error["field"] for error in problem["errors"]] == [field]
    assert problem["remedy"]
    assert await row_counts(kernel) == before
    assert await ana.get(f"{REGISTERS}/current") == register


@pytest.mark.parametrize(("length", "status"), [(1, 200), (500, 200), (501, 400)])
async def test_a_description_has_five_hundred_characters_at_most(ana, length, status):
    register = await opened(ana)

    answer = await ana.request("POST", f"{REGISTERS}/{register['id']}/movement", movement(description="ñ" * length))

    assert answer.status_code == status


@pytest.mark.parametrize("known", ["nonsense", str(UUID(int=7))])
async def test_an_unknown_invoice_is_a_404(kernel, ana, known):
    register = await opened(ana)
    before = await row_counts(kernel)

    await ana.refused(404, "POST", f"{REGISTERS}/{register['id']}/movement", movement(invoiceId=known))

    assert await row_counts(kernel) == before


async def test_sums_beyond_what_can_be_kept_are_refused(kernel, ana):
    register = await opened(ana)
    async with as_owner(kernel) as connection:
        await connection.execute(text("update cash_register set sales = 999999999999.98"))

    now = await moved(ana, register, "sale", 0.01, paymentMethod="card")
    problem = await ana.refused(400, "POST", f"{REGISTERS}/{register['id']}/movement", movement(amount=0.01))

    assert now["totals"]["sales"] == 999999999999.99
    assert problem["errors"][0]["field"] == "amount"


# ---------------------------------------------------------------- closing


async def test_closing_freezes_the_difference(ana):
    register = await opened(ana, 100)
    await moved(ana, register, "sale", 20)
    await moved(ana, register, "sale", 30, paymentMethod="card")

    done = await closed(ana, register, 119.5, notes="Falta cambio")

    assert (done["status"], done["expectedAmount"], done["closingAmount"], done["difference"]) == (
        "closed",
        120,
        119.5,
        -0.5,
    )
    assert (done["closingNotes"], done["zNumber"], done["notes"]) == ("Falta cambio", 1, None)
    assert done["closedAt"] >= done["openedAt"]
    assert await ana.get(f"{REGISTERS}/current") is None
    assert await ana.get(f"{REGISTERS}/{register['id']}") == done


async def test_a_closed_register_takes_nothing_any_more(kernel, ana):
    register = await opened(ana)
    done = await closed(ana, register, 100)
    before = await row_counts(kernel)

    sold = await ana.refused(400, "POST", f"{REGISTERS}/{register['id']}/movement", movement())
    again = await ana.refused(400, "POST", f"{REGISTERS}/{register['id']}/close", {"closingAmount": 5})

    assert {sold["code"], again["code"]} == {"REGISTER_CLOSED"}
    assert await row_counts(kernel) == before
    assert await ana.get(f"{REGISTERS}/{register['id']}") == done


async def test_closing_with_no_sales_after_reopening_with_another_float_has_no_difference(ana):
    first = await opened(ana, 100)
    await moved(ana, first, "sale", 250)
    await closed(ana, first, 350)

    second = await closed(ana, await opened(ana, 80), 80)

    assert (second["expectedAmount"], second["difference"], second["totals"]["sales"]) == (80, 0, 0)
    assert (await ana.get(f"{REGISTERS}/{first['id']}"))["difference"] == 0


async def test_z_numbers_are_the_accounts_without_a_gap(ana, rosa, berta):
    numbers = []
    for api in (ana, rosa, ana):
        numbers.append((await closed(api, await opened(api), 0))["zNumber"])
        await api.refused(400, "POST", f"{REGISTERS}/{(await opened(api))['id']}/close", {"closingAmount": -1})
        await closed(api, await api.get(f"{REGISTERS}/current"), 0)

    other = await closed(berta, await opened(berta), 0)

    assert (numbers, other["zNumber"]) == ([1, 3, 5], 1)


@pytest.mark.parametrize(("amount", "status"), AMOUNTS)
async def test_the_count_is_zero_or_more(ana, amount, status):
    register = await opened(ana)

    answer = await ana.request("POST", f"{REGISTERS}/{register['id']}/close", {"closingAmount": amount})

    assert answer.status_code == (200 if status == 201 else status)


async def test_versions_guard_movements_and_closing(ana):
    register = await ana.request("POST", REGISTERS, {"openingAmount": 0})
    one = f"{REGISTERS}/{register.json()['id']}"
    seen = {"If-Match": register.headers["etag"]}

    sold = await ana.request("POST", f"{one}/movement", movement(), **seen)
    stale = await ana.refused(412, "POST", f"{one}/close", {"closingAmount": 0}, **seen)
    done = await ana.request("POST", f"{one}/close", {"closingAmount": 0}, **{"If-Match": sold.headers["etag"]})

    assert stale["code"] == "VERSION_MISMATCH"
    assert (sold.headers["etag"], done.status_code) == ('"2"', 200)


async def test_a_repeated_sale_with_one_key_is_one_sale(ana):
    register = await opened(ana)
    path, key = f"{REGISTERS}/{register['id']}/movement", {"Idempotency-Key": "ticket 7"}

    first = await ana.request("POST", path, movement(), **key)
    again = await ana.request("POST", path, movement(), **key)

    assert (first.json(), again.headers["idempotent-replayed"]) == (again.json(), "true")
    assert (await ana.get(f"{REGISTERS}/current"))["salesCount"] == 1


# ---------------------------------------------------------------- whose it is


async def test_another_users_register_is_a_missing_one_for_a_member(ana, rosa):
    register = await opened(ana)
    missing = str(uuid4())

    for method, tail, body in (
        ("GET", "", None),
        ("POST", "/movement", movement()),
        ("POST", "/close", {"closingAmount": 0}),
    ):
        for by_name in (register["id"], missing):
            problem = await rosa.refused(404, method, f"{REGISTERS}/{by_name}{tail}", body, **{"If-Match": '"9"'})
            assert problem["detail"] == f"No cash register has id {by_name}."


async def test_a_viewer_reads_and_uses_none(kernel, ana, rosa):
    register = await opened(rosa)
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="viewer")

    assert (await rosa.get(f"{REGISTERS}/{register['id']}"))["status"] == "open"
    await rosa.refused(403, "POST", f"{REGISTERS}/{register['id']}/movement", movement())
    await rosa.refused(403, "POST", f"{REGISTERS}/{register['id']}/close", {"closingAmount": 0})
    await rosa.refused(403, "POST", REGISTERS, {"openingAmount": 0})
    await rosa.refused(403, "GET", f"{REGISTERS}/current")


async def test_what_happens_at_the_till_is_in_the_feed(ana):
    register = await opened(ana)
    await moved(ana, register, "sale", 5)
    await closed(ana, register, 105)

    entries = await ana.get("/api/invoices/activity/feed?limit=20")
    feed = [one for one in entries if one["entityType"] == "cash_register"]

    assert [(one["action"], one["entityType"], one["entityId"]) for one in feed] == [
        (action, "cash_register", register["id"]) for action in ("closed", "sale", "opened")
    ]
    assert feed[0]["changes"] == {
        name: {"from": None, "to": to} for name, to in (("closingAmount", 105), ("difference", 0))
    }


# ---------------------------------------------------------------- looking back


async def test_history_lists_closed_registers_the_latest_first(ana, berta):
    await closed(berta, await opened(berta), 1)
    done = []
    for amount in (10, 20, 30):
        register = await opened(ana, amount)
        await moved(ana, register, "sale", 5)
        done.append(await closed(ana, register, amount))
    await opened(ana)

    whole = await ana.get(f"{REGISTERS}/history")
    second = await ana.get(f"{REGISTERS}/history?page=2&limit=2")
    beyond = await ana.get(f"{REGISTERS}/history?page=9")

    shown = [{name: one[name] for name in one if name not in {"movements", "warnings"}} for one in reversed(done)]
    assert whole == {"registers": shown, "total": 3, "page": 1, "pages": 1}
    assert second == {"registers": shown[2:], "total": 3, "page": 2, "pages": 2}
    assert beyond == {"registers": [], "total": 3, "page": 9, "pages": 1}


async def test_an_empty_history_has_no_pages(ana):
    assert await ana.get(f"{REGISTERS}/history") == {"registers": [], "total": 0, "page": 1, "pages": 0}


async def test_a_page_of_history_has_twenty_registers_and_a_hundred_at_most(ana):
    for _ in range(21):
        await closed(ana, await opened(ana, 0), 0)

    whole = await ana.request("GET", f"{REGISTERS}/history")

    assert (len(whole.json()["registers"]), whole.json()["pages"], whole.headers["x-total-count"]) == (20, 2, "21")
    assert len((await ana.get(f"{REGISTERS}/history?limit=100"))["registers"]) == 21
    for query in ("limit=101", "limit=0", "page=0"):
        await ana.refused(400, "GET", f"{REGISTERS}/history?{query}")


async def test_a_member_looks_back_on_their_own_registers_only(ana, rosa):
    await closed(ana, await opened(ana), 1)
    own_till = await closed(rosa, await opened(rosa), 2)

    seen = await rosa.get(f"{REGISTERS}/history")
    everybodys = await ana.get(f"{REGISTERS}/history")

    assert ([one["id"] for one in seen["registers"]], seen["total"]) == ([own_till["id"]], 1)
    assert everybodys["total"] == 2
    await rosa.refused(403, "GET", f"{REGISTERS}/summary")


async def test_the_summary_adds_up_what_was_closed(ana, rosa, berta):
    await closed(berta, await opened(berta), 7)
    for api, counted in ((ana, 110), (rosa, 109)):
        register = await opened(api, 100)
        await moved(api, register, "sale", 20)
        await moved(api, register, "refund", 9)  # of the only sale
        await moved(api, register, "sale", 3.5, paymentMethod="card")
        await moved(api, register, "sale", 4.25, paymentMethod="transfer")
        await closed(api, register, counted)
    foreign = await opened(ana, 100, currency="usd")
    draft = await ana.invoice(currency="USD")
    await moved(ana, foreign, "sale", 1000, invoiceId=draft["id"])
    await closed(ana, foreign, 0)
    await opened(ana)

    seen = await ana.get(f"{REGISTERS}/summary")

    today = clock.today("Europe/Madrid")
    assert seen == {
        "registerCount": 2,
        "totalSales": 55.5,
        "totalCash": 22,
        "totalCard": 7,
        "totalTransfer": 8.5,
        "totalDifference": -3,
        "avgDifference": -1.5,
        "salesCount": 6,
        "currency": "EUR",
        "from": today.replace(day=1).isoformat(),
        "to": today.isoformat(),
    }
    assert (await ana.get(f"{REGISTERS}/summary?currency=USD"))["totalSales"] == 1000


async def test_a_summary_of_nothing_is_zero(ana):
    seen = await ana.get(f"{REGISTERS}/summary")

    assert {seen[name] for name in seen if name not in {"currency", "from", "to"}} == {0}


async def test_an_average_is_rounded_to_cents(ana):
    for counted in (0.01, 0, 0):
        await closed(ana, await opened(ana, 0), counted)

    assert (await ana.get(f"{REGISTERS}/summary"))["avgDifference"] == 0


async def test_the_days_of_a_summary_are_those_of_the_account(kernel, ana):
    """Closed at the last and first instants of two days in Madrid, in winter an hour ahead of UTC."""
    for _ in range(4):
        await closed(ana, await opened(ana, 0), 1)
    instants = [datetime(2026, 11, 1, 23, tzinfo=UTC) + timedelta(seconds=one) for one in (-1, 0, 86399, 86400)]
    async with as_owner(kernel) as connection:
        for number, instant in enumerate(instants, start=1):
            moved_to = {"at": instant, "z": number}
            await connection.execute(text("update cash_register set closed_at = :at where z_number = :z"), moved_to)

    async def count(query: str) -> int:
        return (await ana.get(f"{REGISTERS}/summary?{query}"))["registerCount"]

    assert await count("from=2026-11-02&to=2026-11-02") == 2
    assert await count("from=2026-11-01&to=2026-11-01") == 1
    assert await count("from=2026-11-01&to=2026-11-03") == 4
    assert await count("to=2026-11-02") == 3


@pytest.mark.parametrize("query", ["from=2026-11-02&to=2026-11-01", "from=x", "to=2026-02-30", "currency=euro"])
async def test_a_wrong_period_is_refused(ana, query):
    problem = await ana.refused(400, "GET", f"{REGISTERS}/summary?{query}")

    assert problem["errors"][0]["field"] in {"to", "from", "currency"}
