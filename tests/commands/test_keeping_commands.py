"""`ledgerkit verifactu scan`, `events` and `answer-request` beside a running server."""

import asyncio
import os
import sys
from datetime import UTC, datetime, timedelta

import httpx2

from support.api import Api
from support.office import emit
from support.serving import served

TAX_ID = "50000002A"
DUAL = {"LEDGERKIT_VERIFACTU_SIGNED_MODE": "on"}


async def ledgerkit(directory, *words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command on a data directory."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("LEDGERKIT_")}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "ledgerkit.cli", "verifactu", *words),
        env=inherited | DUAL | {"LEDGERKIT_DATA_DIR": str(directory)},
        cwd=directory.parent,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, complained = await process.communicate()
    return process.returncode or 0, said.decode(), complained.decode()


async def test_who_keeps_records_can_check_them_and_answer_a_demand(tmp_path):
    data = tmp_path / "data"
    period = [(datetime.now(UTC) + timedelta(days=days)).date().isoformat() for days in (-1, 1)]
    asked = ("answer-request", "--reference", "REQ2026A", "--from", period[0], "--to", period[1])
    async with (
        served(data, VERIFACTU_SIGNED_MODE="on") as server,
        httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
    ):
        api = await Api.with_team(client, "ana@example.com", "Ana Ruiz", TAX_ID)
        await api.put("/api/einvoice/mode", {"mode": "no_verifactu"})
        await emit(api, await api.invoice())

        scanned = await ledgerkit(data, "scan", "--tax-id", TAX_ID)
        listed = await ledgerkit(data, "events")
        answered = await ledgerkit(data, *asked)
        again = await ledgerkit(data, *asked)

    assert (scanned[0], scanned[1].count("1 records, 1 signatures, 1 events checked, and the check is logged.")) == (
        0,
        1,
    )
    assert [line.split()[2:4] for line in listed[1].splitlines()[:3]] == [
        ["05", "events_checked"],
        ["03", "records_checked"],
        ["01", "started"],
    ]
    assert (answered[0], answered[2]) == (0, "")
    assert "Demand REQ2026A is answered: 1 records." in answered[1]
    assert again[:2] == answered[:2]
