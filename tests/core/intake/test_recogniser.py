"""Real recognition of a few generated receipts, and the life of its process."""

import asyncio
import os
import signal
from decimal import Decimal
from uuid import uuid4

import psutil
import pytest

from ledgerkit.core.confined.lanes import BusyError
from ledgerkit.core.confined.process import ProcessDiedError
from ledgerkit.core.intake.ocr import recogniser as module
from ledgerkit.core.intake.ocr.recogniser import NotInstalledError, Recogniser, UnreadablePageError
from ledgerkit.providers.es import country
from support.receipts import Condition, Split, specimen
from support.receipts.truth import TODAY

ACCOUNT = uuid4()


@pytest.fixture(scope="module")
async def recogniser():
    recogniser = Recogniser()
    yield recogniser
    await recogniser.stop()


@pytest.mark.parametrize(("seed", "condition"), [(0, Condition.PLAIN), (1, Condition.DEGRADED)])
async def test_a_ticket_is_read_from_its_image(recogniser, seed, condition):
    ticket = specimen(seed, Split.TUNED, condition)

    lines = await recogniser.lines(ACCOUNT, ticket.png())
    reading = country.readings.read(lines, TODAY)

    assert reading.total.value == ticket.truth.total
    assert reading.issue_date.value == ticket.truth.issue_date
    assert reading.vendor_tax_id.value == ticket.truth.tax_id
    assert {tax.rate for tax in reading.taxes} == ticket.truth.rates


async def test_memory_stays_below_the_stated_bound(recogniser):
    await recogniser.lines(ACCOUNT, specimen(1, Split.TUNED).png())
    (process,) = recogniser.processes()

    assert psutil.Process(process.pid).memory_info().rss < 1024**3


async def test_what_is_no_page_is_refused_and_the_process_lives_on(recogniser):
    await recogniser.lines(ACCOUNT, specimen(1, Split.TUNED).png())
    (before,) = recogniser.processes()

    with pytest.raises(UnreadablePageError):
        await recogniser.lines(ACCOUNT, b"no picture")

    assert recogniser.processes() == [before]


async def test_a_process_killed_in_a_request_fails_it_and_the_next_one_is_answered(recogniser):
    page = specimen(1, Split.TUNED).png()
    await recogniser.lines(ACCOUNT, page)
    (process,) = recogniser.processes()
    reading = asyncio.create_task(recogniser.lines(ACCOUNT, page))
    await asyncio.sleep(0.2)

    os.kill(process.pid, signal.SIGKILL)

    with pytest.raises(ProcessDiedError):
        await reading
    assert await recogniser.lines(ACCOUNT, page)


async def test_nothing_is_started_before_the_first_page_and_idleness_ends_the_process(monkeypatch, tmp_path):
    script = tmp_path / "quick.py"
    script.write_text(
        "from ledgerkit.core.confined.child import Limits, serve\n"
        "serve(lambda: lambda request: (b'T', b'[]'), Limits(memory=1 << 30))\n"
    )
    monkeypatch.setattr(module, "SCRIPT", script)
    quick = Recogniser(idle_seconds=0.2)

    assert quick.processes() == []
    assert await quick.lines(ACCOUNT, b"page") == []
    (process,) = quick.processes()
    async with asyncio.timeout(10):
        while quick.processes() or process.alive:  # noqa: ASYNC110 - watches a process, which sets no event
            await asyncio.sleep(0.02)
    assert await quick.lines(ACCOUNT, b"page") == []
    await quick.stop()
    with pytest.raises(BusyError):
        await quick.lines(ACCOUNT, b"page")


async def test_without_the_extra_it_says_so(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)

    with pytest.raises(NotInstalledError):
        await Recogniser().lines(ACCOUNT, b"page")


def test_generated_images_are_the_same_on_every_run():
    first, second = (specimen(3, Split.HELD_OUT) for _ in range(2))

    assert first.png() == second.png()
    assert first.truth == second.truth
    assert first.truth.total > Decimal(0)
