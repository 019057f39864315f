"""The activity log: actor and channel of every change, in the same transaction (interface decisions M)."""

from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy import text

from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.request.context import Channel, RequestMetadata
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.clients.api import ClientInput
from support.api import Api
from support.database import as_owner, set_role
from support.periods import YEAR
from support.scenes import scene
from support.scenes.ask import ROLES
from support.scopes import with_scoped_key


async def feed(api: Api, limit: int = 100) -> list[dict]:
    return await api.get(f"/api/invoices/activity/feed?limit={limit}")


async def test_every_change_leaves_its_entry_newest_first(ana):
    subject = await ana.invoice(notes="uno")
    path = f"/api/invoices/{subject['id']}"
    await ana.put(path, {"notes": "dos"})
    await ana.post(f"{path}/share")
    await ana.delete(f"{path}/share")
    await ana.patch(f"{path}/pay")
    await ana.post(f"{path}/duplicate")
    await ana.delete(path)
    await ana.put("/api/teams/current", {"city": "Bilbao"})

    entries = await feed(ana)

    assert [(one["action"], one["entityType"]) for one in entries] == [
        ("updated", "team"),
        ("deleted", "invoice"),
        ("created", "invoice"),
        ("emitted", "invoice"),
        ("paid", "invoice"),
        ("issued", "invoice"),
        ("unshared", "invoice"),
        ("shared", "invoice"),
        ("updated", "invoice"),
        ("created", "invoice"),
        ("created", "client"),
        ("created", "team"),
    ]
    assert entries[8]["changes"] == {"notes": {"from": "uno", "to": "dos"}}
    assert entries[0]["changes"] == {"city": {"from": "Madrid", "to": "Bilbao"}}
    assert entries[5]["entityLabel"] == f"F{YEAR}-0001"


async def test_an_entry_names_actor_and_channel(ana):
    key = Api(ana.client, {"x-api-key": ana.team["apiKey"]})
    await ana.post("/api/clients", {"name": "Por token"})
    await key.post("/api/clients", {"name": "Por clave"})

    by_key, by_token, *_ = await feed(ana)

    assert (by_token["userName"], by_token["channel"], by_token["keyPrefix"]) == ("ana", "api", None)
    assert (by_key["userId"], by_key["userName"], by_key["keyPrefix"]) == (None, "Ana Ruiz", ana.team["apiKey"][:16])
    assert by_token["teamId"] == by_key["teamId"] == ana.team["id"]
    assert by_token["createdAt"].endswith("Z")
    assert (by_token["client"], by_token["tool"]) == (by_key["client"], by_key["tool"]) == (None, None)


async def test_reading_and_refused_requests_leave_no_entry(ana):
    ids = await scene(ana)
    before = await feed(ana)

    await ana.get("/api/invoices")
    await ana.get(f"/api/invoices/{ids['draft']}")
    await ana.refused(400, "PUT", f"/api/invoices/{ids['draft']}", {"taxRate": 20})
    await ana.refused(404, "DELETE", "/api/clients/x")

    assert await feed(ana) == before


async def test_the_feed_ends_at_its_limit(ana):
    await scene(ana)

    assert await feed(ana, 3) == (await feed(ana))[:3]


async def test_the_feed_is_a_list_of_pages(ana):
    await scene(ana)
    full_list = await ana.request("GET", "/api/invoices/activity/feed?limit=100")

    second = await ana.request("GET", "/api/invoices/activity/feed?page=2&limit=3")

    total = len(full_list.json())
    assert second.json() == full_list.json()[3:6]
    shown = [second.headers[name] for name in ("X-Total-Count", "X-Page", "X-Page-Size")]
    assert shown == [str(total), "2", "3"]
    assert full_list.headers["X-Total-Count"] == str(total)
    assert f'page={-(-total // 3)}&limit=3>; rel="last"' in second.headers["Link"]


async def test_each_teams_feed_counts_its_own_entries(ana, berta):
    await ana.post("/api/clients", {"name": "Uno"})
    other = await berta.request("GET", "/api/invoices/activity/feed?limit=1")

    assert other.headers["X-Total-Count"] == "1"


async def test_a_team_counts_the_activity_from_before_it_was_a_team(client):
    eva = await Api.register(client, "eva@example.com")
    await eva.post("/api/clients", {"name": "Uno"})
    await eva.post("/api/teams", {"name": "Estudio", "country": "ES"})

    answer = await eva.request("GET", "/api/invoices/activity/feed")

    assert answer.headers["X-Total-Count"] == str(len(answer.json())) == "2"


LISTS = ("/api/invoices/activity/feed", "/api/activity/history")


