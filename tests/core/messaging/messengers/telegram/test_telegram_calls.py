"""Calls of the Bot API: their results, and what each failure becomes."""

import asyncio
import logging
import traceback
from contextlib import suppress

import pytest
from pydantic import SecretStr

from ledgerkit.core.messaging.messengers.messenger import (
    BlockedError,
    Bot,
    BotMessage,
    MessengerError,
    OtherPollerError,
    RejectedError,
    TokenError,
    UnreachableError,
    WaitError,
)
from ledgerkit.core.messaging.messengers.telegram.adapter import PLUGIN, TelegramMessenger
from ledgerkit.core.messaging.messengers.telegram.client import BotApi, _proxy
from ledgerkit.core.messaging.messengers.telegram.updates import LARGEST_FILE
from ledgerkit.settings import Settings
from support.botapi import (
    CUT,
    DUPLICATED,
    GARBLED,
    HALF,
    HANGS,
    HUGE,
    LOST,
    OTHER_POLLER,
    REVERSED,
    answers,
    busy,
    fails,
    redirects,
)
from support.ports import free_port

HELLO = BotMessage(lines=["hola"])
FAULTS = [busy(), fails(500), fails(502), CUT, LOST, GARBLED, HUGE, redirects(), HALF]


async def failure(work) -> MessengerError:
    with pytest.raises(MessengerError) as caught:
        await work
    return caught.value


async def taken(messenger, first=0, wait=0):
    """The updates with their numbers, as the port names them."""
    return [(number, messenger.read(update)) for number, update in await messenger.updates(first, wait)]


async def other(telegram, token, **options):
    return TelegramMessenger(telegram.base, SecretStr(token), **options)


# ------------------------------------------------------------ the bot


async def test_the_bot_is_identified_by_its_token(messenger, bot):
    assert await messenger.identify() == Bot(id=str(bot.id), name="ledgerkit_bot")


@pytest.mark.parametrize("token", ["7000000000:AAforeignforeignforeign", "no token", "a/b?c#d", "ñ:\N{GRINNING FACE}"])
async def test_a_token_that_is_none_is_said_to_be_none(telegram, token):
    messenger = await other(telegram, token)

    error = await failure(messenger.identify())
    await messenger.close()

    assert isinstance(error, TokenError)


async def test_a_revoked_token_ends_fetching_sending_and_downloading(messenger, bot, chat):
    photo = chat.photo(b"picture")
    [(_, update)] = await taken(messenger)
    api, path = messenger._api, next(file.path for file in bot.files.values() if file.content == b"picture")
    bot.revoke()

    errors = [
        await failure(messenger.updates(0, 0)),
        await failure(messenger.send(chat.id, HELLO)),
        await failure(messenger.fetch(update.event.handle)),
        await failure(api.download(path, LARGEST_FILE)),
    ]

    assert photo
    assert [type(error) for error in errors] == [TokenError] * 4


def test_there_is_no_telegram_without_a_token(tmp_path):
    settings = [
        Settings(_env_file=None, data_dir=tmp_path),
        Settings(_env_file=None, data_dir=tmp_path, telegram_token=SecretStr("  ")),
    ]

    assert [PLUGIN.create(one) for one in settings] == [None, None]


async def test_the_settings_name_the_token_and_the_address(telegram, bot, tmp_path):
    token = SecretStr(f"{bot.token}\n")
    settings = Settings(_env_file=None, data_dir=tmp_path, telegram_token=token, telegram_api_base=f"{telegram.base}/")

    messenger = PLUGIN.create(settings)
    account = await messenger.identify()
    await messenger.close()

    assert account.id == str(bot.id)


@pytest.mark.parametrize(
    ("code", "link"),
    [("aB3_-", "https://t.me/ledgerkit_bot?start=aB3_-"), ("a b", None), ("", None), ("x" * 65, None), ("é", None)],
)
def test_a_link_opens_the_chat_with_a_code_that_telegram_takes(code, link):
    messenger = TelegramMessenger("https://api.telegram.org", SecretStr("1:x"))

    assert messenger.link("ledgerkit_bot", code) == link


