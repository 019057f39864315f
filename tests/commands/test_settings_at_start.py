"""A variable that is wrong, or that nobody reads, is named before any command begins."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ledgerkit.commands.configuring import checked
from ledgerkit.providers import registry
from ledgerkit.providers.es import country as spain
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from support.commands import ledgerkit

ROOT = Path(__file__).parents[2]
SECRET = "hunter2 and more"
WRONG = {
    "PORT": ("eighty", "whole number, 0 to 65535"),
    "DATABASE_POOL": ("1", "whole number, 2 to 200"),
    "EINVOICE_WAIT": ("soon", "number, 0 to 60"),
    "WORKER": ("away", "`in-process`, `apart`"),
    "LOG_LEVEL": ("LOUD", "`DEBUG`, `INFO`, `WARNING`, `ERROR`"),
    "SECRET_KEY": (SECRET, "must have at least 32 bytes"),
    "DATABASE_URL": (f"mysql://me:{SECRET}@host/db", "must begin with postgresql://"),
    "VERIFACTU_SYSTEM_ID": ("lk", "must be two characters of A-Z and 0-9"),
    "VERIFACTU_URL": ("http://aeat.example", "must be an https:// address"),
    "BASE_URL": ("foo", "must be an http:// or https:// address with a host"),
    "VERIFACTU_CERT_FILE": ("/nope", "must be a file that can be read here (No such file or directory)"),
    "VERIFACTU_CA_FILE": ("/etc", "must be a file that can be read here (Is a directory)"),
    "VERIFACTU_CERT_KIND": ("dog", "`person`, `seal`"),
    "VERIFACTU_DECLARATION_DATE": ("yesterday", "date, YYYY-MM-DD"),
    "VERIFACTU_PRODUCER_NAME": ("x" * 121, "text, at most 120 characters"),
}
PYDANTIC = ("Input should", "Value error", "valid ", "validation", "pydantic", "parse")


class FreshSpain:
    """Spain as a new process loads it: its channel has not read the environment yet."""

    name, value, dist = "es", "ledgerkit.providers.es", None

    def load(self):
        return replace(spain, channels=(VerifactuChannel(),))


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """Sets variables without their prefix, in a directory without a `.env`, before any channel has read its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "installed", lambda path: (FreshSpain(),))
    return lambda **values: [monkeypatch.setenv(f"LEDGERKIT_{name}", value) for name, value in values.items()]


def variables_in(file):
    """Variables of ours that a file names, without their prefix."""
    return re.findall(r"LEDGERKIT_([A-Z_]+[A-Z])(?![A-Z_])", file.read_text())


def lines(language="en"):
    """Lines that a start prints about this environment."""
    return [fault.line(language) for fault in checked()[1]]


def test_every_variable_of_the_documented_settings_is_known(environment):
    documented = variables_in(ROOT / "docs/settings.md")
    environment(**dict.fromkeys(documented, ""))

    assert documented
    assert lines() == []


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_is_one_line_with_the_variable_and_what_is_allowed(name, environment):
    value, allowed = WRONG[name]
    environment(**{name: value})

    (line,) = lines()

    assert line.startswith(f"LEDGERKIT_{name} ")
    assert allowed in line
    assert not [word for word in (*PYDANTIC, value) if word in line.replace("Correct", "")]


def test_all_wrong_values_are_said_at_once(environment):
    environment(**{name: value for name, (value, _) in WRONG.items()})

    assert sorted(line.partition(" ")[0] for line in lines()) == sorted(f"LEDGERKIT_{name}" for name in WRONG)


@pytest.mark.parametrize(
    "url",
    [
        "invoices.example.com",
        "ftp://example.com",
        "https://",
        "https://:8443",
        "https://example.com:port",
        "https://[::1",
        "https://me:secret@example.com",
        "https://example.com/?a=b",
        "https://example.com/#a",
        "https://exam ple.com",
    ],
)
def test_a_public_address_that_links_cannot_begin_with_is_refused(url, environment):
    environment(BASE_URL=url)

    (line,) = lines()

    assert line.startswith("LEDGERKIT_BASE_URL must be an http:// or https:// address")


