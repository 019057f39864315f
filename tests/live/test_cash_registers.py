"""A till under many hands at once, beside an authority that takes its time, and under a server that is killed."""

import asyncio
from decimal import Decimal
from itertools import count

import asyncpg
import httpx2
import pytest

from ledgerkit.providers.es.sandbox import Fault
from support.api import Api
from support.office import cloned, eventually, nif
from support.periods import YEAR
from support.serving import served

REGISTERS = "/api/cash-register"
WRITERS = 32

LINE = {"description": "Camiseta", "unitPrice": 12.1, "taxRate": 21}
SALE = {"type": "sale", "amount": 12.1, "description": "Mostrador", "lineItems": [LINE]}
"""Invoiced, its price containing the tax."""

_numbers = count(50_000_001)


async def opened(api: Api, amount: float = 100) -> str:
    """The path of a new register."""
    register = await api.post(REGISTERS, {"openingAmount": amount})
    return f"{REGISTERS}/{register['id']}"


def movement(kind: str, cents: int, method: str = "cash"):
    return {"type": kind, "amount": cents / 100, "description": "Caja", "paymentMethod": method}


async def at_once(requests) -> list[httpx2.Response]:
    return await asyncio.gather(*requests)


def codes(answers) -> set[str]:
    return {answer.json()["code"] for answer in answers if not answer.is_success}


# ---------------------------------------------------------------- many hands


@pytest.mark.whole
async def test_movements_of_many_at_once_are_all_there_and_the_sums_exact(ana):
    path = await opened(ana)
    paid = (await ana.post(f"{path}/movement", movement("sale", 100_000)))["movements"][0]
    kinds = ["sale", "sale", "refund", "cash_in", "cash_out"]
    methods = ["cash", "card", "transfer"]
    bodies = []
    for number in range(WRITERS):
        kind = kinds[number % 5]
        method = methods[number % 3] if kind in {"sale", "refund"} else "cash"
        body = movement(kind, 1001 + 7 * number, method)
        bodies.append({**body, "invoiceId": paid["invoiceId"]} if kind == "refund" else body)

    answers = await at_once(ana.request("POST", f"{path}/movement", body) for body in bodies)

    assert {answer.status_code for answer in answers} == {200}
    assert sorted(answer.json()["movementCount"] for answer in answers) == list(range(2, WRITERS + 2))
    register = await ana.get(path)
    sent = [(body["type"], body["amount"], body["paymentMethod"]) for body in (paid, *bodies)]
    stored = [(one["type"], one["amount"], one["paymentMethod"]) for one in register["movements"]]
    assert sorted(stored) == sorted(sent)
    assert register["totals"] == {**by_kind(sent), **by_method(sent)}
    cash = by_method(sent)["cash"]
    moved = Decimal(str(cash)) + exact(sent, kind="cash_in") - exact(sent, kind="cash_out")
    assert register["expectedAmount"] == float(100 + moved)


def exact(movements, *, kind: str, method: str | None = None) -> Decimal:
    chosen = (amount for one, amount, how in movements if one == kind and method in {None, how})
    return sum((Decimal(str(amount)) for amount in chosen), Decimal(0))


def by_kind(movements) -> dict[str, float]:
    names = {"sales": "sale", "refunds": "refund", "cashIn": "cash_in", "cashOut": "cash_out"}
    return {name: float(exact(movements, kind=kind)) for name, kind in names.items()}


def by_method(movements) -> dict[str, float]:
    return {
        method: float(exact(movements, kind="sale", method=method) - exact(movements, kind="refund", method=method))
        for method in ("cash", "card", "transfer")
    }


async def test_sales_of_many_at_once_each_have_their_invoice_in_one_chain(office, ana):
    path = await opened(ana)

    answers = await at_once(ana.request("POST", f"{path}/movement", SALE) for _ in range(WRITERS))

    assert {answer.status_code for answer in answers} == {200}
    register = await ana.get(path)
    assert (register["salesCount"], register["totals"]["sales"]) == (WRITERS, 387.2)
    records = await office.records(ana)
    assert [record.number for record in records] == [f"T{YEAR}-{ordinal:04d}" for ordinal in range(1, WRITERS + 1)]
    assert {str(record.invoice_id) for record in records} == {one["invoiceId"] for one in register["movements"]}
    await eventually(lambda: all_accepted(office, ana))
    assert office.authority.chain_breaks(ana.team["taxId"]) == ()


async def all_accepted(office, api: Api) -> bool:
    return {record.state for record in await office.records(api)} == {"accepted"}


