"""Long imports in turns: other requests are answered between their rows."""

import asyncio
import gc
import time
from contextlib import asynccontextmanager

import pytest

from ledgerkit.core.importing.csv_text import CsvText
from ledgerkit.core.importing.turns import SECONDS, in_turns

ROWS = 2_000


class LoopTurns:
    """Turns of the event loop while watched: processor time of its thread, in all and between two turns."""

    def __init__(self) -> None:
        self.longest = self.total = 0.0

    async def watch(self) -> None:
        began_at = last = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            self.longest, self.total, last = max(self.longest, now - last), now - began_at, now


@asynccontextmanager
async def watched():
    gc.collect()
    turns = LoopTurns()
    task = asyncio.create_task(turns.watch())
    await asyncio.sleep(0)
    yield turns
    task.cancel()


async def test_others_have_a_turn_between_items():
    seen = []

    async def other():
        seen.append("other")

    async for place in in_turns(range(3)):
        if place == 0:
            task = asyncio.create_task(other())
        until = time.monotonic() + SECONDS * 1.5
        while time.monotonic() < until:
            pass
        seen.append(place)

    assert seen == [0, "other", 1, 2]
    await task


def sale(place):
    return f"A-{place};2026-03-05;Ana;100,00;21;21,00;121,00"


def purchase(place):
    return f"A-{place};2026-03-05;Papelera;100,00;21;21,00;121,00"


@pytest.mark.parametrize(
    ("path", "head", "row"),
    [
        ("/api/invoices/import", "number;issueDate;clientName;base;taxRate;taxAmount;total", sale),
        ("/api/supplier-invoices/import", "number;invoiceDate;vendorName;base;taxRate;taxAmount;total", purchase),
    ],
    ids=["sales", "purchases"],
)
async def test_an_import_of_thousands_of_rows_lets_the_others_have_their_turns(ana, path, head, row):
    content = "\n".join([head, *map(row, range(ROWS))]).encode()
    headers = {**ana.headers, "Content-Type": "text/csv"}

    async with watched() as turns:
        answer = await ana.client.post(f"{path}?dryRun=true", content=content, headers=headers)

    assert answer.json()["imported"] == ROWS
    assert turns.longest < turns.total / 4, turns.__dict__


async def test_the_text_of_a_file_is_read_beside_the_loop():
    content = b"number;notes\n" + b"A-1;uno\n" * 5_000

    async with watched() as turns:
        csv_text = await CsvText.read(content)

    assert len(csv_text.rows()) == 5_000
    assert csv_text == content
    assert turns.total > 2 * turns.longest
