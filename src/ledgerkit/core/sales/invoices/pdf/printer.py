"""Printer of documents as PDF: two lanes of confined processes, limits of time and pages, and a cache by content."""

import asyncio
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from uuid import UUID

from ledgerkit.core.platform.confined.lanes import BusyError, CannotStartError, Capacity, Lane
from ledgerkit.core.platform.confined.process import ConfinedProcess, ProcessDiedError, Reply, TimeLimitError
from ledgerkit.core.platform.request.previews import DryRun
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.core.sales.invoices.pdf.cache import PdfCache
from ledgerkit.core.sales.invoices.pdf.libraries import (
    ANY_FONT,
    BY_HAND,
    EMOJI_FONT,
    command,
    font_files,
    missing_libraries,
)
from ledgerkit.core.sales.invoices.pdf.markup import document_html
from ledgerkit.core.sales.invoices.pdf.model import Paper, PrintedDocument, fingerprint
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import BadGateway, Code, Invalid, Problem, Unavailable
from ledgerkit.texts import Joined, ProblemText, Text, text

_SCRIPT = Path(__file__).with_name("worker.py")

_TRANSLATED = {
    ANY_FONT: InvoicesMsg.PDF_ANY_FONT,
    EMOJI_FONT: InvoicesMsg.PDF_EMOJI_FONT,
    BY_HAND: InvoicesMsg.PDF_INSTALL_BY_HAND,
}
"""Requirements in the reader's language: `libraries`, which runs before an installation, has English only."""

_LIGHT, _HEAVY = Capacity(), Capacity(requests_each=1)
_HEAVY_CHARACTERS = 250_000
"""Length of the HTML from which a document is heavy, some 30 pages: its process keeps 0.2 GB of memory and more."""

_LINES_PER_PAGE, _CHARACTERS_PER_PAGE = 40, 20_000
"""More than a page can hold, so that the estimate never refuses a document that would fit."""

_REMEMBERED = 1000
_REMEMBERED_SECONDS = 600.0
"""Number of documents that are remembered as not printable, and the seconds for which they are."""


@dataclass(frozen=True, kw_only=True)
class PrintLimits:
    """Limits of printing: seconds per document in the light and in the heavy lane, pages, capacity of both lanes."""

    light_seconds: float = 5.0
    seconds: float = 20.0
    pages: int = 100
    light: Capacity = _LIGHT
    heavy: Capacity = _HEAVY


@dataclass(frozen=True)
class Reader:
    """Reader for whom a document is printed: its account, or a `stranger` who has its link."""

    account_id: UUID
    stranger: bool = False

    @property
    def waiting(self) -> int:
        """Number of documents of the account that may wait while this one is still accepted."""
        return 10 if self.stranger else 30


