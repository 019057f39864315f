"""`ledgerkit verifactu scan`, `events` and `answer-request` beside a running server."""

from datetime import UTC, datetime, timedelta

import httpx2
import pytest

from support.api import Api
from support.commands import ledgerkit
from support.office import emit
from support.serving import served

TAX_ID = "50000002A"


@pytest.mark.whole
async def test_an_issuer_in_the_signed_mode_can_check_records_and_answer_a_request(tmp_path, fresh_urls):
    data = tmp_path / "data"
    settings = {"DATABASE_URL": fresh_urls.owner, "VERIFACTU_SIGNED_MODE": "on"}
    period = [(datetime.now(UTC) + timedelta(days=days)).date().isoformat() for days in (-1, 1)]
    answer_request = ("answer-request", "--reference", "REQ2026A", "--from", period[0], "--to", period[1])
    async with (
        served(data, **settings) as server,
        httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
    ):
        api = await Api.with_team(client, "ana@example.com", "Ana Ruiz", TAX_ID)
        await api.put("/api/einvoice/mode", {"mode": "no_verifactu"})
        await emit(api, await api.invoice())

        scanned = await ledgerkit(data, "verifactu", "scan", "--tax-id", TAX_ID, **settings)
        listed = await ledgerkit(data, "verifactu", "events", **settings)
        answered = await ledgerkit(data, "verifactu", *answer_request, **settings)
        again = await ledgerkit(data, "verifactu", *answer_request, **settings)

    assert (scanned[0], scanned[1].count("1 record, 1 signature, 1 event checked, and the check is logged.")) == (
        0,
        1,
    )
    assert [line.split()[2:4] for line in listed[1].splitlines()[:3]] == [
        ["05", "events_checked"],
        ["03", "records_checked"],
        ["01", "started"],
    ]
    assert (answered[0], answered[2]) == (0, "")
    assert "Demand REQ2026A is answered: 1 record." in answered[1]
    assert again[:2] == answered[:2]
