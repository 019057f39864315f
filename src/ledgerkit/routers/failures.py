"""Every failure as problem+json: ours, FastAPI's validation (400, not 422), and what nobody expected."""

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from ledgerkit.core.context import Exchange
from ledgerkit.core.db import DATABASE_ERRORS, is_gone, unavailable
from ledgerkit.core.validation import invalid, unreadable
from ledgerkit.problems import FieldError, Internal, Invalid, MethodNotAllowed, NotFound, Problem, TooLarge
from ledgerkit.routers.exchange import problem_response

log = structlog.get_logger()

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def install(app: FastAPI) -> None:
    """Map every exception that can leave a route to a problem."""
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(ValidationError, _crash)
    app.add_exception_handler(HTTPException, _http)
    for kind in set(DATABASE_ERRORS) - {OSError}:  # one that is the database's has become Unavailable in the gate
        app.add_exception_handler(kind, _database)
    app.add_exception_handler(Exception, _crash)


def _answer(request: Request, problem: Problem) -> Response:
    exchange = getattr(request.state, "exchange", None) or Exchange()
    return problem_response(problem, request.url.path, exchange)


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)  # noqa: S101 - registered for this type
    return _answer(request, error)


async def _validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this type
    if any(one["type"] == "json_invalid" for one in error.errors()):
        return _answer(request, _unreadable())
    return _answer(request, invalid(error.errors()))


def _allowed(request: Request) -> list[str]:
    """All methods of the path: each may be a route of its own, so one route's refusal does not know them.

    A path that is described as it stands (`/api/tasks/my`) has its own methods only, not those of `/api/tasks/{id}`.
    """
    described = request.app.openapi()["paths"].get(request.url.path)
    if described is not None:
        return [method for method in _METHODS if method.lower() in described]
    routes = request.app.router.routes
    asked = [(method, {**request.scope, "method": method}) for method in _METHODS]
    return [method for method, scope in asked if any(route.matches(scope)[0] is Match.FULL for route in routes)]


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type
    kinds: dict[int, Problem] = {
        404: NotFound(f"There is nothing at {request.url.path}.", remedy="GET /openapi.json lists all paths."),
        405: MethodNotAllowed(
            f"{request.method} is not possible at {request.url.path}.",
            remedy="The header Allow lists what is.",
            headers={"Allow": ", ".join(_allowed(request))},
        ),
        413: TooLarge("The body is larger than this server accepts.", remedy="Send less at once."),
    }
    return _answer(request, kinds.get(error.status_code, _unreadable()))


def _unreadable() -> Invalid:
    """What the framework refuses with a plain 400: bytes that cannot be read as JSON at all."""
    said = FieldError(field="body", code="json_invalid", message="cannot be read as JSON")
    return unreadable([said])


async def _database(request: Request, error: Exception) -> Response:
    if is_gone(error):
        return _answer(request, unavailable())
    return await _crash(request, error)


async def _crash(request: Request, error: Exception) -> Response:
    log.error("request failed", path=request.url.path, method=request.method, exc_info=error)
    remedy = "Report it with the requestId; the server's log has the rest."
    return _answer(request, Internal("Something went wrong on our side.", remedy=remedy))
