from dataclasses import replace
from uuid import UUID

import pytest

from ledgerkit.core.platform.database.transactions import Database
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.problems import FieldError, Invalid, broken
from ledgerkit.routers.request_metadata import preferred
from ledgerkit.texts import Wording, fixed
from support.api import invoice_body

SPANISH = {"es": Wording(message="falta", remedy="Indícalo.")}


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("*", "en"),
        ("fr", "en"),
        ("es", "es"),
        ("ES-mx", "es"),
        ("es-ES,es;q=0.9,en;q=0.8", "es"),
        ("en;q=0.8,es-ES", "es"),
        ("en-GB,en;q=0.9,es;q=0.5", "en"),
        ("fr, es;q=0.3", "es"),
        ("en;q=0.4,es;q=0.41", "es"),
        ("es;q=0, en;q=0.1", "en"),
        ("es;q=0", "en"),
        ("es;q=high", "en"),
        (";;,,q=1", "en"),
    ],
)
def test_the_callers_first_language_of_ours_is_chosen(accepted, language):
    assert preferred(accepted) == language


def test_a_problem_is_worded_in_the_language_asked_for_and_keeps_its_translations():
    error = FieldError(field="client", code="1189", text=fixed("missing", "Name it.", SPANISH))
    problem = Invalid(fixed("client: missing", "Name it.", SPANISH), errors=[error])

    english, spanish = problem.body(), problem.body(language="es")

    assert (english["detail"], english["remedy"]) == ("client: missing", "Name it.")
    assert (spanish["detail"], spanish["error"], spanish["remedy"]) == ("falta", "falta", "Indícalo.")
    assert (english["errors"][0]["message"], spanish["errors"][0]["message"]) == ("missing", "falta")
    assert spanish["errors"][0]["remedy"] == "Indícalo."
    assert english["errors"][0]["translations"] == {"es": {"message": "falta", "remedy": "Indícalo."}}


def test_a_problem_without_translations_is_answered_as_ever():
    body = Invalid.field("email", fixed("is no address", None, None)).body(language="es")

    assert body["errors"] == [{"field": "email", "code": "VALIDATION_ERROR", "message": "is no address"}]
    assert body["detail"] == "email: is no address"


SPOKEN = [
    ("GET", "/api/invoices", 401, {"Authorization": ""}, "Esta operación necesita credenciales."),
    ("GET", "/api/invoices", 401, {"Authorization": "Bearer x"}, "El token no es válido o ha caducado."),
    ("GET", "/api/invoices", 403, {"X-Team-Id": str(UUID(int=7))}, "No eres miembro de ese equipo."),
    ("POST", "/api/teams", 403, {}, "La clave de un equipo no puede crear equipos."),
    ("GET", "/api/nothing", 404, {}, "No hay nada en /api/nothing."),
    ("GET", "/api/invoices/x", 404, {}, "Aquí nada tiene el id x."),
    ("DELETE", "/api/invoices/x/share", 404, {}, "Aquí nada tiene el id x."),
    ("DELETE", "/api/invoices", 405, {}, "DELETE no es posible en /api/invoices."),
    ("POST", "/api/clients", 413, {"Content-Length": str(1 << 30)}, "El cuerpo supera 1 MiB, lo máximo"),
    ("POST", "/api/clients", 415, {"Content-Type": "text/plain"}, "El cuerpo debe ser JSON y decirlo."),
]


@pytest.mark.parametrize("refusal", SPOKEN, ids=lambda one: f"{one[2]} {one[0]} {one[1]}")
async def test_plain_refusals_speak_spanish_too(ana, refusal):
    method, path, status, headers, detail = refusal
    own = {"x-api-key": ana.team["apiKey"]} if status == 403 and method == "POST" else ana.headers
    sent = {**own, "Content-Type": "application/json", "Accept-Language": "es-ES", **headers}
    body = {"content": b'{"name": "x", "country": "ES"}'} if method == "POST" else {}

    answer = await ana.client.request(method, path, headers=sent, **body)

    assert answer.status_code == status
    assert answer.json()["detail"].startswith(detail)
    assert answer.json()["remedy"]


async def test_an_outage_speaks_spanish_too(kernel, ana, unused_tcp_port):
    lost = replace(kernel, database=Database(f"postgresql+asyncpg://x:x@127.0.0.1:{unused_tcp_port}/x"))
    ana.client._transport.app.state.kernel = replace(
        lost, services={**lost.services, Authenticator: Authenticator(lost)}
    )

    answer = await ana.client.get("/api/invoices", headers={"x-api-key": ana.api_key, "Accept-Language": "es"})

    assert (answer.status_code, answer.json()["detail"]) == (503, "La base de datos no responde.")


def test_a_mistake_of_ours_speaks_spanish_too():
    assert broken().body(language="es")["detail"] == "Algo ha fallado por nuestra parte."


async def test_codes_of_the_country_are_explained_in_spanish_too(ana):
    tourist = {"name": "Li Wei", "taxId": "E12345678", "taxIdKind": "visa", "country": "CN"}
    details = {"fiscalDetails": {"voucher": True}}
    spanish = {"Accept-Language": "es"}

    kind = await ana.request("POST", "/api/clients", tourist, **spanish)
    detail = await ana.request("POST", "/api/invoices/preview", invoice_body(**details), **spanish)
    english = await ana.request("POST", "/api/clients", tourist)

    assert "passport: Pasaporte; official_id: Documento oficial" in kind.json()["remedy"]
    assert "coupon: Sí o no: rectificación por un cupón" in detail.json()["remedy"]
    assert "passport: Passport; official_id: Official identification" in english.json()["remedy"]


async def test_reasons_of_corrections_are_explained_in_spanish_too(ana):
    invoice = await ana.invoice()
    await ana.patch(f"/api/invoices/{invoice['id']}/send")
    body = invoice_body(docType="credit_note", rectifies=invoice["id"], correctionReason="R9")

    refused = await ana.request("POST", "/api/invoices", body, **{"Accept-Language": "es"})

    assert "R2: Cliente en concurso de acreedores (art. 80.Tres)" in refused.json()["remedy"]


async def test_what_answers_say_is_spanish_too(ana):
    spanish = {"Accept-Language": "es"}
    entry = {"key": "horario", "content": "De 9 a 18"}
    foreign = invoice_body(client={"name": "Acme", "taxId": "DE1", "country": "DE", "address": "Hauptstr. 1"})

    saved = [await ana.request("PUT", "/api/context/entry", entry, **spanish) for _ in range(2)]
    deleted = await ana.request("DELETE", "/api/context/entry/horario", **spanish)
    preview = await ana.request("POST", "/api/invoices/preview", foreign, **spanish)

    messages = [one.json()["message"] for one in (*saved, deleted)]
    assert messages == ["Entrada horario creada.", "Entrada horario actualizada.", "Entrada horario borrada."]
    doubt, form = preview.json()["warnings"]
    assert doubt.startswith("FOREIGN_BUSINESS_DOMESTIC_VAT: el cliente es una empresa de DE (UE)")
    assert form == "client.taxId: no tiene la forma de un NIF-IVA de DE"
