"""An application that connects to somebody's team by OAuth, step by step, and what it was answered."""

import hashlib
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from uuid import UUID

import httpx2
from lxml import html

from ledgerkit.core.platform.oauth.authorization import requests
from ledgerkit.core.platform.request.context import Kernel
from support.api import Api, kernel_of

CALLBACK = "https://assistant.example/callback"
AUTHORIZE, TOKEN, REGISTER, REVOKE = (f"/oauth/{name}" for name in ("authorize", "token", "register", "revoke"))
PUBLIC = {"client_name": "An assistant", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}


def challenge_of(verifier: str) -> str:
    """The challenge of a verifier by S256, computed as RFC 7636 §4.2 words it."""
    return urlsafe_b64encode(hashlib.sha256(verifier.encode("ascii")).digest()).rstrip(b"=").decode()


def query_of(address: str) -> dict[str, str]:
    """Parameters of an address, each of which is there once."""
    pairs = parse_qsl(urlsplit(address).query, strict_parsing=True)
    assert len(pairs) == len(dict(pairs))
    return dict(pairs)


def way_back(answer: httpx2.Response) -> str:
    """The address of the application on the page that refuses its request, where nothing leads by itself."""
    assert (answer.status_code, "location" in answer.headers) == (400, False), answer.text
    assert "http-equiv" not in answer.text
    (link,) = html.fromstring(answer.text).xpath("//a")
    assert link.get("rel") == "noreferrer nofollow"
    return str(link.get("href"))


@dataclass
class Application:
    """A registered client. `verifier` is that of its next authorization."""

    http: httpx2.AsyncClient
    metadata: dict[str, Any]
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    @classmethod
    async def registered(cls, http: httpx2.AsyncClient, **metadata: Any) -> "Application":
        answer = await http.post(REGISTER, json=PUBLIC | metadata)
        assert answer.status_code == 201, answer.text
        return cls(http, answer.json())

    @property
    def id(self) -> str:
        return self.metadata["client_id"]

    def request(self, **changed: str | None) -> dict[str, str]:
        """Parameters of an authorization request; those that are changed to None are left out."""
        usual: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": self.metadata["redirect_uris"][0],
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
            "state": "the state of the client",
            "scope": "read write",
        }
        return {name: value for name, value in (usual | changed).items() if value is not None}

    async def authorize(self, **changed: str | None) -> httpx2.Response:
        """The answer to the browser that comes with an authorization request."""
        return await self.http.get(f"{AUTHORIZE}?{urlencode(self.request(**changed))}", follow_redirects=False)

    async def asked(self, **changed: str | None) -> str:
        """The id of a request that waits on the consent page."""
        answer = await self.authorize(**changed)
        assert answer.status_code == 303, answer.text
        consent = urlsplit(answer.headers["location"])
        assert consent.path == "/oauth/consent", answer.headers["location"]
        return query_of(answer.headers["location"])["request"]

    async def error(self, **changed: str | None) -> dict[str, str]:
        """The error that a person may bring back from an authorization request."""
        return query_of(way_back(await self.authorize(**changed)))

    async def code(self, person: Api, scopes: str | None = None, **changed: str | None) -> str:
        """A code that `person` has granted for their team, with all scopes that were asked for or fewer of them."""
        redirect = await self.approved(person, await self.asked(**changed), scopes)
        return query_of(redirect)["code"]

    async def approved(self, person: Api, request_id: str, scopes: str | None = None) -> str:
        """The redirect by which a person's approval is answered."""
        request = await requests.pending(self.kernel, request_id)
        asked = request.scopes if request else ()
        wanted = [scope for scope in asked if scopes is None or scope.value in scopes.split()]
        return await requests.approve(self.kernel, request_id, *await ids(person), wanted)

    async def exchange(self, code: str, **changed: str | None) -> httpx2.Response:
        """The answer to a code."""
        usual = {"grant_type": "authorization_code", "code": code, "code_verifier": self.verifier}
        return await self.post(TOKEN, **(usual | {"redirect_uri": self.metadata["redirect_uris"][0]} | changed))

    async def connected(self, person: Api, **changed: str | None) -> dict[str, Any]:
        """Tokens for a person's team."""
        answer = await self.exchange(await self.code(person, **changed))
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def refresh(self, token: str, **changed: str | None) -> httpx2.Response:
        return await self.post(TOKEN, **({"grant_type": "refresh_token", "refresh_token": token} | changed))

    async def post(self, path: str, **fields: str | None) -> httpx2.Response:
        """The answer to a form of this client, which names itself in it unless `client_id` is None."""
        sent = {"client_id": self.id} | fields
        return await self.http.post(path, data={name: value for name, value in sent.items() if value is not None})

    @property
    def kernel(self) -> Kernel:
        return kernel_of(self.http)


async def ids(person: Api) -> tuple[UUID, UUID]:
    """Ids of a person and of their team."""
    return UUID((await person.get("/auth/me"))["user"]["id"]), UUID(person.team["id"])


def refused(answer: httpx2.Response, status: int = 400) -> str:
    """The error code of an answer of this status, whose form is checked (RFC 6749 §5.2)."""
    assert answer.status_code == status, answer.text
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json()
    assert body.keys() == {"error", "error_description"}
    assert all(" " <= one <= "~" and one not in '"\\' for one in body["error_description"])
    return body["error"]
