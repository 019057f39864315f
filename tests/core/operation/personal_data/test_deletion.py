"""An account ends: every way in at once, what no law wants kept is erased, and the rest is locked."""

import asyncio

import pytest
from sqlalchemy import text

from ledgerkit import clock
from ledgerkit.core.operation.installation.server.scheduled_jobs import all_jobs
from ledgerkit.core.operation.personal_data.erasure import operations as erasure
from ledgerkit.core.operation.personal_data.erasure import retention
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.database.tenancy import is_shared, scope_of
from support.api import PASSWORD, Api, item
from support.database import as_owner, everything_stored, row_counts
from support.letters import Mailbox
from support.office import Office, cloned, eventually, opened
from support.scenes import scene
from support.work import worked_off

ME = "/auth/me"
GOODBYE = {"password": PASSWORD}
ROSA = "rosa@example.com"
INVITE, MEMBERS = "/api/teams/current/invite", "/api/teams/current/members"


@pytest.fixture
async def rosa(client) -> Api:
    return await Api.register(client, ROSA, name="Rosa Sol")


async def gone(api: Api):
    answer = await api.request("DELETE", ME, GOODBYE)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def stored_in(kernel, account_id: str) -> dict[str, int]:
    """Count one account's rows in each table."""
    async with as_owner(kernel) as connection:
        found = {}
        for table in metadata.tables.values():
            if not is_shared(scope_of(table)):
                query = text(f"select count(*) from {table} where account_id = cast(:id as uuid)")  # noqa: S608 - our own table names
                found[table.name] = (await connection.execute(query, {"id": account_id})).scalar_one()
        return {name: count for name, count in found.items() if count}


async def rows(kernel, query: str, **values: str) -> list:
    async with as_owner(kernel) as connection:
        return list(await connection.execute(text(query), values))


async def test_who_has_no_books_is_erased_whole(kernel, rosa, mailbox):
    await rosa.post("/api/teams", {"name": "Rosa, sociedad secreta", "country": "ES", "taxId": "12345678Z"})
    await rosa.post("/api/clients", {"name": "Cliente de Rosa"})
    await rosa.post("/api/catalog", {"type": "product", "name": "Silla de Rosa", "unitPrice": 10, "stock": 3})
    await rosa.invoice(notes="Un borrador de Rosa")

    answer = await gone(rosa)
    await worked_off(kernel)

    assert answer == {"ok": True, "keptUntil": None, "kept": []}
    stored = await everything_stored(kernel)
    for word in (ROSA, "Rosa", "rosa", "12345678Z"):
        assert word not in stored, word
    [mail] = mailbox.to(ROSA)
    assert mail["Subject"] == "Tu cuenta se ha borrado"
    assert "No había nada que la ley obligue a conservar." in mail.get_body(("plain",)).get_content()


async def test_every_way_in_is_closed_at_once(kernel, ana, client):
    invoice = await ana.invoice()
    link = await ana.post(f"/api/invoices/{invoice['id']}/share")
    other = await client.post("/auth/login", json={"email": ana.email, "password": PASSWORD})
    await ana.post("/auth/password/forgot", {"email": ana.email})

    await gone(ana)

    for headers in (
        ana.headers,
        {"Authorization": f"Bearer {other.json()['token']}"},
        {"x-api-key": ana.api_key},
        {"x-api-key": ana.team["apiKey"]},
    ):
        await Api(client, headers).refused(401, "GET", "/auth/me")
        await Api(client, headers).refused(401, "GET", "/api/invoices", **{"X-Team-Id": ana.team["id"]})
    entered = await client.post("/auth/login", json={"email": ana.email, "password": PASSWORD})
    assert (entered.status_code, entered.json()["code"]) == (401, "INVALID_CREDENTIALS")
    assert (await client.get(f"/s/{link['shareToken']}")).status_code == 404
    assert (await client.get(f"/s/{link['shareToken']}/pdf")).status_code == 404


async def test_the_password_is_asked_for_again(kernel, ana):
    before = await everything_stored(kernel)

    problem = await ana.refused(400, "DELETE", ME, {"password": "not mine"}, **{"Accept-Language": "es"})

    assert (problem["code"], problem["detail"]) == ("INVALID_CREDENTIALS", "password: no es tu contraseña")
    assert await everything_stored(kernel) == before


