"""Three folders can be taken out, each with the lines that register it: docs/adr/0049 says why they are not packages.

Each is taken out of a copy of the sources, and what is left starts. mypy looks once at what is left of all three: that
none of them uses another one is a contract in `pyproject.toml`. Whoever does it for good also takes those contracts
out, and drops the tables of the signed mode in a migration.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "ledgerkit"
CHECKED = ROOT / ".mypy_cache"


@dataclass(frozen=True)
class Removable:
    """Files and folders, and the lines that register them by module, each with what takes its place."""

    parts: tuple[str, ...]
    registrations: Mapping[str, Mapping[str, str]]


REMOVABLE = {
    "embedded PostgreSQL": Removable(
        parts=("embedded_postgres",),
        registrations={
            "core/operation/installation/database/access.py": {
                "from ledgerkit import embedded_postgres": "",
                "SUPERVISOR: Supervisor | None = embedded_postgres": "SUPERVISOR: Supervisor | None = None",
            },
        },
    ),
    "sandbox authority": Removable(
        parts=("providers/es/sandbox", "commands/sandbox.py"),
        registrations={
            "cli/__init__.py": {
                '    "sandbox": ("sandbox:sandbox", "Run the sandbox tax authority by itself."),': "",
            },
            "providers/es/__init__.py": {'    sandbox="ledgerkit.providers.es.sandbox:sandbox",': ""},
        },
    ),
    "signed mode": Removable(
        parts=(
            "commands/signed_mode.py",
            "core/einvoice/signed_mode",
            "providers/es/verifactu/signed_mode",
            "routers/einvoice_signed_mode.py",
        ),
        registrations={
            "commands/verifactu.py": {
                "from ledgerkit.commands.signed_mode import signed_mode": "",
                "verifactu.add_typer(signed_mode)": "",
            },
            "core/operation/installation/server/scheduled_jobs.py": {
                "from ledgerkit.core.einvoice.signed_mode import lifecycle as signed_mode": "",
                '    "sum-up-kept-records": ("*/10 * * * *", signed_mode.log_summaries),': "",
            },
            "providers/es/verifactu/channel.py": {
                "from ledgerkit.providers.es.verifactu.signed_mode.signing_mode import VerifactuSigning": "",
                "        self.signs = VerifactuSigning(self._configured, self._endpoint, sandbox)": "",
            },
            "runtime.py": {
                "from ledgerkit.core.einvoice.signed_mode.hooks import SignedMode": "",
                "from ledgerkit.core.einvoice.signed_mode.lifecycle import SignedModeProcess": "",
                "from ledgerkit.core.einvoice.modes.signed_mode_hooks import SignedModeHooks": "",
                "    await _started(stack, SignedModeProcess(kernel))": "",
                "        SignedModeHooks: SignedMode(),": "",
            },
        },
    ),
}

STARTED = """
import asyncio, importlib, json
import ledgerkit
from ledgerkit.app import create_app
from ledgerkit.cli import COMMANDS, PACKAGE
from ledgerkit.core.operation.installation.database import access as database_access
from ledgerkit.providers.registry import discover

for target, _ in COMMANDS.values():
    importlib.import_module(f"{PACKAGE}.{target.partition(':')[0]}")

async def start():
    app = create_app()
    async with app.router.lifespan_context(app):
        return {
            "source": ledgerkit.__file__,
            "embedded PostgreSQL": database_access.SUPERVISOR is not None,
            "sandbox authority": bool(app.state.kernel.countries.countries["ES"].channels),
            "signed mode": discover().countries["ES"].channels[0].signs is not None,
        }

print(json.dumps(asyncio.run(start())))
"""
"""Imports every command, starts the server on a database as `serve` does, says what it has, and stops it."""

TYPED = f"""
import sys
sys.path = [path for path in sys.path if path != {str(SOURCES.parent)!r}]
from mypy.__main__ import console_entry
console_entry()
"""
"""Runs mypy, which would find in this working copy what was taken out of the other one."""


@pytest.fixture
def copy(tmp_path) -> Path:
    """A copy of the package with its compiled modules, beside the migrations as in a working copy."""
    shutil.copytree(SOURCES, tmp_path / "src" / "ledgerkit", ignore=shutil.ignore_patterns("dist"))
    (tmp_path / "migrations").symlink_to(ROOT / "migrations")
    return tmp_path


def take_out(copy: Path, removable: Removable) -> None:
    package = copy / "src" / "ledgerkit"
    for part in removable.parts:
        path = package / part
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for module, lines in removable.registrations.items():
        path = package / module
        for line, replacement in lines.items():
            text = path.read_text()
            path.write_text(text.replace(f"\n{line}\n", f"\n{replacement}\n" if replacement else "\n"))


def run(copy: Path, *words: str | Path, **settings: str) -> str:
    """Run Python over the copy, and return what it writes."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("LEDGERKIT_", "PG"))}
    environment = {**inherited, "PYTHONPATH": str(copy / "src"), **settings}
    command = [sys.executable, "-P", *words]
    ended = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def parts_found(copy: Path, database: str) -> set[str]:
    """Start a server from the copy, and return the names of the removable parts that it has."""
    settings = {
        "LEDGERKIT_DATA_DIR": str(copy / "data"),
        "LEDGERKIT_DATABASE_URL": database,
        "LEDGERKIT_EINVOICE_ENV": "sandbox",
        "LEDGERKIT_LOG_LEVEL": "ERROR",
    }
    answer = json.loads(run(copy, "-c", STARTED, **settings).splitlines()[-1])
    assert Path(answer["source"]).is_relative_to(copy)
    return {name for name in REMOVABLE if answer[name]}


@pytest.mark.parametrize("name", REMOVABLE)
def test_parts_and_their_registrations_are_where_they_are_said_to_be(name):
    removable = REMOVABLE[name]

    missing = [part for part in removable.parts if not (SOURCES / part).exists()]
    wrong = [
        f"{module}: {line}"
        for module, lines in removable.registrations.items()
        for line in lines
        if (SOURCES / module).read_text().count(f"\n{line}\n") != 1
    ]

    assert (missing, wrong) == ([], [])


@pytest.mark.whole
@pytest.mark.parametrize("name", REMOVABLE)
def test_the_server_starts_without_one_of_them(copy, fresh_urls, name):
    take_out(copy, REMOVABLE[name])

    assert parts_found(copy, fresh_urls.owner) == set(REMOVABLE) - {name}


@pytest.mark.whole
def test_the_server_starts_without_all_three_of_them_and_is_typed(copy, fresh_urls):
    for removable in REMOVABLE.values():
        take_out(copy, removable)

    assert parts_found(copy, fresh_urls.owner) == set()
    if CHECKED.is_dir():  # by `make check`: mypy then reads only what has changed
        shutil.copytree(CHECKED, copy / "checked")
    run(copy, "-c", TYPED, "--config-file", ROOT / "pyproject.toml", "--cache-dir", copy / "checked")