@pytest.mark.whole
async def test_the_stock_is_exact_whatever_is_sold_and_brought_back_at_once(office, ana):
    """Sales by one till, refunds of earlier ones by another till, the goods in opposite order."""
    kinds = {"type": "product", "unitPrice": 12.1, "taxRate": 21, "stock": 100}
    goods = [await ana.post("/api/catalog", {"name": name, **kinds}) for name in ("Camiseta", "Gorra")]
    key = Api(ana.client, {"x-api-key": ana.team["apiKey"]})
    selling, returning = await opened(ana), await opened(key)
    lines = [{"catalogItemId": one["id"], "quantity": number} for number, one in enumerate(goods, start=1)]
    sold = {"type": "sale", "amount": 36.3, "description": "Venta", "lineItems": lines}
    back = {"type": "refund", "amount": 36.3, "description": "Vuelta", "lineItems": lines[::-1]}
    for _ in range(12):
        earlier = await ana.post(f"{selling}/movement", sold)
    backs = [{**back, "invoiceId": one["invoiceId"]} for one in earlier["movements"]]

    answers = await at_once(
        [ana.request("POST", f"{selling}/movement", sold) for _ in range(20)]
        + [key.request("POST", f"{returning}/movement", back) for back in backs]
    )

    assert {answer.status_code for answer in answers} == {200}
    assert {one["name"]: one["stock"] for one in await ana.get("/api/catalog")} == {"Camiseta": 80, "Gorra": 60}
    assert len(await office.records(ana)) == 44


@pytest.mark.parametrize("is_named", [False, True])
async def test_of_many_who_take_one_sale_back_at_once_one_does(ana, is_named):
    path = await opened(ana)
    register = await ana.post(f"{path}/movement", movement("sale", 1210))
    [sold] = register["movements"]
    back = movement("refund", 1210)
    if is_named:
        back["invoiceId"] = sold["invoiceId"]

    answers = await at_once(ana.request("POST", f"{path}/movement", back) for _ in range(8))

    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 7
    assert codes(answers) == {"VALIDATION_ERROR" if is_named else "REFUND_NEEDS_INVOICE"}
    notes = [one for one in await ana.get("/api/invoices") if one["docType"] == "credit_note"]
    assert ([one["total"] for one in notes], (await ana.get(path))["totals"]["refunds"]) == ([-12.1], 12.1)


async def test_of_many_who_open_at_once_one_does(ana):
    answers = await at_once(ana.request("POST", REGISTERS, {"openingAmount": 1}) for _ in range(16))

    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 15
    assert codes(answers) == {"REGISTER_ALREADY_OPEN"}


@pytest.mark.whole
async def test_what_is_sold_while_somebody_closes_is_counted_or_refused(ana):
    """The till's device works with the manager's key, who closes in the browser."""
    device = Api(ana.client, {"x-api-key": ana.api_key})
    path = await opened(ana)

    async def closing() -> httpx2.Response:
        await asyncio.sleep(0.05)
        return await ana.request("POST", f"{path}/close", {"closingAmount": 100})

    sales = (device.request("POST", f"{path}/movement", movement("sale", 250)) for _ in range(WRITERS))
    *answers, done = await asyncio.gather(*sales, closing())
    late = await device.request("POST", f"{path}/movement", movement("sale", 250))

    assert done.status_code == 200
    assert {answer.status_code for answer in answers} <= {200, 400}
    assert codes([*answers, late]) == {"REGISTER_CLOSED"}
    sold = sum(answer.is_success for answer in answers)
    register = await ana.get(path)
    assert {name: register[name] for name in done.json()} == done.json()
    assert (register["salesCount"], len(register["movements"])) == (sold, sold)
    assert (register["expectedAmount"], register["difference"]) == (100 + 2.5 * sold, -2.5 * sold)


async def test_of_many_who_close_at_once_one_does(ana):
    path = await opened(ana)

    answers = await at_once(ana.request("POST", f"{path}/close", {"closingAmount": one}) for one in range(8))

    [done] = [answer.json() for answer in answers if answer.is_success]
    assert codes(answers) == {"REGISTER_CLOSED"}
    assert done["zNumber"] == 1
    assert await ana.get(path) == done


JOINED = (
    "with joined as (insert into membership (id, account_id, user_id, role)"
    " select gen_random_uuid(), cast(:team as uuid), id, 'member' from app_user where email = :email)"
    " update app_user set active_account_id = cast(:team as uuid) where email = :email returning id"
)


