"""One valid request for every built operation, and the records that these requests need."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from support.api import CLIENT, PASSWORD, Api, invoice_body

PAGES = ("GET /api/invoices", "GET /api/clients")
"""Lists that are paged."""

EMISSION = (
    "POST /api/einvoice/emit",
    "GET /api/einvoice/status/{id}",
    "GET /api/einvoice/download/{id}",
    "GET /api/einvoice/xml/{id}",
)
"""Operations that need a running authority to succeed."""

PRINTING = ("GET /api/invoices/{id}/pdf", "PATCH /api/invoices/{id}/send")
"""Operations that print; a second each."""


@dataclass(frozen=True)
class Ask:
    """A request: `of` names the record of the scene whose id stands in the path; `body` may name records too."""

    of: str | None = None
    body: dict[str, Any] | None = None
    query: str = ""


ASKS: dict[str, Ask] = {
    "GET /auth/me": Ask(),
    "GET /api/invoices": Ask(),
    "POST /api/invoices": Ask(body=invoice_body()),
    "GET /api/invoices/context": Ask(),
    "GET /api/invoices/activity/feed": Ask(),
    "GET /api/invoices/{id}": Ask("issued"),
    "PUT /api/invoices/{id}": Ask("draft", {"notes": "Gracias"}),
    "PATCH /api/invoices/{id}/pay": Ask("issued"),
    "PATCH /api/invoices/{id}/send": Ask("issued"),
    "POST /api/invoices/{id}/duplicate": Ask("issued"),
    "GET /api/invoices/{id}/pdf": Ask("issued"),
    "POST /api/invoices/{id}/share": Ask("draft"),
    "DELETE /api/invoices/{id}/share": Ask("shared"),
    "DELETE /api/invoices/{id}": Ask("doomed"),
    "GET /api/clients": Ask(),
    "POST /api/clients": Ask(body=CLIENT),
    "GET /api/clients/{id}": Ask("client"),
    "PUT /api/clients/{id}": Ask("client", {"city": "Bilbao"}),
    "DELETE /api/clients/{id}": Ask("doomed client"),
    "POST /api/teams": Ask(body={"name": "Otra", "country": "ES"}),
    "GET /api/teams/current": Ask(),
    "PUT /api/teams/current": Ask(body={"city": "Sevilla"}),
    "POST /api/teams/switch/{teamId}": Ask("team"),
    "GET /api/teams/my-teams": Ask(),
    "GET /api/teams/my-role": Ask(),
    "GET /api/einvoice/providers": Ask(),
    "POST /api/einvoice/emit": Ask(body={"invoiceId": "draft"}),
    "GET /api/einvoice/status/{id}": Ask("issued"),
    "GET /api/einvoice/download/{id}": Ask("issued", query="?fiscalId=x"),
    "GET /api/einvoice/xml/{id}": Ask("issued", query="?fiscalId=x"),
}

OPEN_ASKS: dict[str, Ask] = {
    "POST /auth/register": Ask(body={"email": "nueva@example.com", "password": PASSWORD}),
    "POST /auth/login": Ask(body={"email": "ana@example.com", "password": PASSWORD}),
}
"""Those that need no login."""


async def scene(api: Api) -> dict[str, str]:
    """Ids of the records that `ASKS` names, made by `api`."""
    draft, issued, shared, doomed = [await api.invoice() for _ in range(4)]
    await api.patch(f"/api/invoices/{issued['id']}/pay")
    await api.post(f"/api/invoices/{shared['id']}/share")
    gone = await api.post("/api/clients", {"name": "Cliente de paso"})
    return {
        "draft": draft["id"],
        "issued": issued["id"],
        "shared": shared["id"],
        "doomed": doomed["id"],
        "client": draft["clientId"],
        "doomed client": gone["id"],
        "team": api.team.get("id", ""),
    }


def address(row: str, ids: dict[str, str], ask: Ask | None = None) -> tuple[str, str]:
    """Method and path of a row, with the ids of a scene; of a record that does not exist where it has none."""
    method, _, template = row.partition(" ")
    ask = ask or ASKS.get(row) or OPEN_ASKS[row]
    known = ids.get(ask.of or "", str(uuid4()))
    return method, template.replace("{id}", known).replace("{teamId}", known) + ask.query


def body(ask: Ask, ids: dict[str, str]) -> dict[str, Any] | None:
    """The body of a request, with the ids of a scene."""
    if ask.body is None:
        return None
    return {
        name: ids.get(value, str(uuid4())) if name.endswith("Id") else value
        for name, value in ask.body.items()
        if name != "taxId"
    } | ({"taxId": ask.body["taxId"]} if "taxId" in ask.body else {})
