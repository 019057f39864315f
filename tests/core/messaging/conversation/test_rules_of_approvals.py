"""The account's rules bind the chat: what is asked in the web app only has no button that does it."""

from support.talking import linked


async def _policy(api, **rule) -> None:
    await api.put("/api/approvals/policy", {"connections": [], **rule})


async def test_in_app_only(talk):
    await _policy(talk.api, asked="app")
    await talk.says("factura Acme 300")
    await talk.taps("Crear borrador")  # a draft is no act that is asked about
    await talk.taps("Emitir y enviar")
    card = talk.chat.last
    assert card.labels == [["Abrir la aplicación"], ["Cancelar"]]
    assert card.keys[0].url.endswith(f"/approve/{(await talk.api.get('/api/approvals?status=pending'))[0]['id']}")
    (invoice,) = await talk.api.get("/api/invoices")
    assert invoice["status"] == "draft"


async def test_rule_changed_before_the_tap(talk):
    await talk.says("factura Acme 300")
    (question,) = await talk.taps("Emitir y enviar")
    await _policy(talk.api, asked="app")
    await talk.taps("Emitir y enviar", question)
    (invoice,) = await talk.api.get("/api/invoices")
    assert invoice["status"] == "draft"
    assert question.labels == [["Abrir la aplicación"], ["Cancelar"]], talk.chat.transcript


async def test_limits(talk):
    await _policy(talk.api, asked="limits", upTo=200)
    await talk.says("factura Acme 100")
    (question,) = await talk.taps("Emitir y enviar")
    assert question.labels[0] == ["Emitir y enviar"]
    await talk.says("factura Acme 300")
    (question,) = await talk.taps("Emitir y enviar")
    assert question.labels[0] == ["Abrir la aplicación"]


async def test_rule_of_one_chat(talk):
    (link,) = await talk.api.get("/api/messaging/links")
    await talk.api.put(
        "/api/approvals/policy", {"asked": "host", "connections": [{"connection": link["id"], "asked": "app"}]}
    )
    await talk.says("factura Acme 300")
    (question,) = await talk.taps("Emitir y enviar")
    assert question.labels[0] == ["Abrir la aplicación"]


async def test_proposal_of_an_assistant_comes_with_its_card(talk):
    made = await talk.api.post("/api/keys", {"name": "Claude", "scopes": ["read", "propose"]})
    headers, talk.api.headers = talk.api.headers, {"X-API-Key": made["key"]}
    await talk.api.request("POST", "/api/tasks", {"title": "De la asistente"})
    talk.api.headers = headers
    await talk.chat.shows(2)
    card = talk.chat.last
    assert card.text.startswith("Claude pide tu visto bueno")
    await talk.taps("De acuerdo")
    (task,) = await talk.api.get("/api/tasks")
    assert task["title"] == "De la asistente"


async def test_nobody_else_decides(talk, office, office_bot):
    """A button of one person, pressed by another, does nothing."""
    other = await office.account("Berta Sanz")
    berta = await linked(office, office_bot, other, "Berta Sanz")
    (card,) = await talk.says("factura Acme 300")
    key = card.keys[0]
    berta.chat.tap_data(key.data, 999)
    await berta.settled()
    assert await talk.api.get("/api/invoices") == []
    assert (await talk.api.get("/api/approvals"))[0]["status"] == "pending"


async def test_changed_record_is_said(talk):
    await talk.says("factura Acme 300")
    (question,) = await talk.taps("Emitir y enviar")
    (invoice,) = await talk.api.get("/api/invoices")
    body = {"items": [{"description": "Otra cosa", "quantity": 1, "unitPrice": 999}]}
    await talk.api.put(f"/api/invoices/{invoice['id']}", body)
    shown = await talk.taps("Emitir y enviar", question)
    assert shown != []
    assert (await talk.api.get("/api/invoices"))[0]["status"] == "draft"


async def test_second_tap_does_nothing(talk):
    (card,) = await talk.says("recuérdame llamar a Pepe")
    await talk.taps("Crear la tarea")
    await talk.taps_old("Crear la tarea", card)
    assert len(await talk.api.get("/api/tasks")) == 1
    assert "ya estaba hecho" in card.text
