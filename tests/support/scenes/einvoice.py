"""E-invoicing."""

from typing import Any
from uuid import uuid4

from support.credentials import encoded, person
from support.scenes.ask import ADMINS, EVERYBODY, FINANCE, OWNER, READERS_OF_FIGURES, Ask, Failing, Ids, Of

LAST_ELSEWHERE = {
    "lastNumber": "A-2026-0099",
    "lastIssueDate": "2026-10-31",
    "lastFingerprint": "0123456789ABCDEF" * 4,
    "reported": False,
}
"""The last record of the software that an issuer comes from, which only kept it."""

CERTIFICATE = {"file": encoded(person().pem()), "represents": True}


async def with_certificate(caller: Any, ids: Ids) -> Ids:
    """The caller's account has a certificate, if the caller may give it one."""
    await caller.request("PUT", "/api/einvoice/certificate", CERTIFICATE)
    return ids


async def with_another_tax_id(caller: Any, ids: Ids) -> Ids:
    """The caller's account is an issuer without records, if the caller may change it."""
    await caller.request("PUT", "/api/teams/current", {"taxId": "50000002A"})
    return ids


async def without_records(caller: Any, ids: Ids) -> Ids:
    """The caller's account numbers without records, so that it needs nothing of an authority."""
    issuer = {"einvoicing": "off", "address": "Calle Mayor, 1", "postalCode": "28013", "city": "Madrid"}
    await caller.request("PUT", "/api/teams/current", issuer)
    return ids


ASKS: dict[str, Ask] = {
    "GET /api/einvoice/providers": Ask(allowed=EVERYBODY),
    "POST /api/einvoice/emit": Ask(body={"invoiceId": Of("draft")}, allowed=FINANCE),
    "POST /api/einvoice/annul": Ask(body={"fiscalId": "x", "reason": "Duplicada"}, allowed=FINANCE),
    "POST /api/einvoice/credit-note": Ask(
        body={"invoiceId": Of("draft"), "originalFiscalId": "x", "originalDate": "2026-11-21"}, allowed=FINANCE
    ),
    "GET /api/einvoice/alerts": Ask(allowed=READERS_OF_FIGURES),
    "GET /api/einvoice/records": Ask(query={"needsAction": "false"}, allowed=READERS_OF_FIGURES),
    "GET /api/einvoice/status/{id}": Ask("issued", allowed=READERS_OF_FIGURES),
    "GET /api/einvoice/download/{id}": Ask("issued", query={"fiscalId": "x"}, allowed=READERS_OF_FIGURES),
    "GET /api/einvoice/xml/{id}": Ask("issued", query={"fiscalId": "x"}, allowed=READERS_OF_FIGURES),
    "POST /api/einvoice/send-email/{id}": Ask("issued", {"email": "asesoria@example.com"}, allowed=FINANCE),
    "GET /api/einvoice/chain": Ask(query={"verify": "true"}, allowed=READERS_OF_FIGURES),
    "GET /api/einvoice/export": Ask(query={"from": "2026-01-01", "to": "2026-12-31"}, allowed=READERS_OF_FIGURES),
    "POST /api/einvoice/chain/continue": Ask(body=LAST_ELSEWHERE, allowed=ADMINS, before=with_another_tax_id),
    "GET /api/einvoice/mode": Ask(allowed=READERS_OF_FIGURES),
    "PUT /api/einvoice/mode": Ask(body={"mode": "verifactu"}, allowed=ADMINS),
    "GET /api/einvoice/events": Ask(query={"limit": 1}, allowed=READERS_OF_FIGURES),
    "GET /api/einvoice/events/xml": Ask(query={"position": 1}, allowed=READERS_OF_FIGURES),
    "PUT /api/einvoice/certificate": Ask(body=CERTIFICATE, allowed=ADMINS),
    "GET /api/einvoice/certificate": Ask(allowed=ADMINS, before=with_certificate),
    "POST /api/einvoice/certificate/test": Ask(allowed=ADMINS),
    "DELETE /api/einvoice/certificate": Ask(allowed=ADMINS, before=with_certificate),
    "GET /api/einvoice/declaration": Ask(allowed=EVERYBODY),
    "GET /api/go-live": Ask(query={"keepPurchases": "true"}, allowed=READERS_OF_FIGURES),
    "POST /api/go-live": Ask(body={"keepPurchases": True}, allowed=OWNER, before=without_records),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("PUT /api/einvoice/certificate", 400): Failing("PUT", "/api/einvoice/certificate", {"file": "bm9uZQ=="}),
    ("GET /api/einvoice/certificate", 404): Failing("GET", "/api/einvoice/certificate"),
    ("DELETE /api/einvoice/certificate", 404): Failing("DELETE", "/api/einvoice/certificate"),
    ("GET /api/einvoice/declaration", 404): Failing("GET", "/api/einvoice/declaration?version=0.0.0"),
    ("GET /api/einvoice/records", 400): Failing("GET", "/api/einvoice/records?status=lost"),
    ("POST /api/einvoice/emit", 400): Failing("POST", "/api/einvoice/emit", {}),
    ("POST /api/einvoice/emit", 404): Failing("POST", "/api/einvoice/emit", {"invoiceId": str(uuid4())}),
    ("POST /api/einvoice/annul", 400): Failing(
        "POST", "/api/einvoice/annul", {"fiscalId": "12345678Z:F2026-0001:2026-11-21", "reason": "Duplicada"}
    ),
    ("POST /api/einvoice/credit-note", 400): Failing("POST", "/api/einvoice/credit-note", {}),
    ("POST /api/einvoice/credit-note", 404): Failing(
        "POST",
        "/api/einvoice/credit-note",
        {"invoiceId": str(uuid4()), "originalFiscalId": "x", "originalDate": "2026-11-21"},
    ),
    ("GET /api/einvoice/download/{id}", 400): Failing("GET", f"/api/einvoice/download/{uuid4()}"),
    ("GET /api/einvoice/xml/{id}", 400): Failing("GET", f"/api/einvoice/xml/{uuid4()}"),
    ("POST /api/einvoice/send-email/{id}", 400): Failing(
        "POST", f"/api/einvoice/send-email/{uuid4()}", {"email": "asesoria"}
    ),
    ("GET /api/einvoice/chain", 400): Failing("GET", "/api/einvoice/chain?from=0"),
    ("GET /api/einvoice/export", 400): Failing("GET", "/api/einvoice/export?from=2026-02-01&to=2026-01-31"),
    ("POST /api/einvoice/chain/continue", 400): Failing(
        "POST", "/api/einvoice/chain/continue", {**LAST_ELSEWHERE, "lastFingerprint": "none"}
    ),
    ("PUT /api/einvoice/mode", 400): Failing("PUT", "/api/einvoice/mode", {"mode": "sometimes"}),
    ("GET /api/einvoice/events", 400): Failing("GET", "/api/einvoice/events?page=0"),
    ("GET /api/einvoice/events/xml", 400): Failing("GET", "/api/einvoice/events/xml"),
    ("GET /api/einvoice/events/xml", 404): Failing("GET", "/api/einvoice/events/xml?position=1"),
}
