"""The fake Bot API refuses what Telegram refuses: the tests beside this one are worth no more than that."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from support.botapi import HANGS, Key, bot_api, busy
from support.botapi.bots import LARGEST_DOWNLOAD

HOLA = {"text": "hola", "parse_mode": "HTML"}


@pytest.fixture
async def caller(telegram) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=telegram.base, trust_env=False) as client:
        yield client


@pytest.fixture
def asked(bot, caller):
    """Calls a method of the bot as any program might: `await asked("getMe")`."""

    async def ask(method: str, **parameters: Any) -> dict[str, Any]:
        body, headers = json.dumps(parameters), {"Content-Type": "application/json"}
        return (await caller.post(f"/bot{bot.token}/{method}", content=body, headers=headers)).json()

    return ask


@pytest.fixture
def refusal(asked, chat):
    """The code and the words with which a message to the chat is refused."""

    async def ask(method: str = "sendMessage", **parameters: Any) -> str:
        body = await asked(method, **{"chat_id": chat.id, **HOLA, **parameters})
        assert not body["ok"]
        return f"{body['error_code']} {body['description']}"

    return ask


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "message text is empty"),
        (" \n ", "message text is empty"),
        ("<b></b>", "message text is empty"),
        ("x" * 4097, "message is too long"),
        ("&amp;" * 4097, "message is too long"),
        ("\N{GRINNING FACE}" * 2049, "message is too long"),
        ("x" * 32_769, "text is too long"),
        ("\ud800", "strings must be encoded in UTF-8"),
        ("<h1>x</h1>", 'can\'t parse entities: Unsupported start tag "h1" at byte offset 0'),
        ("é<b>x", "can't parse entities: Can't find end tag corresponding to start tag \"b\""),
        ("x</b>", "can't parse entities: Unexpected end tag at byte offset 1"),
        ("<b>x</i>", 'can\'t parse entities: Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
        ("1 < 2", "can't parse entities: Unclosed start tag at byte offset 2"),
        ("a & b", 'can\'t parse entities: Unescaped "&" at byte offset 2'),
        ("a > b", 'can\'t parse entities: Unescaped ">" at byte offset 2'),
        ("&nbsp;", 'can\'t parse entities: Unescaped "&" at byte offset 0'),
    ],
)
async def test_a_text_that_telegram_refuses_is_refused(refusal, text, words):
    assert await refusal(text=text) == f"400 Bad Request: {words}"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("x" * 4096, "x" * 4096),
        ("&amp;" * 4096, "&" * 4096),
        ("<b>a &lt;<i>b</i></b> &#8364;&#x20ac;", "a <b €€"),
        (' <a href="https://x.example?a=1&amp;b">x</a>\n', "x"),
    ],
)
async def test_a_text_that_telegram_takes_is_seen(asked, chat, text, seen):
    assert (await asked("sendMessage", chat_id=chat.id, text=text, parse_mode="HTML"))["ok"]
    assert chat.last.text == seen


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ({"text": "x", "callback_data": "é" * 33}, "BUTTON_DATA_INVALID"),
        ({"text": "x", "callback_data": ""}, "BUTTON_DATA_INVALID"),
        ({"text": "x"}, "Text buttons are unallowed in the inline keyboard"),
        ({"text": "", "callback_data": "x"}, 'Field "text" must be of type String'),
        ({"text": "x", "url": "http://localhost/x"}, "Wrong HTTP URL"),
    ],
)
async def test_a_button_that_telegram_refuses_is_refused(refusal, key, words):
    assert (await refusal(reply_markup={"inline_keyboard": [[key]]})).endswith(words)


async def test_more_than_a_hundred_buttons_are_refused(refusal):
    rows = [[{"text": "x", "callback_data": "x"}]] * 101

    assert await refusal(reply_markup={"inline_keyboard": rows}) == "400 Bad Request: reply markup is too long"


async def test_chats_that_are_none_or_closed_are_refused(refusal, bot, chat):
    chat.block()
    group = bot.group().member(chat)
    group.block()

    assert await refusal(chat_id=1) == "400 Bad Request: chat not found"
    assert await refusal() == "403 Forbidden: bot was blocked by the user"
    assert await refusal(chat_id=group.id) == "403 Forbidden: bot was kicked from the group chat"


async def test_edits_are_refused_as_telegram_does(asked, refusal, bot, chat):
    number = (await asked("sendMessage", chat_id=chat.id, **HOLA))["result"]["message_id"]

    assert "message is not modified" in await refusal("editMessageText", message_id=number)
    assert "message to edit not found" in await refusal("editMessageText", message_id=1)
    assert "message can't be edited" in await refusal("editMessageText", message_id=chat.say("x"))
    assert "there is no caption" in await refusal("editMessageCaption", message_id=number)


async def test_a_caption_has_its_own_limit(caller, bot, chat):
    async def sent(length: int) -> dict[str, Any]:
        data = {"chat_id": chat.id, "caption": "x" * length}
        files = {"document": ("a.txt", b"x", "text/plain")}
        return (await caller.post(f"/bot{bot.token}/sendDocument", data=data, files=files)).json()

    assert (await sent(1024))["ok"]
    assert (await sent(1025))["description"] == "Bad Request: message caption is too long"


async def test_tokens_and_methods_that_are_none(caller, bot):
    async def code(path: str) -> int:
        return (await caller.get(path)).status_code

    assert await code(f"/bot{bot.token}/getMe") == 200
    assert await code(f"/bot{bot.token}/nothing") == 404
    assert await code(f"/bot{bot.id}:AAother-other/getMe") == 401
    assert await code("/botx/getMe") == 404
    assert await code(f"/file/bot{bot.token}/photos/none.jpg") == 404
    assert await code("/") == 404


async def test_files_over_20_mib_are_not_offered(asked, bot):
    small = bot.store(b"x", "documents", ".bin", size=LARGEST_DOWNLOAD)
    large = bot.store(b"x", "documents", ".bin", size=LARGEST_DOWNLOAD + 1)

    assert (await asked("getFile", file_id=small))["result"]["file_size"] == LARGEST_DOWNLOAD
    assert (await asked("getFile", file_id=large))["description"] == "Bad Request: file is too big"


async def test_an_offset_confirms_what_lies_before_it(asked, bot, chat):
    for text in "abc":
        chat.say(text)
    updates = (await asked("getUpdates"))["result"]

    later = (await asked("getUpdates", offset=updates[1]["update_id"]))["result"]
    limited = (await asked("getUpdates", limit=1))["result"]
    none = (await asked("getUpdates", offset=updates[-1]["update_id"] + 1))["result"]

    assert [len(updates), later, limited, none, bot.pending] == [3, updates[1:], updates[1:2], [], []]


async def test_an_offset_beyond_all_updates_confirms_none(asked, chat):
    chat.say("a")

    assert len((await asked("getUpdates", offset=2_000_000_000))["result"]) == 1


async def test_only_the_kinds_that_are_asked_for_come(asked, bot, chat):
    await asked("getUpdates", allowed_updates=["message"])
    chat.block()
    chat.unblock()
    chat.say("a")

    assert [list(update)[1] for update in bot.pending] == ["message"]


async def test_a_second_poll_ends_the_first(asked, bot):
    first = asyncio.create_task(asked("getUpdates", timeout=30))
    await bot.until(lambda: bot.calls_of("getUpdates"))

    second = await asked("getUpdates")

    assert second["ok"]
    assert (await first)["error_code"] == 409


async def test_a_webhook_ends_a_poll_and_forbids_the_next(asked, bot, chat):
    first = asyncio.create_task(asked("getUpdates", timeout=30))
    await bot.until(lambda: bot.calls_of("getUpdates"))
    await asked("setWebhook", url="https://ledgerkit.example/x", secret_token="abc")
    chat.say("hola")

    assert (await first)["description"] == "Conflict: terminated by setWebhook request"
    assert (await asked("getUpdates"))["error_code"] == 409
    assert [bot.webhook.secret, len(bot.take()), bot.pending] == ["abc", 1, []]


@pytest.mark.parametrize(
    "parameters",
    [
        {"url": "http://ledgerkit.example"},
        {"url": "https://ledgerkit.example:8000"},
        {"url": "https://ledgerkit.example", "secret_token": "a b"},
        {"url": "https://ledgerkit.example", "secret_token": "a" * 257},
    ],
)
async def test_a_webhook_that_telegram_refuses_is_refused(asked, bot, parameters):
    assert (await asked("setWebhook", **parameters))["error_code"] == 400
    assert bot.webhook is None


async def test_faults_hit_the_next_calls_and_no_others(asked, bot):
    bot.fail("getMe", busy(3), busy(4))

    answers = [await asked("getMe") for _ in range(3)]

    assert [answer.get("parameters") for answer in answers] == [{"retry_after": 3}, {"retry_after": 4}, None]


async def test_tests_wait_for_what_the_bot_shows(asked, bot, chat):
    shown, sent = await asyncio.gather(
        chat.shows(1),
        asked("sendMessage", chat_id=chat.id, reply_markup={"inline_keyboard": [[Key("Sí", "y").raw]]}, **HOLA),
    )
    edited, _ = await asyncio.gather(
        chat.edited(shown),
        asked("editMessageText", chat_id=chat.id, message_id=sent["result"]["message_id"], text="adiós"),
    )

    assert (shown.number, edited.text, edited.earlier) == (sent["result"]["message_id"], "adiós", ["hola"])


async def test_a_button_that_is_not_there_cannot_be_pressed(chat):
    chat.say("hola")

    with pytest.raises(AssertionError, match="there is no button 'Sí' in\nAna: hola"):
        chat.tap("Sí")


async def test_what_does_not_come_about_shows_the_chats(bot, chat):
    chat.say("hola")

    with pytest.raises(TimeoutError, match="Ana: hola"):
        await chat.shows(1, seconds=0.01)


async def test_a_transcript_is_for_people(asked, chat):
    chat.say("hola")
    rows = [[Key("Sí", "y").raw, Key("No", "n").raw]]
    await asked("sendMessage", chat_id=chat.id, text="¿Ana?\n¿Sí?", reply_markup={"inline_keyboard": rows})
    chat.photo(b"x", caption="taxi")

    assert chat.transcript == "Ana: hola\nbot: ¿Ana?\n     ¿Sí?\n     [Sí] [No]\nAna: <photo> taxi"


async def test_the_end_of_the_server_ends_calls_that_hang():
    with bot_api() as telegram:
        bot = telegram.bot()
        bot.fail("getMe", HANGS)
        async with httpx2.AsyncClient(base_url=telegram.base, trust_env=False) as caller:
            call = asyncio.create_task(caller.get(f"/bot{bot.token}/getMe"))
            await bot.until(lambda: not bot.faults_left("getMe"))
            poll = asyncio.create_task(caller.get(f"/bot{bot.token}/getUpdates?timeout=50"))
            await bot.until(lambda: bot.calls_of("getUpdates"))
            await asyncio.to_thread(telegram.end)

            with pytest.raises(httpx2.HTTPError):
                await call
            await asyncio.gather(poll, return_exceptions=True)
