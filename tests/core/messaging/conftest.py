"""An application with a Telegram bot, whose updates it fetches from a fake Bot API on loopback."""

from collections.abc import AsyncIterator, Iterator

import pytest

from support.botapi import BotApiServer, FakeBot, bot_api
from support.modelserver import ModelServer, model_server
from support.office import Office, cloned, opened
from support.talking import Talk, linked


@pytest.fixture(scope="module")
def telegram() -> Iterator[BotApiServer]:
    with bot_api() as server:
        yield server


@pytest.fixture(scope="module")
def office_bot(telegram) -> FakeBot:
    return telegram.bot()


@pytest.fixture(scope="module")
def bot_settings(telegram, office_bot, model) -> dict[str, object]:
    """Settings of the application's bot and of its model; `einvoice_wait` is what a tap waits for the authority."""
    return {
        "telegram_token": office_bot.token,
        "telegram_api_base": telegram.base,
        "einvoice_wait": 20,
        "ai_base_url": model.url,
        "ai_model": "seer",
        "ai_transcription_model": "hearing",
    }


@pytest.fixture(scope="module")
async def model() -> AsyncIterator[ModelServer]:
    async with model_server() as server:
        yield server


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords, bot_settings) -> AsyncIterator[Office]:
    directory = tmp_path_factory.mktemp("messaging")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, **bot_settings) as office:
        yield office


@pytest.fixture
async def talk(office, office_bot) -> Talk:
    """A new account with three clients, and its owner's chat."""
    api = await office.account()
    await add_clients(api)
    return await linked(office, office_bot, api)


CLIENTS = (
    {"name": "Acme Consulting, S.L.", "taxId": "B12345674", "email": "acme@example.com", "phone": "600 100 200"},
    {"name": "Talleres Norte, S.L.", "taxId": "B76543214", "email": "norte@example.com"},
    {"name": "Juan Pérez Gómez", "taxId": "12345678Z"},
    {"name": "Juan Pérez Molina", "taxId": "11111111H"},
)


async def add_clients(api) -> None:
    for client in CLIENTS:
        await api.post("/api/clients", {"country": "ES", "address": "Calle Mayor 1", "city": "Oviedo", **client})