# ------------------------------------------------------------ failures


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (fails(401), TokenError),
        (fails(404), TokenError),
        (fails(403, "Forbidden: bot was blocked by the user"), BlockedError),
        (fails(403, "Forbidden: user is deactivated"), BlockedError),
        (fails(400, "Bad Request: chat not found"), BlockedError),
        (fails(400, "Bad Request: PEER_ID_INVALID"), BlockedError),
        (fails(400, "Bad Request: not enough rights to send text messages to the chat"), BlockedError),
        (fails(400, "Bad Request: message to edit not found"), RejectedError),
        (fails(400, "Bad Request: message is too long"), RejectedError),
        (fails(413), RejectedError),
        (fails(418), RejectedError),
        (fails(409), OtherPollerError),
        (busy(), WaitError),
        (fails(500), UnreachableError),
        (fails(503), UnreachableError),
        (CUT, UnreachableError),
        (LOST, UnreachableError),
        (HALF, UnreachableError),
        (GARBLED, UnreachableError),
        (HUGE, UnreachableError),
        (redirects(), UnreachableError),
    ],
)
async def test_a_failure_of_a_call_is_an_error_of_the_port(messenger, bot, chat, fault, kind):
    bot.fail("sendMessage", fault)

    error = await failure(messenger.send(chat.id, HELLO))

    assert isinstance(error, kind)


async def test_after_a_failure_the_next_call_succeeds(messenger, bot, chat):
    bot.fail("sendMessage", *FAULTS)

    for _ in FAULTS:
        await failure(messenger.send(chat.id, HELLO))
    await messenger.send(chat.id, BotMessage(lines=["adiós"]))

    assert chat.texts == ["hola", "hola", "adiós"], "of LOST and HALF, whose answers did not come"


@pytest.mark.parametrize(
    ("said", "seconds"), [(7, 7), (0, 1), (-3, 1), (10**9, 3600), (None, 5), ("soon", 5), (1.5, 5)]
)
async def test_the_time_to_wait_is_bounded(messenger, bot, chat, said, seconds):
    bot.fail("sendMessage", busy(said))

    error = await failure(messenger.send(chat.id, HELLO))

    assert error.seconds == seconds


async def test_a_call_that_hangs_ends_in_time(telegram, bot):
    bot.fail("getMe", HANGS)
    api = BotApi(telegram.base, SecretStr(bot.token))

    error = await failure(api.call("getMe", {}, seconds=0.05))
    await api.close()

    assert isinstance(error, UnreachableError)


async def test_a_server_that_is_not_there_is_unreachable(bot):
    messenger = TelegramMessenger(f"http://127.0.0.1:{free_port()}", SecretStr(bot.token))

    error = await failure(messenger.identify())
    await messenger.close()

    assert (type(error), str(error)) == (UnreachableError, "getMe: ConnectError")


