"""The command line as a whole: quick to answer, and every command says what it does."""

import inspect
import json
import subprocess
import sys
from importlib import import_module

import pytest
import typer
from typer.testing import CliRunner

from ledgerkit import __version__
from ledgerkit.cli import COMMANDS, PACKAGE, cli
from support.commands import ledgerkit

HEAVY = {"alembic", "asyncpg", "fastapi", "ledgerkit.core", "openai", "pydantic", "rich", "sqlalchemy", "uvicorn"}

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
    ended = CliRunner().invoke(cli, [name, "--help"])

    assert ended.exit_code == 0
    assert text(name) in " ".join(ended.output.split())


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
