"""A person's connected applications, in all of their accounts."""

from datetime import timedelta

from ledgerkit import clock
from ledgerkit.core.platform.request.scopes import Scope
from support.api import PASSWORD, Api
from support.scenes.oauth import granted


async def joined(owner: Api, other: Api, role: str) -> None:
    """`other` is a member of the owner's team."""
    await owner.post("/api/teams/current/invite", {"email": other.email, "role": role})


async def test_a_grant_names_client_account_role_and_scopes(ana):
    await granted(ana, "Asistente", "", Scope.READ, Scope.FISCAL)

    (grant,) = await ana.get("/api/oauth/grants")

    assert grant["clientName"] == "Asistente"
    assert grant["clientId"] == "https://assistant.example/client.json"
    assert grant["account"] == {"id": ana.team["id"], "name": "Ana Ruiz", "kind": "team"}
    assert (grant["role"], grant["scopes"], grant["lastUsedAt"]) == ("owner", ["read", "fiscal"], None)
    assert grant["createdAt"].endswith("Z")
    assert grant["expiresAt"] > grant["createdAt"]


async def test_grants_of_all_ones_accounts_are_listed_the_newest_first(ana, berta):
    await granted(ana, "First")
    await joined(berta, ana, "viewer")
    await granted(ana, "Second", berta.team["id"])
    await granted(berta, "Hers")

    grants = await ana.get("/api/oauth/grants")

    assert [(one["clientName"], one["account"]["name"], one["role"]) for one in grants] == [
        ("Second", "Berta Gil", "viewer"),
        ("First", "Ana Ruiz", "owner"),
    ]


async def test_a_grant_ends_with_the_membership(ana, berta):
    await joined(berta, ana, "member")
    await granted(ana, "Asistente", berta.team["id"])
    members = await berta.get("/api/teams/current/members")
    (membership,) = [one["id"] for one in members if one["email"] == ana.email]

    await berta.delete(f"/api/teams/current/members/{membership}")

    assert await ana.get("/api/oauth/grants") == []


async def test_a_grant_that_is_over_is_not_listed(ana, monkeypatch):
    await granted(ana)
    later = clock.now() + timedelta(minutes=2)
    monkeypatch.setattr(clock, "now", lambda: later)

    assert await ana.get("/api/oauth/grants") == []


async def test_a_new_password_ends_all_grants(ana):
    await granted(ana)
    await ana.post("/auth/password", {"old": PASSWORD, "new": "three or four words"})
    await ana.log_in("three or four words")

    assert await ana.get("/api/oauth/grants") == []


async def test_a_revoked_grant_is_gone_and_logged(ana):
    await granted(ana)
    (grant,) = await ana.get("/api/oauth/grants")

    await ana.delete(f"/api/oauth/grants/{grant['id']}")

    assert await ana.get("/api/oauth/grants") == []
    entry = (await ana.get("/api/invoices/activity/feed"))[0]
    assert (entry["action"], entry["entityType"], entry["entityId"]) == ("revoked", "oauth_grant", grant["id"])
    assert (entry["entityLabel"], entry["userName"], entry["channel"]) == ("Asistente", "ana", "api")
    await ana.refused(404, "DELETE", f"/api/oauth/grants/{grant['id']}")


async def test_a_revocation_is_logged_in_the_account_that_the_grant_was_for(ana, berta):
    await joined(berta, ana, "viewer")
    await granted(ana, "Asistente", berta.team["id"])
    (grant,) = await ana.get("/api/oauth/grants")

    await ana.delete(f"/api/oauth/grants/{grant['id']}")

    hers = [one["action"] for one in await berta.get("/api/invoices/activity/feed")]
    own = [one["action"] for one in await ana.get("/api/invoices/activity/feed")]
    assert ("revoked" in hers, "revoked" in own) == (True, False)


async def test_another_persons_grant_cannot_be_revoked_not_even_by_the_teams_owner(ana, berta):
    await joined(berta, ana, "viewer")
    await granted(ana, "Asistente", berta.team["id"])
    (grant,) = await ana.get("/api/oauth/grants")

    await berta.refused(404, "DELETE", f"/api/oauth/grants/{grant['id']}")

    assert len(await ana.get("/api/oauth/grants")) == 1


async def test_keys_see_and_end_no_grants(ana):
    await granted(ana)
    key = Api(ana.client, {"x-api-key": ana.api_key})

    await key.refused(401, "GET", "/api/oauth/grants")
    await key.refused(401, "DELETE", "/api/oauth/grants/01890000-0000-7000-8000-000000000000")
