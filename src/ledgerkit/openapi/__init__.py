"""OpenAPI 3.1 description of the interface (version 1.0.0), complete enough to write a client from it alone."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import iter_route_contexts

from ledgerkit import __version__
from ledgerkit.core.platform.request.operation import OPERATIONS, Errors, Operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.openapi import examples, headers, problems, schemas
from ledgerkit.problems import Code, Invalid
from ledgerkit.routers.routing import GuardedRoute

VERSION = "1.0.0"
DESCRIPTION = f"""\
Every list is a bare array; headers have its totals and the links to other pages. Every failure is a problem (RFC
9457). HEAD is allowed wherever GET is.

Amounts are numbers with two decimals, prices and quantities have up to four, rates are percentages with up to three.
A time is RFC 3339 in UTC, with milliseconds; a day is YYYY-MM-DD.

The version is that of the interface. It is not part of paths, and the interface changes only by additions. The package
ledgerkit {__version__} has its own version."""

_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "Token of POST /auth/login, or an API key"},
    "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key", "description": "The account's or team's key"},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "ledgerkit_session",
        "description": "Cookie of POST /auth/session, for browsers; over https `__Host-ledgerkit_session`. It is "
        "read only in requests without other credentials. Requests that change something also need `X-CSRF-Token`",
    },
}


def describe(app: FastAPI, tags: Mapping[str, str]) -> dict[str, Any]:
    """Return the description of `app`, which is made once. `tags` are descriptions of its groups of operations."""
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
    """Return the operation behind each path and method; health checks have none."""
    declarations: dict[tuple[str, str], Operation] = {}
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        declaration = route.operation if isinstance(route, GuardedRoute) else None
        if declaration is not None:
            declarations |= {(context.path or "", method.lower()): declaration for method in context.methods or ()}
    return declarations


_PROPOSED = {
    "description": "Not done: stored as a proposal, which a person approves (credentials with the scope `propose`)",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Approval"}}},
}


_STANDING_FOR_OTHERS = {"approvals.propose", "approvals.approve"}
"""Operations that rehearse or do any one that can be proposed, and answer with its problems."""


def _complete(description: dict[str, Any], declarations: Mapping[tuple[str, str], Operation]) -> None:
    components = description["components"]
    problems.add_schemas(components["schemas"])
    components |= {"securitySchemes": _SCHEMES, "parameters": headers.PARAMETERS, "headers": headers.HEADERS}
    components |= {"responses": {}, "examples": {}}
    components["schemas"]["DryRun"] = headers.DRY_RUN_SCHEMA
    for path, method, operation in operations(description):
        declaration = declarations.get((path, method))
        operation["security"] = [{name: []} for name in _accepted(declaration)]
        if declaration is not None and declaration.is_proposable:
            operation["responses"].setdefault("202", _PROPOSED | {})
        headers.add(path, method, operation, runs_dry=declaration is not None)
        problems.add(path, method, operation, _errors(declaration), components["responses"])
        examples.add(operation, components)
    schemas.settle(description)
    headers.add_links(description["paths"])


def _errors(declaration: Operation | None) -> Errors:
    """Return the refusals that an operation declares, of an act that does nothing, and of what it stands for."""
    if declaration is None:
        return ()
    stands_for = OPERATIONS.values() if declaration.name in _STANDING_FOR_OTHERS else ()
    idle = [(Invalid, {Code.NOT_PROPOSABLE})] if declaration.act and declaration.act.idle else []
    others = (error for each in stands_for if each.is_proposable for error in each.errors)
    return [*declaration.errors, *idle, *others]


def _accepted(declaration: Operation | None) -> Sequence[str]:
    """Return the schemes of the credentials that an operation takes: none, those of a login, or all."""
    if declaration is None or declaration.permission is Permission.PUBLIC:
        return ()
    return ("bearer", "session") if declaration.permission is Permission.LOGIN else tuple(_SCHEMES)


def operations(description: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, method and description of every operation."""
    for path, item in description["paths"].items():
        for method, operation in item.items():
            yield path, method, operation
