"""The command line: the list of commands, of which only the chosen one is imported."""

import gc
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from ledgerkit import __version__
from ledgerkit.cli.help import Command, Group

PACKAGE = "ledgerkit.commands"

COMMANDS = {
    "serve": ("serving:serve", "Serve the API, /mcp and the documentation."),
    "worker": ("serving:worker", "Do the background work apart from `serve`."),
    "chat": ("chatting:chat", "Talk to the bot in this terminal, without any messenger."),
    "migrate": ("migrations:migrate", "Bring the configured database to this version's tables."),
    "check-migrations": ("migrations:check_migrations", "Compare the code's tables with what the migrations make."),
    "backup": ("backups:backup", "Write the whole installation into one file."),
    "restore": ("backups:restore", "Put a backup into the configured database and data directory."),
    "go-live": ("going_live:go_live", "Set what was tried out aside, and begin real business with the number 1."),
    "verifactu": ("verifactu:verifactu", "Chains of fiscal records: verification, export, access and sending."),
    "ai": ("ai:ai", "AI actions: packs for accounts, and a test of the model."),
    "doctor": ("doctor:doctor", "Say what this installation lacks, and what to do."),
    "sandbox": ("sandbox:sandbox", "Run the sandbox tax authority by itself."),
    "countries": ("listing:countries", "List the countries that are installed."),
    "openapi": ("listing:openapi", "Print the OpenAPI description."),
}
"""Place of each command in `PACKAGE`, and its line in the list, which a test compares with the command's own words."""


class _Late(TyperCommand):
    """A command as the list needs it; the real one is imported when it is chosen."""

    def __init__(self, name: str, target: str, summary: str) -> None:
        super().__init__(name, short_help=summary, rich_markup_mode=None)
        self._target = target

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        gc.disable()  # modules stay to the end: searching among them took a quarter of the time of their import
        command = self._imported()
        gc.freeze()
        gc.enable()
        return command.make_context(info_name, args, parent, **extra)

    def _imported(self) -> Any:
        module, _, name = self._target.partition(":")
        application = getattr(import_module(f"{PACKAGE}.{module}"), name)
        if not isinstance(application, typer.Typer):
            function, application = application, typer.Typer(add_completion=False, rich_markup_mode=None)
            application.command(cls=Command)(function)
        return typer.main.get_command(application)


class _Commands(Group):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        late = {name: _Late(name, target, summary) for name, (target, summary) in COMMANDS.items()}
        self.commands = {**late, **self.commands}


cli = typer.Typer(
    name="ledgerkit",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@cli.command(cls=Command)
def version() -> None:
    """Print the version."""
    typer.echo(__version__)


def _version(requested: bool) -> None:
    if requested:
        version()
        raise typer.Exit


@cli.callback()
def ledgerkit(
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Invoicing and light ERP that you run yourself. Settings: environment variables LEDGERKIT_*."""


def main() -> None:
    """Entry point of the command `ledgerkit`."""
    if sys.argv[1:] == ["version"]:  # typer would import pydantic before it finds that there are no options to read
        version()
    else:
        cli()