async def test_an_api_key_deletes_nobody(ana):
    for key in (ana.api_key, ana.team["apiKey"]):
        await Api(ana.client, {"x-api-key": key}).refused(401, "DELETE", ME, GOODBYE)


@pytest.mark.parametrize("sent", [None, {}, {"password": None}])
async def test_without_a_password_nothing_happens(ana, sent):
    await ana.refused(400, "DELETE", ME, sent)


async def test_who_owns_a_team_with_members_is_refused_and_told_which(kernel, ana, rosa):
    await ana.post(INVITE, {"email": ROSA})
    before = await row_counts(kernel)

    problem = await ana.refused(409, "DELETE", ME, GOODBYE)
    after = await row_counts(kernel)
    await rosa.post(f"/api/teams/switch/{ana.team['id']}")
    await rosa.delete(f"{MEMBERS}/{(await rosa.get('/auth/me'))['user']['id']}")

    assert (problem["code"], problem["teams"]) == (
        "TEAM_HAS_MEMBERS",
        [{"id": ana.team["id"], "name": "Ana Ruiz"}],
    )
    assert after == before
    assert (await gone(ana))["ok"] is True


async def test_books_are_kept_locked_until_the_day_that_the_answer_names(kernel, ana, client, mailbox):
    await scene(ana)
    for one in await ana.get(MEMBERS):
        if one["role"] != "owner":
            await ana.delete(f"{MEMBERS}/{one['id']}")
    before = await stored_in(kernel, ana.team["id"]) | {"attachment": 1}  # that of an expense

    answer = await gone(ana)
    await worked_off(kernel)

    until = f"{clock.now().year + 6}-12-31"
    assert answer == {
        "ok": True,
        "keptUntil": until,
        "kept": [{"id": ana.team["id"], "name": "Ana Ruiz", "keptUntil": until}],
    }
    after = await stored_in(kernel, ana.team["id"])
    erased = {one.name for one in retention.erased(retained=True)}
    assert after == {name: count for name, count in before.items() if name not in erased}
    assert {"invoice", "expense", "client", "activity", "mail_log"} <= after.keys()
    assert not erased & after.keys()
    [kept] = await rows(kernel, "select * from account where id = cast(:id as uuid)", id=ana.team["id"])
    assert (kept.tax_id, kept.kept_until.isoformat()) == ("12345678Z", until)
    assert await rows(kernel, "select * from app_user where email = 'ana@example.com'") == []
    text_ = mailbox.to(ana.email)[-1].get_body(("plain",)).get_content()
    assert "Ana Ruiz" in text_
    assert "31 de diciembre de" in text_


@pytest.mark.parametrize(
    "book",
    [
        ("POST", "/api/expenses", {"description": "x", "amount": 1, "date": "2026-11-02"}),
        ("POST", "/api/cash-register", {"openingAmount": 0}),
        ("POST", "/api/tax-declarations/previous", {"country": "VT", "year": 2025, "period": "Q4", "boxes": {}}),
    ],
    ids=["an expense", "a till", "a declaration"],
)
async def test_any_entry_makes_books(rosa, book):
    await rosa.request(*book)

    assert (await gone(rosa))["keptUntil"] is not None


async def test_a_draft_is_no_book_and_an_issued_invoice_is_one(kernel, client):
    for email, issued in (("a@example.com", False), ("b@example.com", True)):
        api = await Api.with_team(client, email, "Estudio", None)
        invoice = await api.invoice(items=[item()])
        if issued:
            await api.patch(f"/api/invoices/{invoice['id']}/pay")

        assert ((await gone(api))["keptUntil"] is not None) is issued


async def test_a_draft_of_a_declaration_is_no_book(kernel, rosa):
    await rosa.post("/api/tax-declarations/generate", {"country": "VT", "year": 2026, "period": "Q3"})

    assert (await gone(rosa))["keptUntil"] is None


