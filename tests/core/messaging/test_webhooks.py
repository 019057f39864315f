"""Updates that Telegram brings to an address: proved before their body is read, and handled like those fetched."""

import json
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from ledgerkit.commands.examining import messengers
from ledgerkit.commands.examining.findings import Weight
from ledgerkit.core.messaging.messengers.telegram.webhook import HEADER, webhook_header, webhook_path
from support.botapi import fails
from support.delivering import failure
from support.office import Office, cloned, eventually, opened

SECRET = "a_secret_of_the_webhook"
PATH = f"/messaging/telegram/{webhook_path(SECRET)}"
PROOF = {HEADER: webhook_header(SECRET)}


def settings_of(telegram, bot) -> dict[str, object]:
    return {
        "telegram_token": bot.token,
        "telegram_api_base": telegram.base,
        "telegram_webhook_secret": SecretStr(SECRET),
        "base_url": "https://ledgerkit.example",
    }


@pytest.fixture(scope="module")
async def hooked(postgres, tmp_path_factory, cheap_passwords, telegram, office_bot) -> AsyncIterator[Office]:
    settings = settings_of(telegram, office_bot)
    directory = tmp_path_factory.mktemp("hooked")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, **settings) as office:
        yield office


async def _brought(hooked, office_bot, chat, words: str) -> int:
    chat.say(words)
    status = 0
    for update in office_bot.take():
        answer = await hooked.client.post(PATH, json=update, headers=PROOF)
        status = answer.status_code
    return status


async def test_update_is_answered(hooked, office_bot):
    await office_bot.until(lambda: office_bot.webhook is not None)
    assert office_bot.webhook.url == f"https://ledgerkit.example{PATH}"
    chat = office_bot.chat("Ana", language="es")
    assert await _brought(hooked, office_bot, chat, "hola") == 200
    assert (await chat.shows(1)).text == "Este bot solo contesta a chats vinculados."


async def test_update_that_comes_twice_is_answered_once(hooked, office_bot):
    chat = office_bot.chat("Eva", language="es")
    chat.say("hola")
    (update,) = office_bot.take()
    for _ in range(3):
        await hooked.client.post(PATH, json=update, headers=PROOF)
    await chat.shows(1)

    async def is_handled() -> bool:
        waiting = "select 1 from messaging_update where handled_at is null"
        return not await hooked.rows(waiting)

    await eventually(is_handled)
    assert len(chat.shown) == 1


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (PATH, {}),
        (PATH, {HEADER: "0" * 64}),
        (f"/messaging/telegram/{'0' * 32}", PROOF),
        (f"/messaging/other/{webhook_path(SECRET)}", PROOF),
        ("/messaging/telegram/é", PROOF),
    ],
)
async def test_nobody_else_brings_updates(hooked, path, headers):
    """The body is not even read: one that is no JSON and far too large gets the same answer."""
    before = await hooked.rows("select count(*) as n from messaging_update")
    for body in (b"{}", b"x" * (5 << 20)):
        answer = await hooked.client.post(path, content=body, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
    assert await hooked.rows("select count(*) as n from messaging_update") == before


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"update_id": "x"}', json.dumps({"update_id": 7}).encode()]
)
async def test_what_is_no_update_is_left_out(hooked, body):
    answer = await hooked.client.post(PATH, content=body, headers={**PROOF, "Content-Type": "application/json"})
    assert answer.status_code in {200, 400}


async def test_without_a_secret_there_is_no_address(office):
    answer = await office.client.post(PATH, json={}, headers=PROOF)
    assert answer.status_code == 404


async def test_address_that_telegram_refuses_is_noted(postgres, tmp_path, cheap_passwords, telegram):
    bot = telegram.bot()
    bot.fail("setWebhook", *[fails(400, "Bad Request: bad webhook: Failed to resolve host")] * 100)
    settings = settings_of(telegram, bot)
    async with cloned(postgres) as url, opened(url, tmp_path, cheap_passwords, **settings) as office:

        async def is_noted() -> bool:
            return await failure(office, bot) == "webhook"

        async def is_cleared() -> bool:
            return await failure(office, bot) is None

        await eventually(is_noted)
        (finding,) = await messengers.served(office.kernel)
        assert finding.weight is Weight.MISSING
        assert "Failed to resolve host" in finding.line("en")
        bot.clear_faults()
        await eventually(is_cleared)
