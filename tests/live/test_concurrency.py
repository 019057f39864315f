"""Many at once: on a real server over TCP, on a database in which everything is committed."""

import asyncio
from itertools import pairwise

import asyncpg
import httpx2
import pytest

from ledgerkit.core.platform.database.transactions import Pooling
from ledgerkit.providers.es.sandbox import sandbox
from support.api import ADDRESS, Api, invoice_body
from support.office import cloned, eventually, nif
from support.periods import YEAR
from support.serving import IDLE_SECONDS, reporting_to, served

CLIENTS = 32
CHAIN = (
    "select r.position, r.number, r.fingerprint, r.previous_id, r.id, r.generated_at, r.content, s.state"
    " from fiscal_record r join fiscal_status s on s.account_id = r.account_id and s.record_id = r.id"
    " where r.account_id = $1 order by r.position"
)
OPEN = "select count(*) from fiscal_status where state in ('pending', 'unknown')"


class House:
    """A server with its clients' connections, its authority and its database."""

    def __init__(self, client, authority, database, owner) -> None:
        self.client, self.authority, self.database, self.owner = client, authority, database, owner
        self._teams = 0

    async def team(self) -> Api:
        """Another team of the same user, on which each request is pinned."""
        self._teams += 1
        given = {"name": f"Estudio {self._teams}", "country": "ES", "taxId": nif(30_000_000 + self._teams), **ADDRESS}
        team = await self.owner.post("/api/teams", given)
        return Api(self.client, {**self.owner.headers, "X-Team-Id": team["id"]}, team=team)

    async def chain(self, api: Api) -> list[asyncpg.Record]:
        return await self.database.fetch(CHAIN, api.team["id"])

    async def all_sent(self) -> None:
        async def none_open() -> bool:
            return await self.database.fetchval(OPEN) == 0

        await eventually(none_open, seconds=60)


@pytest.fixture(scope="module")
async def house(postgres, tmp_path_factory):
    directory = tmp_path_factory.mktemp("house")
    authority = sandbox(directory / "authority")
    await authority.start()
    limits = httpx2.Limits(max_connections=CLIENTS, max_keepalive_connections=CLIENTS, keepalive_expiry=IDLE_SECONDS)
    async with cloned(postgres) as url:
        plain = url.replace("+asyncpg", "")
        settings = reporting_to(authority.access) | {"DATABASE_URL": plain}
        async with (
            served(directory / "data", **settings) as server,
            httpx2.AsyncClient(base_url=server.url, limits=limits, timeout=60) as client,
        ):
            database = await asyncpg.connect(plain)
            owner = await Api.register(client, "owner@example.com")
            yield House(client, authority, database, owner)
            await database.close()
    await authority.stop()


async def at_once(requests) -> list[httpx2.Response]:
    """All of them, as many as there are connections at a time."""
    return await asyncio.gather(*requests)


async def drafts(api: Api, count: int) -> list[str]:
    answers = await at_once(api.request("POST", "/api/invoices", invoice_body()) for _ in range(count))
    assert {answer.status_code for answer in answers} == {201}
    return [answer.json()["id"] for answer in answers]


def emission(api: Api, invoice_id: str):
    return api.request("POST", "/api/einvoice/emit", {"invoiceId": invoice_id})


def numbers_to(count: int) -> list[str]:
    return [f"F{YEAR}-{ordinal:04d}" for ordinal in range(1, count + 1)]


def check_chain(chain, count: int) -> None:
    """Positions without a gap, each record carrying the one before it, times that never go back."""
    assert [record["position"] for record in chain] == list(range(1, count + 1))
    assert chain[0]["previous_id"] is None
    for before, after in pairwise(chain):
        assert after["previous_id"] == before["id"]
        assert f":Huella>{before['fingerprint']}</".encode() in after["content"]
        assert before["generated_at"] <= after["generated_at"]


@pytest.mark.parametrize("count", [CLIENTS, pytest.param(200, marks=pytest.mark.whole)])
async def test_paying_many_drafts_at_once_leaves_no_gap_and_refuses_nobody(house, count):
    api = await house.team()
    ids = await drafts(api, count)

    answers = await at_once(api.request("PATCH", f"/api/invoices/{one}/pay") for one in ids)

    assert {answer.status_code for answer in answers} == {200}
    assert sorted(answer.json()["number"] for answer in answers) == numbers_to(count)


