"""The token endpoint (RFC 6749 §4.1.3 and §6, RFC 7636 §4.6, RFC 8707 §2.2, OAuth 2.1 §4.1.3 and §4.3)."""

import asyncio
from base64 import b64encode
from datetime import timedelta
from urllib.parse import quote
from uuid import UUID

import pytest
import time_machine

from ledgerkit import clock
from ledgerkit.core.platform.identity.accounts import closure
from ledgerkit.core.platform.oauth.tokens import issuance as tokens
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Role
from ledgerkit.core.platform.request.scopes import Scope, permissions_of
from support.api import Api
from support.database import as_owner, everything_stored, row_counts, set_role
from support.oauth import CALLBACK, TOKEN, Application, refused

RESOURCE = "http://127.0.0.1:8000/mcp"


@pytest.fixture
async def application(client) -> Application:
    return await Application.registered(client)


async def works(application: Application, token: str) -> bool:
    return await tokens.actor_of(application.kernel, token, RESOURCE) is not None


# ---------------------------------------------------------------- a code


async def test_a_code_becomes_tokens_that_nobody_may_keep(application, ana):
    answer = await application.exchange(await application.code(ana, scope="read fiscal offline_access"))

    body = answer.json()
    assert (answer.status_code, answer.headers["cache-control"], answer.headers["pragma"]) == (
        200,
        "no-store",
        "no-cache",
    )
    assert body.pop("access_token").startswith("lka_")
    assert body.pop("refresh_token").startswith("lkr_")
    assert body == {"token_type": "Bearer", "expires_in": 3600, "scope": "read fiscal"}


async def test_a_person_may_grant_less_than_was_asked_for(application, ana):
    code = await application.code(ana, scopes="read", scope="read write fiscal")

    assert (await application.exchange(code)).json()["scope"] == "read"


async def test_nothing_secret_is_stored_but_digests(kernel, application, ana):
    request_id = await application.asked()
    waiting = await everything_stored(kernel)
    code = await application.code(ana)
    granted = await everything_stored(kernel)
    issued = (await application.exchange(code)).json()
    stored = await everything_stored(kernel)

    assert request_id not in waiting
    assert code not in granted
    assert not [one for one in (code, issued["access_token"], issued["refresh_token"]) if one in stored]


async def test_an_access_token_lives_for_an_hour(application, ana):
    issued = await application.connected(ana)

    assert await works(application, issued["access_token"])
    with time_machine.travel(clock.now() + timedelta(minutes=59)):
        assert await works(application, issued["access_token"])
    with time_machine.travel(clock.now() + timedelta(minutes=61)):
        assert not await works(application, issued["access_token"])


async def test_a_code_is_good_for_a_minute(application, ana):
    code = await application.code(ana)

    with time_machine.travel(clock.now() + timedelta(seconds=61)):
        assert refused(await application.exchange(code)) == "invalid_grant"


async def test_a_second_use_of_a_code_revokes_what_the_first_was_given(application, ana):
    code = await application.code(ana)
    issued = (await application.exchange(code)).json()

    assert refused(await application.exchange(code)) == "invalid_grant"

    assert not await works(application, issued["access_token"])
    assert refused(await application.refresh(issued["refresh_token"])) == "invalid_grant"


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_verifier": "another verifier of more than forty-three characters"}, "invalid_grant"),
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"code_verifier": "short"}, "invalid_grant"),
        ({"code_verifier": None}, "invalid_request"),
        ({"redirect_uri": f"{CALLBACK}/"}, "invalid_grant"),
    ],
)
async def test_a_wrong_exchange_burns_the_code(kernel, application, ana, changed, error):
    code = await application.code(ana)

    assert refused(await application.exchange(code, **changed)) == error

    assert refused(await application.exchange(code)) == "invalid_grant"
    assert (await row_counts(kernel))["oauth_grant"] == 0


@pytest.mark.parametrize("verifier", ["v" * 42, "v" * 129, "v" * 42 + "+", "v" * 42 + "é"])
async def test_a_verifier_of_another_form_is_refused_though_it_was_challenged(client, ana, verifier):
    application = await Application.registered(client)
    application.verifier = "x" * 43
    code = await application.code(ana)

    assert refused(await application.exchange(code, code_verifier=verifier)) == "invalid_grant"