@pytest.mark.parametrize(
    "url", ["https://example.com", "HTTP://localhost:8000/", "https://[::1]:8443", "https://a.es/b"]
)
def test_a_public_address_is_taken(url, environment):
    environment(BASE_URL=url)

    assert lines() == []


@pytest.mark.parametrize("name", WRONG)
def test_wrong_values_are_said_in_spanish_too(name, environment):
    environment(**{name: WRONG[name][0]})

    (line,) = lines("es")

    assert line != lines()[0]
    assert f"Corrige LEDGERKIT_{name}" in line


@pytest.mark.parametrize(
    ("name", "likely"),
    [
        ("REGISTRATON", "REGISTRATION"),
        ("registraton", "REGISTRATION"),
        ("SMTP_UR", "SMTP_URL"),
        ("SECRET_KEY_FILE", "SECRET_KEY"),
        ("VERIFACTU_CERT_PASWORD", "VERIFACTU_CERT_PASSWORD"),
    ],
)
def test_a_variable_that_nobody_reads_is_named_with_the_likely_one(name, likely, environment):
    environment(**{name: SECRET})

    (line,) = lines()

    assert line.startswith(f"LEDGERKIT_{name} is not a setting of ledgerkit. Did you mean LEDGERKIT_{likely}?")
    assert SECRET not in line


def test_a_variable_that_resembles_none_is_named_alone(environment):
    environment(COLOUR_OF_THE_SKY="blue")

    (line,) = lines()

    assert line.startswith(
        "LEDGERKIT_COLOUR_OF_THE_SKY is not a setting of ledgerkit. It does nothing: correct or remove"
    )


def test_lines_of_the_env_file_are_looked_at_too(environment, tmp_path):
    (tmp_path / ".env").write_text("LEDGERKIT_PORT=8001\nLEDGERKIT_TOKEN_HOUR=1\nPORT=1\nOTHER_PROGRAM=2\n")

    (line,) = lines("es")

    assert line.startswith(
        "LEDGERKIT_TOKEN_HOUR (en .env) no es un ajuste de ledgerkit. ¿Querías decir LEDGERKIT_TOKEN_HOURS?"
    )


def test_variables_of_our_scripts_and_examples_disturb_nobody(environment):
    scripts = [file for file in ROOT.glob("scripts/*") if file.is_file()]
    files = [ROOT / ".ci/run", ROOT / "Makefile", ROOT / "web/vite.config.ts", *scripts]
    named = {name for file in files for name in variables_in(file)} - set(variables_in(ROOT / "docs/settings.md"))
    environment(**dict.fromkeys(named, "optional"))

    assert {"CHAOS_SECONDS", "LINT_OPENAPI", "NODE", "URL", "WEB", "WEB_DIST"} <= named
    assert lines() == []


@pytest.mark.parametrize("command", ["serve", "worker", "migrate", "backup x.zip", "restore x.zip", "verifactu verify"])
async def test_every_command_ends_with_78_before_it_begins_with_a_wrong_value(command, tmp_path):
    ended = await ledgerkit(tmp_path / "data", *command.split(), RATE_LIMIT="sometimes")

    assert (ended.code, ended.out) == (78, "")
    assert ended.err.startswith("LEDGERKIT_RATE_LIMIT has a value that is not allowed. Allowed: `on`, `off`.")
    assert not (tmp_path / "data").exists()


async def test_a_variable_that_nobody_reads_is_said_once_and_stops_nothing(tmp_path):
    ended = await ledgerkit(tmp_path / "data", "openapi", RATE_LIMITS="on")

    assert ended.code == 0
    (line,) = ended.err.splitlines()
    assert line.startswith(
        "LEDGERKIT_RATE_LIMITS is not a setting of ledgerkit. Did you mean LEDGERKIT_RATE_LIMIT? It does"
    )


async def test_a_start_names_it_before_whatever_else_it_says(tmp_path):
    ended = await ledgerkit(tmp_path / "data", "serve", HOST="192.0.2.1", RATE_LIMITS="on")

    first, second = ended.err.splitlines()
    assert first.startswith("LEDGERKIT_RATE_LIMITS is not a setting")
    assert second.startswith("This machine does not have the address 192.0.2.1.")