@pytest.mark.whole
async def test_what_many_do_at_once_is_counted_in_the_feed_and_nobody_waits_to_be(house):
    api = await house.team()
    clients = (api.request("POST", "/api/clients", {"name": "Norte"}) for _ in range(100))
    invoices = (api.request("POST", "/api/invoices", invoice_body()) for _ in range(50))

    answers = await at_once([*clients, *invoices])

    feed = await api.request("GET", "/api/invoices/activity/feed?limit=1")
    logged = await house.database.fetchval("select count(*) from activity where account_id = $1", api.team["id"])
    rows = await house.database.fetchval(
        "select count(*) from tally where kind = 'activity' and account_id = $1", api.team["id"]
    )
    assert {answer.status_code for answer in answers} == {201}
    assert feed.headers["X-Total-Count"] == str(logged)
    assert rows <= Pooling().writers_per_account


async def test_many_drafts_emitted_at_once_make_one_linear_chain_that_the_authority_gets_once(house):
    api = await house.team()
    ids = await drafts(api, CLIENTS)

    answers = await at_once(emission(api, one) for one in ids)
    await house.all_sent()

    assert {answer.status_code for answer in answers} == {200}
    chain = await house.chain(api)
    check_chain(chain, CLIENTS)
    assert [record["number"] for record in chain] == numbers_to(CLIENTS)
    assert {record["state"] for record in chain} == {"accepted"}
    held_records = house.authority.records(api.team["taxId"])
    assert [entry.invoice[1] for entry in held_records] == numbers_to(CLIENTS)
    received = b"".join(house.authority.received)
    assert [received.count(record["content"]) for record in chain] == [1] * CLIENTS
    assert house.authority.chain_breaks(api.team["taxId"]) == ()


@pytest.mark.whole
async def test_many_accounts_emitting_at_once_each_get_the_first_number_of_their_own_chain(house):
    teams = [await house.team() for _ in range(CLIENTS)]
    ids = [(await drafts(api, 1))[0] for api in teams]

    answers = await at_once(emission(api, one) for api, one in zip(teams, ids, strict=True))
    await house.all_sent()

    assert {answer.status_code for answer in answers} == {200}
    assert {answer.json()["number"] for answer in answers} == {f"F{YEAR}-0001"}
    for api in teams:
        check_chain(await house.chain(api), 1)
        assert len(house.authority.records(api.team["taxId"])) == 1


@pytest.mark.whole
async def test_paying_emitting_and_drafting_in_one_account_at_once_refuses_nobody(house):
    api = await house.team()
    ids = await drafts(api, 24)

    answers = await at_once(
        [api.request("PATCH", f"/api/invoices/{one}/pay") for one in ids[::2]]
        + [emission(api, one) for one in ids]
        + [api.request("POST", "/api/invoices", invoice_body()) for _ in ids]
    )
    await house.all_sent()

    assert {answer.status_code for answer in answers} == {200, 201}
    chain = await house.chain(api)
    check_chain(chain, 24)
    assert sorted(record["number"] for record in chain) == numbers_to(24)


async def test_one_invoice_emitted_by_many_at_once_has_one_record_and_one_result(house):
    api = await house.team()
    [one] = await drafts(api, 1)

    answers = await at_once(emission(api, one) for _ in range(16))

    assert {answer.status_code for answer in answers} == {200}
    results = [answer.json() for answer in answers]
    assert all(result == results[0] for result in results)
    assert results[0]["status"] == "accepted"
    assert len(await house.chain(api)) == 1


async def test_one_idempotency_key_used_by_many_at_once_makes_one_invoice(house):
    api = await house.team()

    def creation():
        return api.request("POST", "/api/invoices", invoice_body(), **{"Idempotency-Key": "the same"})

    answers = await at_once(creation() for _ in range(16))

    created_ids = [answer.json()["id"] for answer in answers if answer.status_code == 201]
    busy = [answer for answer in answers if answer.status_code != 201]
    assert len(set(created_ids)) == 1
    assert {answer.json()["code"] for answer in busy} <= {"REQUEST_IN_FLIGHT"}
    assert (await creation()).json()["id"] == created_ids[0]
    assert len(await api.get("/api/invoices")) == 1


