"""Documents about the resource and its authorization server (RFC 9728, RFC 8414), and who may read them."""

import pytest
from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata

from ledgerkit.core.platform.oauth.protocol import server
from support.oauth import REGISTER, REVOKE, TOKEN

ISSUER = "http://127.0.0.1:8000"
RESOURCE_DOCUMENTS = ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]
SERVER_DOCUMENTS = ["/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp"]
READABLE = [*RESOURCE_DOCUMENTS, *SERVER_DOCUMENTS]


@pytest.mark.parametrize("path", RESOURCE_DOCUMENTS)
async def test_the_resource_names_its_server_and_scopes(client, path):
    document = (await client.get(path)).json()

    assert document["resource"] == f"{ISSUER}/mcp"
    assert document["authorization_servers"] == [ISSUER]
    assert document["scopes_supported"] == ["read", "propose", "write", "fiscal", "team"]
    assert document["bearer_methods_supported"] == ["header"]
    ProtectedResourceMetadata.model_validate(document)


@pytest.mark.parametrize("path", SERVER_DOCUMENTS)
async def test_the_server_names_its_endpoints_and_all_that_clients_choose_by(client, path):
    document = (await client.get(path)).json()

    endpoints = {
        name: document[f"{name}_endpoint"] for name in ("authorization", "token", "registration", "revocation")
    }
    paths = {"authorization": "authorize", "token": "token", "registration": "register", "revocation": "revoke"}
    assert endpoints == {name: f"{ISSUER}/oauth/{last}" for name, last in paths.items()}
    assert document["issuer"] == ISSUER
    assert document["response_types_supported"] == ["code"]
    assert document["code_challenge_methods_supported"] == ["S256"]
    assert document["grant_types_supported"] == ["authorization_code", "refresh_token"]
    methods = ["none", "client_secret_basic", "client_secret_post"]
    assert document["token_endpoint_auth_methods_supported"] == methods
    assert document["revocation_endpoint_auth_methods_supported"] == methods
    assert document["authorization_response_iss_parameter_supported"] is True
    assert document["scopes_supported"] == ["read", "propose", "write", "fiscal", "team", "offline_access"]
    OAuthMetadata.model_validate(document)


async def test_the_issuer_is_the_public_address_without_its_slash_everywhere(settings):
    public = settings.model_copy(update={"base_url": "https://facturas.example/"})

    metadata, resource = server.server_metadata(public), server.resource_metadata(public)

    assert metadata.issuer == "https://facturas.example"
    assert resource.authorization_servers == [metadata.issuer]
    assert resource.resource == "https://facturas.example/mcp"


async def test_there_is_no_openid_configuration(client):
    answer = await client.get("/.well-known/openid-configuration")

    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("path", READABLE)
async def test_pages_of_any_origin_read_the_documents(client, path):
    answer = await client.get(path, headers={"Origin": "https://inspector.example"})

    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize("path", [*READABLE, TOKEN, REGISTER, REVOKE])
async def test_pages_of_any_origin_may_ask_before_they_call(client, path):
    wanted = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type,x-custom"}

    answer = await client.options(path, headers={"Origin": "https://inspector.example", **wanted})

    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["access-control-allow-headers"] == "content-type,x-custom"


@pytest.mark.parametrize("path", [TOKEN, REGISTER, REVOKE])
async def test_refusals_are_readable_too(client, path):
    answer = await client.post(path, headers={"Origin": "https://inspector.example"})

    assert answer.status_code in {400, 401}
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.json().keys() == {"error", "error_description"}


@pytest.mark.parametrize("path", ["/oauth/authorize", "/authorize"])
async def test_no_page_of_another_origin_reads_an_authorization(client, path):
    asked = await client.get(path, headers={"Origin": "https://thief.example"})
    preflight = await client.options(path, headers={"Origin": "https://thief.example"})

    assert "access-control-allow-origin" not in asked.headers
    assert "access-control-allow-origin" not in preflight.headers
