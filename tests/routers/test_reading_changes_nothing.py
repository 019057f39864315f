"""GET begins nothing: whatever is read, every table and file stays as it was."""

from dataclasses import replace

import pytest

from ledgerkit.core.einvoice.transmission.sender import Transmitter
from ledgerkit.providers.registry import Registry
from support import tiny_country
from support.api import Api
from support.footprint import changed, footprint
from support.interface import built
from support.office import cloned, opened
from support.scenes import ALL, address, prepared, scene

NOTED = {
    "GET /api/einvoice/declaration": {"fiscal_declaration"},
    "GET /api/einvoice/chain": {"fiscal_installation"},
    "GET /api/einvoice/export": {"activity", "tally"},
}
"""Tables that a row may change: the producer's declaration is kept as it was first shown, a chain remembers that it was
checked, and who took records out is in the log (docs/einvoice.md)."""

CACHES = "cache/"
"""Folder of printed documents, which anybody may empty."""


@pytest.mark.whole
async def test_whatever_is_read_stays_as_it_was(postgres, tmp_path, cheap_passwords):
    async with (
        cloned(postgres) as url,
        opened(url, tmp_path, cheap_passwords, worker="apart") as office,
    ):
        countries = {**office.kernel.countries.countries, tiny_country.country.code: tiny_country.country}
        office.kernel = replace(office.kernel, countries=Registry(countries))
        office.client._transport.app.state.kernel = office.kernel
        ana = await Api.with_team(office.client, "ana@example.com", "Ana Ruiz", "12345678Z")
        made = await scene(ana)
        await office.kernel.service(Transmitter).stop()
        rows = [one.name for one in built() if one.name.startswith("GET ")]
        left_behind, answered = {}, 0
        for row in rows:
            ask = ALL[row]
            ids = await prepared(ana, ask, made)
            await ana.get("/auth/me")  # notes that the caller was active
            before = await footprint(office.kernel)
            answered += (await ana.request(*address(row, ids, ask))).is_success
            difference = changed(before, await footprint(office.kernel)) - NOTED.get(row, set())
            if difference := {name for name in difference if not name.startswith(CACHES)}:
                left_behind[row] = difference

    assert left_behind == {}
    assert answered > len(rows) * 0.9
