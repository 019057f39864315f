"""The layout process: its limits, its deaths, its queue and its cache."""

import asyncio
import dataclasses
import os
import select
import signal
import subprocess
import sys
import threading
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ledgerkit.core.invoices.paper import Paper, PdfPrinter, Status, cache_key
from ledgerkit.core.invoices.paper.cache import PdfCache
from ledgerkit.core.invoices.paper.process import Worker
from ledgerkit.problems import BadGateway, Code, Invalid, Unavailable
from support.printed import words

linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="watches processes by /proc and pidfd, which are Linux's"
)

ORPHAN = """
import asyncio, sys
from ledgerkit.core.invoices.paper import PdfPrinter
async def main():
    printer = PdfPrinter()
    await printer.start()
    print(printer._worker.pid, flush=True)
    if "busy" in sys.argv:
        worker = printer._worker
        await asyncio.to_thread(worker.lay_out, "<p>word</p>" * 100_000, max_pages=9, seconds=60)
    await asyncio.Event().wait()
asyncio.run(main())
"""


@asynccontextmanager
async def printing(*arguments, **limits):
    printer = PdfPrinter(*arguments, **{"time_limit": 60, **limits})
    try:
        yield printer
    finally:
        await printer.stop()


async def busy(worker: Worker, tasks: int = 1) -> None:
    """Returns once the process has been given so many documents."""
    async with asyncio.timeout(30):
        while worker.tasks < tasks:  # noqa: ASYNC110 - the process has no event to wait for, and needs none
            await asyncio.sleep(0)


@pytest.fixture
def long_paper(paper: Paper) -> Paper:
    """Some seconds of layout."""
    return dataclasses.replace(paper, lines=paper.lines * 150)


def test_importing_the_package_does_not_load_the_layout_engine():
    script = "import sys, ledgerkit.core.invoices.paper; sys.exit('weasyprint' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


async def test_nothing_is_started_before_the_first_document():
    async with printing() as printer:
        before = printer._worker
        await printer.start()

        assert before is None
        assert printer._worker.alive


async def test_the_same_paper_gives_the_same_bytes_from_another_process(printer: PdfPrinter, paper: Paper):
    async with printing() as other:
        assert await other.print(paper) == await printer.print(paper)


async def test_a_document_that_takes_too_long_is_ended_and_the_next_one_prints(
    printer: PdfPrinter, paper: Paper, long_paper: Paper, monkeypatch: pytest.MonkeyPatch
):
    await printer.start()
    slow = printer._worker
    with monkeypatch.context() as limited:
        limited.setattr(printer, "_time_limit", 0.2)
        with pytest.raises(BadGateway) as raised:
            await printer.print(long_paper)

    printed = await printer.print(paper)

    assert raised.value.code == Code.PDF_FAILED
    assert not slow.alive
    assert printed.startswith(b"%PDF-")


async def test_killing_an_idle_process_is_survived(printer: PdfPrinter, paper: Paper):
    await printer.start()
    os.kill(printer._worker.pid, signal.SIGKILL)

    assert (await printer.print(paper)).startswith(b"%PDF-")


async def test_killing_the_process_in_the_middle_of_a_document_is_survived(printer: PdfPrinter, long_paper: Paper):
    await printer.start()
    first = printer._worker
    task = asyncio.create_task(printer.print(long_paper))
    await busy(first, first.tasks + 1)
    os.kill(first.pid, signal.SIGKILL)

    assert (await task).startswith(b"%PDF-")
    assert printer._worker.pid != first.pid


async def test_a_document_that_kills_the_process_twice_is_refused(long_paper: Paper):
    async with printing() as printer:
        task = asyncio.create_task(printer.print(long_paper))
        killed: set[int] = set()
        async with asyncio.timeout(60):
            while not task.done():
                worker = printer._worker
                if worker and worker.tasks and worker.pid not in killed:
                    killed.add(worker.pid)
                    os.kill(worker.pid, signal.SIGKILL)
                await asyncio.sleep(0.001)

        with pytest.raises(BadGateway) as raised:
            await task
        assert raised.value.code == Code.PDF_FAILED
        assert len(killed) == 2


async def test_the_process_is_replaced_after_its_share_of_documents(paper: Paper):
    async with printing(max_tasks=1) as printer:
        await printer.print(paper)
        first = printer._worker
        await printer.print(paper)

        assert not first.alive
        assert printer._worker.alive


async def test_the_process_is_replaced_after_a_very_long_document(
    printer: PdfPrinter, paper: Paper, monkeypatch: pytest.MonkeyPatch
):
    await printer.start()
    worker = printer._worker
    monkeypatch.setattr("ledgerkit.core.invoices.paper.printer._HEAVY_CHARACTERS", 1000)

    await printer.print(paper)

    assert not worker.alive


