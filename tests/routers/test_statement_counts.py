"""The number of statements of an operation does not grow with the records stored: no list asks once more for each."""

from dataclasses import dataclass
from typing import Any

import pytest

from support.api import Api
from support.database import overheard
from support.interface import built
from support.scenes import ALL, EMISSION, PRINTING, address, prepared, scene
from support.scenes.ask import Ids

READING = [row.name for row in built() if row.method == "GET" and row.name not in {*EMISSION, *PRINTING}]
OF_COOKIES = {"GET /auth/session"}
"""Operations that look at a browser's cookie only, and so at nothing here."""

VARIED = ("name", "title", "sku", "invoiceNumber", "key", "barcode")


@dataclass
class Again(Api):
    """Caller whose records get other names than those there are."""

    turn: int = 2

    async def request(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        return await super().request(method, path, self._renamed(body), **headers)

    def _renamed(self, body: Any) -> Any:
        if not isinstance(body, dict):
            return body
        changed = {name: f"{value}-{self.turn}" if name in VARIED else value for name, value in body.items()}
        return {name: value for name, value in changed.items() if name != "taxId"}


async def counted(kernel: Any, api: Api, ids: Ids) -> dict[str, int]:
    """Count the statements of each reading operation, once its caches are filled."""
    found = {}
    for row in READING:
        method, path = address(row, await prepared(api, ALL[row], ids))
        for _ in range(2):
            with overheard(kernel) as said:
                answer = await api.request(method, path)
        assert answer.is_success, row
        found[row] = len(said)
    return found


@pytest.mark.whole
async def test_three_times_as_many_records_are_read_by_as_many_statements(kernel, ana):
    ids = await scene(ana)
    before = await counted(kernel, ana, ids)
    for turn in (2, 3):
        till = await ana.get("/api/cash-register/current")
        await ana.post(f"/api/cash-register/{till['id']}/close", {"closingAmount": 0})
        await scene(Again(ana.client, ana.headers, ana.email, ana.api_key, ana.team, turn))

    after = await counted(kernel, ana, ids)

    assert {row: number for row, number in after.items() if number > before[row]} == {}
    assert {row for row, number in after.items() if number == 0} == OF_COOKIES
