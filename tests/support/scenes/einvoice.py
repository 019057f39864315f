"""E-invoicing."""

from uuid import uuid4

from support.scenes.ask import EVERYBODY, FINANCE, READERS_OF_FIGURES, Ask, Failing, Of

ASKS: dict[str, Ask] = {
    "GET /api/einvoice/providers": Ask(allowed=EVERYBODY),
    "POST /api/einvoice/emit": Ask(body={"invoiceId": Of("draft")}, allowed=FINANCE),
    "GET /api/einvoice/status/{id}": Ask("issued", allowed=READERS_OF_FIGURES),
    "GET /api/einvoice/download/{id}": Ask("issued", query={"fiscalId": "x"}, allowed=READERS_OF_FIGURES),
    "GET /api/einvoice/xml/{id}": Ask("issued", query={"fiscalId": "x"}, allowed=READERS_OF_FIGURES),
    "POST /api/einvoice/send-email/{id}": Ask("issued", {"email": "asesoria@example.com"}, allowed=FINANCE),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /api/einvoice/emit", 400): Failing("POST", "/api/einvoice/emit", {}),
    ("POST /api/einvoice/emit", 404): Failing("POST", "/api/einvoice/emit", {"invoiceId": str(uuid4())}),
    ("GET /api/einvoice/download/{id}", 400): Failing("GET", f"/api/einvoice/download/{uuid4()}"),
    ("GET /api/einvoice/xml/{id}", 400): Failing("GET", f"/api/einvoice/xml/{uuid4()}"),
    ("POST /api/einvoice/send-email/{id}", 400): Failing(
        "POST", f"/api/einvoice/send-email/{uuid4()}", {"email": "asesoria"}
    ),
}