async def test_who_goes_leaves_the_teams_of_others_and_what_they_made_there(kernel, ana, rosa):
    await ana.post(INVITE, {"email": ROSA, "role": "finance"})
    me = (await rosa.get("/auth/me"))["user"]["id"]
    await rosa.post(f"/api/teams/switch/{ana.team['id']}")
    invoice = await rosa.invoice()
    task = await ana.post("/api/tasks", {"title": "Llamar", "assignedTo": me})

    await gone(rosa)
    await worked_off(kernel)

    assert [one["email"] for one in await ana.get(MEMBERS)] == [ana.email]
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["id"] == invoice["id"]
    [kept] = [one for one in await ana.get("/api/tasks") if one["id"] == task["id"]]
    assert kept["assignedTo"] is None
    [left, *_] = await ana.get("/api/invoices/activity/feed")
    assert (left["action"], left["entityLabel"]) == ("left", "Rosa Sol")


async def test_invitations_of_who_has_gone_open_nothing(kernel, ana, rosa, client, mailbox):
    await ana.post(INVITE, {"email": ROSA, "role": "admin"})
    await rosa.post(f"/api/teams/switch/{ana.team['id']}")
    await rosa.refused(404, "POST", INVITE, {"email": "new@example.com"})

    await gone(rosa)

    assert (await client.get(f"/join/{mailbox.token('new@example.com')}")).status_code == 404


async def test_invitations_to_a_team_that_is_gone_open_nothing(ana, client, mailbox):
    await ana.refused(404, "POST", INVITE, {"email": "new@example.com"})

    await gone(ana)

    assert (await client.get(f"/join/{mailbox.token('new@example.com')}")).status_code == 404
    answer = await client.post(
        "/auth/register",
        json={"email": "new@example.com", "password": PASSWORD, "invitationToken": mailbox.token("new@example.com")},
    )
    assert answer.json()["code"] == "INVITATION_INVALID"


async def test_others_are_untouched(kernel, ana, berta):
    await scene(ana)
    await berta.invoice()
    before = await stored_in(kernel, berta.team["id"])
    for one in await ana.get(MEMBERS):
        if one["role"] != "owner":
            await ana.delete(f"{MEMBERS}/{one['id']}")

    await gone(ana)
    await worked_off(kernel)

    assert await stored_in(kernel, berta.team["id"]) == before
    assert (await berta.get("/auth/me"))["user"]["email"] == berta.email


async def test_whoever_has_gone_may_come_again_and_finds_nothing_of_before(ana, client):
    await ana.post("/api/clients", {"name": "Cliente"})
    await gone(ana)

    again = await Api.register(client, ana.email)

    assert await again.get("/api/clients") == []
    assert await again.get("/api/teams/my-teams") == []


async def test_an_export_goes_with_its_person(kernel, rosa, settings):
    await rosa.post("/auth/export")
    await worked_off(kernel)

    await gone(rosa)

    assert [one for one in (settings.data_dir / "exports").rglob("*") if one.is_file()] == []


async def test_erasing_is_repeated_for_what_was_written_meanwhile(kernel, rosa):
    """By a request that was under way when its account was closed."""
    home = (await rows(kernel, "select account_id from membership"))[0].account_id
    await gone(rosa)
    await worked_off(kernel)
    async with as_owner(kernel) as connection:
        await connection.execute(text("select set_config('ledgerkit.account_id', :id, true)"), {"id": str(home)})
        await connection.execute(
            text(
                "insert into activity (id, user_name, action, entity_type, entity_id, channel)"
                " values (gen_random_uuid(), 'late', 'x', 'x', gen_random_uuid(), 'api')"
            )
        )

    await erasure.erase_again(kernel)

    assert await stored_in(kernel, str(home)) == {}


async def test_an_account_that_is_open_is_never_erased(kernel, ana):
    await ana.post("/api/clients", {"name": "Cliente"})
    before = await stored_in(kernel, ana.team["id"])

    await erasure.erase(kernel, {"accountId": ana.team["id"]})
    await erasure.erase_again(kernel)

    assert await stored_in(kernel, ana.team["id"]) == before


def test_only_what_no_law_wants_kept_is_erased_of_books():
    erased = {one.name for one in retention.erased(retained=True)}

    assert {one.name for one in retention.books()} & erased == set()
    assert {name for name in erased if name.startswith(("fiscal", "invoice", "expense", "supplier", "cash"))} == set()


def test_jobs_that_people_leave_behind_are_done_by_every_worker(kernel):
    assert {"mail-person", "export-part", "erase-account", "mail-farewell"} <= all_jobs(kernel).handlers.keys()


