"""Updates that Telegram sends to an address of ours, and the end of such a webhook."""

import json

import pytest
from pydantic import SecretStr

from ledgerkit.core.messaging.messengers.messenger import OtherPollerError, RejectedError, UnreachableError
from ledgerkit.core.messaging.messengers.telegram.adapter import create
from ledgerkit.core.messaging.messengers.telegram.updates import received
from ledgerkit.core.messaging.messengers.telegram.webhook import HEADER, is_genuine, webhook_header, webhook_path
from ledgerkit.settings import Settings
from support.botapi import CUT

SECRET = "a-secret-of-sixteen-signs"
URL = f"https://ledgerkit.example/messaging/telegram/{webhook_path(SECRET)}"


async def test_a_webhook_is_set_with_its_secret_and_kinds(messenger, bot):
    await messenger.set_webhook(URL, SECRET)

    assert (bot.webhook.url, bot.webhook.secret) == (URL, webhook_header(SECRET))
    assert bot.webhook.allowed_updates == ["message", "edited_message", "callback_query", "my_chat_member"]


async def test_updates_that_wait_survive_the_change_to_a_webhook_and_back(messenger, bot, chat):
    chat.say("hola")

    await messenger.set_webhook(URL, SECRET)
    await messenger.delete_webhook()

    assert len(await messenger.updates(0, 0)) == 1


async def test_an_address_that_telegram_does_not_reach_is_rejected(messenger):
    with pytest.raises(RejectedError, match="HTTPS URL must be provided"):
        await messenger.set_webhook("http://ledgerkit.example/x", SECRET)


async def test_a_forgotten_webhook_is_deleted_before_updates_are_fetched_again(messenger, bot, chat):
    bot.call("setWebhook", {"url": URL})
    chat.say("hola")

    with pytest.raises(OtherPollerError):
        await messenger.updates(0, 0)
    updates = await messenger.updates(0, 0)

    assert len(updates) == 1
    assert len(bot.calls_of("deleteWebhook")) == 1


async def test_who_sets_the_webhook_again_is_another_program(messenger, bot):
    bot.call("setWebhook", {"url": URL})
    with pytest.raises(OtherPollerError):
        await messenger.updates(0, 0)
    await messenger.updates(0, 0)
    bot.call("setWebhook", {"url": URL})

    for _ in range(3):
        with pytest.raises(OtherPollerError):
            await messenger.updates(0, 0)

    assert bot.webhook is not None
    assert len(bot.calls_of("deleteWebhook")) == 1


async def test_a_webhook_that_could_not_be_deleted_is_deleted_later(messenger, bot):
    bot.call("setWebhook", {"url": URL})
    bot.fail("deleteWebhook", CUT)
    with pytest.raises(OtherPollerError):
        await messenger.updates(0, 0)
    with pytest.raises(UnreachableError):
        await messenger.updates(0, 0)

    assert await messenger.updates(0, 0) == []


async def test_a_webhook_of_ours_is_left_alone(telegram, bot, tmp_path):
    settings = Settings(
        _env_file=None,
        data_dir=tmp_path,
        telegram_token=SecretStr(bot.token),
        telegram_api_base=telegram.base,
        telegram_webhook_secret=SecretStr(SECRET),
    )
    messenger = create(settings)
    await messenger.set_webhook(URL, SECRET)

    for _ in range(2):
        with pytest.raises(OtherPollerError):
            await messenger.updates(0, 0)
    await messenger.close()

    assert bot.webhook is not None


async def test_an_update_that_is_sent_reads_as_one_that_is_fetched(messenger, bot, chat):
    await messenger.set_webhook(URL, SECRET)
    chat.say("hola")
    [sent] = bot.take()

    number, update = received(json.dumps(sent).encode())

    assert number == sent["update_id"]
    assert messenger.read(update).event.words == "hola"


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"7", b"\xff\xfe", b'{"update_id": "7"}', b"[" * 100_000])
def test_a_body_that_is_no_update_is_none(body):
    assert received(body) is None


def test_address_and_header_tell_nothing_of_each_other():
    path, header = webhook_path(SECRET), webhook_header(SECRET)

    assert (len(path), len(header)) == (32, 64)
    assert path not in header
    assert SECRET not in path + header
    assert (webhook_path(f"{SECRET}x"), webhook_header(f"{SECRET}x")) != (path, header)
    assert webhook_path(SECRET) == "4c737df7dcf7219d31c3fc42b7d2b99e", "an address that is set stays valid"


@pytest.mark.parametrize(
    ("headers", "genuine"),
    [
        ({HEADER: webhook_header(SECRET)}, True),
        ({HEADER.lower(): webhook_header(SECRET)}, True),
        ({}, False),
        ({HEADER: ""}, False),
        ({HEADER: SECRET}, False),
        ({HEADER: webhook_path(SECRET)}, False),
        ({HEADER: "ñ"}, False),
        ({HEADER: webhook_header("another-secret-here")}, False),
        ({HEADER: webhook_header(SECRET), HEADER.upper(): "x"}, False),
    ],
)
def test_only_telegram_knows_the_header(headers, genuine):
    assert is_genuine(headers, SECRET) is genuine
