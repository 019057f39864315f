"""The command line as a whole: quick to answer, and every command says what it does."""

import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module

import pytest
import typer
from typer.testing import CliRunner

from ledgerkit import __version__
from ledgerkit.cli import COMMANDS, PACKAGE, cli
from ledgerkit.cli.help import paragraphs
from ledgerkit.commands.language import HELP
from ledgerkit.texts import ENGLISH, languages
from ledgerkit.texts.catalogues import catalogue, found
from support.commands import ledgerkit

HEAVY = {"alembic", "asyncpg", "fastapi", "ledgerkit.core", "openai", "pydantic", "rich", "sqlalchemy", "uvicorn"}

TYPERS_WORDS = {"Usage", "Options", "Commands", "[OPTIONS]", "COMMAND", "[ARGS]...", "Show this message and exit."}
"""Words of typer that the help of a group has; that of a command has others too."""

OTHERS_OF_TYPER = {"Arguments", "default", "required"}

MOST_MODULES = 60
"""Bound on modules loaded that are neither Python's own nor typer's: entry module, package, and a few more."""

COUNT = """
import json, sys
from ledgerkit.cli import main
sys.argv = ["ledgerkit", *sys.argv[1:]]
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["version"]], ids=" ".join)
def test_what_needs_no_server_imports_none(words):
    answer = subprocess.run([sys.executable, "-c", COUNT, *words], capture_output=True, text=True, check=True)

    imported = set(json.loads(answer.stderr.splitlines()[-1]))
    own = {name for name in imported if name.partition(".")[0] not in {*sys.stdlib_module_names, "typer"}}
    assert imported & HEAVY == set()
    assert len(own) < MOST_MODULES


def target(name: str) -> object:
    module, _, attribute = COMMANDS[name][0].partition(":")
    return getattr(import_module(f"{PACKAGE}.{module}"), attribute)


def text(name: str) -> str:
    """One-line description that a command gives of itself."""
    found = target(name)
    words = found.info.help if isinstance(found, typer.Typer) else inspect.getdoc(found)
    return " ".join(words.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_has_the_commands_own_first_sentence(name):
    assert text(name).startswith(COMMANDS[name][1])


@pytest.mark.parametrize("name", COMMANDS)
def test_a_commands_help_is_its_whole_text(name):
    ended = CliRunner().invoke(cli, [name, "--help"], env={"LC_ALL": "C"})

    assert ended.exit_code == 0
    assert text(name) in " ".join(ended.output.split())


def words_of_help(path: tuple[str, ...], command) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """The English words in the help of a command, and of those below it, by the words that are typed for it."""
    real = command._imported() if hasattr(command, "_imported") else command
    below = getattr(real, "commands", {})
    summaries = {one.get_short_help_str(200) for one in below.values()}
    parameters = {" ".join(one.help.split()) for one in real.params}
    yield path, {*paragraphs(real.help), *summaries, *parameters}
    for name, one in below.items():
        yield from words_of_help((*path, name), one)


WORDS = dict(words_of_help((), typer.main.get_command(cli)))


@pytest.mark.parametrize("language", [one for one in languages() if one != ENGLISH])
def test_every_word_of_help_is_translated(language):
    words = TYPERS_WORDS | OTHERS_OF_TYPER | set().union(*WORDS.values())

    assert set(catalogue(HELP, "es")) == words
    assert [one for one in words if found(HELP, language, one) is None] == []


@pytest.mark.parametrize(("path", "language"), [(path, "es") for path in WORDS] + [(("backup",), "ca")])
def test_help_is_in_the_operators_language(path, language):
    asked = CliRunner().invoke(cli, [*path, "--help"], env={"LC_ALL": f"{language}_ES.UTF-8"})

    shown = " ".join(asked.output.split())
    wanted = {"Usage", "Options", "[OPTIONS]", "Show this message and exit.", *WORDS[path]}
    assert asked.exit_code == 0
    assert [one for one in wanted if found(HELP, language, one) not in shown] == []
    left = {one for one in TYPERS_WORDS | {"Arguments:", "[default", "[required"} if one in shown}
    assert left == ({"Arguments", "Arguments:"} & left if language == "ca" else set())


def test_help_in_a_language_without_a_catalogue_is_english():
    french, english = (CliRunner().invoke(cli, ["serve", "--help"], env={"LC_ALL": one}) for one in ("fr_FR", "C"))

    assert french.output == english.output
    assert french.output.startswith("Usage: ")
    assert "Address to listen on (LEDGERKIT_HOST)" in french.output


def test_countries_are_named_in_the_operators_language():
    spanish = CliRunner().invoke(cli, ["countries"], env={"LC_ALL": "es_ES.UTF-8"})

    assert "ES  España  (verifactu)" in spanish.output


async def test_the_list_names_every_command(tmp_path):
    ended = await ledgerkit(tmp_path / "data", "--help")

    assert [name for name in (*COMMANDS, "version") if f"\n  {name} " not in ended.out] == []


@pytest.mark.parametrize("words", ["version", "--version"])
async def test_the_version_is_all_that_is_printed(words, tmp_path):
    assert (await ledgerkit(tmp_path / "data", words)).out == f"{__version__}\n"


async def test_a_command_that_does_not_exist_names_the_likely_one(tmp_path):
    ended = await ledgerkit(tmp_path / "data", "serv")

    assert ended.code == 2
    assert "Did you mean 'serve'?" in ended.err
