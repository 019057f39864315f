"""The machine-readable description: OpenAPI 3.1, version 1.0.0, whole enough to write a client from it alone."""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from ledgerkit import __version__
from ledgerkit.openapi import examples, headers, links, problems, schemas

VERSION = "1.0.0"
DESCRIPTION = f"""\
Every list is a bare array; totals and neighbours are in headers. Every failure is a problem. HEAD is wherever GET is.

The version is the interface's, whose paths carry none and which changes by additions only. The package that serves it,
ledgerkit {__version__}, counts its own."""

_OPEN = {
    "/auth/register",
    "/auth/login",
    "/auth/password/forgot",
    "/auth/password/reset",
    "/auth/verify",
    "/health",
    "/ready",
}
_OF_LOGINS = {
    "POST /auth/refresh",
    "POST /auth/logout",
    "POST /auth/logout-everywhere",
    "POST /auth/regenerate-key",
    "POST /auth/password",
    "POST /auth/verify/resend",
    "GET /auth/export",
    "GET /auth/export/download",
    "DELETE /auth/export",
    "DELETE /auth/me",
}
"""For login tokens only."""

_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "Token of POST /auth/login, or an API key"},
    "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key", "description": "The account's or team's key"},
}
_TAGS = {
    "Auth": "Register, log in and out, see who one is, take everything out, go.",
    "Invoices": "Drafts, issued invoices and credit notes: totals, PDF, mail, payments, share links.",
    "Clients": "Who is invoiced.",
    "Expenses": "What was spent, with its VAT and retention, and the reports made from all documents.",
    "Catalog": "Products and services, their variants, and the ledger of their stock.",
    "Tasks": "The team's board.",
    "Teams": "The account in whose name invoices are issued, its members and their roles.",
    "Context": "What an assistant should know of the business.",
    "Vendors": "Who is bought from.",
    "Supplier invoices": "Accounts payable: what is owed, to whom, since when.",
    "E-invoice": "National electronic invoicing, whatever the country.",
    "Cash register": "The till: movements, closing, reconciliation.",
    "Health": "Whether the server lives and is ready.",
}


def describe(app: FastAPI) -> dict[str, Any]:
    """The description of `app`, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
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
        _complete(made)
        app.openapi_schema = made
    return app.openapi_schema


def _complete(made: dict[str, Any]) -> None:
    components = made["components"]
    problems.add_schemas(components["schemas"])
    components |= {"securitySchemes": _SCHEMES, "parameters": headers.PARAMETERS, "headers": headers.HEADERS}
    components |= {"responses": {}, "examples": {}}
    for path, method, operation in operations(made):
        accepted = [] if path in _OPEN else ["bearer"] if f"{method.upper()} {path}" in _OF_LOGINS else list(_SCHEMES)
        operation["security"] = [{name: []} for name in accepted]
        headers.add(path, method, operation)
        problems.add(path, method, operation, components["responses"])
        examples.add(operation, components)
    schemas.settle(made)
    links.add(made["paths"])
    used = {tag for _, _, operation in operations(made) for tag in operation["tags"]}
    made["tags"] = [{"name": name, "description": text} for name, text in _TAGS.items() if name in used]


def operations(made: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Path, method and description of every operation."""
    for path, item in made["paths"].items():
        for method, operation in item.items():
            yield path, method, operation
