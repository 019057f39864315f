"""Recognition of characters for the server: one process, started at its first use and ended when idle."""

import asyncio
import json
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from uuid import UUID

from ledgerkit.core.platform.confined.child import FAILED
from ledgerkit.core.platform.confined.lanes import Capacity, Lane
from ledgerkit.core.platform.confined.process import ConfinedProcess
from ledgerkit.core.platform.request.previews import DryRun
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.providers.api import TextBox, TextLine

SCRIPT = Path(__file__).with_name("worker.py")
AT_ONCE = Capacity(processes=1, requests_each=200, waiting=20, waiting_of_one=5)
IDLE_SECONDS = 600.0
PAGE_SECONDS = 60.0


class NotInstalledError(Exception):
    """Failure: the extra `ocr` is not installed."""


class UnreadablePageError(Exception):
    """Failure of the recognition on a page; the text is the name of the library's error."""


class Recogniser:
    """Recognition of pages, one at a time, fair among accounts.

    The process takes up to 0.9 GiB while it works (docs/receipts.md) and is ended after `idle_seconds` without a page.
    Use from one event loop; `stop` before the end of the program.
    """

    def __init__(self, *, idle_seconds: float = IDLE_SECONDS, page_seconds: float = PAGE_SECONDS) -> None:
        self._idle_seconds, self._page_seconds = idle_seconds, page_seconds
        self._lane = _lane()
        self._underway = 0
        self._retirement: asyncio.Task[None] | None = None
        self._retired: set[asyncio.Task[None]] = set()

    @staticmethod
    def installed() -> bool:
        """Return True when the libraries of the extra `ocr` are there; loads none of them."""
        return find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None

    async def lines(self, account_id: UUID, page: bytes, number: int = 0) -> list[TextLine]:
        """Return the lines of a page (PNG). Raises NotInstalledError, UnreadablePageError, and as `Lane.run` does."""
        if not self.installed():
            raise NotInstalledError
        if self._retirement:
            self._retirement.cancel()
        self._underway += 1
        try:
            reply = await self._lane.run(account_id, page, self._page_seconds)
        finally:
            self._underway -= 1
            if not self._underway:
                self._retirement = asyncio.create_task(self._retire_when_idle())
        if reply.kind == FAILED:
            raise UnreadablePageError(reply.content.decode())
        return lines_of(reply.content, number)

    def in_dry_run(self, dry_run: DryRun) -> "Recogniser":
        """Return a recogniser that reads no page."""
        return _SilentRecogniser(dry_run)

    async def stop(self) -> None:
        """End the process at once, also in the middle of a page. The recogniser cannot be used again."""
        if self._retirement:
            self._retirement.cancel()
            with suppress(asyncio.CancelledError):
                await self._retirement
        await asyncio.gather(self._lane.stop(), *self._retired)

    def processes(self) -> list[ConfinedProcess]:
        """Return the running process, if there is one."""
        return self._lane.processes()

    async def _retire_when_idle(self) -> None:
        """Give up the process after a pause; a new lane starts one for the next page."""
        await asyncio.sleep(self._idle_seconds)
        idle_lane, self._lane = self._lane, _lane()
        stopping = asyncio.create_task(idle_lane.stop())
        self._retired.add(stopping)
        stopping.add_done_callback(self._retired.discard)


class _SilentRecogniser(Recogniser):
    def __init__(self, dry_run: DryRun) -> None:
        self._dry_run = dry_run

    async def lines(self, account_id: UUID, page: bytes, number: int = 0) -> list[TextLine]:  # noqa: ARG002 - as of the parent
        self._dry_run.end_at(DryRunMsg.AI_ACTION)


def lines_of(answer: bytes, number: int = 0) -> list[TextLine]:
    """Return the lines in an answer of the worker, on page `number`."""
    return [
        TextLine(
            text=text, box=TextBox(left=left, top=top, right=right, bottom=bottom), confidence=score / 1000, page=number
        )
        for text, left, top, right, bottom, score in json.loads(answer)
    ]


def _lane() -> Lane:
    return Lane(lambda: ConfinedProcess(SCRIPT), AT_ONCE)