async def test_registers_closed_at_once_are_numbered_without_a_gap(office, ana):
    sellers = [ana]
    for _ in range(7):
        email = f"seller{next(_numbers)}@example.com"
        sellers.append(await Api.register(office.client, email))
        await office.rows(JOINED, team=ana.team["id"], email=email)
    paths = [await opened(one) for one in sellers]

    answers = await at_once(
        one.request("POST", f"{path}/close", {"closingAmount": 1}) for one, path in zip(sellers, paths, strict=True)
    )

    assert sorted(answer.json()["zNumber"] for answer in answers) == list(range(1, 9))
    assert (await ana.get(f"{REGISTERS}/history"))["total"] == 8


# ---------------------------------------------------------------- the authority


async def test_the_invoice_of_a_sale_is_accepted(office, ana):
    path = await opened(ana)

    sold = await ana.post(f"{path}/movement", SALE)

    invoice_id = sold["movements"][0]["invoiceId"]
    await eventually(lambda: all_accepted(office, ana))
    standing = await ana.get(f"/api/einvoice/status/{invoice_id}")
    assert (standing["status"], standing["number"], bool(standing["csv"])) == ("accepted", f"T{YEAR}-0001", True)
    assert [entry.invoice[1] for entry in office.authority.records(ana.team["taxId"])] == [f"T{YEAR}-0001"]
    invoice = await ana.get(f"/api/invoices/{invoice_id}")
    assert (invoice["status"], invoice["total"], invoice["subtotal"], invoice["taxAmount"]) == ("paid", 12.1, 10, 2.1)


async def test_no_sale_waits_for_the_authority_or_fails_with_it(office, ana):
    path = await opened(ana)
    office.authority.faults.add(Fault(delay_seconds=300))
    clock = asyncio.get_running_loop().time
    await ana.post(f"{path}/movement", SALE)
    await eventually(lambda: asyncio.sleep(0, office.authority.records(ana.team["taxId"])))
    began = clock()

    now = [await ana.post(f"{path}/movement", SALE) for _ in range(3)][-1]

    assert clock() - began < 15  # a sale that waited would do so for twenty
    assert [one["amount"] for one in now["movements"]] == [12.1] * 4
    assert len(await office.records(ana)) == 4


async def test_a_rejected_record_leaves_the_sale_as_it_is(office, ana):
    path = await opened(ana)
    line = {**LINE, "description": "Camiseta [sandbox:reject 1124]"}

    sold = await ana.post(f"{path}/movement", {**SALE, "lineItems": [line]})

    invoice_id = sold["movements"][0]["invoiceId"]
    await eventually(lambda: rejected(ana, invoice_id))
    assert await ana.get(path) == sold


async def rejected(api: Api, invoice_id: str) -> bool:
    return (await api.get(f"/api/einvoice/status/{invoice_id}"))["status"] == "rejected"


# ---------------------------------------------------------------- killed in between

WRITTEN = (
    "select (select count(*) from cash_movement), (select count(*) from invoice), (select count(*) from fiscal_record),"
    " (select count(*) from invoice_payment), (select sum(sales) from cash_register)"
)


@pytest.mark.whole
async def test_a_server_killed_in_the_middle_of_a_sale_has_half_written_nothing(postgres, tmp_path):
    """The sale has written all but its number and record, and waits for the number, when its server dies."""
    async with cloned(postgres) as url:
        plain = url.replace("+asyncpg", "")
        database = await asyncpg.connect(plain)
        async with (
            served(tmp_path / "data", DATABASE_URL=plain) as server,
            httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
        ):
            ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", nif(next(_numbers)))
            path = await opened(ana)
            await ana.post(f"{path}/movement", SALE)
            before = await database.fetchrow(WRITTEN)
            async with database.transaction():
                await database.execute("select * from invoice_counter for update")
                sale = asyncio.create_task(ana.request("POST", f"{path}/movement", SALE))
                await eventually(lambda: waiting(plain))
                await server.kill()
            with pytest.raises(httpx2.TransportError):
                await sale
        await eventually(lambda: alone(database))

        after = await database.fetchrow(WRITTEN)
        await database.close()

    assert list(before) == [1, 1, 1, 1, Decimal("12.10")]
    assert before == after


AT_A_LOCK = (
    "select count(*) from pg_locks where not granted"
    " and pid in (select pid from pg_stat_activity where datname = current_database())"
)
"""Counts the sessions of this database that wait for a lock: those there were when the transaction began."""


async def waiting(url: str) -> bool:
    connection = await asyncpg.connect(url)
    waiting_locks = await connection.fetchval(AT_A_LOCK)
    await connection.close()
    return bool(waiting_locks)


async def alone(database: asyncpg.Connection) -> bool:
    """Return True when the dead server's connections are gone."""
    others = "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    return await database.fetchval(others) == 0
