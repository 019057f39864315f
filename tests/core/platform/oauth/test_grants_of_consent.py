"""From a request over its approval to the person whom a token works for."""

from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import pytest

from ledgerkit.core.platform.oauth.authorization import requests
from ledgerkit.core.platform.oauth.authorization.requests import AuthorizationRequest
from ledgerkit.core.platform.oauth.table import oauth_grant
from ledgerkit.core.platform.oauth.tokens import issuance as tokens
from ledgerkit.core.platform.request.context import Channel
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Role
from ledgerkit.core.platform.request.scopes import Scope, permissions_of
from ledgerkit.problems import Forbidden, NotFound
from support.database import as_owner

RESOURCE = "http://127.0.0.1:8000/mcp"
ASKED = AuthorizationRequest(
    client_id="an-assistant",
    client_name="An assistant",
    redirect_uri="https://assistant.example/callback?kind=1",
    scopes=(Scope.READ, Scope.WRITE),
    resource=RESOURCE,
    state="the client's state",
)


async def ids(api) -> tuple[UUID, UUID]:
    """Ids of a person and of their team."""
    return UUID((await api.get("/auth/me"))["user"]["id"]), UUID(api.team["id"])


def answer_of(redirect: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(redirect).query))


@pytest.fixture
async def request_id(kernel) -> str:
    return await requests.store(kernel, ASKED, "challenge")


async def test_a_pending_request_is_shown_as_it_was_asked(kernel, request_id):
    assert await requests.pending(kernel, request_id) == ASKED
    assert await requests.pending(kernel, "another") is None


async def test_an_approval_answers_with_code_state_and_issuer_once(kernel, ana, request_id):
    redirect = await requests.approve(kernel, request_id, *await ids(ana), [Scope.READ, Scope.FISCAL])

    answer = answer_of(redirect)
    assert redirect.startswith("https://assistant.example/callback?kind=1&code=lkc_")
    assert (answer["state"], answer["iss"]) == ("the client's state", "http://127.0.0.1:8000")
    assert await requests.pending(kernel, request_id) is None
    with pytest.raises(NotFound):
        await requests.approve(kernel, request_id, *await ids(ana), [Scope.READ])
    async with as_owner(kernel) as db:
        assert [list(row.scopes) for row in await db.execute(oauth_grant.select())] == [["read"]]


async def test_a_denial_and_an_approval_of_nothing_answer_access_denied(kernel, ana, request_id):
    another = await requests.store(kernel, replace(ASKED, state=None), "challenge")

    denied = answer_of(await requests.deny(kernel, request_id))
    nothing = answer_of(await requests.approve(kernel, another, *await ids(ana), [Scope.TEAM]))

    assert (denied["error"], denied["state"]) == ("access_denied", "the client's state")
    assert denied["iss"] == nothing["iss"] == "http://127.0.0.1:8000"
    assert nothing["error"] == "access_denied"
    assert "state" not in nothing


async def test_nobody_grants_a_team_of_others(kernel, ana, berta, request_id):
    user_id, _ = await ids(ana)
    _, account_id = await ids(berta)

    with pytest.raises(Forbidden):
        await requests.approve(kernel, request_id, user_id, account_id, [Scope.READ])

    assert await requests.pending(kernel, request_id) == ASKED


async def test_a_token_works_as_the_person_in_the_one_team_within_its_scopes(kernel, ana, request_id):
    user_id, account_id = await ids(ana)
    await requests.approve(kernel, request_id, user_id, account_id, [Scope.READ])
    async with as_owner(kernel) as db:
        grant = (await db.execute(oauth_grant.select())).one()
        issued = await tokens.issue(db, grant, [Scope.READ], refreshable=True)

    actor = await tokens.actor_of(kernel, issued.access_token, RESOURCE)

    assert (actor.user_id, actor.account.id) == (user_id, account_id)
    assert (actor.channel, actor.client, actor.login) == (Channel.MCP, "An assistant", None)
    assert actor.scopes == permissions_of([Scope.READ])
    assert actor.permissions == ROLE_PERMISSIONS[Role.OWNER] & permissions_of([Scope.READ])
    assert await tokens.actor_of(kernel, issued.access_token, "http://127.0.0.1:8000/other") is None
    assert await tokens.actor_of(kernel, issued.refresh_token, RESOURCE) is None
    assert await tokens.actor_of(kernel, "lka_unknown", RESOURCE) is None