@pytest.mark.parametrize(
    ("base", "proxy"),
    [
        ("https://api.telegram.org", "http://proxy.example:3128"),
        ("http://bots.example", None),
        ("https://inside.example", None),
        ("https://localhost:8081", None),
        ("https://127.0.0.1:8081", None),
    ],
)
def test_the_proxy_of_the_environment_is_used(monkeypatch, base, proxy):
    for name in ("HTTP_PROXY", "http_proxy", "https_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "inside.example")

    assert _proxy(base) == proxy


async def test_another_web_server_is_no_bot_api(telegram, bot):
    """A 404 of another server says nothing of the token."""
    messenger = TelegramMessenger(f"{telegram.base}/elsewhere", SecretStr(bot.token))

    error = await failure(messenger.identify())
    await messenger.close()

    assert isinstance(error, UnreachableError)


@pytest.mark.parametrize("method", ["getMe", "getUpdates", "sendMessage", "getFile"])
async def test_a_result_of_another_form_is_no_answer(messenger, bot, chat, method):
    bot.fail(method, answers("yes"))
    calls = {
        "getMe": messenger.identify,
        "getUpdates": lambda: messenger.updates(0, 0),
        "sendMessage": lambda: messenger.send(chat.id, HELLO),
        "getFile": lambda: messenger.fetch("x"),
    }

    error = await failure(calls[method]())

    assert isinstance(error, UnreachableError)


async def test_the_person_who_blocks_the_bot_gets_no_message(messenger, chat):
    chat.block()

    error = await failure(messenger.send(chat.id, HELLO))

    assert isinstance(error, BlockedError)


async def test_a_chat_that_is_none_is_a_blocked_one(messenger):
    error = await failure(messenger.send("12345", HELLO))

    assert isinstance(error, BlockedError)


# ------------------------------------------------------------ updates


async def test_updates_come_with_their_numbers_until_they_are_confirmed(messenger, bot, chat):
    chat.say("uno")
    chat.say("dos")

    first = await messenger.updates(0, 0)
    again = await messenger.updates(0, 0)
    rest = await messenger.updates(first[0][0] + 1, 0)

    assert [update["message"]["text"] for _, update in first] == ["uno", "dos"]
    assert (again, rest) == (first, first[1:])
    assert len(bot.pending) == 1


async def test_a_long_poll_returns_with_the_first_update(messenger, bot, chat):
    async def spoken():
        await bot.until(lambda: bot.calls_of("getUpdates"))
        chat.say("hola")

    polled, _ = await asyncio.gather(messenger.updates(0, 30), spoken())

    assert len(polled) == 1
    assert bot.calls_of("getUpdates")[0]["timeout"] == 30


async def test_updates_are_asked_for_by_kind_and_bounds(messenger, bot):
    bot.fail("getUpdates", OTHER_POLLER)
    with suppress(OtherPollerError):
        await messenger.updates(5, 1000)
    bot.deliver({"message": {}})

    await messenger.updates(-5, 1000)

    assert bot.calls_of("getUpdates") == [
        {
            "offset": 0,
            "limit": 100,
            "timeout": 50,
            "allowed_updates": ["message", "edited_message", "callback_query", "my_chat_member"],
        }
    ]


@pytest.mark.parametrize(("fault", "texts"), [(DUPLICATED, ["a", "a", "b", "b"]), (REVERSED, ["b", "a"])])
async def test_updates_come_as_they_are_sent(messenger, bot, chat, fault, texts):
    chat.say("a")
    chat.say("b")
    bot.fail("getUpdates", fault)

    updates = await messenger.updates(0, 0)

    assert [update["message"]["text"] for _, update in updates] == texts


async def test_another_program_that_fetches_is_no_webhook(messenger, bot):
    bot.fail("getUpdates", OTHER_POLLER)

    error = await failure(messenger.updates(0, 0))
    await messenger.updates(0, 0)

    assert isinstance(error, OtherPollerError)
    assert bot.calls_of("deleteWebhook") == []


async def test_two_programs_with_one_token_disturb_each_other(telegram, messenger, bot):

    second = await other(telegram, bot.token)
    waiting = asyncio.create_task(messenger.updates(0, 30))
    await bot.until(lambda: bot.calls_of("getUpdates"))

    await second.updates(0, 0)
    error = await failure(waiting)
    await second.close()

    assert isinstance(error, OtherPollerError)


# ------------------------------------------------------------ files


async def test_a_file_comes_as_it_was_sent(messenger, chat):
    content = bytes(range(256)) * 4096
    chat.document(content, "año 2026/factura.pdf")
    [(_, update)] = await taken(messenger)

    assert (update.event.name, update.event.size) == ("año 2026_factura.pdf", len(content))
    assert await messenger.fetch(update.event.handle) == content


async def test_a_file_that_says_that_it_is_too_large_is_not_fetched(messenger, bot, chat):
    chat.document(b"small", size=LARGEST_FILE + 1)
    [(_, update)] = await taken(messenger)

    error = await failure(messenger.fetch(update.event.handle))

    assert isinstance(error, RejectedError)
    assert "file is too big" in str(error)


async def test_a_bot_api_of_our_own_may_offer_a_file_that_is_too_large(messenger, bot):
    """Such a server has no limit; the size that it says is checked before the download, and the download too."""
    handle = bot.store(b"x" * (LARGEST_FILE + 1), "documents", ".bin")
    path = bot.files[handle].path
    bot.fail("getFile", answers({"file_size": LARGEST_FILE + 1, "file_path": path}), answers({"file_path": path}))

    errors = [await failure(messenger.fetch(handle)), await failure(messenger.fetch(handle))]

    assert [(type(error), str(error)) for error in errors] == [
        (RejectedError, f"getFile: {LARGEST_FILE + 1} bytes are too many"),
        (RejectedError, f"download: more than {LARGEST_FILE} bytes"),
    ]


async def test_a_file_of_the_largest_size_is_fetched(messenger, bot):
    handle = bot.store(b"x" * LARGEST_FILE, "documents", ".bin")

    assert len(await messenger.fetch(handle)) == LARGEST_FILE


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (CUT, UnreachableError),
        (HALF, UnreachableError),
        (HUGE, RejectedError),
        (redirects(), UnreachableError),
        (fails(500), UnreachableError),
        (fails(404), RejectedError),
        (fails(401), TokenError),
        (busy(), WaitError),
    ],
)
async def test_a_download_fails_as_a_call_does(messenger, bot, fault, kind):
    handle = bot.store(b"picture" * 1000, "photos", ".jpg")
    bot.fail("download", fault)

    error = await failure(messenger.fetch(handle))

    assert isinstance(error, kind)
    assert await messenger.fetch(handle) == b"picture" * 1000


