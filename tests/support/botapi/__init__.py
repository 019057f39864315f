"""A fake of Telegram's Bot API on loopback, with the people who write to its bots.

    with bot_api() as telegram:
        bot = telegram.bot()                                  # settings: telegram_api_base=telegram.base,
        ana = bot.chat("Ana García", language="es")           #           telegram_token=bot.token
        ana.say("/start")
        shown = await ana.shows(1)                            # waits for the first message of the bot
        assert (shown.text, shown.labels) == ("Hola, Ana", [["Sí", "No"]])
        assert await ana.tap("Sí").answered() == ""
        ana.photo(JPEG, caption="gasolina", album="lunes")
        bot.fail("sendMessage", busy(3), LOST)                # the next two calls; GARBLED, HANGS, ... of `faults`
        print(ana.transcript)

It runs in threads of its own: an application in the same event loop and a server in another process can ask it alike.
Everything that people do is done at once, from any thread; what waits for the bot is a coroutine. The limits and
the words of errors are those of the server that Telegram publishes (tdlib/telegram-bot-api, May 2026); `entities` is
stricter and says where.
"""

from support.botapi.faults import (
    CUT,
    DUPLICATED,
    GARBLED,
    HALF,
    HANGS,
    HUGE,
    LOST,
    OTHER_POLLER,
    REVERSED,
    Fault,
    answers,
    busy,
    fails,
    redirects,
)
from support.botapi.people import Chat, FakeBot, Group, Pressed
from support.botapi.rooms import Key, Shown, ShownDocument
from support.botapi.server import BotApiServer, bot_api

__all__ = [
    "CUT",
    "DUPLICATED",
    "GARBLED",
    "HALF",
    "HANGS",
    "HUGE",
    "LOST",
    "OTHER_POLLER",
    "REVERSED",
    "BotApiServer",
    "Chat",
    "FakeBot",
    "Fault",
    "Group",
    "Key",
    "Pressed",
    "Shown",
    "ShownDocument",
    "answers",
    "bot_api",
    "busy",
    "fails",
    "redirects",
]
