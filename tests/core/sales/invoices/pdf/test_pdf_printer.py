"""Printer: lanes of light and heavy documents, refusals, and the cache."""

import asyncio
import dataclasses
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest

from ledgerkit.core.platform.confined.lanes import Capacity
from ledgerkit.core.platform.confined.process import Reply
from ledgerkit.core.sales.invoices.pdf import PdfPrinter, PrintedDocument, PrintLimits, Reader, Status, cache_key
from ledgerkit.core.sales.invoices.pdf.cache import PdfCache
from ledgerkit.problems import BadGateway, Code, Invalid, Unavailable
from support.printed import words

pytestmark = pytest.mark.whole

ANA, BERTA = Reader(UUID(int=1)), Reader(UUID(int=2))
HEAVY = "ledgerkit.core.sales.invoices.pdf.printer._HEAVY_CHARACTERS"
PATIENT = {"light_seconds": 300.0, "seconds": 300.0}


@asynccontextmanager
async def printing(*arguments, **limits):
    printer = PdfPrinter(*arguments, limits=PrintLimits(**{**PATIENT, **limits}))
    try:
        yield printer
    finally:
        await printer.stop()


async def laying_out(lane, after=None):
    """The process of a lane, once it has been given a document; another one than `after`."""
    async with asyncio.timeout(60):
        while True:
            for process in lane.processes():
                if process.tasks and process is not after:
                    return process
            await asyncio.sleep(0)


async def light_process(printer):
    await printer.start()
    return printer._light.processes()[0]


def numbered(document: PrintedDocument, count: int) -> list[PrintedDocument]:
    return [dataclasses.replace(document, number=f"F2026-{n}") for n in range(count)]


@pytest.fixture
def long_document(document: PrintedDocument) -> PrintedDocument:
    """Some seconds of layout, in the light lane."""
    return dataclasses.replace(document, lines=document.lines * 150)


@pytest.fixture
def endless_document(document: PrintedDocument) -> PrintedDocument:
    """More than any test waits for, in the heavy lane."""
    line = dataclasses.replace(document.lines[0], description="palabra " * 120)
    return dataclasses.replace(document, lines=(line,) * 1500)


def test_importing_the_package_does_not_load_the_layout_engine():
    script = "import sys, ledgerkit.core.sales.invoices.pdf; sys.exit('weasyprint' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


async def test_nothing_is_started_before_the_first_document():
    async with printing() as printer:
        before = printer._light.processes()

        after = await light_process(printer)

        assert before == []
        assert after.alive


async def test_the_same_document_gives_the_same_bytes_from_another_process(
    printer: PdfPrinter, document: PrintedDocument
):
    async with printing() as other:
        assert await other.print(document, ANA) == await printer.print(document)


# ---------------------------------------------------------------- time, death, length


async def test_a_document_that_takes_too_long_is_ended_and_the_next_one_prints(
    document: PrintedDocument, long_document: PrintedDocument
):
    async with printing() as printer:
        slow = await light_process(printer)
        printer._limits = PrintLimits(light_seconds=0.2, seconds=0.2)
        with pytest.raises(BadGateway) as raised:
            await printer.print(long_document, ANA)
        printer._limits = PrintLimits(**PATIENT)

        printed = await printer.print(document, ANA)

        assert raised.value.code == Code.PDF_FAILED
        assert not slow.alive
        assert printed.startswith(b"%PDF-")


async def test_a_document_that_the_light_lane_gives_up_is_printed_in_the_heavy_one(long_document: PrintedDocument):
    async with printing() as printer:
        quick = await light_process(printer)
        printer._limits = PrintLimits(light_seconds=0.2, seconds=300)

        assert (await printer.print(long_document, ANA)).startswith(b"%PDF-")

        assert not quick.alive


async def test_a_heavy_document_keeps_no_light_one_waiting(
    document: PrintedDocument, endless_document: PrintedDocument
):
    async with printing() as printer:
        slow = asyncio.create_task(printer.print(endless_document, ANA))
        await laying_out(printer._heavy)

        printed = [await printer.print(one, reader) for one in numbered(document, 2) for reader in (ANA, BERTA)]

        assert all(content.startswith(b"%PDF-") for content in printed)
        assert not slow.done()
        slow.cancel()


