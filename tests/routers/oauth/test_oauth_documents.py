"""Clients that have not registered: their id is the address of a document about them (Client ID Metadata Documents)."""

import pytest

from ledgerkit.core.platform.oauth.authorization import requests
from ledgerkit.core.platform.oauth.client_documents.cache import ClientDocuments
from ledgerkit.core.platform.oauth.tokens import issuance as tokens
from support.database import row_counts
from support.documents import REDIRECT, answer, document_server
from support.oauth import REVOKE, Application, query_of, refused, way_back

RESOURCE = "http://127.0.0.1:8000/mcp"


@pytest.fixture
async def server():
    async with document_server(client_name="An \u202eassistant") as running:
        yield running


@pytest.fixture
def application(client, server) -> Application:
    return Application(client, {"client_id": server.url, "redirect_uris": [REDIRECT]})


async def test_the_document_says_who_asks_and_where_the_answer_goes(kernel, application, server):
    request = await requests.pending(kernel, await application.asked())

    assert (request.client_id, request.client_name) == (server.url, "An assistant")
    assert request.redirect_uri == REDIRECT
    assert (await application.authorize(redirect_uri="https://thief.example/callback")).status_code == 400
    assert (await row_counts(kernel))["oauth_client"] == 0


async def test_its_client_gets_refreshes_and_revokes_tokens_without_another_look_at_it(
    kernel, application, server, ana
):
    issued = await application.connected(ana)
    fetched = server.connections
    await kernel.service(ClientDocuments).stop()

    following = (await application.refresh(issued["refresh_token"])).json()
    assert await tokens.actor_of(kernel, following["access_token"], RESOURCE)
    await application.post(REVOKE, token=following["refresh_token"])

    assert await tokens.actor_of(kernel, following["access_token"], RESOURCE) is None
    assert server.connections == fetched


async def test_nobody_is_another_client_by_naming_its_document(client, application, server, ana):
    registered = await Application.registered(client)
    registered.verifier = application.verifier
    token = (await registered.connected(ana))["refresh_token"]

    assert refused(await application.refresh(token)) == "invalid_grant"
    assert refused(await application.exchange(await registered.code(ana))) == "invalid_grant"


@pytest.mark.parametrize("language", ["es", "en"])
async def test_a_document_that_cannot_be_used_is_told_to_the_person(client, language):
    client.headers["Accept-Language"] = language
    async with document_server(answer({"client_id": "https://another.example/client"})) as server:
        application = Application(client, {"client_id": server.url, "redirect_uris": [REDIRECT]})

        page = await application.authorize()

    assert (page.status_code, "location" in page.headers) == (400, False)
    assert f'<html lang="{language}">' in page.text


async def test_an_error_goes_back_to_its_client_too(application):
    answer = query_of(way_back(await application.authorize(scope="everything")))

    assert (answer["error"], answer["iss"]) == ("invalid_scope", "http://127.0.0.1:8000")
