"""The model in a chat: it looks things up and proposes, and never acts."""

import json
from collections.abc import AsyncIterator

import pytest

from support.botapi import bot_api
from support.modelserver import Answer, ModelServer, completion, fails, model_server
from support.office import Office, cloned, opened
from support.talking import Talk, linked


@pytest.fixture(scope="module")
async def model() -> AsyncIterator[ModelServer]:
    async with model_server() as server:
        yield server


@pytest.fixture(scope="module")
def office_bot():
    with bot_api() as server:
        bot = server.bot()
        bot.base = server.base
        yield bot


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords, office_bot, model) -> AsyncIterator[Office]:
    settings = {
        "telegram_token": office_bot.token,
        "telegram_api_base": office_bot.base,
        "ai_base_url": model.url,
        "ai_model": "seer",
    }
    directory = tmp_path_factory.mktemp("assistant")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, **settings) as office:
        yield office


@pytest.fixture
async def talk(office, office_bot) -> Talk:
    api = await office.account()
    await api.post("/api/clients", {"name": "Acme Consulting, S.L.", "country": "ES", "taxId": "B12345674"})
    return await linked(office, office_bot, api)


def uses(name: str, **arguments) -> Answer:
    call = {"id": "c-1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return completion(None, finish_reason="tool_calls", tool_calls=[call])


UNKNOWN = "mira a ver si lo de la semana de los diseños quedó apuntado en algún lado"
"""Words that the grammar does not understand."""


async def test_model_answers_what_the_grammar_does_not_understand(talk, model):
    model.says(uses("list_tasks"), completion("No hay tareas."))
    model.requests.clear()
    (answer,) = await talk.says(UNKNOWN)
    assert answer.text == "No hay tareas."
    first, second = model.requests
    assert first["messages"][1] == {"role": "user", "content": UNKNOWN}
    assert second["messages"][-1]["role"] == "tool"
    offered = {tool["function"]["name"] for tool in first["tools"]}
    assert {"list_invoices", "create_invoice"} <= offered
    assert offered.isdisjoint({"get_document", "scan_receipt", "invite_member", "save_company"})
    assert "confirmation_token" not in json.dumps(first["tools"])


async def test_grammar_goes_first_and_asks_no_model(talk, model):
    model.requests.clear()
    await talk.says("quién me debe")
    assert model.requests == []


async def test_what_it_would_change_is_a_card(talk, model):
    model.says(uses("save_task", title="Mirar diseños"), completion("Te he preparado la tarea: decide en la ficha."))
    card, _ = await talk.says(UNKNOWN)
    assert card.labels == [["De acuerdo"], ["Cancelar"]]
    assert await talk.api.get("/api/tasks") == []
    await talk.taps("De acuerdo")
    (task,) = await talk.api.get("/api/tasks")
    assert task["title"] == "Mirar diseños"


async def test_act_is_never_done_by_the_model(talk, model):
    clients = await talk.api.get("/api/clients")
    draft = await talk.api.post(
        "/api/invoices",
        {"clientId": clients[0]["id"], "items": [{"description": "Web", "quantity": 1, "unitPrice": 100}]},
    )
    for name, arguments in (
        ("emit_einvoice", {"invoiceId": draft["id"]}),
        ("send_invoice", {"id": draft["id"]}),
        ("delete_record", {"type": "draft", "id": draft["id"]}),
        ("emit_einvoice", {"invoiceId": draft["id"], "confirmation_token": "made up"}),
    ):
        model.says(uses(name, **arguments), completion("hecho"))
        await talk.says(UNKNOWN)
        assert (await talk.api.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"


async def test_unknown_tools_and_junk_are_answered_to_the_model(talk, model):
    junk = {"id": "c-9", "type": "function", "function": {"name": "list_invoices", "arguments": "{not json"}}
    model.says(
        uses("delete_everything"),
        completion(None, finish_reason="tool_calls", tool_calls=[junk]),
        uses("list_invoices", nonsense=1),
        completion("Ya está."),
    )
    (answer,) = await talk.says(UNKNOWN)
    assert answer.text == "Ya está."


async def test_model_that_never_ends_is_ended(talk, model):
    model.says(uses("list_invoices"))
    (answer,) = await talk.says(UNKNOWN)
    assert answer.text == "No te he entendido. Escribe «ayuda» para ver ejemplos."


async def test_model_that_fails_leaves_the_grammar(talk, model):
    model.says(fails(500))
    (answer,) = await talk.says(UNKNOWN)
    assert answer.text == "No te he entendido. Escribe «ayuda» para ver ejemplos."


async def test_markup_of_the_model_is_text(talk, model):
    model.says(completion("<b>Hola</b> & [x](http://example.com)"))
    (answer,) = await talk.says(UNKNOWN)
    assert answer.text == "<b>Hola</b> & [x](http://example.com)"