async def test_the_redirect_uri_may_be_left_out_because_the_verifier_proves_more(application, ana):
    assert (await application.exchange(await application.code(ana), redirect_uri=None)).status_code == 200


async def test_a_code_of_another_client_is_refused(client, application, ana):
    other = await Application.registered(client)
    other.verifier = application.verifier

    assert refused(await other.exchange(await application.code(ana))) == "invalid_grant"


async def test_eight_exchanges_at_once_give_tokens_to_one(live):
    live._transport.app.state.kernel = live.kernel
    ana = await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")
    application = await Application.registered(live)
    code = await application.code(ana)

    answers = await asyncio.gather(*(application.exchange(code) for _ in range(8)))

    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 7
    assert {refused(answer) for answer in answers if answer.status_code == 400} == {"invalid_grant"}
    assert (await row_counts(live.kernel))["oauth_token"] == 0


# ---------------------------------------------------------------- a refresh token


async def test_a_refresh_token_is_replaced_and_live_access_tokens_stay(application, ana):
    issued = await application.connected(ana)

    following = (await application.refresh(issued["refresh_token"])).json()

    assert following["scope"] == issued["scope"]
    assert following["refresh_token"] != issued["refresh_token"]
    assert await works(application, issued["access_token"])
    assert await works(application, following["access_token"])


async def test_programs_that_share_a_token_may_refresh_it_at_the_same_moment(application, ana):
    issued = await application.connected(ana)

    pairs = [(await application.refresh(issued["refresh_token"])).json() for _ in range(3)]

    assert len({pair["refresh_token"] for pair in pairs}) == 3
    for pair in pairs:
        assert await works(application, pair["access_token"])
        assert (await application.refresh(pair["refresh_token"])).status_code == 200


async def test_a_token_that_is_used_again_later_ends_the_whole_grant(kernel, application, ana):
    issued = await application.connected(ana)
    following = (await application.refresh(issued["refresh_token"])).json()

    with time_machine.travel(clock.now() + timedelta(seconds=61)):
        assert refused(await application.refresh(issued["refresh_token"])) == "invalid_grant"
        assert refused(await application.refresh(following["refresh_token"])) == "invalid_grant"
        assert not await works(application, following["access_token"])

    assert (await row_counts(kernel))["oauth_grant"] == 0


async def test_a_grant_lives_as_long_as_it_is_used(application, ana):
    token = (await application.connected(ana))["refresh_token"]

    with time_machine.travel(clock.now() + timedelta(days=59)) as travel:
        following = (await application.refresh(token)).json()["refresh_token"]
        travel.shift(timedelta(days=59))
        last = (await application.refresh(following)).json()["refresh_token"]
        travel.shift(timedelta(days=61))
        assert refused(await application.refresh(last)) == "invalid_grant"


async def test_a_refresh_narrows_the_access_token_for_once(application, ana):
    issued = await application.connected(ana, scope="read write fiscal")

    narrow = (await application.refresh(issued["refresh_token"], scope="read")).json()
    wide = (await application.refresh(narrow["refresh_token"])).json()

    assert (narrow["scope"], wide["scope"]) == ("read", "read write fiscal")
    actor = await tokens.actor_of(application.kernel, narrow["access_token"], RESOURCE)
    assert actor.scopes == permissions_of([Scope.READ])


async def test_a_refresh_never_widens(application, ana):
    token = (await application.connected(ana, scope="read"))["refresh_token"]

    assert refused(await application.refresh(token, scope="read write")) == "invalid_scope"
    assert refused(await application.refresh(token, scope="everything")) == "invalid_scope"
    assert (await application.refresh(token, scope="read offline_access")).json()["scope"] == "read"


async def test_a_refresh_token_of_another_client_is_refused_and_stays(client, application, ana):
    other = await Application.registered(client)
    token = (await application.connected(ana))["refresh_token"]

    assert refused(await other.refresh(token)) == "invalid_grant"
    assert (await application.refresh(token)).status_code == 200


async def test_an_access_token_refreshes_nothing(application, ana):
    issued = await application.connected(ana)

    assert refused(await application.refresh(issued["access_token"])) == "invalid_grant"


async def test_a_client_without_the_grant_type_gets_no_refresh_token(client, ana):
    application = await Application.registered(client, grant_types=["authorization_code"])

    issued = await application.connected(ana)

    assert "refresh_token" not in issued
    assert refused(await application.refresh("lkr_x")) == "unauthorized_client"