async def test_a_handle_that_is_none_is_rejected(messenger):
    assert isinstance(await failure(messenger.fetch("AgAC")), RejectedError)


@pytest.mark.parametrize("path", ["/var/lib/telegram-bot-api/file", "../bot*/close", "photos/../../x", None, 7])
async def test_a_path_on_the_other_machine_is_not_asked_for(messenger, bot, path):
    bot.fail("getFile", answers({"file_path": path}))

    assert isinstance(await failure(messenger.fetch("AgAC")), RejectedError)


# ------------------------------------------------------------ the token


async def test_the_token_stands_in_no_log_no_error_and_no_representation(telegram, messenger, bot, chat, caplog):
    """Not even with every logger at DEBUG, in the answer of a redirect, and with the variables of tracebacks."""
    for logger in ("", "httpx2", "httpcore2", "httpcore2.http11"):
        caplog.set_level(logging.DEBUG, logger=logger)
    handle = bot.store(b"picture", "photos", ".jpg")
    errors = []

    await messenger.identify()
    await messenger.fetch(handle)
    for fault in [*FAULTS, OTHER_POLLER, fails(400, f"Bad Request: no {bot.token}")]:
        bot.fail("sendMessage", fault)
        errors.append(await failure(messenger.send(chat.id, HELLO)))
    for fault in [CUT, HALF, HUGE, redirects(), fails(500, f"no {bot.token}")]:
        bot.fail("download", fault)
        errors.append(await failure(messenger.fetch(handle)))
    bot.revoke()
    errors.append(await failure(messenger.identify()))
    elsewhere = TelegramMessenger(f"http://127.0.0.1:{free_port()}", messenger._api._token)
    errors.append(await failure(elsewhere.identify()))
    await elsewhere.close()

    tracebacks = ["".join(traceback.TracebackException.from_exception(e, capture_locals=True).format()) for e in errors]
    secret = messenger._api._token.get_secret_value()
    public, _, private = secret.partition(":")
    assert (public, private) != ("", "")
    written = [caplog.text, *map(str, errors), *map(repr, errors), *tracebacks, repr(messenger), repr(messenger._api)]
    assert [text for text in written if private in text] == []
    assert "/bot*/getMe" in caplog.text, "the HTTP library logs addresses"
    assert "Location" in caplog.text, "and what is answered"