# ---------------------------------------------------------------- at the same moment, really committed


@pytest.fixture
async def office(postgres, tmp_path, cheap_passwords):
    async with cloned(postgres) as url, opened(url, tmp_path, cheap_passwords) as office:
        yield office


@pytest.mark.whole
async def test_invited_and_gone_at_once_leaves_no_member_without_a_person(office: Office):
    ana = await office.account()
    for number in range(12):
        email = f"guest{number}@example.com"
        guest = await Api.register(office.client, email)
        invited, deleted = await asyncio.gather(
            ana.request("POST", INVITE, {"email": email}), guest.request("DELETE", ME, GOODBYE)
        )
        assert deleted.status_code == 200, deleted.text
        assert invited.status_code in {201, 200, 404}, invited.text

    members = await ana.get(MEMBERS)
    assert [one["email"] for one in members] == [ana.email]
    assert (
        await office.rows("select 1 from membership m left join app_user u on u.id = m.user_id where u.id is null")
        == []
    )


@pytest.mark.whole
async def test_a_team_that_gets_a_member_while_its_owner_goes_is_either_closed_or_kept(office: Office):
    for number in range(8):
        owner = await office.account(f"Equipo {number}")
        guest = await Api.register(office.client, f"guest{number}@example.org")
        invited, deleted = await asyncio.gather(
            owner.request("POST", INVITE, {"email": guest.email}), owner.request("DELETE", ME, GOODBYE)
        )
        assert (invited.is_success, deleted.status_code) in {(True, 409), (False, 200)}, (invited.text, deleted.text)

        teams = await guest.get("/api/teams/my-teams")
        assert len(teams) == (1 if invited.is_success else 0)


@pytest.mark.whole
async def test_two_goodbyes_and_a_new_team_at_once_make_no_mess(office: Office):
    for _ in range(6):
        api = await office.account()
        answers = await asyncio.gather(
            api.request("DELETE", ME, GOODBYE),
            api.request("DELETE", ME, GOODBYE),
            api.request("POST", "/api/teams", {"name": "Otra", "country": "ES"}),
        )

        assert 200 in {one.status_code for one in answers[:2]}, [one.text for one in answers]
        assert {one.status_code for one in answers} <= {200, 201, 400, 401}, [one.text for one in answers]
    orphans = (
        "select 1 from account a where closed_at is null"
        " and not exists (select 1 from membership m where m.account_id = a.id)"
    )
    assert await office.rows(orphans) == []


@pytest.mark.whole
async def test_two_resets_by_two_links_at_once_make_one_password(office: Office, tmp_path):
    mailbox = Mailbox(tmp_path / "mail")
    api = await office.account()
    for _ in range(2):
        seen = len(mailbox.to(api.email))
        await api.post("/auth/password/forgot", {"email": api.email})

        async def mailed(seen: int = seen) -> bool:
            return len(mailbox.to(api.email)) > seen

        await eventually(mailed)
    tokens = [mailbox.token_of(api.email, place, "reset") for place in (0, 1)]

    answers = await asyncio.gather(
        *(
            office.client.post("/auth/password/reset", json={"token": token, "password": f"lluvia y tejado {number}"})
            for number, token in enumerate([*tokens, *tokens])
        )
    )

    assert sorted(one.status_code for one in answers) == [200, 400, 400, 400]
    [used] = [number for number, one in enumerate(answers) if one.status_code == 200]
    for number in range(4):
        entered = await office.client.post(
            "/auth/login", json={"email": api.email, "password": f"lluvia y tejado {number}"}
        )
        assert (entered.status_code == 200) is (number == used)


async def test_a_sealed_record_outlives_its_account_and_is_still_sent(office: Office):
    api = await office.account()
    invoice = await api.invoice()
    emitted = await api.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})

    answer = await gone(api)

    async def erased() -> bool:
        return await office.rows("select 1 from job where name = 'erase-account'") == []

    await eventually(erased)
    [record] = await office.records(api)
    assert (record.state, answer["keptUntil"] is not None, emitted["status"]) == ("accepted", True, "accepted")
    problems = await office.rows("select 1 from job where failed_at is not null")
    assert problems == []
