"""Questions in a chat: answered at once, by what the books say, and nothing to confirm."""

from datetime import timedelta

import pytest

from ledgerkit import clock
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.texts import text

NEXT = text(ChatMsg.NEXT_PAGE).in_language("es")
BACK = text(ChatMsg.PREVIOUS_PAGE).in_language("es")


async def _issued(api, client_name: str, price: int, due_in: int = 30):
    clients = {client["name"]: client["id"] for client in await api.get("/api/clients")}
    today = clock.today("Europe/Madrid")
    body = {
        "clientId": clients[client_name],
        "items": [{"description": "Trabajo", "quantity": 1, "unitPrice": price}],
        "issueDate": (today - timedelta(days=max(0, -due_in))).isoformat(),
        "dueDate": (today + timedelta(days=due_in)).isoformat(),
    }
    draft = await api.post("/api/invoices", body)
    await api.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    return await api.get(f"/api/invoices/{draft['id']}")


@pytest.fixture
async def owed(talk):
    """Two open invoices, the older one overdue."""
    late = await _issued(talk.api, "Acme Consulting, S.L.", 100, due_in=-3)
    return [late, await _issued(talk.api, "Talleres Norte, S.L.", 200)]


async def test_who_owes(talk, owed):
    (answer,) = await talk.says("¿quién me debe?")
    assert answer.text.startswith("Te deben 363,00 EUR, 2 facturas")
    assert [invoice["number"] in answer.text for invoice in owed] == [True, True]


async def test_overdue(talk, owed):
    (answer,) = await talk.says("vencidas")
    assert "Vencido: 121,00 EUR, 1 factura" in answer.text
    assert "3 días de retraso" in answer.text
    assert owed[1]["number"] not in answer.text


async def test_of_one_client(talk, owed):
    (answer,) = await talk.says("¿cuánto me debe Talleres Norte?")
    assert "242,00 EUR" in answer.text
    assert owed[0]["number"] not in answer.text


async def test_nobody_owes(talk):
    (answer,) = await talk.says("quién me debe")
    assert answer.text == "Nadie te debe nada."


async def test_vat_and_filing(talk, owed):
    (answer,) = await talk.says("IVA del trimestre")
    assert "Repercutido: 63,00 EUR" in answer.text
    (answer,) = await talk.says("qué tengo que presentar")
    assert "Modelo 303" in answer.text


async def test_results(talk, owed):
    (answer,) = await talk.says("cuánto he ganado este año")
    assert "Ingresos: 300,00 EUR" in answer.text


async def test_state_and_pdf_of_an_invoice(talk, owed):
    number = owed[1]["number"]
    (answer,) = await talk.says(f"¿han pagado la {number}?")
    assert "Sin cobrar: 242,00 EUR" in answer.text
    assert "Aceptada" in answer.text
    (pdf,) = await talk.taps("PDF")
    assert pdf.document.content.startswith(b"%PDF")
    (pdf,) = await talk.says(f"enséñame la {number}")
    assert pdf.document.name == f"{number}.pdf"


async def test_client_is_found(talk):
    (answer,) = await talk.says("teléfono de acme")
    assert "600 100 200" in answer.text


async def test_long_answers_have_pages(talk):
    for number in range(15):
        await talk.api.post("/api/tasks", {"title": f"Tarea {number:02d}"})
    (answer,) = await talk.says("tareas")
    assert answer.text.startswith("15 tareas pendientes (1/2)")
    assert len(answer.text.splitlines()) == 13
    assert await talk.taps(NEXT) == []  # in its place
    assert answer.text.startswith("15 tareas pendientes (2/2)")
    assert answer.labels == [[BACK]]


async def test_summary_of_the_day(talk, owed):
    (answer,) = await talk.says("qué tengo hoy")
    assert "1 factura vencida:" in answer.text


async def test_help(talk):
    (answer,) = await talk.says("hola")
    assert "No cambio nada hasta que pulses un botón." in answer.text


async def test_names_are_escaped(talk):
    await talk.api.post("/api/clients", {"name": "Ríos & <b>Hijos</b>", "country": "ES", "taxId": "B87654323"})
    (card,) = await talk.says("factura a Ríos 100")
    assert "<b>Hijos</b>" in card.text