# ---------------------------------------------------------------- the request


async def test_the_resource_is_mcp_here_too(application, ana):
    code = await application.code(ana)

    assert refused(await application.exchange(code, resource="https://another.example/mcp")) == "invalid_target"
    issued = await application.exchange(code, resource=RESOURCE)
    assert issued.status_code == 200
    token = issued.json()["refresh_token"]
    assert refused(await application.refresh(token, resource="https://another.example/mcp")) == "invalid_target"
    assert (await application.refresh(token, resource=RESOURCE)).status_code == 200


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
        ({"grant_type": None}, "invalid_request"),
        ({"code": None}, "invalid_request"),
        ({"code": ""}, "invalid_request"),
        ({"code": "unknown"}, "invalid_grant"),
        ({"code": "x" * 5000}, "invalid_request"),
    ],
)
async def test_a_request_that_is_none_is_refused_by_the_right_code(application, changed, error):
    usual = {"grant_type": "authorization_code", "code": "unknown", "code_verifier": application.verifier}

    assert refused(await application.post(TOKEN, **(usual | changed))) == error


@pytest.mark.parametrize("sent", ["code=%00", "code=%ED%A0%BD", "code=%FF", "code=" + "x" * 4097, "code=%F0%9F%8D%80"])
async def test_a_code_of_odd_characters_is_none(application, sent):
    form = f"grant_type=authorization_code&client_id={application.id}&{sent}"
    headers = {"Content-Type": "application/x-www-form-urlencoded"}

    answer = await application.http.post(TOKEN, content=form, headers=headers)

    assert refused(answer) in {"invalid_request", "invalid_grant"}


@pytest.mark.parametrize("name", ["grant_type", "code", "code_verifier", "redirect_uri", "client_id", "client_secret"])
async def test_a_parameter_that_is_sent_twice_is_refused(application, name):
    form = f"grant_type=authorization_code&code=x&client_id={application.id}&{name}=1&{name}=1"
    headers = {"Content-Type": "application/x-www-form-urlencoded"}

    assert refused(await application.http.post(TOKEN, content=form, headers=headers)) == "invalid_request"


async def test_only_a_form_is_read(application):
    answer = await application.http.post(TOKEN, json={"grant_type": "refresh_token"})

    assert refused(answer) == "invalid_request"
    assert "application/x-www-form-urlencoded" in answer.json()["error_description"]


async def test_a_large_form_is_refused_unread(application):
    assert refused(await application.post(TOKEN, code="x" * 20_000), 413) == "invalid_request"


# ---------------------------------------------------------------- clients with a secret


def basic(client_id: str, secret: str) -> dict[str, str]:
    return {"Authorization": "Basic " + b64encode(f"{quote(client_id, '')}:{quote(secret, '')}".encode()).decode()}


@pytest.fixture(params=["client_secret_basic", "client_secret_post"])
async def confidential(request, client) -> Application:
    return await Application.registered(client, token_endpoint_auth_method=request.param)


async def exchanged(application: Application, person, headers=None, **fields):
    code = await application.code(person)
    usual = {"grant_type": "authorization_code", "code": code, "code_verifier": application.verifier}
    return await application.http.post(TOKEN, data=usual | fields, headers=headers or {})


async def test_a_secret_comes_in_the_header_or_in_the_form(confidential, ana):
    client_id, secret = confidential.id, confidential.metadata["client_secret"]

    by_header = await exchanged(confidential, ana, basic(client_id, secret))
    by_form = await exchanged(confidential, ana, client_id=client_id, client_secret=secret)

    assert (by_header.status_code, by_form.status_code) == (200, 200)


@pytest.mark.parametrize("secret", ["", "wrong", "lkp_é"])
async def test_a_client_with_a_secret_must_prove_it(confidential, ana, secret):
    by_header = await exchanged(confidential, ana, basic(confidential.id, secret))
    by_form = await exchanged(confidential, ana, client_id=confidential.id, client_secret=secret)

    for answer in (by_header, by_form):
        assert refused(answer, 401) == "invalid_client"
        assert answer.headers["www-authenticate"].startswith("Basic ")