async def test_one_idempotency_key_used_by_many_at_once_emits_once(house):
    api = await house.team()
    [one] = await drafts(api, 1)
    body, key = {"invoiceId": one}, {"Idempotency-Key": "the same"}

    answers = await at_once(api.request("POST", "/api/einvoice/emit", body, **key) for _ in range(16))

    results = [answer.json() for answer in answers if answer.status_code == 200]
    busy = [answer for answer in answers if answer.status_code != 200]
    assert results
    assert all(result == results[0] for result in results)
    assert {answer.json()["code"] for answer in busy} <= {"REQUEST_IN_FLIGHT"}
    assert len(await house.chain(api)) == 1


async def test_the_personal_workspace_is_adopted_once_by_many_first_teams_at_once(house):
    newcomer = await Api.register(house.client, "newcomer@example.com")
    await newcomer.invoice()

    answers = await at_once(
        newcomer.request("POST", "/api/teams", {"name": f"Estudio {n}", "country": "ES"}) for n in range(8)
    )

    assert {answer.status_code for answer in answers} == {201}
    ids = [answer.json()["id"] for answer in answers]
    assert len(set(ids)) == 8
    lists = [await Api(house.client, {**newcomer.headers, "X-Team-Id": one}).get("/api/invoices") for one in ids]
    assert sorted(map(len, lists)) == [0] * 7 + [1]


async def test_parts_of_one_invoice_paid_by_many_at_once_are_all_counted(house):
    """32 callers pay 45 each of 1,452, the first of them numbering it; the rest is then too little for another."""
    api = await house.team()
    [one] = await drafts(api, 1)
    path = f"/api/invoices/{one}"

    answers = await at_once(api.request("PATCH", f"{path}/pay", {"amount": 45}) for _ in range(CLIENTS))

    assert {answer.status_code for answer in answers} == {200}
    assert sorted(answer.json()["balance"] for answer in answers) == [1452 - 45 * n for n in range(CLIENTS, 0, -1)]
    assert sum(paid["amount"] for paid in await api.get(f"{path}/payments")) == 45 * CLIENTS
    [client] = await api.get("/api/clients")
    assert (client["invoiceCount"], client["totalInvoiced"], client["balance"]) == (1, 1452, 12)
    refused = await api.refused(400, "PATCH", f"{path}/pay", {"amount": 12.01})
    assert refused["code"] == "PAYMENT_EXCEEDS_BALANCE"


async def test_of_many_at_once_who_pay_a_half_two_are_taken(house):
    api = await house.team()
    [one] = await drafts(api, 1)

    answers = await at_once(api.request("PATCH", f"/api/invoices/{one}/pay", {"amount": 726}) for _ in range(CLIENTS))

    assert sorted(answer.status_code for answer in answers) == [200] * 2 + [400] * (CLIENTS - 2)
    assert {answer.json()["code"] for answer in answers if answer.status_code == 400} == {"PAYMENT_EXCEEDS_BALANCE"}
    paid = await api.get(f"/api/invoices/{one}")
    assert (paid["status"], paid["amountPaid"], paid["balance"]) == ("paid", 1452, 0)


async def test_deleting_and_restoring_by_many_at_once_leaves_the_books_right(house):
    api = await house.team()
    [one] = await drafts(api, 1)
    path = f"/api/invoices/{one}"
    await api.patch(f"{path}/pay", {"amount": 452})

    answers = await at_once(
        api.request(*request) for request in [("DELETE", path), ("POST", f"{path}/restore")] * (CLIENTS // 2)
    )

    assert {answer.status_code for answer in answers} <= {200, 404}
    await api.post(f"{path}/restore")
    [client] = await api.get("/api/clients")
    assert (client["invoiceCount"], client["totalInvoiced"], client["balance"]) == (1, 1452, 1000)
    assert len(await api.get("/api/invoices?status=sent")) == 1


async def test_paying_one_draft_by_many_at_once_gives_one_number(house):
    api = await house.team()
    [one] = await drafts(api, 1)

    answers = await at_once(api.request("PATCH", f"/api/invoices/{one}/pay") for _ in range(16))

    assert {answer.status_code for answer in answers} == {200}
    assert {answer.json()["number"] for answer in answers} == {f"F{YEAR}-0001"}
    [client] = await api.get("/api/clients")
    assert (client["invoiceCount"], client["balance"]) == (1, 0)
