"""`ledgerkit chat`: the whole conversation in a terminal, with one's own books or with invented ones."""

import asyncio
import getpass
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Annotated

import typer

from ledgerkit.commands import sample_books
from ledgerkit.commands.configuring import quietly_configured
from ledgerkit.commands.language import operators_language, say
from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.commands.running import NOT_DONE, run
from ledgerkit.core.messaging import operations as messaging
from ledgerkit.core.messaging.api import LinkInput, PreferencesInput
from ledgerkit.core.messaging.delivery.running_bot import RunningBot
from ledgerkit.core.messaging.messengers import console
from ledgerkit.core.messaging.messengers.bots import Bots
from ledgerkit.core.messaging.messengers.console import Console
from ledgerkit.core.messaging.messengers.messenger import MessengerPlugin
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.api import Credentials
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Context, Kernel, RequestMetadata
from ledgerkit.core.teams.invitations import acceptance as registering
from ledgerkit.mcp_server.chat_assistant import SERVICES
from ledgerkit.problems import Problem
from ledgerkit.runtime import chatting
from ledgerkit.settings import EInvoiceEnvironment, Settings

_DEMO = "demo"
"""Sender of the terminal that acts for the invented freelancer."""

Demo = Annotated[bool, typer.Option("--demo", help="Begin with the books of an invented freelancer (sandbox only)")]
Email = Annotated[str | None, typer.Option("--email", help="Log in as this person", show_default=False)]


def chat(demo: Demo = False, email: Email = None) -> None:
    """Talk to the bot in this terminal, without any messenger.

    A line is what you write, a number presses a button, and the path of a picture or PDF sends it. Where nobody has
    registered yet, or with --demo, you get the books of an invented freelancer.
    """
    run(_chat(quietly_configured(), demo=demo, email=email))


async def _chat(settings: Settings, *, demo: bool, email: str | None) -> None:
    language = operators_language()
    async with AsyncExitStack() as stack:
        kernel = await stack.enter_async_context(chatting(settings, SERVICES))
        sender = await _sender(kernel, demo=demo, email=email)
        folder = settings.data_dir / "chat"
        folder.mkdir(parents=True, exist_ok=True)
        terminal = Console(sender, getpass.getuser(), language, typer.echo, folder)
        plugin = MessengerPlugin(name=console.NAME, title=console.TITLE, create=lambda _: terminal)
        bots = Bots(settings, {console.NAME: plugin})
        kernel = replace(kernel, services={**kernel.services, Bots: bots})
        try:
            code = await _code(kernel, sender, language, email=email)
        except Problem as problem:
            typer.echo(problem.text.wording(language).message, err=True)
            raise typer.Exit(NOT_DONE) from None
        delivery = RunningBot(kernel, plugin, terminal)
        await delivery.start()
        stack.push_async_callback(delivery.stop)
        say(CommandsMsg.CHAT_BEGINS)
        if code is not None:
            terminal.type_line(f"/start {code}")
        await _converse(terminal, delivery)


async def _sender(kernel: Kernel, *, demo: bool, email: str | None) -> str:
    """Return who types: the invented freelancer, where asked for or begun with before, or else whoever logs in."""
    linked = f"{getpass.getuser()}:{email or ''}"
    if demo or not await accounts.all_ids(kernel):
        return _DEMO
    if email or await messaging.is_linked(kernel, console.NAME, linked):
        return linked
    return _DEMO if await messaging.is_linked(kernel, console.NAME, _DEMO) else linked


async def _code(kernel: Kernel, sender: str, language: str, *, email: str | None) -> str | None:
    """Return a code that links the terminal; None where it is linked already. Raises Problem."""
    if await messaging.is_linked(kernel, console.NAME, sender):
        return None
    if sender == _DEMO:
        if kernel.settings.einvoice_env is not EInvoiceEnvironment.SANDBOX:
            say(CommandsMsg.CHAT_DEMO_IN_SANDBOX, err=True)
            raise typer.Exit(NOT_DONE)
        say(CommandsMsg.CHAT_DEMO_MADE)
        ctx, login = await sample_books.make(kernel, language)
        say(CommandsMsg.CHAT_DEMO_LOGIN, url=kernel.settings.public_url, email=login.email, password=login.password)
    else:
        address = email or await asyncio.to_thread(typer.prompt, "E-mail")
        password = await asyncio.to_thread(typer.prompt, "Password", hide_input=True)
        stranger = Context(kernel=kernel, request_metadata=RequestMetadata(language=language))
        entered = await registering.login(stranger, Credentials(email=address, password=password))
        actor = await kernel.service(Authenticator).by_token(entered.token)
        ctx = Context(kernel=kernel, who=actor, request_metadata=RequestMetadata(language=language))
    await _speak(ctx, language)
    return (await messaging.link(ctx, LinkInput(messenger=console.NAME))).code


async def _speak(ctx: Context, language: str) -> None:
    """Choose the language of this terminal for the person's chats, unless they have chosen one."""
    chosen = await messaging.preferences(ctx)
    if chosen.language is None:
        values = chosen.model_dump(exclude={"version"}) | {"language": language}
        await messaging.change_preferences(ctx, PreferencesInput.model_validate(values))


async def _converse(terminal: Console, delivery: RunningBot) -> None:
    """Pass lines on until the end of the input: one after another, each when all before has been answered."""
    while True:
        await delivery.answered(terminal.last_number)
        line = await asyncio.to_thread(sys.stdin.readline)
        if not line:
            return
        terminal.type_line(line)
