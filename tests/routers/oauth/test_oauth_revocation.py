"""Revocation of tokens by their client (RFC 7009)."""

import pytest

from ledgerkit.core.platform.oauth.tokens import issuance as tokens
from support.oauth import REVOKE, Application, refused

RESOURCE = "http://127.0.0.1:8000/mcp"


@pytest.fixture
async def application(client) -> Application:
    return await Application.registered(client)


async def works(application: Application, token: str) -> bool:
    return await tokens.actor_of(application.kernel, token, RESOURCE) is not None


async def test_a_public_client_revokes_a_refresh_token_with_its_grant(application, ana):
    issued = await application.connected(ana)

    answer = await application.post(REVOKE, token=issued["refresh_token"])

    assert (answer.status_code, answer.content) == (200, b"")
    assert not await works(application, issued["access_token"])
    assert refused(await application.refresh(issued["refresh_token"])) == "invalid_grant"


async def test_an_access_token_is_revoked_alone(application, ana):
    issued = await application.connected(ana)

    assert (await application.post(REVOKE, token=issued["access_token"])).status_code == 200

    assert not await works(application, issued["access_token"])
    assert (await application.refresh(issued["refresh_token"])).status_code == 200


async def test_a_client_with_a_secret_must_prove_it(client, ana):
    application = await Application.registered(client, token_endpoint_auth_method="client_secret_post")
    secret = application.metadata["client_secret"]
    code = await application.code(ana)
    token = (await application.exchange(code, client_secret=secret)).json()["access_token"]

    assert refused(await application.post(REVOKE, token=token), 401) == "invalid_client"
    assert await works(application, token)
    assert (await application.post(REVOKE, token=token, client_secret=secret)).status_code == 200
    assert not await works(application, token)


async def test_a_token_of_another_client_stays(client, application, ana):
    other = await Application.registered(client)
    issued = await application.connected(ana)

    for token in (issued["access_token"], issued["refresh_token"]):
        assert (await other.post(REVOKE, token=token)).status_code == 200

    assert await works(application, issued["access_token"])


@pytest.mark.parametrize("token", ["unknown", "lka_unknown", "lkr_unknown"])
async def test_an_unknown_token_is_no_error(application, token):
    assert (await application.post(REVOKE, token=token)).status_code == 200


@pytest.mark.parametrize("hint", ["access_token", "refresh_token", "something_else"])
async def test_the_hint_is_ignored(application, ana, hint):
    issued = await application.connected(ana)

    assert (await application.post(REVOKE, token=issued["refresh_token"], token_type_hint=hint)).status_code == 200

    assert not await works(application, issued["access_token"])


async def test_the_token_must_be_named_once(application):
    assert refused(await application.post(REVOKE)) == "invalid_request"


async def test_an_unknown_client_is_refused(application):
    assert refused(await application.post(REVOKE, token="x", client_id="nobody"), 401) == "invalid_client"
