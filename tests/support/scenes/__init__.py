"""One valid request for every built operation, and the records that these requests need: a module for each domain.

Each module has `ASKS` (a request for each of its rows), `FAILURES` (one for each failure that its rows name, but for
those with a test of their own), and where its requests need records `scene(api)`, which makes them, and `FILLS`, the
tables it writes to.
"""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from urllib.parse import urlencode

from support.api import Api
from support.scenes.ask import Ask, Failing, Ids, Of, filled, named_in

MODULES = [
    import_module(f"{__name__}.{one.name}")
    for one in sorted(iter_modules(__path__), key=lambda one: one.name)
    if one.name != "ask"
]

ALL: Mapping[str, Ask] = {row: ask for module in MODULES for row, ask in module.ASKS.items()}
ASKS = {row: ask for row, ask in ALL.items() if ask.allowed is not None}
OPEN_ASKS = {row: ask for row, ask in ALL.items() if ask.allowed is None}
"""Those that need no login."""

FAILURES: Mapping[tuple[str, int], Failing] = {
    failure: one for module in MODULES for failure, one in module.FAILURES.items()
}

FAILURES_ELSEWHERE = {
    ("GET /auth/me", 401),
    ("POST /auth/refresh", 401),
    ("POST /auth/logout", 401),
    ("DELETE /auth/me", 409),
    ("GET /api/invoices", 401),
    ("GET /api/invoices/activity/feed", 400),
    ("GET /api/teams/current", 404),
    ("GET /api/teams/my-role", 404),
    ("POST /api/supplier-invoices", 409),
    ("POST /api/teams/current/invite", 403),
    ("GET /api/teams/current/members", 404),
    ("DELETE /api/teams/current/members/{memberId}", 400),
    ("POST /api/einvoice/emit", 402),
    ("POST /api/expenses/scan-receipt", 402),
    ("POST /api/expenses/categorize", 402),
    ("POST /api/catalog/import-invoice", 402),
    ("POST /api/catalog/import-invoice", 413),
    ("POST /api/einvoice/emit", 422),
    ("GET /api/einvoice/status/{id}", 400),
    ("POST /api/vendors", 409),
    ("DELETE /api/vendors/{id}", 400),
    ("PATCH /api/tasks/{id}/complete", 400),
    ("POST /api/cash-register", 409),
    ("PUT /api/context/entry", 403),
    ("DELETE /api/context/entry/{key}", 403),
    ("PUT /api/context/summary", 403),
}
"""Failures with a test of their own in tests/contract/test_contract_answers.py.

The 404 of my-role cannot happen: without a team one owns a personal workspace.
"""

EMISSION = (
    "POST /api/einvoice/emit",
    "POST /api/einvoice/annul",
    "POST /api/einvoice/credit-note",
    "GET /api/einvoice/status/{id}",
    "GET /api/einvoice/download/{id}",
    "GET /api/einvoice/xml/{id}",
    "POST /api/einvoice/send-email/{id}",
    "GET /api/einvoice/events/xml",
)
"""Operations that need a running authority, or records that are kept, to succeed."""

PRINTING = (
    "GET /api/invoices/{id}/pdf",
    "PATCH /api/invoices/{id}/send",
    "GET /api/tax-declarations/{id}/pdf",
)
"""Operations that print; a second each."""

READING = ("POST /api/expenses/scan-receipt", "POST /api/catalog/import-invoice")
"""Operations that read a picture, for which an engine is needed: their requests here have an empty one."""

FILES = {
    "GET /api/attachments/{id}/content": "application/pdf",
    "GET /api/catalog/export": "text/csv; charset=utf-8",
    "GET /api/einvoice/export": "application/zip",
    "GET /auth/export/download": "application/zip",
    "GET /api/tax-declarations/{id}/file": "application/octet-stream",
    "GET /api/tax-declarations/books": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
"""Operations that answer with a file, and of which kind."""


ENDING = {
    "POST /auth/password": 1,
    "POST /auth/logout-everywhere": 2,
    "POST /auth/logout": 3,
    "DELETE /auth/session": 4,
    "DELETE /auth/me": 5,
}
"""Operations that end the login that asks: a sweep tries them last, in this order."""


async def scene(api: Api, row: str | None = None) -> dict[str, str]:
    """Ids of the records that `ASKS` names, made by `api`; with `row` only of its own domain, and those it names."""
    ids: dict[str, str] = {}
    for module in sorted(MODULES, key=lambda module: row not in module.ASKS) if row else MODULES:
        if row and row not in module.ASKS and _named(row) <= ids.keys():
            break
        if hasattr(module, "scene"):
            ids |= await module.scene(api)
    return ids


def _named(row: str) -> set[str]:
    ask = ALL[row]
    return {name for name in (ask.of, *named_in([ask.body, ask.query])) if name}


def address(row: str, ids: Ids, ask: Ask | None = None) -> tuple[str, str]:
    """Method and path of a row, with the ids of a scene; of a record that does not exist where it has none."""
    method, _, template = row.partition(" ")
    ask = ask or ALL[row]
    if ask.of is not None or "{" in template:
        place = template[template.index("{") : template.index("}") + 1]
        template = template.replace(place, filled(Of(ask.of or ""), ids))
    query = f"?{urlencode(filled(ask.query, ids))}" if ask.query else ""
    return method, template + query


async def prepared(caller: Api, ask: Ask, ids: Ids) -> Ids:
    """The ids of a scene once what `ask` wants done before has been done by the caller."""
    return await ask.before(caller, ids) if ask.before else ids


def body(ask: Ask, ids: Ids) -> object:
    """The body of a request, with the ids of a scene."""
    return filled(ask.body, ids)