async def test_a_client_proves_itself_in_one_way(confidential, ana):
    client_id, secret = confidential.id, confidential.metadata["client_secret"]
    header = basic(client_id, secret)

    assert refused(await exchanged(confidential, ana, header, client_secret=secret)) == "invalid_request"
    assert refused(await exchanged(confidential, ana, header, client_id="another")) == "invalid_request"
    assert (await exchanged(confidential, ana, header, client_id=client_id)).status_code == 200


@pytest.mark.parametrize("header", ["Basic", "Basic !", "Basic eA==", "Bearer x", "Basic /w==", "Basic JTAwOng="])
async def test_a_header_that_names_no_client_is_refused(client, header):
    answer = await client.post(TOKEN, data={"grant_type": "refresh_token"}, headers={"Authorization": header})

    assert refused(answer, 401) == "invalid_client"


@pytest.mark.parametrize("client_id", [None, "nobody"])
async def test_an_unknown_client_is_refused(application, client_id):
    assert refused(await application.exchange("code", client_id=client_id), 401) == "invalid_client"


# ---------------------------------------------------------------- the end of a grant


async def test_the_end_of_a_membership_ends_the_grant(kernel, application, ana):
    issued = await application.connected(ana)
    async with as_owner(kernel) as db:
        await db.exec_driver_sql("delete from membership where account_id = $1", (ana.team["id"],))

    assert (await row_counts(kernel))["oauth_grant"] == 0
    assert not await works(application, issued["access_token"])
    assert refused(await application.refresh(issued["refresh_token"])) == "invalid_grant"


async def test_the_closing_of_an_account_ends_its_grants(kernel, application, ana):
    issued = await application.connected(ana)
    async with kernel.database.transaction(None) as db:
        await closure.close(db, UUID(ana.team["id"]), None)

    assert (await row_counts(kernel))["oauth_grant"] == 0
    assert not await works(application, issued["access_token"])


async def test_the_end_of_all_logins_ends_the_grants_of_a_person(application, ana):
    issued = await application.connected(ana)

    await ana.post("/auth/logout-everywhere")

    assert not await works(application, issued["access_token"])
    assert refused(await application.refresh(issued["refresh_token"])) == "invalid_grant"


async def test_the_role_of_the_moment_decides(kernel, application, ana, berta):
    await set_role(kernel, team_id=ana.team["id"], user_email=berta.email, role="member")
    berta.team = ana.team
    token = (await application.connected(berta, scope="read write fiscal"))["access_token"]
    as_member = await tokens.actor_of(kernel, token, RESOURCE)

    await set_role(kernel, team_id=ana.team["id"], user_email=berta.email, role="viewer")

    as_viewer = await tokens.actor_of(kernel, token, RESOURCE)
    scopes = permissions_of([Scope.READ, Scope.WRITE, Scope.FISCAL])
    assert as_member.permissions == ROLE_PERMISSIONS[Role.MEMBER] & scopes
    assert as_viewer.permissions == ROLE_PERMISSIONS[Role.VIEWER] & scopes


async def test_a_grant_is_for_one_team_whichever_is_active(kernel, application, ana, berta):
    token = (await application.connected(berta))["access_token"]
    await set_role(kernel, team_id=ana.team["id"], user_email=berta.email, role="admin")

    actor = await tokens.actor_of(kernel, token, RESOURCE)

    assert str(actor.account.id) == berta.team["id"]


async def test_another_password_ends_the_grants_of_a_person(application, ana, berta):
    of_ana, of_berta = await application.connected(ana), await application.connected(berta)

    await ana.post("/auth/password", {"old": "a long enough secret", "new": "another long enough secret"})

    assert not await works(application, of_ana["access_token"])
    assert refused(await application.refresh(of_ana["refresh_token"])) == "invalid_grant"
    assert await works(application, of_berta["access_token"])


async def test_another_password_voids_a_code_that_waits(application, ana):
    code = await application.code(ana)

    await ana.post("/auth/password", {"old": "a long enough secret", "new": "another long enough secret"})

    assert refused(await application.exchange(code)) == "invalid_grant"


async def test_two_grants_of_one_person_are_apart(application, ana):
    first, second = await application.connected(ana), await application.connected(ana)

    with time_machine.travel(clock.now() + timedelta(seconds=1)):
        await application.post("/oauth/revoke", token=first["refresh_token"])

    assert not await works(application, first["access_token"])
    assert await works(application, second["access_token"])
