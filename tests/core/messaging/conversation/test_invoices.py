"""Invoices in a chat: a sentence, its totals, two taps, and the books afterwards."""

from decimal import Decimal


async def test_sentence_becomes_draft(talk):
    (card,) = await talk.says("factura Acme 300 consultoría")
    assert "Total: 363,00 EUR" in card.text
    assert "Acme Consulting, S.L." in card.text
    assert card.labels == [["Crear borrador", "Emitir y enviar"], ["Cancelar"]]
    assert card.document.content.startswith(b"%PDF")  # as it would look
    assert await talk.api.get("/api/invoices") == []  # nothing without a tap

    (draft,) = await talk.taps("Crear borrador")
    assert card.buttons == ()
    assert "Borrador guardado" in card.text
    assert draft.document is not None
    assert draft.document.content.startswith(b"%PDF")
    (invoice,) = await talk.api.get("/api/invoices")
    assert (invoice["status"], invoice["number"], Decimal(str(invoice["total"]))) == ("draft", None, Decimal(363))
    assert invoice["items"][0]["description"] == "Consultoría"
    assert invoice["channel"] == "messaging"


async def test_sentence_to_accepted_pdf_in_two_taps(talk):
    await talk.says("factura a talleres norte 3 horas a 45 más IVA y envíasela")
    (question,) = await talk.taps("Emitir y enviar")
    assert "norte@example.com" in question.text
    assert question.labels == [["Emitir y enviar"], ["Cancelar"]]
    (invoice,) = await talk.api.get("/api/invoices")
    assert invoice["status"] == "draft"  # it is issued by the second tap only

    (accepted,) = await talk.taps("Emitir y enviar")
    (invoice,) = await talk.api.get("/api/invoices")
    assert (invoice["status"], invoice["einvoice"]["status"]) == ("sent", "accepted")
    assert "Aceptada" in accepted.text
    assert accepted.document.name == f"{invoice['number']}.pdf"
    assert "Emitida" in question.text


async def test_nothing_happens_after_cancel(talk):
    (card,) = await talk.says("factura Acme 300")
    assert await talk.taps("Cancelar") == []
    assert "no ha cambiado nada" in card.text
    await talk.taps_old("Crear borrador", card)
    assert await talk.api.get("/api/invoices") == []


async def test_two_clients_of_one_name_are_asked_about(talk):
    (question,) = await talk.says("factura a Juan Pérez 300")
    assert question.labels == [["Juan Pérez Gómez"], ["Juan Pérez Molina"]]
    (card,) = await talk.taps("Juan Pérez Molina")
    assert "Juan Pérez Molina" in card.text
    await talk.taps("Crear borrador")
    (invoice,) = await talk.api.get("/api/invoices")
    assert invoice["client"]["name"] == "Juan Pérez Molina"


async def test_missing_amount_is_asked_for(talk):
    (question,) = await talk.says("factura a Acme")
    assert question.text == "¿De qué importe?"
    (card,) = await talk.says("mil doscientos con cincuenta")
    assert "Base imponible: 1.200,50 EUR" in card.text


async def test_nobody_has_to_answer_before_going_on(talk):
    await talk.says("factura a Acme")
    (tasks,) = await talk.says("tareas")
    assert tasks.text == "No hay tareas pendientes."
    await talk.says("factura a Acme")
    (card,) = await talk.says("factura a talleres norte 200")
    assert "Base imponible: 200,00 EUR" in card.text
    assert "Talleres Norte" in card.text


async def test_one_thing_after_the_other_is_asked_for(talk):
    (question,) = await talk.says("hazme una factura")
    assert question.text == "¿Para qué cliente?"
    (question,) = await talk.says("acme")
    assert question.text == "¿De qué importe?"
    (card,) = await talk.says("300")
    assert "Base imponible: 300,00 EUR" in card.text
    await talk.says("factura de 300")
    (card,) = await talk.says("acme")
    assert "Base imponible: 300,00 EUR" in card.text
    await talk.says("factura a Zutanos 150")
    (card,) = await talk.says("acme")
    assert "Base imponible: 150,00 EUR" in card.text
    assert "Acme Consulting" in card.text


async def test_paid_sent_again_and_corrected(talk):
    await talk.says("factura Acme 100 logo")
    await talk.taps("Emitir y enviar")
    await talk.taps("Emitir y enviar")
    (invoice,) = await talk.api.get("/api/invoices")

    (card,) = await talk.says("Acme ha pagado por bizum")
    assert invoice["number"] in card.text
    await talk.taps("Marcar como pagada")
    (invoice,) = await talk.api.get("/api/invoices")
    assert (invoice["status"], invoice["paymentMethod"] or "Bizum") == ("paid", "Bizum")

    (card,) = await talk.says(f"reenvía la {invoice['number'][-1]}")
    assert "acme@example.com" in card.text
    await talk.taps("Enviar")
    assert "El correo no ha salido" in card.text  # this server has no mail server
    assert "Emitida" not in card.text

    (card,) = await talk.says(f"rectifica la {invoice['number']}")
    (corrected,) = await talk.taps("Emitir la rectificativa")
    assert "cobrar" not in corrected.text
    credit = (await talk.api.get("/api/invoices"))[0]
    assert (credit["docType"], Decimal(str(credit["total"]))) == ("credit_note", Decimal(-121))


async def test_edited_message_supersedes_its_proposal(talk):
    number = talk.chat.say("factura Acme 300")
    await talk.settled()
    first = talk.chat.last
    talk.chat.edit(number, "factura Acme 350")
    await talk.settled()
    assert "423,50" in talk.chat.last.text
    await talk.taps_old("Crear borrador", first)
    assert await talk.api.get("/api/invoices") == []
    await talk.taps("Crear borrador")
    (invoice,) = await talk.api.get("/api/invoices")
    assert Decimal(str(invoice["total"])) == Decimal("423.5")


async def test_every_write_names_the_messenger_and_its_message(talk):
    await talk.says("factura Acme 300")
    await talk.taps("Crear borrador")
    entries = await talk.activity()
    created = next(entry for entry in entries if entry.action == "created" and entry.entity_type == "invoice")
    assert (created.channel, created.client) == ("messaging", "Telegram")
    assert created.source_message_id.startswith("telegram:")