async def test_more_pages_than_allowed_are_refused(printer: PdfPrinter, paper: Paper, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(printer, "_max_pages", 1)

    with pytest.raises(Invalid) as raised:
        await printer.print(dataclasses.replace(paper, lines=paper.lines * 10))

    assert raised.value.code == Code.PDF_TOO_LONG
    assert "2 pages" in raised.value.detail


@pytest.mark.parametrize("change", [{"lines": 4_200}, {"notes": "x" * 2_100_000}])
async def test_what_can_never_fit_is_refused_without_trying(paper: Paper, change):
    huge = {"lines": paper.lines[:1] * change["lines"]} if "lines" in change else change
    async with printing() as printer:
        with pytest.raises(Invalid) as raised:
            await printer.print(dataclasses.replace(paper, **huge))

        assert raised.value.code == Code.PDF_TOO_LONG
        assert printer._worker is None


async def test_requests_queue_and_too_many_are_turned_away(
    printer: PdfPrinter, paper: Paper, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(printer, "_places", threading.Semaphore(2))
    papers = [dataclasses.replace(paper, number=f"F2026-{n}") for n in range(3)]

    results = await asyncio.gather(*map(printer.print, papers), return_exceptions=True)

    (refused,) = [result for result in results if not isinstance(result, bytes)]
    assert isinstance(refused, Unavailable)
    assert refused.headers["Retry-After"] == "5"


async def test_stopping_ends_a_document_in_the_middle_and_refuses_the_next(paper: Paper, long_paper: Paper):
    printer = PdfPrinter(time_limit=60)
    await printer.start()
    worker = printer._worker
    task = asyncio.create_task(printer.print(long_paper))
    await busy(worker)

    await printer.stop()

    assert not worker.alive
    with pytest.raises(Unavailable):
        await task
    with pytest.raises(Unavailable):
        await printer.print(paper)


@linux_only
@pytest.mark.parametrize(("end", "state"), [(signal.SIGTERM, "idle"), (signal.SIGKILL, "busy")])
async def test_the_process_never_outlives_the_server(end: signal.Signals, state: str):
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", ORPHAN, state, stdout=asyncio.subprocess.PIPE)
    assert server.stdout is not None
    pid = int(await server.stdout.readline())

    watch = os.pidfd_open(pid)
    server.send_signal(end)
    await server.wait()

    ended, _, _ = await asyncio.to_thread(select.select, [watch], [], [], 10)
    os.close(watch)
    assert ended


@linux_only
def test_the_process_is_not_given_the_servers_secrets(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEDGERKIT_SECRET_KEY", "geheim")
    monkeypatch.setenv("OPENAI_API_KEY", "geheim")
    worker = Worker()
    try:
        worker.await_ready(60)

        assert b"geheim" not in Path(f"/proc/{worker.pid}/environ").read_bytes()
    finally:
        worker.close()


@pytest.fixture
def keeping(printer: PdfPrinter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PdfPrinter:
    """The warm printer with a cache in `tmp_path`."""
    monkeypatch.setattr(printer, "_cache", PdfCache(tmp_path / "pdf", 2**20))
    return printer


async def test_a_kept_document_needs_no_process_and_survives_a_restart(
    keeping: PdfPrinter, paper: Paper, tmp_path: Path
):
    printed = await keeping.print(paper)

    async with printing(tmp_path / "pdf") as restarted:
        kept = await restarted.print(paper)

        assert kept == printed
        assert restarted._worker is None


async def test_the_same_document_asked_for_at_once_is_laid_out_once(keeping: PdfPrinter, paper: Paper):
    await keeping.start()
    before = keeping._worker.tasks

    results = await asyncio.gather(*(keeping.print(paper) for _ in range(5)))

    assert len(set(results)) == 1
    assert keeping._worker.tasks == before + 1


async def test_a_file_cut_short_is_printed_anew(keeping: PdfPrinter, paper: Paper, tmp_path: Path):
    printed = await keeping.print(paper)
    file = tmp_path / "pdf" / f"{cache_key(paper)}.pdf"
    file.write_bytes(printed[:1000])

    assert await keeping.print(paper) == printed
    assert file.read_bytes() == printed


def test_an_unwritable_cache_costs_only_time(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    blocked = tmp_path / "file"
    blocked.write_text("in the way of a directory")
    cache = PdfCache(blocked, 2**20)

    cache.put("a", b"%PDF-%%EOF")

    assert cache.get("a") is None
    assert "could not be written" in caplog.text


def test_every_printed_change_changes_the_key_and_the_status_does_not(paper: Paper):
    changed = [
        dataclasses.replace(paper, number="F2026-0043"),
        dataclasses.replace(paper, words=words("en")),
        dataclasses.replace(paper, notes=None),
        dataclasses.replace(paper, lines=paper.lines[:2]),
    ]

    assert len({cache_key(each) for each in [paper, *changed]}) == 5
    assert cache_key(dataclasses.replace(paper, status=Status.PAID)) == cache_key(paper)


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
