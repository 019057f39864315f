"""Registration of clients by themselves (RFC 7591)."""

from datetime import timedelta

import pytest
import time_machine
from mcp.shared.auth import OAuthClientInformationFull

from ledgerkit import clock
from ledgerkit.core.platform.oauth.grants import operations as grant_expiry
from support.database import everything_stored, row_counts
from support.oauth import CALLBACK, PUBLIC, REGISTER, Application, refused


async def register(client, **metadata):
    return await client.post(REGISTER, json=metadata)


async def test_the_answer_completes_what_was_asked_for(client):
    answer = await register(client, redirect_uris=[CALLBACK], logo_uri="https://assistant.example/logo.png")

    body = answer.json()
    assert (answer.status_code, answer.headers["cache-control"]) == (201, "no-store")
    assert body.pop("client_id")
    assert body.pop("client_secret").startswith("lkp_")
    assert abs(body.pop("client_id_issued_at") - clock.now().timestamp()) < 60
    assert body == {
        "client_name": "assistant.example",
        "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "client_secret_basic",
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "client_secret_expires_at": 0,
        "scope": "read propose write fiscal team offline_access",
    }
    OAuthClientInformationFull.model_validate(answer.json())


async def test_a_public_client_gets_no_secret(client):
    body = (await register(client, **PUBLIC)).json()

    assert not {"client_secret", "client_secret_expires_at"} & body.keys()


async def test_only_the_digest_of_a_secret_is_stored(kernel, client):
    secret = (await register(client, redirect_uris=[CALLBACK])).json()["client_secret"]

    assert secret not in await everything_stored(kernel)


@pytest.mark.parametrize(
    "uri",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "http://assistant.example/callback",
        "http://127.0.0.1.example/callback",
        "http://localhost.example/callback",
        "https://",
        "https:///callback",
        "https://user:password@assistant.example/callback",
        "https://assistant.example/callback#part",
        "https://assistant.example/call back",
        "https://assistant.example/\\callback",
        "https://assistant.example:port/callback",
        'https://assistant.example/"callback',
        "/callback",
        "assistant.example/callback",
        "",
        "https://assistant.example/" + "x" * 2048,
        7,
        None,
    ],
)
async def test_a_redirect_uri_that_could_carry_a_code_elsewhere_is_refused(kernel, client, uri):
    answer = await register(client, **(PUBLIC | {"redirect_uris": [CALLBACK, uri]}))

    assert refused(answer) == "invalid_redirect_uri"
    assert (await row_counts(kernel))["oauth_client"] == 0


@pytest.mark.parametrize("uris", [None, [], "https://assistant.example", {}, [CALLBACK] * 11])
async def test_redirect_uris_are_a_list_of_one_to_ten(client, uris):
    assert refused(await register(client, client_name="x", redirect_uris=uris)) == "invalid_redirect_uri"


@pytest.mark.parametrize(
    "uri",
    [
        "http://localhost:3118/callback",
        "http://127.0.0.1:33418",
        "http://[::1]:5000/x",
        "cursor://anysphere.cursor-deeplink/mcp/auth",
        "vscode://vscode.github-authentication/did-authenticate",
        "com.example.app:/oauth",
        "https://vscode.dev/redirect?a=b",
    ],
)
async def test_addresses_of_hosts_loopbacks_and_private_schemes_are_registered(client, uri):
    assert (await register(client, **(PUBLIC | {"redirect_uris": [uri]}))).json()["redirect_uris"] == [uri]


@pytest.mark.parametrize(
    "wrong",
    [
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"token_endpoint_auth_method": 1},
        {"grant_types": ["client_credentials"]},
        {"grant_types": "authorization_code"},
        {"response_types": ["token"]},
        {"response_types": [1]},
        {"client_name": 1},
        {"client_name": "x" * 101},
        {"client_name": "\u202e\u200b"},
    ],
)
async def test_metadata_that_cannot_be_served_is_refused(client, wrong):
    assert refused(await register(client, **(PUBLIC | wrong))) == "invalid_client_metadata"


@pytest.mark.parametrize("body", ["[]", '"x"', "null", "not json", ""])
async def test_a_body_that_is_no_object_is_refused(client, body):
    answer = await client.post(REGISTER, content=body, headers={"Content-Type": "application/json"})

    assert refused(answer) in {"invalid_client_metadata", "invalid_request"}


async def test_a_large_body_is_refused_unread(client):
    assert refused(await register(client, **PUBLIC, contacts=["x" * 20_000]), 413) == "invalid_request"


async def test_a_name_is_stored_as_people_can_read_it(client):
    body = (await register(client, **(PUBLIC | {"client_name": " Good\u202e  \u200bname\n"}))).json()

    assert body["client_name"] == "Good name"


async def test_grant_types_that_are_not_served_are_left_out(client):
    wanted = ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"]

    assert (await register(client, **PUBLIC, grant_types=wanted)).json()["grant_types"] == ["authorization_code"]


async def test_a_client_that_gets_no_token_is_forgotten_and_one_that_does_is_kept(kernel, client, ana):
    unused, used = await Application.registered(client), await Application.registered(client)
    await used.connected(ana)

    with time_machine.travel(clock.now() + timedelta(days=2)):
        assert (await unused.authorize()).status_code == 400
        await grant_expiry.forget(kernel)
        assert (await row_counts(kernel))["oauth_client"] == 1
        assert (await used.authorize()).status_code == 303