class PdfPrinter:
    """Printer that uses separate processes, for one document of an account at a time.

    Heavy documents are long or are not done within `light_seconds`. They have a separate lane, so only other heavy
    documents wait for them. A process that takes too long is killed; one that dies is replaced, and its document tried
    once more. Simultaneous requests for one document print it once, and a document that could not be printed is refused
    for a while without another try. Without `cache_directory` no PDF is stored. Use from one event loop; `stop` before
    the end of the program.
    """

    def __init__(
        self,
        cache_directory: Path | None = None,
        *,
        limits: PrintLimits | None = None,
        cache_bytes: int = 256 * 1024**2,
    ) -> None:
        self._cache = PdfCache(cache_directory, cache_bytes) if cache_directory else None
        self._limits = limits or PrintLimits()
        self._light, self._heavy = Lane(start_layout, self._limits.light), Lane(start_layout, self._limits.heavy)
        self._underway: dict[str, asyncio.Task[bytes]] = {}
        self._unprintable: OrderedDict[str, tuple[float, Callable[[], Problem]]] = OrderedDict()

    async def start(self) -> None:
        """Start the process of the light lane now rather than with the first document (1 to 2 s). Raises BadGateway."""
        try:
            await self._light.start()
        except CannotStartError as error:
            raise await asyncio.to_thread(_cannot_start) from error

    async def stop(self) -> None:
        """End the processes at once, also in the middle of a document. The printer cannot be used again."""
        await asyncio.gather(self._light.stop(), self._heavy.stop())

    async def print(self, document: PrintedDocument, reader: Reader, paper: Paper = Paper.A4) -> bytes:
        """Return the PDF of `document` on such paper, from the cache when it is there.

        Equal documents have equal bytes.

        Raises Invalid (PDF_TOO_LONG) over the page limit, BadGateway (PDF_FAILED) when it takes too long or cannot be
        laid out, Unavailable when too many wait or (PDF_LIBRARIES_MISSING) nothing can be printed here.
        """
        self._refuse_too_long(document)
        key = await asyncio.to_thread(cache_key, document, paper)
        return await self._printed(key, partial(document_html, document, paper), reader, paper)

    async def print_page(self, html: str, reader: Reader) -> bytes:
        """Return the PDF of a page of another domain that uses this package's stylesheet. Raises as `print` does."""
        key = await asyncio.to_thread(page_key, html)
        return await self._printed(key, partial(str, html), reader)

    def in_dry_run(self, dry_run: DryRun) -> "PdfPrinter":
        """Return a printer that refuses what is too long, and prints nothing."""
        return _SilentPrinter(self._limits, dry_run)

    async def _printed(self, key: str, page: Callable[[], str], reader: Reader, paper: Paper = Paper.A4) -> bytes:
        if self._cache and (cached := await asyncio.to_thread(self._cache.get, key)):
            return cached
        self._refuse_again(key)
        if key not in self._underway:
            task = asyncio.create_task(self._produce(page, key, reader, paper))
            self._underway[key] = task
            task.add_done_callback(partial(self._forget_task, key))
        return await asyncio.shield(self._underway[key])

    async def _produce(self, page: Callable[[], str], key: str, reader: Reader, paper: Paper) -> bytes:
        html = await asyncio.to_thread(page)
        try:
            content = self._content(await self._laid_out(html, reader, paper))
        except _UnprintableError as error:
            self._remember(key, error.problem)
            raise error.problem() from error
        if self._cache:
            await asyncio.to_thread(self._cache.put, key, content)
        return content

    def _forget_task(self, key: str, task: "asyncio.Task[bytes]") -> None:
        del self._underway[key]
        if not task.cancelled():
            task.exception()  # marked as read: the callers may have gone, and asyncio would log it

    async def _laid_out(self, html: str, reader: Reader, paper: Paper) -> Reply:
        request = json.dumps({"html": html, "paper": paper, "maxPages": self._limits.pages}).encode()
        tries = [(self._heavy, self._limits.seconds)] * 2
        if len(html) <= _HEAVY_CHARACTERS:
            tries[0] = self._light, min(self._limits.light_seconds, self._limits.seconds)
        for lane, seconds in tries:
            try:
                return await lane.run(reader.account_id, request, seconds, waiting=reader.waiting)
            except BusyError:
                raise _unavailable() from None
            except CannotStartError as error:
                raise await asyncio.to_thread(_cannot_start) from error
            except TimeLimitError as error:
                if seconds >= self._limits.seconds:
                    failed = partial(_failed, text(InvoicesMsg.PRINT_TOO_SLOW, seconds=f"{seconds:g}"))
                    raise _UnprintableError(failed) from error
            except ProcessDiedError:
                continue
        raise _UnprintableError(partial(_failed, text(InvoicesMsg.LAYOUT_ENDED_TWICE)))

    def _content(self, reply: Reply) -> bytes:
        if reply.kind == b"P":
            return reply.content
        if reply.kind == b"L":
            raise _UnprintableError(partial(self._too_long, reply.content.decode()))
        reason = reply.content.decode(errors="replace")[:300]
        raise _UnprintableError(partial(_failed, text(InvoicesMsg.LAYOUT_FAILED, reason=reason)))

    def _remember(self, key: str, problem: Callable[[], Problem]) -> None:
        self._unprintable[key] = time.monotonic() + _REMEMBERED_SECONDS, problem
        if len(self._unprintable) > _REMEMBERED:
            self._unprintable.popitem(last=False)

    def _refuse_again(self, key: str) -> None:
        """Raise the problem of an equal document that could not be printed within the last ten minutes."""
        until, problem = self._unprintable.get(key, (0.0, None))
        if problem is not None and time.monotonic() < until:
            raise problem()

    def _refuse_too_long(self, document: PrintedDocument) -> None:
        characters = sum(len(line.description) for line in document.lines)
        characters += sum(len(text) for text in (document.notes, document.terms, *document.legends) if text)
        pages = max(len(document.lines) // _LINES_PER_PAGE, characters // _CHARACTERS_PER_PAGE)
        if pages > self._limits.pages:
            raise self._too_long(f"> {pages}")

    def _too_long(self, pages: str) -> Invalid:
        return Invalid(InvoicesMsg.PDF_TOO_LONG, code=Code.PDF_TOO_LONG, pages=pages, limit=self._limits.pages)


class _SilentPrinter(PdfPrinter):
    def __init__(self, limits: PrintLimits, dry_run: DryRun) -> None:
        self._limits = limits
        self._dry_run = dry_run

    async def _printed(self, *_: object, **__: object) -> bytes:
        self._dry_run.leave_out(DryRunMsg.PRINTING)
        return b""


class _UnprintableError(Exception):
    """A document that cannot be printed; `problem` makes the answer."""

    def __init__(self, problem: Callable[[], Problem]) -> None:
        self.problem = problem


def start_layout() -> ConfinedProcess:
    """Return a process that lays documents out; see `worker`."""
    return ConfinedProcess(_SCRIPT)


def cache_key(document: PrintedDocument, paper: Paper = Paper.A4) -> str:
    """Return the SHA-256 (hex) of a document's content and of everything that decides its layout."""
    return hashlib.sha256(f"{fingerprint(document)}\n{paper}\n{template_version()}".encode()).hexdigest()


def page_key(html: str) -> str:
    """Return the SHA-256 (hex) of a page and of everything that decides its layout."""
    return hashlib.sha256(f"{html}\n{template_version()}".encode()).hexdigest()


@cache
def template_version() -> str:
    """Return the SHA-256 (hex) of this package's files, the libraries that make a PDF of them, and the fonts."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    for library in ("weasyprint", "jinja2", "babel", "segno"):
        digest.update(f"{library} {version(library)}\n".encode())
    for font in sorted(font_files()):
        digest.update(f"{font}\n".encode())
    return digest.hexdigest()


def _failed(message: Text) -> BadGateway:
    return BadGateway(ProblemText(message, text(InvoicesMsg.PRINT_AGAIN)), code=Code.PDF_FAILED)


def _cannot_start() -> Problem:
    """Return the reason, looked for among the system's libraries: blocks."""
    if missing := missing_libraries():
        return _libraries_missing(missing)
    return _failed(text(InvoicesMsg.LAYOUT_NOT_STARTING))


def _libraries_missing(names: list[str]) -> Unavailable:
    listed, typed = requirement_names(*names), requirement_names(command())
    return Unavailable(InvoicesMsg.PDF_LIBRARIES_MISSING, code=Code.PDF_LIBRARIES_MISSING, listed=listed, typed=typed)


def _unavailable() -> Unavailable:
    return Unavailable(InvoicesMsg.PRINTER_BUSY, code=Code.PDF_FAILED, headers={"Retry-After": "5"})


def requirement_names(*names: str) -> Text:
    """Return the names, or the command, one after the other; names of libraries are the same in every language."""
    return Joined([_TRANSLATED.get(name, name) for name in names])
