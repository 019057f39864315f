"""Papers to PDF: in two lanes of confined processes, with limits of time and pages, and a cache by content."""

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

from ledgerkit.core.confined.lanes import BusyError, CannotStartError, Capacity, Lane
from ledgerkit.core.confined.process import ConfinedProcess, ProcessDiedError, Reply, TimeLimitError
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.invoices.rendering.cache import PdfCache
from ledgerkit.core.invoices.rendering.libraries import command, font_files, missing_libraries
from ledgerkit.core.invoices.rendering.markup import document_html
from ledgerkit.core.invoices.rendering.model import PrintedDocument, fingerprint
from ledgerkit.problems import BadGateway, Code, Invalid, Problem, Unavailable, bilingual

_SCRIPT = Path(__file__).with_name("worker.py")

_LIGHT, _HEAVY = Capacity(), Capacity(requests_each=1)
_HEAVY_CHARACTERS = 250_000
"""Of HTML, some 30 pages: afterwards the process holds 0.2 GB and more, and does not give it back."""

_LINES_PER_PAGE, _CHARACTERS_PER_PAGE = 40, 20_000
"""More than a page can hold, so that the estimate never refuses what would have fitted."""

_REMEMBERED = 1000
_REMEMBERED_SECONDS = 600.0
"""How many documents, and for how long, are known not to be printable."""


@dataclass(frozen=True, kw_only=True)
class PrintLimits:
    """Seconds that one document may take in the light lane and in the heavy one, pages, and who waits for the first."""

    light_seconds: float = 5.0
    seconds: float = 20.0
    pages: int = 100
    light: Capacity = _LIGHT
    heavy: Capacity = _HEAVY


@dataclass(frozen=True)
class Reader:
    """For whom a document is printed: its account, or a `stranger` who has its link."""

    account_id: UUID
    stranger: bool = False

    @property
    def waiting(self) -> int:
        """How many documents of the account may wait for this one to be let in."""
        return 10 if self.stranger else 30


class PdfPrinter:
    """Prints documents in processes of their own, one document of an account at a time.

    Heavy documents, those that are long and those that are not done within `light_seconds`, have a lane of their own:
    nobody's document waits for them but another heavy one. A process that takes too long is killed; one that dies is
    replaced, and its document tried once more. The same document is printed once, whoever asks for it meanwhile, and
    what could not be printed is refused for a while without trying again. Without `cache_directory` nothing is kept.
    Use from one event loop; `stop` before the end of the program.
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

    async def print(self, document: PrintedDocument, reader: Reader) -> bytes:
        """The PDF of `document`; the same bytes for the same document, from the cache when it has them.

        Raises Invalid (PDF_TOO_LONG) over the page limit, BadGateway (PDF_FAILED) when it takes too long or cannot be
        laid out, Unavailable when too many wait or (PDF_LIBRARIES_MISSING) nothing can be printed here.
        """
        self._refuse_too_long(document)
        key = await asyncio.to_thread(cache_key, document)
        if self._cache and (kept := await asyncio.to_thread(self._cache.get, key)):
            return kept
        self._refuse_again(key)
        if key not in self._underway:
            task = asyncio.create_task(self._produce(document, key, reader))
            self._underway[key] = task
            task.add_done_callback(partial(self._done, key))
        return await asyncio.shield(self._underway[key])

    async def _produce(self, document: PrintedDocument, key: str, reader: Reader) -> bytes:
        html = await asyncio.to_thread(document_html, document)
        try:
            content = self._content(await self._laid_out(html, reader))
        except _UnprintableError as error:
            self._remember(key, error.problem)
            raise error.problem() from error
        if self._cache:
            await asyncio.to_thread(self._cache.put, key, content)
        return content

    def _done(self, key: str, task: "asyncio.Task[bytes]") -> None:
        del self._underway[key]
        if not task.cancelled():
            task.exception()  # whoever asked may have left: nobody else would look at it

    async def _laid_out(self, html: str, reader: Reader) -> Reply:
        request = json.dumps({"html": html, "maxPages": self._limits.pages}).encode()
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
                    words = (
                        f"Printing took longer than {seconds:g} s and was ended.",
                        f"Imprimir tardaba más de {seconds:g} s y se interrumpió.",
                    )
                    raise _UnprintableError(partial(_failed, *words)) from error
            except ProcessDiedError:
                continue
        words = (
            "The layout process ended twice while printing this document.",
            "El proceso de maquetación terminó dos veces al imprimir este documento.",
        )
        raise _UnprintableError(partial(_failed, *words))

    def _content(self, reply: Reply) -> bytes:
        if reply.kind == b"P":
            return reply.content
        if reply.kind == b"L":
            raise _UnprintableError(partial(self._too_long, reply.content.decode()))
        reason = reply.content.decode(errors="replace")[:300]
        words = f"The document could not be laid out: {reason}", f"No se pudo maquetar el documento: {reason}"
        raise _UnprintableError(partial(_failed, *words))

    def _remember(self, key: str, problem: Callable[[], Problem]) -> None:
        self._unprintable[key] = time.monotonic() + _REMEMBERED_SECONDS, problem
        if len(self._unprintable) > _REMEMBERED:
            self._unprintable.popitem(last=False)

    def _refuse_again(self, key: str) -> None:
        """What could not be printed a moment ago cannot be printed now: it is the same to the letter."""
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
        return Invalid(InvoicesMsg.PDF_TOO_LONG, code=Code.PDF_TOO_LONG, pages=pages, pages_2=self._limits.pages)


class _UnprintableError(Exception):
    """The document cannot be printed, whoever asks; `problem` makes what is answered."""

    def __init__(self, problem: Callable[[], Problem]) -> None:
        self.problem = problem


def start_layout() -> ConfinedProcess:
    """A process that lays documents out; see `worker`."""
    return ConfinedProcess(_SCRIPT)


def cache_key(document: PrintedDocument) -> str:
    """SHA-256 (hex) of what is printed and of everything that decides how."""
    return hashlib.sha256(f"{fingerprint(document)}\n{template_version()}".encode()).hexdigest()


@cache
def template_version() -> str:
    """SHA-256 (hex) of this package's files, the libraries that turn them into a PDF, and the system's fonts."""
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


def _failed(english: str, spanish: str) -> BadGateway:
    return bilingual(
        BadGateway,
        (english, "Try again; if it fails again, shorten its texts or remove the logo."),
        (spanish, "Inténtalo de nuevo; si vuelve a fallar, acorta sus textos o quita el logotipo."),
        code=Code.PDF_FAILED,
    )


def _cannot_start() -> Problem:
    """Looks for the reason among the system's libraries, and so blocks."""
    if missing := missing_libraries():
        return _libraries_missing(missing)
    return _failed(
        "The layout process does not start; its reason is in the server's log.",
        "El proceso de maquetación no arranca; la razón está en el registro del servidor.",
    )


def _libraries_missing(names: list[str]) -> Unavailable:
    listed, typed = ", ".join(names), command()
    return Unavailable(InvoicesMsg.PDF_LIBRARIES_MISSING, code=Code.PDF_LIBRARIES_MISSING, listed=listed, typed=typed)


def _unavailable() -> Unavailable:
    return Unavailable(InvoicesMsg.PRINTER_BUSY, code=Code.PDF_FAILED, headers={"Retry-After": "5"})
