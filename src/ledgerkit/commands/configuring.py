"""Settings as a command reads them: whatever is wrong with them is named, each in a line, before anything begins.

A wrong value ends the command. A variable that nobody reads is only named: it may be a mistyped one, or one of a
version that was here before or comes next, whose environment must not keep this one from starting.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer
from dotenv import dotenv_values
from pydantic import ValidationError

from ledgerkit.commands.language import operators_language
from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.providers.api import SETTING_WRONG, Environment
from ledgerkit.providers.registry import Registry, discover
from ledgerkit.settings import EInvoiceEnvironment, LogLevel, Settings
from ledgerkit.settings.start_errors import Misconfigured
from ledgerkit.settings.values import faults, variables
from ledgerkit.telemetry import logs
from ledgerkit.texts import Joined, ProblemText, Text, text

PREFIX = "LEDGERKIT_"
ENV_FILE = Path(".env")

OF_SCRIPTS = frozenset(
    PREFIX + name
    for name in (
        "CHAOS_SECONDS",
        "CHAOS_SEED",
        "FUZZ_SECONDS",
        "LINT_OPENAPI",
        "NODE",
        "OPENAPI",
        "PYTHON",
        "TEST_POSTGRES",
        "URL",
        "WEB",
        "WEB_DIST",
    )
)
"""Variables of this project's scripts, tests and examples."""


@dataclass(frozen=True)
class SettingFault:
    """Fault of a variable and its remedy; `ends` tells whether the command cannot go on."""

    variable: str
    text: Text
    ends: bool = True

    @classmethod
    def of(cls, variable: str, problem: ProblemText, *, ends: bool = True) -> "SettingFault":
        """The fault whose line is the problem's message and its remedy."""
        return cls(
            variable, Joined([sentence for sentence in (problem.message, problem.remedy) if sentence], " "), ends
        )

    def line(self, language: str) -> str:
        return self.text.in_language(language)


def configured(**overrides: Any) -> Settings:
    """Return the settings, `overrides` first; print a line for each wrong variable; exit with 78 if one ends."""
    settings, setting_faults = checked(**overrides)
    for fault in setting_faults:
        typer.echo(fault.line(operators_language()), err=True)
    if settings is None or any(fault.ends for fault in setting_faults):
        raise typer.Exit(Misconfigured.exit_code)
    return settings


def quietly_configured(log_level: LogLevel = LogLevel.WARNING) -> Settings:
    """Return the settings as `configured` does, and log nothing below a level: the command speaks for itself."""
    settings = configured()
    logs.configure(settings.model_copy(update={"log_level": log_level}))
    return settings


def checked(**overrides: Any) -> tuple[Settings | None, list[SettingFault]]:
    """The settings, None when they cannot be read, and all that is wrong with them and with those of the countries."""
    registry = discover()
    unknown = list(_unknown(registry))
    try:
        settings = Settings(**overrides)
    except ValidationError as error:
        wrong = [_unreadable(name, refusal) for name, refusal in faults(Settings, error)]
        return None, [*wrong, *_of_countries(registry, EInvoiceEnvironment.SANDBOX), *unknown]
    return settings, [*_of_countries(registry, settings.einvoice_env), *unknown]


def _of_countries(registry: Registry, environment: EInvoiceEnvironment) -> Iterator[SettingFault]:
    """List the faults that the channels find in their variables; a missing one keeps nothing from starting."""
    for country in registry.countries.values():
        for problem in (
            obstacle for channel in country.channels for obstacle in channel.ready(Environment(environment.value))
        ):
            if problem.code == SETTING_WRONG:
                yield SettingFault.of(problem.field, problem.text)


def _unreadable(name: str, refusal: Text) -> SettingFault:
    return SettingFault.of(name, ProblemText(refusal, text(CommandsMsg.SETTING_CORRECT, name=name)))


def _unknown(registry: Registry) -> Iterator[SettingFault]:
    """Variables with our prefix that nobody reads."""
    countries = (name for country in registry.countries.values() for name in country.settings_help)
    known_names = {*variables(Settings), *countries}
    in_file = dotenv_values(ENV_FILE) if ENV_FILE.is_file() else {}
    for name, place in {**dict.fromkeys(in_file, str(ENV_FILE)), **dict.fromkeys(os.environ, "")}.items():
        if name.upper().startswith(PREFIX) and name.upper() not in known_names | OF_SCRIPTS:
            yield _unknown_one(name, place, known_names)


def _unknown_one(name: str, place: str, known_names: Iterable[str]) -> SettingFault:
    similar = get_close_matches(name.upper(), known_names, n=1, cutoff=0.8)
    shown = text(CommandsMsg.SETTING_IN_FILE, name=name, file=place) if place else name
    message = text(CommandsMsg.SETTING_UNKNOWN, name=shown)
    if similar:
        message = text(CommandsMsg.SETTING_UNKNOWN_SIMILAR, name=shown, similar=similar[0])
    remedy = text(CommandsMsg.SETTING_UNREAD)
    return SettingFault.of(name, ProblemText(message, remedy), ends=False)
