"""A stock MCP client signs in by itself, through the pages that a person sees, and goes on with what it was given."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2
import jwt
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from ledgerkit.core.platform.oauth.client_documents.cache import ClientDocuments
from ledgerkit.settings import Settings
from support.api import PASSWORD, Api
from support.browsers import Browser, Page
from support.database import row_counts
from support.documents import REDIRECT, document_server, documents
from support.eras import MODERN
from support.oauth import query_of
from support.office import cloned
from support.ports import free_port

ERAS = [MODERN, "legacy"]
LOOPBACK = "http://localhost:3118/callback"


@pytest.fixture(scope="module")
async def site(served_site, postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Any]:
    """A server under the address that it is asked at."""
    async with cloned(postgres) as url:
        settings = Settings(
            _env_file=None,
            data_dir=tmp_path_factory.mktemp("mcp_sign_in"),
            database_url=url,
            base_url=f"http://127.0.0.1:{free_port()}",
            rate_limit="off",
            secret_key="a secret of the tests, forty characters long",
        )
        async with served_site(settings, cheap_passwords) as running:
            kernel = running.app.state.kernel
            running.app.state.kernel = replace(kernel, services={**kernel.services, ClientDocuments: documents()})
            yield running


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    browser = Browser(None)
    yield browser
    await browser.http.aclose()


@dataclass
class Storage:
    """Tokens and registration of a client, in memory."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client: OAuthClientInformationFull) -> None:
        self.client = client


@dataclass
class Visitor:
    """A person with a browser, who lets applications in, or sends them away; `scopes` that they asked for."""

    person: Api
    browser: Browser
    action: str = "allow"
    asked_scopes: list[str] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    answer: str = ""

    async def sent(self, address: str) -> None:
        """Answer what the address, which an application has sent the browser to, leads to."""
        self.asked_scopes.append(query_of(address)["scope"])
        page = await self.browser.open(address)
        if "email" in page.fields():
            page = await self.browser.log_in(page, self.person.email, PASSWORD)
        self.pages.append(page)
        ticks = {f"scope_{name}": "on" for name in ("fiscal", "team")}  # what was not asked for is not granted
        self.answer = (await self.browser.press(page, self.action, **ticks)).headers["location"]

    async def back(self) -> AuthorizationCodeResult:
        """The answer that the browser brings back to the application."""
        brought = query_of(self.answer)
        return AuthorizationCodeResult(code=brought.get("code", ""), state=brought["state"], iss=brought["iss"])


@dataclass
class Assistant:
    """The SDK's own client of the server, with the SDK's own sign-in."""

    site: Any
    visitor: Visitor
    storage: Storage = field(default_factory=Storage)
    document: str | None = None
    redirect_uri: str = LOOPBACK

    @asynccontextmanager
    async def connected(self, era: str) -> AsyncIterator[tuple[Client, OAuthClientProvider]]:
        provider = OAuthClientProvider(
            self.site.url,
            OAuthClientMetadata(client_name="Stock client", redirect_uris=[self.redirect_uri]),
            self.storage,
            self.visitor.sent,
            self.visitor.back,
            self.document,
        )
        async with (
            httpx2.AsyncClient(auth=provider, timeout=60) as http,
            Client(streamable_http_client(self.site.url, http_client=http), mode=era) as client,
        ):
            yield client, provider


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None
    return result.structured_content


@pytest.mark.parametrize("era", ERAS)
async def test_it_registers_signs_in_works_and_steps_up(site, browser, era):
    ana = await site.person()
    assistant = Assistant(site, Visitor(ana, browser))

    async with assistant.connected(era) as (client, _):
        me = await called(client, "whoami")
        saved = await called(client, "save_client", name="Talleres Norte, S.L.")
        refusal = await called(client, "emit_einvoice", invoiceId="00000000-0000-7000-8000-000000000000")

    assert (me["team"]["id"], me["scopes"]) == (ana.team["id"], ["read", "write"])
    assert saved["name"] == "Talleres Norte, S.L."
    assert refusal["code"] == "NOT_FOUND"
    assert [sorted(scopes.split()) for scopes in assistant.visitor.asked_scopes] == [
        ["offline_access", "read", "write"],
        ["fiscal", "offline_access", "read", "write"],
    ]
    assert "Stock client" in assistant.visitor.pages[0].text
    assert assistant.visitor.pages[0].warnings
    assert assistant.storage.client.client_id
    (entry,) = [one for one in await ana.get("/api/invoices/activity/feed") if one["entityId"] == saved["id"]]
    assert (entry["channel"], entry["client"]) == ("mcp", "Stock client")


async def test_a_published_document_stands_for_a_registration(site, browser):
    ana = await site.person()
    registered = (await row_counts(site.kernel))["oauth_client"]
    async with document_server(redirect_uris=[REDIRECT]) as server:
        assistant = Assistant(site, Visitor(ana, browser), document=server.url, redirect_uri=REDIRECT)
        async with assistant.connected(MODERN) as (client, _):
            me = await called(client, "whoami")

    assert me["team"]["id"] == ana.team["id"]
    assert assistant.storage.client.client_id == server.url
    assert (await row_counts(site.kernel))["oauth_client"] == registered


@pytest.mark.parametrize("era", ERAS)
async def test_it_refreshes_without_the_person(site, browser, era):
    assistant = Assistant(site, Visitor(await site.person(), browser))

    async with assistant.connected(era) as (client, provider):
        await called(client, "whoami")
        first = assistant.storage.tokens
        provider.context.token_expiry_time = 1
        await called(client, "whoami")

    assert assistant.storage.tokens.refresh_token != first.refresh_token
    assert len(assistant.visitor.pages) == 1


async def test_a_grant_that_the_person_ends_needs_them_again(site, browser):
    ana = await site.person()
    assistant = Assistant(site, Visitor(ana, browser))

    async with assistant.connected(MODERN) as (client, _):
        await called(client, "whoami")
        (grant,) = await ana.get("/api/oauth/grants")
        await ana.delete(f"/api/oauth/grants/{grant['id']}")
        assert await called(client, "whoami")

    assert len(assistant.visitor.pages) == 2
    assert len(await ana.get("/api/oauth/grants")) == 1


async def test_a_person_who_refuses_lets_nobody_in(site, browser):
    visitor = Visitor(await site.person(), browser, action="deny")

    with pytest.raises(BaseExceptionGroup) as failure:
        async with Assistant(site, visitor).connected(MODERN) as (client, _):
            await called(client, "whoami")

    assert failure.group_contains(OAuthFlowError)
    assert query_of(visitor.answer)["error"] == "access_denied"


async def test_tokens_are_opaque_and_open_no_other_door(site, browser):
    ana = await site.person()
    assistant = Assistant(site, Visitor(ana, browser))
    async with assistant.connected(MODERN) as (client, _):
        await called(client, "whoami")
    token = assistant.storage.tokens.access_token

    as_rest = await site.client.get("/api/invoices", headers={"Authorization": f"Bearer {token}"})
    as_key = await site.client.get("/api/invoices", headers={"x-api-key": token})

    assert (as_rest.status_code, as_key.status_code) == (401, 401)
    with pytest.raises(jwt.DecodeError):
        jwt.decode(token, options={"verify_signature": False})
