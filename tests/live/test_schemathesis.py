"""Schemathesis over the whole description, all phases, against the real server: it finds nothing."""

import asyncio
import os
import sys
from pathlib import Path

import httpx2
import pytest

from support.api import Api
from support.description import operations
from support.office import emit
from support.serving import Server, served

SECONDS = int(os.environ.get("LEDGERKIT_FUZZ_SECONDS", "90"))
"""Budget of a run; a longer one looks further."""

CONFIGURATION = """
suppress-health-check = ["all"]
seed = 1

[checks]
positive_data_acceptance.enabled = false

[[operations]]
include-path-regex = "^/api/(catalog|invoices|supplier-invoices)/import$"
checks.negative_data_rejection.enabled = false

[[operations]]
include-path-regex = "^/api/(catalog/import-invoice|expenses/scan-receipt)$"
checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "503"]

[auth.openapi.apiKey]
api_key = "{key}"

[parameters]
"header.X-Team-Id" = "{team}"
"""
"""Checks left out: a valid body may be refused by what is stored, so the interface answers 400 to the payment of a
cancelled invoice or the mailing to a client without an address; what each field takes is tried in test_bad_fields. An
import names rows that are no objects in its answer, beside those that it takes. Reading a document answers 503 where
neither a model nor OCR is set up, as here.
"""


RECORD = """
"path.id" = "{id}"
"query.fiscalId" = "{fiscal_id}"
"""
"""An invoice that was reported, so that its operations have something to tell."""

GROUP = "^/api/einvoice"
GROUP_EXTENT = ("--phases", "examples,coverage,fuzzing", "--max-examples", "12")
"""All but what follows links, of which this group has none; so many examples of each, however slow the machine is."""


@pytest.mark.whole
async def test_schemathesis_finds_nothing(tmp_path, fresh_urls):
    settings = {"DATABASE_URL": fresh_urls.owner, "BASE_URL": "http://127.0.0.1:8000"}
    async with served(tmp_path / "data", **settings) as server:
        async with httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
            ana = await founded(client)

        status, output = await looked(server, tmp_path, configuration(ana), "--max-time", str(SECONDS))

    assert status == 0, output[-20_000:]


@pytest.mark.whole
async def test_schemathesis_finds_nothing_in_e_invoicing_with_records_there(tmp_path, fresh_urls):
    group = [row for row in operations() if row.partition(" ")[2].startswith(GROUP[1:])]
    settings = {"DATABASE_URL": fresh_urls.owner, "BASE_URL": "http://127.0.0.1:8000"}
    async with served(tmp_path / "data", **settings) as server:
        async with httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
            ana = await founded(client)
            emitted = await emit(ana, await ana.invoice())
        configured = configuration(ana) + RECORD.format(id=emitted["invoiceId"], fiscal_id=emitted["fiscalId"])

        status, output = await looked(server, tmp_path, configured, "--include-path-regex", GROUP, *GROUP_EXTENT)

    assert status == 0, output[-20_000:]
    assert f"Tested: {len(group)}" in output


async def founded(client: httpx2.AsyncClient) -> Api:
    return await Api.with_team(client, "ana@example.com", "Ana", "12345678Z")


def configuration(api: Api) -> str:
    return CONFIGURATION.format(key=api.api_key, team=api.team["id"])


async def looked(server: Server, folder: Path, configured: str, *wanted: str) -> tuple[int | None, str]:
    """Exit status and output of a run, for which the description is made before: its reader waits 10 seconds only."""
    async with httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
        await client.get("/openapi.json")
    (folder / "schemathesis.toml").write_text(configured)
    run = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json"),
        *("--url", server.url, "--request-timeout", "30", "--no-color"),
        *("--continue-on-failure", *wanted),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await run.communicate()
    return run.returncode, output.decode()
