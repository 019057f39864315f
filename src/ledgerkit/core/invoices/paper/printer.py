"""Papers to PDF: one warm layout process, a time and a page limit, and a cache by content."""

import asyncio
import hashlib
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import version
from pathlib import Path

from ledgerkit.core.invoices.paper.cache import PdfCache
from ledgerkit.core.invoices.paper.libraries import command, font_files, missing_libraries
from ledgerkit.core.invoices.paper.markup import document_html
from ledgerkit.core.invoices.paper.model import Paper, fingerprint
from ledgerkit.core.invoices.paper.process import Reply, TimeLimitError, Worker, WorkerDiedError
from ledgerkit.problems import BadGateway, Code, Invalid, Unavailable, bilingual

_START_SECONDS = 60.0
_HEAVY_CHARACTERS = 250_000
"""Of HTML, some 30 pages: afterwards the process holds 0.2 GB and more, and does not give it back."""

_LINES_PER_PAGE, _CHARACTERS_PER_PAGE = 40, 20_000
"""More than a page can hold, so that the estimate never refuses what would have fitted."""


class PdfPrinter:
    """Prints one document at a time in a process of its own; the others queue, `max_waiting` of them at most.

    `time_limit` is seconds per document; the process is killed when it passes and replaced. It is also replaced after
    `max_tasks` documents or one very long one, and when it dies, in which case the document is tried once more.
    Without `cache_directory` nothing is kept. Use from any event loop; `stop` before the end of the program.
    """

    def __init__(
        self,
        cache_directory: Path | None = None,
        *,
        time_limit: float = 20.0,
        max_pages: int = 100,
        max_tasks: int = 200,
        max_waiting: int = 100,
        cache_bytes: int = 256 * 1024**2,
    ) -> None:
        self._cache = PdfCache(cache_directory, cache_bytes) if cache_directory else None
        self._time_limit, self._max_pages, self._max_tasks = time_limit, max_pages, max_tasks
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pdf")
        self._places = threading.Semaphore(max_waiting)
        self._worker: Worker | None = None
        self._stopped = False

    async def start(self) -> None:
        """Starts the layout process now rather than with the first document (1 to 2 s). Raises BadGateway."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._ready_worker)

    async def stop(self) -> None:
        """Ends the layout process at once, also in the middle of a document. The printer cannot be used again."""
        self._stopped = True
        if worker := self._worker:
            worker.kill()
        await asyncio.to_thread(self._thread.shutdown)
        self._discard()

    async def print(self, paper: Paper) -> bytes:
        """The PDF of `paper`; the same bytes for the same paper, from the cache when it has them.

        Raises Invalid (PDF_TOO_LONG) over the page limit, BadGateway (PDF_FAILED) when it takes too long or cannot be
        laid out, Unavailable when too many wait or (PDF_LIBRARIES_MISSING) nothing can be printed here.
        """
        self._refuse_too_long(paper)
        key = await asyncio.to_thread(cache_key, paper)
        if self._cache and (kept := await asyncio.to_thread(self._cache.get, key)):
            return kept
        return await self._queued(paper, key)

    async def _queued(self, paper: Paper, key: str) -> bytes:
        if self._stopped or not self._places.acquire(blocking=False):
            raise _unavailable()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._produce, paper, key)
        finally:
            self._places.release()

    def _refuse_too_long(self, paper: Paper) -> None:
        characters = sum(len(line.description) for line in paper.lines)
        characters += sum(len(text) for text in (paper.notes, paper.terms, *paper.legends) if text)
        pages = max(len(paper.lines) // _LINES_PER_PAGE, characters // _CHARACTERS_PER_PAGE)
        if pages > self._max_pages:
            raise self._too_long(f"> {pages}")

    def _too_long(self, pages: str) -> Invalid:
        return bilingual(
            Invalid,
            (
                f"The document would have {pages} pages; at most {self._max_pages} are printed.",
                "Split the document into several, or shorten its lines and notes.",
            ),
            (
                f"El documento tendría {pages} páginas; se imprimen {self._max_pages} como mucho.",
                "Repártelo en varios documentos, o acorta sus líneas y notas.",
            ),
            code=Code.PDF_TOO_LONG,
        )

    def _produce(self, paper: Paper, key: str) -> bytes:
        """In the printer's thread, the only one that speaks to the process."""
        if self._cache and (kept := self._cache.get(key)):
            return kept  # printed by the request before this one
        content = self._content(self._laid_out(document_html(paper)))
        if self._cache:
            self._cache.put(key, content)
        return content

    def _laid_out(self, html: str) -> Reply:
        try:
            return self._attempt(html)
        except WorkerDiedError:
            self._discard()
        try:
            return self._attempt(html)
        except WorkerDiedError as error:
            self._discard()
            raise _failed(
                "The layout process ended twice while printing this document.",
                "El proceso de maquetación terminó dos veces al imprimir este documento.",
            ) from error

    def _attempt(self, html: str) -> Reply:
        worker = self._ready_worker()
        try:
            reply = worker.lay_out(html, max_pages=self._max_pages, seconds=self._time_limit)
        except TimeLimitError as error:
            self._discard()
            raise _failed(
                f"Printing took longer than {self._time_limit:g} s and was ended.",
                f"Imprimir tardaba más de {self._time_limit:g} s y se interrumpió.",
            ) from error
        if len(html) > _HEAVY_CHARACTERS:
            self._discard()
        return reply

    def _content(self, reply: Reply) -> bytes:
        if reply.kind == b"P":
            return reply.content
        if reply.kind == b"L":
            raise self._too_long(reply.content.decode())
        reason = reply.content.decode(errors="replace")[:300]
        raise _failed(f"The document could not be laid out: {reason}", f"No se pudo maquetar el documento: {reason}")

    def _ready_worker(self) -> Worker:
        if self._worker and (self._worker.tasks >= self._max_tasks or not self._worker.alive):
            self._discard()
        if self._stopped:
            raise _unavailable()
        if self._worker is None:
            self._worker = Worker()
            self._await_ready(self._worker)
        return self._worker

    def _await_ready(self, worker: Worker) -> None:
        try:
            worker.await_ready(_START_SECONDS)
        except (WorkerDiedError, TimeLimitError) as error:
            self._discard()
            if missing := missing_libraries():
                raise _libraries_missing(missing) from error
            raise _failed(
                "The layout process does not start; its reason is in the server's log.",
                "El proceso de maquetación no arranca; la razón está en el registro del servidor.",
            ) from error

    def _discard(self) -> None:
        if self._worker:
            self._worker.close()
        self._worker = None


def cache_key(paper: Paper) -> str:
    """SHA-256 (hex) of what is printed and of everything that decides how."""
    return hashlib.sha256(f"{fingerprint(paper)}\n{template_version()}".encode()).hexdigest()


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


def _libraries_missing(names: list[str]) -> Unavailable:
    listed, typed = ", ".join(names), command()
    return bilingual(
        Unavailable,
        (
            f"This server cannot make PDFs: its system lacks {listed}.",
            f"Have the operator type: {typed}. Then restart the server.",
        ),
        (
            f"Este servidor no puede hacer PDF: a su sistema le falta {listed}.",
            f"Pide al operador que escriba: {typed}. Después, que reinicie el servidor.",
        ),
        code=Code.PDF_LIBRARIES_MISSING,
    )


def _unavailable() -> Unavailable:
    return bilingual(
        Unavailable,
        ("Too many documents wait to be printed, or the server is stopping.", "Try again in a few seconds."),
        ("Esperan demasiados documentos para imprimir, o el servidor se está parando.", "Repítelo en unos segundos."),
        code=Code.PDF_FAILED,
        headers={"Retry-After": "5"},
    )
