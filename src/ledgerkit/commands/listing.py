"""`ledgerkit countries` and `ledgerkit openapi`: what this installation consists of, printed."""

import json

import typer
from babel import Locale

from ledgerkit.app import create_app
from ledgerkit.commands.configuring import configured
from ledgerkit.commands.language import operators_language
from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.providers.registry import discover
from ledgerkit.texts import text


def countries() -> None:
    """List the countries that are installed.

    Those that could not be loaded are listed with the reason.
    """
    registry, language = discover(), operators_language()
    names = Locale.parse(language).territories
    for code, country in sorted(registry.countries.items()):
        channels = ", ".join(channel.id for channel in country.channels)
        channels = channels or text(CommandsMsg.NO_EINVOICING).in_language(language)
        typer.echo(f"{code}  {names.get(code, country.name)}  ({channels})")
    for broken in registry.broken:
        typer.echo(f"--  {broken.distribution}: {broken.reason.in_language(language)}", err=True)


def openapi() -> None:
    """Print the OpenAPI description."""
    typer.echo(json.dumps(create_app(configured()).openapi(), indent=2, ensure_ascii=False))
