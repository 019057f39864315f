"""The conversations of the Spanish guide are held as they stand there, with the invented books of `ledgerkit chat`."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP

from ledgerkit.commands import sample_books
from support.api import Api
from support.mailserver import Inbox, listening
from support.office import Office, cloned, opened
from support.talking import Talk

GUIDE = Path(__file__).parents[3] / "docs" / "es" / "telegram.md"
CONVERSATION, STRANGER, OTHER, RULES = "", " stranger", " other", " rules"
"""Words after `chat` in the first line of a block: one conversation goes on through those without a word."""
_MOMENT = re.compile(r"\d{1,2}/\d{2}/\d{4}|trimestre \d de \d{4}|(?<=[FR])\d{4}(?=-\d{4})")


def blocks(word: str) -> list[list[tuple[str, list[str]]]]:
    """The blocks that are marked with a word, each as what is written or tapped with the lines that answer it."""
    found = re.findall(rf"^```chat{word}\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    assert found
    return [
        [(turn.split("\n")[0], turn.rstrip("\n").split("\n")[1:]) for turn in block.split("> ")[1:]] for block in found
    ]


def pattern(lines: list[str]) -> str:
    """An expression for the lines of an answer; a line with `…` alone stands for any lines, or none."""
    return "".join(r"(?:[^\n]*\n)*?" if line == "…" else re.escape(line) + "\n" for line in lines)


def dateless(text: str) -> str:
    return _MOMENT.sub("DAY", text)


async def held(talk: Talk, block: list[tuple[str, list[str]]]) -> None:
    """Hold a conversation, and compare what the bot says and what it changes."""
    for words, answer in block:
        before = {shown.number: str(shown) for shown in talk.chat.shown}
        if words.startswith("["):
            talk.chat.tap(words.strip("[]"))
        else:
            talk.chat.say(words)
        await talk.settled()
        said = [str(shown) for shown in talk.chat.shown if before.get(shown.number) != str(shown)]
        text = "\n".join([*said, ""])
        assert re.fullmatch(pattern([dateless(line) for line in answer]), dateless(text)), f"{words}\n{text}"


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords, bot_settings) -> AsyncIterator[Office]:
    """An application that can send mail, and has no model."""
    inbox = Inbox()
    directory = tmp_path_factory.mktemp("guide")
    async with listening(lambda: SMTP(inbox, hostname="mail.test")) as port, cloned(postgres) as url:
        without_model = {name: value for name, value in bot_settings.items() if not name.startswith("ai_")}
        settings = {**without_model, "smtp_url": f"smtp://127.0.0.1:{port}", "verify_email": "off"}
        async with opened(url, directory, cheap_passwords, **settings) as office:
            yield office


@pytest.fixture(scope="module")
async def marta(office) -> Api:
    """The invented freelancer."""
    _, login = await sample_books.make(office.kernel, "es")
    marta = Api(office.client, {}, login.email)
    await marta.log_in(login.password)
    return marta


async def link(office: Office, bot, person: Api) -> Talk:
    """Link a chat of somebody whose password is another one than that of the other tests."""
    code = (await person.post("/api/messaging/links", {"messenger": "telegram"}))["code"]
    chat = bot.chat("Marta Ruiz", language="es")
    chat.say(f"/start {code}")
    talk = Talk(office, bot, chat, person)
    await talk.settled()
    return talk


async def test_conversation_of_the_guide(office, office_bot, marta):
    talk = await link(office, office_bot, marta)
    for block in blocks(CONVERSATION):
        await held(talk, block)


async def test_what_the_guide_says_of_strangers_of_other_wishes_and_of_rules(office, office_bot, marta):
    stranger = Talk(office, office_bot, office_bot.chat("Nadie", language="es"), marta)
    await held(stranger, *blocks(STRANGER))
    talk = await link(office, office_bot, marta)
    await held(talk, *blocks(OTHER))
    await marta.put("/api/approvals/policy", {"connections": [], "asked": "app"})
    await held(talk, *blocks(RULES))
