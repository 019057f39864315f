"""Long imports in turns: other requests are answered between their rows."""

import asyncio
import gc
import time
import weakref
from contextlib import asynccontextmanager

import pytest

from ledgerkit.core.platform.event_loop import turns
from ledgerkit.core.platform.event_loop.turns import SECONDS, in_turns
from ledgerkit.core.platform.imports.cells import RowError, number
from ledgerkit.core.platform.imports.csv_text import CsvText
from ledgerkit.core.platform.imports.rows import Report

ROWS = 2_000
FEW = 50


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
    loop_turns = LoopTurns()
    task = asyncio.create_task(loop_turns.watch())
    await asyncio.sleep(0)
    yield loop_turns
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


FILES = [
    ("/api/invoices/import", "number;issueDate;clientName;base;taxRate;taxAmount;total", sale),
    ("/api/supplier-invoices/import", "number;invoiceDate;vendorName;base;taxRate;taxAmount;total", purchase),
]


@pytest.mark.whole
@pytest.mark.parametrize(("path", "head", "row"), FILES, ids=["sales", "purchases"])
async def test_an_import_of_thousands_of_rows_lets_the_others_have_their_turns(ana, path, head, row):
    content = "\n".join([head, *map(row, range(ROWS))]).encode()
    headers = {**ana.headers, "Content-Type": "text/csv"}

    async with watched() as loop_turns:
        answer = await ana.client.post(f"{path}?dryRun=true", content=content, headers=headers)

    assert answer.json()["imported"] == ROWS
    assert loop_turns.longest < loop_turns.total / 4, loop_turns.__dict__


class Counted(float):
    """A limit that counts how often the time since the last turn is compared with it: once for each item."""

    items = 0

    def __lt__(self, seconds: float) -> bool:
        self.items += 1
        return super().__lt__(seconds)


@pytest.mark.parametrize(("place", "steps"), [(0, (5, 9, 6)), (1, (4, 8, 5))], ids=["sales", "purchases"])
async def test_every_step_of_an_import_is_done_in_turns(ana, monkeypatch, place, steps):
    """Tried, stored, and refused because everything is there: `steps` are those that go through all rows."""
    path, head, row = FILES[place]
    content = "\n".join([head, *map(row, range(FEW))]).encode()
    headers = {**ana.headers, "Content-Type": "text/csv"}
    counts = []

    for query in ("?dryRun=true", "", ""):
        monkeypatch.setattr(turns, "SECONDS", limit := Counted(SECONDS))
        answer = await ana.client.post(f"{path}{query}", content=content, headers=headers)
        assert answer.status_code == 200
        counts.append(limit.items // FEW)

    assert len(answer.json()["errors"]) == FEW
    assert tuple(counts) == steps


def test_the_problem_of_a_row_keeps_nothing_of_the_import():
    """An error holds the frames that it went through, and they the rows: only a search would free them."""

    class Rows:
        pass

    def refused(report: Report) -> weakref.ref[Rows]:
        rows = Rows()
        try:
            number("one", "number")
        except RowError as error:
            report.refuse(1, None, error)
        return weakref.ref(rows)

    gc.disable()
    try:
        report = Report()
        rows = refused(report)
    finally:
        gc.enable()

    assert [(one.place, one.field) for one in report.problems] == [(1, "number")]
    assert rows() is None


async def test_the_text_of_a_file_is_read_beside_the_loop():
    content = b"number;notes\n" + b"A-1;uno\n" * 5_000

    began_at = time.process_time()
    async with watched() as loop_turns:
        csv_text = await CsvText.read(content)
    of_all_threads = time.process_time() - began_at

    assert len(csv_text.rows()) == 5_000
    assert csv_text == content
    assert loop_turns.total < of_all_threads / 2
