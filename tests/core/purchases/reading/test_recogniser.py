"""Real recognition of a few generated receipts, and the life of its process."""

import asyncio
import os
import signal
from decimal import Decimal
from uuid import uuid4

import psutil
import pytest

from ledgerkit.core.platform.confined.lanes import BusyError
from ledgerkit.core.platform.confined.process import ProcessDiedError
from ledgerkit.core.purchases.reading.ocr import recogniser as module
from ledgerkit.core.purchases.reading.ocr.recogniser import NotInstalledError, Recogniser, UnreadablePageError
from ledgerkit.providers.es import country
from support.office import until
from support.receipts import Condition, Split, specimen
from support.receipts.truth import TODAY

ACCOUNT = uuid4()
SLOW = """
import time
from ledgerkit.core.platform.confined.child import Limits, serve

def work(request):
    time.sleep(int(request) / 1000)
    return b"T", b"[]"

serve(lambda: work, Limits(memory=1 << 30))
"""


@pytest.fixture(scope="module")
async def recogniser():
    recogniser = Recogniser()
    yield recogniser
    await recogniser.stop()


@pytest.mark.whole
@pytest.mark.parametrize(("seed", "condition"), [(0, Condition.PLAIN), (1, Condition.DEGRADED)])
async def test_a_ticket_is_read_from_its_image(recogniser, seed, condition):
    ticket = specimen(seed, Split.TUNED, condition)

    lines = await recogniser.lines(ACCOUNT, ticket.png())
    reading = country.readings.read(lines, TODAY)

    assert reading.total.value == ticket.truth.total
    assert reading.issue_date.value == ticket.truth.issue_date
    assert reading.vendor_tax_id.value == ticket.truth.tax_id
    assert {tax.rate for tax in reading.taxes} == ticket.truth.rates


@pytest.mark.whole
async def test_what_is_no_page_is_refused_and_the_process_lives_on_within_its_memory(recogniser):
    with pytest.raises(UnreadablePageError):
        await recogniser.lines(ACCOUNT, b"no picture")

    (process,) = recogniser.processes()
    assert process.alive
    assert psutil.Process(process.pid).memory_info().rss < 1024**3


@pytest.fixture
def slow(monkeypatch, tmp_path):
    """Recogniser whose process needs no models, and as many milliseconds for a page as the page says."""
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    monkeypatch.setattr(module, "SCRIPT", script)
    return Recogniser()


@pytest.mark.whole
async def test_a_process_killed_in_a_request_fails_it_and_the_next_one_is_answered(slow):
    await slow.lines(ACCOUNT, b"0")
    (process,) = slow.processes()
    reading = asyncio.create_task(slow.lines(ACCOUNT, b"60000"))
    await until(lambda: process.tasks == 2)

    os.kill(process.pid, signal.SIGKILL)

    with pytest.raises(ProcessDiedError):
        await reading
    assert await slow.lines(ACCOUNT, b"0") == []
    await slow.stop()


async def test_nothing_is_started_before_the_first_page_and_idleness_ends_the_process(slow):
    slow._idle_seconds = 0.2
    assert slow.processes() == []
    assert await slow.lines(ACCOUNT, b"0") == []
    (process,) = slow.processes()
    await until(lambda: not slow.processes() and not process.alive)

    assert await slow.lines(ACCOUNT, b"0") == []
    await slow.stop()
    with pytest.raises(BusyError):
        await slow.lines(ACCOUNT, b"0")


@pytest.mark.whole
async def test_pages_one_after_another_keep_the_process(slow):
    pids = set()
    for _ in range(4):
        await slow.lines(ACCOUNT, b"100")
        pids |= {process.pid for process in slow.processes()}

    assert len(pids) == 1
    await slow.stop()


async def test_without_the_extra_it_says_so(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)

    with pytest.raises(NotInstalledError):
        await Recogniser().lines(ACCOUNT, b"page")


def test_generated_images_are_the_same_on_every_run():
    first, second = (specimen(3, Split.HELD_OUT) for _ in range(2))

    assert first.png() == second.png()
    assert first.truth == second.truth
    assert first.truth.total > Decimal(0)
