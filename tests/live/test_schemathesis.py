"""Schemathesis over the whole description, all phases, against the real server: it finds nothing."""

import asyncio
import os
import sys

import httpx2

from support.api import ADDRESS, Api
from support.serving import served

SECONDS = int(os.environ.get("LEDGERKIT_FUZZ_SECONDS", "90"))
"""Budget of a run; a longer one looks further."""

NOT_ASKED = ["positive_data_acceptance"]
"""Whether a valid body can be taken also depends on what is stored: the interface answers 400 to the payment of a
cancelled invoice or the mailing to a client without an address. What each field takes is tried in test_bad_fields."""

CONFIGURATION = """
suppress-health-check = ["all"]
seed = 1

[auth.openapi.apiKey]
api_key = "{key}"

[parameters]
"header.X-Team-Id" = "{team}"
"""


async def test_schemathesis_finds_nothing(tmp_path):
    async with served(tmp_path / "data", BASE_URL="http://127.0.0.1:8000") as server:
        async with httpx2.AsyncClient(base_url=server.url) as client:
            ana = await Api.register(client, "ana@example.com")
            team = await ana.post("/api/teams", {"name": "Ana", "country": "ES", "taxId": "12345678Z", **ADDRESS})
        (tmp_path / "schemathesis.toml").write_text(CONFIGURATION.format(key=ana.api_key, team=team["id"]))

        run = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json"),
            *("--url", server.url, "--max-time", str(SECONDS), "--request-timeout", "30", "--no-color"),
            *("--checks", "all", "--exclude-checks", ",".join(NOT_ASKED), "--continue-on-failure"),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        told, _ = await run.communicate()

    assert run.returncode == 0, told.decode()[-20_000:]