async def shown_of_access(api: Api, path: str) -> set[tuple[str, str]]:
    """Kinds and labels of entries about access that somebody is shown; the total is asserted to count no others."""
    answer = await api.request("GET", f"{path}?limit=100")
    assert answer.headers["X-Total-Count"] == str(len(answer.json()))
    kinds = {"api_key", "invitation", "oauth_grant"}
    return {
        (entry["entityType"], entry["entityLabel"])
        for entry in answer.json()
        if entry["entityType"] in kinds or entry["action"] == "key_regenerated"
    }


async def with_access(ana: Api, kernel) -> set[tuple[str, str]]:
    """Let the owner invite, make keys and let an application in; the kinds and labels of those entries."""
    await ana.request("POST", "/api/teams/current/invite", {"email": "nueva@example.com", "role": "viewer"})
    await ana.post("/api/keys", {"name": "Tienda", "scopes": ["read"]})
    await ana.post("/api/teams/current/regenerate-key")
    ctx = await accounts.system_context(kernel, UUID(ana.team["id"]))
    owner = replace(ctx.actor, user_id=UUID((await ana.get("/auth/me"))["user"]["id"]))
    await replace(ctx, who=owner).transact(
        lambda inner: activity.record(inner, "granted", ("oauth_grant", UUID(ana.team["id"])), "Gestoría")
    )
    team = ("team", ana.team["name"])
    return {("invitation", "nueva@example.com"), ("api_key", "Tienda"), ("oauth_grant", "Gestoría"), team}


@pytest.mark.parametrize("role", ROLES)
async def test_entries_of_access_are_shown_to_owners_and_admins(ana, client, kernel, role):
    everything = await with_access(ana, kernel)
    reader = ana
    if role != "owner":
        reader = await Api.register(client, "rosa@example.com")
        await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role=role)

    expected = everything if role in {"owner", "admin"} else set()
    for path in LISTS:
        assert await shown_of_access(reader, path) == expected, path


async def test_who_is_no_admin_is_shown_their_own_keys_only(ana, client, kernel):
    await with_access(ana, kernel)
    rosa = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")
    await rosa.post("/api/keys", {"name": "De Rosa", "scopes": ["read"]})

    for path in LISTS:
        assert await shown_of_access(rosa, path) == {("api_key", "De Rosa")}, path
        assert ("api_key", "De Rosa") in await shown_of_access(ana, path), path


FORMER = (
    "update activity set changes = jsonb_build_object('permission', jsonb_build_object('from', null, 'to',"
    " case when changes->'permissions'->'to' ? 'team:write' then 'team:write' else 'clients:write' end))"
    " where entity_type = 'approval'"
)
"""Entries about proposals as they were written when each named one permission."""


@pytest.mark.parametrize("is_former", [False, True])
@pytest.mark.parametrize(("role", "told"), [("admin", 4), ("member", 2), ("viewer", 0)])
async def test_a_proposal_is_told_to_those_who_may_see_it(ana, client, kernel, *, role, told, is_former):
    invitation = {"email": "nueva@example.com", "role": "viewer"}
    for body in (
        {"operation": "teams.invitations.invite", "arguments": invitation},
        {"operation": "clients.create", "arguments": {"name": "Norte"}},
    ):
        proposal = await ana.post("/api/approvals", body)
        await ana.post(f"/api/approvals/{proposal['id']}/reject", {})
    rosa = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role=role)
    if is_former:
        async with as_owner(kernel) as connection:
            await connection.execute(text(FORMER))

    for path in LISTS:
        answer = await rosa.request("GET", path)
        entries = [entry for entry in answer.json() if entry["entityType"] == "approval"]
        assert len(entries) == told, path
        assert answer.headers["X-Total-Count"] == str(len(answer.json())), path


async def test_a_key_of_the_owner_is_shown_invitations_and_no_credentials(ana, kernel):
    await with_access(ana, kernel)
    robot = await with_scoped_key(ana, "read")

    for path in LISTS:
        assert await shown_of_access(robot, path) == {("invitation", "nueva@example.com")}, path


async def test_entries_written_together_are_each_counted(ana):
    await ana.post("/api/catalog/import", {"rows": [{"name": f"Tornillo {n}", "price": 1} for n in range(3)]})

    answer = await ana.request("GET", "/api/invoices/activity/feed")

    assert answer.headers["X-Total-Count"] == str(len(answer.json()))


async def test_an_entry_names_the_application_and_the_tool_that_acted(ana, kernel):
    account = UUID(ana.team["id"])
    ctx = await accounts.system_context(kernel, account)
    assistant = replace(ctx.actor, client="Asistente", channel=Channel.MCP)
    await clients.create(
        replace(ctx, who=assistant, request_metadata=RequestMetadata(tool="save_client")), ClientInput(name="Norte")
    )

    (latest,) = await feed(ana, limit=1)

    assert (latest["client"], latest["tool"], latest["channel"]) == ("Asistente", "save_client", "mcp")
