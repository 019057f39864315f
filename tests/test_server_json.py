"""`server.json`, the entry for the MCP registry, agrees with the package and the server."""

import json
import tomllib
from pathlib import Path

import pytest

from ledgerkit import __version__
from ledgerkit.mcp_server.server import PATH

ROOT = Path(__file__).parent.parent


@pytest.fixture
def entry() -> dict:
    return json.loads((ROOT / "server.json").read_text())


def test_name_version_and_description_are_the_programs(entry):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (command,) = project["scripts"]

    assert entry["name"].partition("/")[2] == entry["title"] == command
    assert entry["version"] == __version__
    assert entry["description"] == project["description"]


def test_name_and_description_are_as_long_as_the_registry_takes(entry):
    assert 3 <= len(entry["name"]) <= 200
    assert 1 <= len(entry["description"]) <= 100


def test_address_is_the_endpoints_on_a_host_that_its_owner_names(entry):
    (remote,) = entry["remotes"]

    assert remote["type"] == "streamable-http"
    assert remote["url"] == f"https://{{host}}{PATH}"
    assert set(remote["variables"]) == {"host"}
    assert remote["variables"]["host"]["isRequired"] is True


def test_key_is_an_optional_secret(entry):
    (header,) = entry["remotes"][0]["headers"]

    assert header["name"] == "x-api-key"
    assert (header["isRequired"], header["isSecret"]) == (False, True)
