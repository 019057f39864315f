"""Contexts made from requests, and answers with headers made from results."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Protocol, TypeVar
from urllib.parse import quote

from fastapi import Depends, Query, Request, Response

from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.list_pages import DEFAULT_SIZE, MAX_SIZE, Page, PageRequest
from ledgerkit.core.platform.api_types.wire import Rendered
from ledgerkit.core.platform.identity.limits.throttle import REQUESTS, Throttle
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Context, Kernel, RequestMetadata, unauthenticated
from ledgerkit.money import dumps_exact
from ledgerkit.problems import Invalid, Unauthenticated
from ledgerkit.routers import session_cookie
from ledgerkit.routers.messages import RoutersMsg

MAX_KEY = 255


async def anonymous(request: Request) -> Context:
    """Return the context of a request whose operation needs no login; any credentials are ignored."""
    kernel: Kernel = request.app.state.kernel
    request_metadata: RequestMetadata = request.state.request_metadata
    request_metadata.idempotency_key = _idempotency_key(request)
    return Context(kernel=kernel, request_metadata=request_metadata)


async def identify(request: Request) -> None:
    """Authenticate the caller and put the context into the request's state, where `authenticated` finds it.

    Credentials are checked anew on every request, which counts against the caller's limit. Raises Unauthenticated,
    Forbidden, CrossSiteRequest, RateLimited, Invalid.
    """
    kernel: Kernel = request.app.state.kernel
    request_metadata: RequestMetadata = request.state.request_metadata
    key, bearer, cookie = request.headers.get("x-api-key"), _bearer_credential(request), session_cookie.sent(request)
    team = request.headers.get("x-team-id")
    if key is None and bearer is None and cookie is None:
        raise unauthenticated()
    await _count(kernel, request_metadata, key or bearer or cookie or "")
    judge = kernel.service(Authenticator)
    if cookie is not None:
        actor = await judge.by_cookie(cookie, pinned=team)
        session_cookie.check_page(request, actor.login)
    else:
        by_key = key is not None
        actor = await (judge.by_key(key or "", pinned=team) if by_key else judge.by_bearer(bearer or "", pinned=team))
    request_metadata.idempotency_key = _idempotency_key(request)
    request_metadata.if_match = strong_tags(request.headers.getlist("if-match"))
    request.state.context = Context(kernel=kernel, who=actor, request_metadata=request_metadata)


async def visitor(request: Request) -> Context:
    """Return the context of a request that anybody may send; a valid cookie adds its user. Raises RateLimited."""
    ctx = await anonymous(request)
    cookie = session_cookie.sent(request)
    if cookie is None:
        return ctx
    await _count(ctx.kernel, ctx.request_metadata, cookie)
    try:
        actor = await ctx.kernel.service(Authenticator).in_browser(cookie, request.headers.get("x-team-id"))
    except Unauthenticated:
        return ctx
    return replace(ctx, who=actor)


async def authenticated(request: Request) -> Context:
    """Return the context of the caller, whom `GuardedRoute` has identified before it read the body."""
    context: Context = request.state.context
    return context


Ctx = Annotated[Context, Depends(authenticated)]
Anonymous = Annotated[Context, Depends(anonymous)]
Visitor = Annotated[Context, Depends(visitor)]

PageNumber = Annotated[int | None, Query(ge=1, le=2**53, description="Page, from 1")]
Limit = Annotated[int | None, Query(ge=1, le=MAX_SIZE, description=f"Records a page, default {DEFAULT_SIZE}")]
Search = Annotated[ShortText | None, Query(description="Text to find, whatever its case and accents")]
IsOpen = Annotated[bool | None, Query(alias="open", description="Whether something is still owed")]
DryRun = Annotated[bool, Query(alias="dryRun", description="Answer the same and store nothing")]


def paged(page: int | None, limit: int | None, *, unasked: int = DEFAULT_SIZE) -> PageRequest:
    """Return the page that was asked for. Without `page` and `limit` it is the first one, of `unasked` records."""
    if page is None and limit is None:
        return PageRequest(1, unasked)
    return PageRequest(page or 1, limit or DEFAULT_SIZE)


def listed(request: Request, page: Page) -> Response:
    """Return a page as a bare array, with totals and links to neighbouring pages in headers."""
    return Response(page.body, media_type="application/json", headers=_neighbours(request, page))


def enveloped(request: Request, page: Page, name: str) -> Response:
    """Return a page as an object, `{name: [...], total, page, pages}`, with the headers of `listed`."""
    place = {"total": page.total, "page": page.number, "pages": -(-page.total // page.size)}
    body = b'{"%b":%b,%b' % (name.encode(), page.body, dumps_exact(place).encode()[1:])
    return Response(body, media_type="application/json", headers=_neighbours(request, page))


def wrapped(request: Request, page: Page, name: str) -> Response:
    """Return a page as an object with one field, `{name: [...]}`, with the headers of `listed`."""
    body = b'{"%b":%b}' % (name.encode(), page.body)
    return Response(body, media_type="application/json", headers=_neighbours(request, page))


def rendered(ctx: Context, record: Rendered | None, status: int = 200) -> Response:
    """Return a record that the database has rendered, with its version as ETag; `null` for None."""
    body = "null" if record is None else tagged(ctx, record).body
    return Response(body, status_code=status, media_type="application/json")


def _neighbours(request: Request, page: Page) -> dict[str, str]:
    kernel: Kernel = request.app.state.kernel
    return page.headers(f"{kernel.settings.public_url}{request.scope['path']}", request.query_params)


R = TypeVar("R")


def whole(ctx: Context, records: list[R]) -> list[R]:
    """Return a short list without pages, and set the headers of a list with one page."""
    size = str(len(records))
    ctx.request_metadata.headers |= {"X-Total-Count": size, "X-Page": "1", "X-Page-Size": size}
    return records


class Versioned(Protocol):
    @property
    def version(self) -> int: ...


V = TypeVar("V", bound=Versioned)


def tagged(ctx: Context, record: V) -> V:
    """Return the record, and set its version as ETag."""
    ctx.request_metadata.headers["ETag"] = f'"{record.version}"'
    return record


def attachment(name: str, content: bytes, media_type: str, *, inline: bool = True) -> Response:
    """Return a file to show (`inline`) or to save, under its name (RFC 6266)."""
    kind = "inline" if inline else "attachment"
    disposition = f"{kind}; filename*=UTF-8''{quote(name)}"
    return Response(content, media_type=media_type, headers={"Content-Disposition": disposition})


async def _count(kernel: Kernel, request_metadata: RequestMetadata, credential: str) -> None:
    allowance = await kernel.service(Throttle).spend(REQUESTS, credential[-32:])
    if allowance is not None:
        request_metadata.headers.update(allowance.headers())


def _bearer_credential(request: Request) -> str | None:
    scheme, _, credential = request.headers.get("authorization", "").partition(" ")
    return credential.strip() if scheme.lower() == "bearer" else None


def _idempotency_key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is None or request.method not in {"POST", "PATCH"}:
        return None
    if not 1 <= len(key) <= MAX_KEY or not key.isascii() or not key.isprintable():
        raise Invalid.field("Idempotency-Key", RoutersMsg.IDEMPOTENCY_KEY_UNUSABLE, max_key=MAX_KEY)
    return key


_ELEMENT = re.compile(r'[ \t]*(?:(?P<weak>W/)?"(?P<tag>[\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)')
"""Element of a list of entity tags; it may be empty."""


def strong_tags(lines: Sequence[str]) -> frozenset[str] | None:
    """Return the strong tags of If-Match, one of which must be the record's; None without a condition.

    There is no condition without the header, or with `*`. The comparison is strong, so a weak tag matches nothing.
    Raises Invalid for a value that is no list of tags.
    Source: RFC 9110 §8.8.3, §8.8.3.2 and §13.1.1.
    """
    value = ",".join(lines).strip(" \t")
    if not lines or value == "*":
        return None
    tags, place = [], 0
    while place < len(value):
        element = _ELEMENT.match(value, place)
        if element is None:
            raise Invalid.field("If-Match", RoutersMsg.IF_MATCH_UNUSABLE)
        tags.append((element["tag"], element["weak"]))
        place = element.end()
    if all(tag is None for tag, _ in tags):
        raise Invalid.field("If-Match", RoutersMsg.IF_MATCH_UNUSABLE)
    return frozenset(tag for tag, weak in tags if tag is not None and weak is None)
