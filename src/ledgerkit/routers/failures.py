"""Failures as problem+json: our problems, FastAPI's validation errors (400, not 422) and unexpected exceptions."""

from http import HTTPStatus

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from ledgerkit.core.platform.api_types.validation import invalid, no_json
from ledgerkit.core.platform.database.outages import DATABASE_ERRORS, is_full, outage, storage_full
from ledgerkit.core.platform.request.context import RequestMetadata
from ledgerkit.problems import MethodNotAllowed, NotFound, Problem, broken
from ledgerkit.routers.messages import RoutersMsg
from ledgerkit.routers.request_metadata import problem_response

log = structlog.get_logger()

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def install(app: FastAPI) -> None:
    """Map every exception that can leave a route to a problem."""
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(ValidationError, _crash)
    app.add_exception_handler(HTTPException, _http)
    for kind in set(DATABASE_ERRORS) - {OSError}:  # an OSError of the database is Unavailable already
        app.add_exception_handler(kind, _database)
    app.add_exception_handler(OSError, _disk)
    app.add_exception_handler(Exception, _crash)


def _answer(request: Request, problem: Problem) -> Response:
    request_metadata = getattr(request.state, "request_metadata", None) or RequestMetadata()
    return problem_response(problem, request.url.path, request_metadata)


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)  # noqa: S101 - registered for this type
    return _answer(request, error)


async def _validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this type
    return _answer(request, invalid(error.errors()))


def _allowed(request: Request) -> list[str]:
    """Return all methods of the request's path. Each may be a route of its own, so one route does not know the others.

    HEAD is allowed wherever GET is. A route without parameters (`/api/tasks/my`) has only its own methods, not those
    of `/api/tasks/{id}`.
    """
    contexts = iter_route_contexts(request.app.routes)
    allowed = {
        method for context in contexts if context.path == request.scope["path"] for method in context.methods or ()
    }
    if not allowed:
        routes = request.app.router.routes
        requests_by_method = [(method, {**request.scope, "method": method}) for method in _METHODS]
        allowed = {
            method
            for method, scope in requests_by_method
            if any(route.matches(scope)[0] is Match.FULL for route in routes)
        }
    possible = [method for method in _METHODS if method in allowed]
    return ["GET", "HEAD", *possible[1:]] if "GET" in allowed else possible


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type
    if isinstance(error.__cause__, Problem):  # raised while the body was read; FastAPI wraps it
        return _answer(request, error.__cause__)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return _answer(request, _not_allowed(request))
    is_unknown = error.status_code == HTTPStatus.NOT_FOUND
    return _answer(request, NotFound(RoutersMsg.PATH_UNKNOWN, path=request.url.path) if is_unknown else no_json())


def _not_allowed(request: Request) -> MethodNotAllowed:
    method, path = request.method, request.url.path
    return MethodNotAllowed(
        RoutersMsg.METHOD_NOT_ALLOWED, headers={"Allow": ", ".join(_allowed(request))}, method=method, path=path
    )


async def _database(request: Request, error: Exception) -> Response:
    problem = outage(error)
    return _answer(request, problem) if problem else await _crash(request, error)


async def _disk(request: Request, error: Exception) -> Response:
    return _answer(request, storage_full()) if is_full(error) else await _crash(request, error)


async def _crash(request: Request, error: Exception) -> Response:
    log.error("request failed", path=request.url.path, method=request.method, exc_info=error)
    return _answer(request, broken())
