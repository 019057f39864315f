"""Tasks, the till, undo, silence and unlinking in a chat."""

from decimal import Decimal


async def test_task_is_noted_down_and_done(talk):
    (card,) = await talk.says("recuérdame llamar al gestor mañana")
    assert "Llamar al gestor" in card.text
    assert await talk.api.get("/api/tasks") == []
    await talk.taps("Crear la tarea")
    (task,) = await talk.api.get("/api/tasks")
    assert (task["title"], task["channel"]) == ("Llamar al gestor", "messaging")

    (answer,) = await talk.says("tareas")
    assert "Llamar al gestor" in answer.text
    await talk.says("hecho lo de llamar al gestor")
    await talk.taps("Hecha")
    assert (await talk.api.get("/api/tasks"))[0]["status"] == "done"


async def test_till(talk):
    (answer,) = await talk.says("caja")
    assert answer.text == "No hay ninguna caja abierta."
    till = await talk.api.post("/api/cash-register", {"openingAmount": 100})
    (answer,) = await talk.says("caja")
    assert "100,00 EUR" in answer.text
    await talk.says("cierra la caja con 95")
    assert (await talk.api.get("/api/cash-register/current"))["id"] == till["id"]
    await talk.taps("Cerrar la caja")
    assert await talk.api.get("/api/cash-register/current") is None
    (answer,) = await talk.says("la z de hoy")
    assert "Z 1" in answer.text
    assert "-5,00 EUR" in answer.text


async def test_till_asks_for_what_was_counted(talk):
    await talk.api.post("/api/cash-register", {"openingAmount": 100})
    (question,) = await talk.says("cierra la caja")
    assert question.text == "¿Cuánto dinero has contado en el cajón?"
    await talk.says("100")
    await talk.taps("Cerrar la caja")
    assert await talk.api.get("/api/cash-register/current") is None


async def test_undo_within_five_minutes(talk):
    await talk.says("factura Acme 300")
    await talk.taps("Crear borrador")
    await talk.says("deshacer")
    await talk.taps("Deshacerlo")
    assert await talk.api.get("/api/invoices") == []


async def test_nothing_of_others_is_undone(talk):
    await talk.api.post("/api/tasks", {"title": "De la web"})
    (answer,) = await talk.says("deshacer")
    assert answer.text.startswith("No hay nada que deshacer")
    assert len(await talk.api.get("/api/tasks")) == 1


async def test_silence_and_digest(talk):
    (answer,) = await talk.says("/silencio")
    assert answer.text.startswith("Ya no te escribo por mi cuenta")
    settings = await talk.api.get("/api/messaging/settings")
    assert settings["quiet"] is True
    await talk.says("ya puedes avisar")
    await talk.says("resumen a las 7")
    settings = await talk.api.get("/api/messaging/settings")
    assert settings == {"digestHour": 7, "digest": True, "quiet": False, "language": None}


async def test_unlinked_by_a_tap(talk):
    (question,) = await talk.says("/unlink")
    assert (await talk.api.get("/api/messaging/links")) != []
    await talk.taps("Desvincular")
    assert "ya no está vinculado" in question.text
    assert await talk.api.get("/api/messaging/links") == []
    (answer,) = await talk.says("quién me debe")
    assert answer.text == "Este bot solo contesta a chats vinculados."


async def test_money_never_moves_by_words_alone(talk):
    for words in ("deshacer", "cierra la caja con 100", "borra todas las facturas", "paga a Vodafone 100"):
        await talk.says(words)
    assert [entry for entry in await talk.activity() if entry.action not in {"linked", "proposed"}] == []
    assert Decimal(0) == sum(Decimal(str(invoice["total"])) for invoice in await talk.api.get("/api/invoices"))
