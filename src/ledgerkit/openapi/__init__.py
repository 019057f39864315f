"""The machine-readable description: OpenAPI 3.1, version 1.0.0, whole enough to write a client from it alone."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import iter_route_contexts

from ledgerkit import __version__
from ledgerkit.core.platform.request.operation import Operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.openapi import examples, headers, problems, schemas
from ledgerkit.routers.routing import GuardedRoute

VERSION = "1.0.0"
DESCRIPTION = f"""\
Every list is a bare array; totals and neighbours are in headers. Every failure is a problem. HEAD is wherever GET is.

Amounts are numbers with two decimals, prices and quantities with up to four, rates percents with up to three. A moment
is RFC 3339 in UTC, with milliseconds; a day is YYYY-MM-DD.

The version is the interface's, whose paths carry none and which changes by additions only. The package that serves it,
ledgerkit {__version__}, counts its own."""

_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "Token of POST /auth/login, or an API key"},
    "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key", "description": "The account's or team's key"},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "ledgerkit_session",
        "description": "Cookie of POST /auth/session, for browsers; over https `__Host-ledgerkit_session`. It is "
        "looked at only where there are no other credentials. What changes something also needs `X-CSRF-Token`",
    },
}


def describe(app: FastAPI, tags: Mapping[str, str]) -> dict[str, Any]:
    """The description of `app`, made once; `tags` are its groups of operations, each with what it is about."""
    if app.openapi_schema is None:
        description = get_openapi(
            title="ledgerkit",
            version=VERSION,
            openapi_version="3.1.0",
            summary="Invoicing and light ERP",
            description=DESCRIPTION,
            contact={"name": "ledgerkit's developers"},
            license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
            servers=[{"url": "/", "description": "The server that this description comes from"}],
            routes=app.routes,
        )
        _complete(description, _declarations(app))
        description["tags"] = [{"name": name, "description": about} for name, about in tags.items()]
        app.openapi_schema = description
    return app.openapi_schema


def _declarations(app: FastAPI) -> Mapping[tuple[str, str], Operation]:
    """The service operation behind each path and method; the probes have none."""
    declarations: dict[tuple[str, str], Operation] = {}
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        declaration = route.operation if isinstance(route, GuardedRoute) else None
        if declaration is not None:
            declarations |= {(context.path or "", method.lower()): declaration for method in context.methods or ()}
    return declarations


def _complete(description: dict[str, Any], declarations: Mapping[tuple[str, str], Operation]) -> None:
    components = description["components"]
    problems.add_schemas(components["schemas"])
    components |= {"securitySchemes": _SCHEMES, "parameters": headers.PARAMETERS, "headers": headers.HEADERS}
    components |= {"responses": {}, "examples": {}}
    components["schemas"]["DryRun"] = headers.DRY_RUN_SCHEMA
    for path, method, operation in operations(description):
        declaration = declarations.get((path, method))
        operation["security"] = [{name: []} for name in _accepted(declaration)]
        headers.add(path, method, operation, runs_dry=declaration is not None)
        problems.add(path, method, operation, declaration.errors if declaration else (), components["responses"])
        examples.add(operation, components)
    schemas.settle(description)
    headers.add_links(description["paths"])


def _accepted(declaration: Operation | None) -> Sequence[str]:
    """The credentials that an operation takes: none at all, those of a login, or any."""
    if declaration is None or declaration.permission is Permission.PUBLIC:
        return ()
    return ("bearer", "session") if declaration.permission is Permission.LOGIN else tuple(_SCHEMES)


def operations(description: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Path, method and description of every operation."""
    for path, item in description["paths"].items():
        for method, operation in item.items():
            yield path, method, operation
