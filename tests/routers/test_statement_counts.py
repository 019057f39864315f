"""What an operation asks of the database does not grow with what is stored: no list asks once more for each record."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from ledgerkit.core.statements import driver
from support.api import Api
from support.interface import built
from support.scenes import ALL, EMISSION, PRINTING, address, scene

READING = [row.name for row in built() if row.method == "GET" and row.name not in {*EMISSION, *PRINTING}]
VARIED = ("name", "title", "sku", "invoiceNumber", "key", "barcode")


@dataclass
class Again(Api):
    """The same caller, whose records have other names than those there are."""

    turn: int = 2

    async def request(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        return await super().request(method, path, self._renamed(body), **headers)

    def _renamed(self, body: Any) -> Any:
        if not isinstance(body, dict):
            return body
        changed = {name: f"{value}-{self.turn}" if name in VARIED else value for name, value in body.items()}
        return {name: value for name, value in changed.items() if name != "taxId"}


@contextmanager
def overheard(kernel: Any) -> Iterator[list[str]]:
    """The statements that the application sends meanwhile."""
    said: list[str] = []
    connection = driver(kernel.database.pinned)
    with connection.query_logger(lambda one: said.append(one.query)):
        yield said


@pytest.mark.parametrize("row", READING)
async def test_twice_as_many_records_are_read_by_as_many_statements(kernel, ana, row):
    ids = await scene(ana)
    method, path = address(row, ids, ALL[row])
    await ana.request(method, path)
    with overheard(kernel) as before:
        await ana.request(method, path)
    for turn in (2, 3):
        till = await ana.get("/api/cash-register/current")
        await ana.post(f"/api/cash-register/{till['id']}/close", {"closingAmount": 0})
        await scene(Again(ana.client, ana.headers, ana.email, ana.api_key, ana.team, turn))

    with overheard(kernel) as after:
        answer = await ana.request(method, path)

    assert answer.is_success
    assert 0 < len(after) <= len(before)
