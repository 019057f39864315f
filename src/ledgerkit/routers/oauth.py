"""Endpoints of the authorization server that programs call: metadata, registration, tokens, revocation.

Pages of any origin may read them, and their refusals have the form of OAuth (RFC 6749 §5.2).
"""

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

from ledgerkit.core.platform.oauth import operations as oauth
from ledgerkit.core.platform.oauth.protocol import errors, server
from ledgerkit.problems import NotFound, Problem
from ledgerkit.routers.deps import Anonymous
from ledgerkit.routers.routing import GuardedRoute, Handler, Router

CORS = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "WWW-Authenticate, X-Request-Id"}
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
"""Headers of an answer that holds a secret (RFC 6749 §5.1)."""


class OAuthRoute(GuardedRoute):
    """Route for programs of any origin. Its refusals have the form of OAuth."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                answer = await handle(request)
            except NotFound:
                raise
            except Problem as problem:
                answer = _refusal(problem)
            answer.headers.update(CORS)
            return answer

        return answered


router = Router(include_in_schema=False, route_class=OAuthRoute)


# No operation: the answer comes from the settings and is the same for everybody.
@router.get("/.well-known/oauth-protected-resource", operation=None)
@router.get("/.well-known/oauth-protected-resource/mcp", operation=None)
async def protected_resource(ctx: Anonymous) -> Response:
    return _json(server.resource_metadata(ctx.settings))


# No operation: the answer comes from the settings and is the same for everybody.
@router.get("/.well-known/oauth-authorization-server", operation=None)
@router.get("/.well-known/oauth-authorization-server/mcp", operation=None)
async def authorization_server(ctx: Anonymous) -> Response:
    return _json(server.server_metadata(ctx.settings))


@router.post("/oauth/register", operation=oauth.register)
@router.post("/register", operation=oauth.register)
async def register_client(request: Request, ctx: Anonymous) -> Response:
    return _json(await oauth.register(ctx, await request.json()), status=201)


@router.post("/oauth/token", operation=oauth.exchange_grant)
@router.post("/token", operation=oauth.exchange_grant)
async def exchange_grant(request: Request, ctx: Anonymous) -> Response:
    return _json(await oauth.exchange_grant(ctx, await _call(request)))


@router.post("/oauth/revoke", operation=oauth.revoke)
async def revoke_token(request: Request, ctx: Anonymous) -> Response:
    await oauth.revoke(ctx, await _call(request))
    return Response(headers=NO_STORE)


# No operation: a browser asks what it may send, before it sends anything.
@router.options("/.well-known/oauth-protected-resource", operation=None)
@router.options("/.well-known/oauth-protected-resource/mcp", operation=None)
@router.options("/.well-known/oauth-authorization-server", operation=None)
@router.options("/.well-known/oauth-authorization-server/mcp", operation=None)
@router.options("/oauth/register", operation=None)
@router.options("/register", operation=None)
@router.options("/oauth/token", operation=None)
@router.options("/token", operation=None)
@router.options("/oauth/revoke", operation=None)
async def preflight(request: Request) -> Response:
    """Allow the request that a page of another origin will send (preflight, Fetch §4.8)."""
    requested = request.headers.get("access-control-request-headers", "")
    headers = {"Access-Control-Allow-Methods": "GET, POST", "Access-Control-Max-Age": "600"}
    return Response(
        status_code=204, headers=headers | ({"Access-Control-Allow-Headers": requested} if requested else {})
    )


async def _call(request: Request) -> oauth.ClientCall:
    headers = request.headers
    return oauth.ClientCall(headers.get("authorization"), headers.get("content-type", ""), await request.body())


def _json(content: BaseModel, status: int = 200) -> JSONResponse:
    return JSONResponse(content.model_dump(mode="json", exclude_none=True), status, NO_STORE)


def _refusal(problem: Problem) -> JSONResponse:
    """Return a problem in the form of OAuth (RFC 6749 §5.2), with its status and headers."""
    return JSONResponse(errors.parameters(problem), problem.status, {**NO_STORE, **problem.headers})