async def test_a_heavy_document_gets_a_process_of_its_own(document: PrintedDocument, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(HEAVY, 1000)
    async with printing() as printer:
        await printer.print(document, ANA)

        assert printer._light.processes() == printer._heavy.processes() == []


async def test_killing_an_idle_process_is_survived(document: PrintedDocument):
    async with printing() as printer:
        os.kill((await light_process(printer)).pid, signal.SIGKILL)

        assert (await printer.print(document, ANA)).startswith(b"%PDF-")


async def test_killing_the_process_in_the_middle_of_a_document_is_survived(long_document: PrintedDocument):
    async with printing() as printer:
        task = asyncio.create_task(printer.print(long_document, ANA))
        os.kill((await laying_out(printer._light)).pid, signal.SIGKILL)

        assert (await task).startswith(b"%PDF-")


@pytest.mark.parametrize("heavy", [False, True])
async def test_a_document_that_kills_two_processes_is_refused(
    long_document: PrintedDocument, heavy: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(HEAVY, 1000 if heavy else 10**9)
    async with printing() as printer:
        task = asyncio.create_task(printer.print(long_document, ANA))
        first = await laying_out(printer._heavy if heavy else printer._light)
        os.kill(first.pid, signal.SIGKILL)
        os.kill((await laying_out(printer._heavy, after=first)).pid, signal.SIGKILL)

        with pytest.raises(BadGateway) as raised:
            await task
        assert raised.value.code == Code.PDF_FAILED


async def test_the_process_is_replaced_after_its_share_of_documents(document: PrintedDocument):
    async with printing(light=Capacity(requests_each=2)) as printer:
        one, two, three = numbered(document, 3)
        await printer.print(one, ANA)
        (first,) = printer._light.processes()
        await printer.print(two, ANA)
        between = printer._light.processes()
        await printer.print(three, ANA)

        assert between == []
        assert not first.alive
        assert len(printer._light.processes()) == 1


async def test_more_pages_than_allowed_are_refused(document: PrintedDocument):
    async with printing(pages=1) as printer:
        with pytest.raises(Invalid) as raised:
            await printer.print(dataclasses.replace(document, lines=document.lines * 10), ANA)

    assert raised.value.code == Code.PDF_TOO_LONG
    assert "2 pages" in raised.value.detail


@pytest.mark.parametrize("change", [{"lines": 4_200}, {"notes": "x" * 2_100_000}])
async def test_a_document_that_can_never_fit_is_refused_without_trying(document: PrintedDocument, change):
    huge = {"lines": document.lines[:1] * change["lines"]} if "lines" in change else change
    async with printing() as printer:
        with pytest.raises(Invalid) as raised:
            await printer.print(dataclasses.replace(document, **huge), ANA)

        assert raised.value.code == Code.PDF_TOO_LONG
        assert printer._light.processes() == printer._heavy.processes() == []


# ---------------------------------------------------------------- again and again


@pytest.mark.parametrize(
    ("limits", "code"),
    [({"pages": 1}, Code.PDF_TOO_LONG), ({"light_seconds": 0.2, "seconds": 0.2}, Code.PDF_FAILED)],
    ids=["too long", "too slow"],
)
async def test_an_unprintable_document_is_refused_without_trying_again(long_document: PrintedDocument, limits, code):
    async with printing(**limits) as printer:
        problems = []
        for reader in (ANA, ANA, BERTA):
            with pytest.raises((Invalid, BadGateway)) as raised:
                await printer.print(long_document, reader)
            problems.append(raised.value)
            await printer.stop()  # who asked for another process now would be told to come again

    assert [one.code for one in problems] == [code] * 3
    assert len({one.detail for one in problems}) == 1
    assert len({id(one) for one in problems}) == 3


async def test_a_changed_document_is_tried_again(document: PrintedDocument):
    async with printing(pages=1) as printer:
        with pytest.raises(Invalid):
            await printer.print(dataclasses.replace(document, lines=document.lines * 10), ANA)

        assert (await printer.print(document, ANA)).startswith(b"%PDF-")


async def test_a_refusal_is_forgotten_after_a_while(document: PrintedDocument, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ledgerkit.core.sales.invoices.pdf.printer._REMEMBERED_SECONDS", 0.0)
    long = dataclasses.replace(document, lines=document.lines * 10)
    async with printing(pages=1) as printer:
        with pytest.raises(Invalid):
            await printer.print(long, ANA)
        printer._limits = PrintLimits(**PATIENT)

        assert (await printer.print(long, ANA)).startswith(b"%PDF-")


async def test_the_refusals_that_are_remembered_are_bounded(document: PrintedDocument, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ledgerkit.core.sales.invoices.pdf.printer._REMEMBERED", 2)
    monkeypatch.setattr(PdfPrinter, "_laid_out", _too_long_for_anybody)
    async with printing() as printer:
        for one in numbered(document, 5):
            with pytest.raises(Invalid):
                await printer.print(one, ANA)

        assert len(printer._unprintable) == 2


async def _too_long_for_anybody(*_):
    return Reply(b"L", b"101")


async def test_the_same_document_is_printed_once_however_many_ask(
    document: PrintedDocument, long_document: PrintedDocument
):
    async with printing(light=Capacity(waiting=1)) as printer:
        results = await asyncio.gather(*(printer.print(long_document, reader) for reader in (ANA, BERTA) * 10))

        (process,) = printer._light.processes()
        assert len(set(results)) == 1
        assert process.tasks == 1


async def test_who_leaves_does_not_take_the_document_from_others(long_document: PrintedDocument):
    async with printing() as printer:
        leaving, staying = (asyncio.create_task(printer.print(long_document, ANA)) for _ in range(2))
        await laying_out(printer._light)

        leaving.cancel()

        assert (await staying).startswith(b"%PDF-")


async def test_too_many_documents_of_one_account_are_turned_away_and_others_are_printed(
    document: PrintedDocument, endless_document: PrintedDocument
):
    stranger = Reader(ANA.account_id, stranger=True)
    async with printing() as printer:
        before = asyncio.create_task(printer.print(dataclasses.replace(document, lines=document.lines * 150), ANA))
        await laying_out(printer._light)
        waiting = [asyncio.create_task(printer.print(one, stranger)) for one in numbered(document, 11)]
        (turned_away, *_), _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)

        with pytest.raises(Unavailable) as raised:
            await turned_away

        assert (raised.value.status, raised.value.code) == (503, Code.PDF_FAILED)
        assert raised.value.headers["Retry-After"] == "5"
        own_invoice = asyncio.create_task(printer.print(dataclasses.replace(document, number="own"), ANA))
        other = asyncio.create_task(printer.print(dataclasses.replace(document, number="other"), BERTA))
        assert (await other).startswith(b"%PDF-")
        assert (await own_invoice).startswith(b"%PDF-")
        assert (await before).startswith(b"%PDF-")
        await asyncio.gather(*waiting, return_exceptions=True)


async def test_stopping_ends_a_document_in_the_middle_and_refuses_the_next(
    document: PrintedDocument, long_document: PrintedDocument
):
    printer = PdfPrinter(limits=PrintLimits(**PATIENT))
    task = asyncio.create_task(printer.print(long_document, ANA))
    process = await laying_out(printer._light)

    await printer.stop()

    assert not process.alive
    with pytest.raises(Unavailable):
        await task
    with pytest.raises(Unavailable):
        await printer.print(document, ANA)


# ---------------------------------------------------------------- the cache


@pytest.fixture
def keeping(printer: PdfPrinter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PdfPrinter:
    """The warm printer with a cache in `tmp_path`."""
    monkeypatch.setattr(printer, "_cache", PdfCache(tmp_path / "pdf", 2**20))
    return printer


async def test_a_kept_document_needs_no_process_and_survives_a_restart(
    keeping: PdfPrinter, document: PrintedDocument, tmp_path: Path
):
    printed = await keeping.print(document)

    async with printing(tmp_path / "pdf") as restarted:
        stored = await restarted.print(document, BERTA)

        assert stored == printed
        assert restarted._light.processes() == []


async def test_a_file_cut_short_is_printed_anew(keeping: PdfPrinter, document: PrintedDocument, tmp_path: Path):
    printed = await keeping.print(document)
    file = tmp_path / "pdf" / f"{cache_key(document)}.pdf"
    file.write_bytes(printed[:1000])

    assert await keeping.print(document) == printed
    assert file.read_bytes() == printed


def test_an_unwritable_cache_costs_only_time(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    blocked = tmp_path / "file"
    blocked.write_text("in the way of a directory")
    cache = PdfCache(blocked, 2**20)

    cache.put("a", b"%PDF-%%EOF")

    assert cache.get("a") is None
    assert "could not be written" in caplog.text


def test_every_printed_change_changes_the_key_and_the_status_does_not(document: PrintedDocument):
    changed = [
        dataclasses.replace(document, number="F2026-0043"),
        dataclasses.replace(document, words=words("en")),
        dataclasses.replace(document, notes=None),
        dataclasses.replace(document, lines=document.lines[:2]),
    ]

    assert len({cache_key(each) for each in [document, *changed]}) == 5
    assert cache_key(dataclasses.replace(document, status=Status.PAID)) == cache_key(document)


def test_the_cache_drops_what_was_not_used_longest(tmp_path: Path):
    cache = PdfCache(tmp_path, max_bytes=100)
    content = b"%PDF-" + b"x" * 20 + b"%%EOF"
    for n, key in enumerate("abc"):
        cache.put(key, content)
        os.utime(tmp_path / f"{key}.pdf", (n, n))
    cache.get("a")

    cache.put("d", content)

    assert sorted(path.stem for path in tmp_path.iterdir()) == ["a", "c", "d"]


def test_the_cache_leaves_no_partial_file_and_no_foreign_reader(tmp_path: Path):
    cache = PdfCache(tmp_path / "pdf", max_bytes=1000)

    cache.put("a", b"%PDF-%%EOF")

    (file,) = (tmp_path / "pdf").iterdir()
    assert file.name == "a.pdf"
    assert file.stat().st_mode & 0o077 == 0
    assert (tmp_path / "pdf").stat().st_mode & 0o077 == 0
