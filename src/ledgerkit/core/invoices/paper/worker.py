"""The process that lays documents out: HTML in, PDF out, over its own two pipes.

Run as a script by its path, never imported by the server: it is the only place that loads WeasyPrint, and it loads
nothing else of ours. A request is a frame (length, 4 bytes big-endian, then JSON `{"html", "maxPages"}`); an answer
is one byte, its kind, and a frame. It ends when its input ends, so it never outlives the server, however that dies.
"""

import json
import logging
import os
import queue
import signal
import struct
import sys
import threading
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit
from urllib.request import url2pathname

from weasyprint import CSS, HTML
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import URLFetcher, URLFetcherResponse

READY, PDF, TOO_LONG, FAILED = b"R", b"P", b"L", b"E"
ASSETS = (Path(__file__).parent / "assets").resolve()
STYLESHEET = ASSETS / "paper.css"
BOX = "\N{WHITE SQUARE}"
MEMORY_BYTES = 1024**3
"""Address space, not resident memory: 100 pages take 0.7 GB [measured]; a picture made to explode ends here."""


class PackagedOnly(URLFetcher):  # type: ignore[misc] # WeasyPrint ships no types
    """Opens `data:` URLs and this package's assets; whatever else a document names is never asked for."""

    def __init__(self) -> None:
        super().__init__(allowed_protocols=("data", "file"), allow_redirects=False)

    def fetch(self, url: str, headers: dict[str, str] | None = None) -> URLFetcherResponse:
        if not url.startswith("data:") and not packaged(url):
            raise ValueError("refused: neither a data URL nor a packaged file")
        return super().fetch(url, headers)


class UndrawnCharacters(logging.Handler):
    """The characters that no font here has, as WeasyPrint's warnings name them."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.seen: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.args, tuple) and ".notdef" in str(record.msg):
            self.seen.add(str(record.args[0]))


class Layout:
    """Stylesheet and fonts, read once for all documents; and the characters that are known to be in no font.

    Each of those is printed as a box: what WeasyPrint would draw instead covers the text beside it.
    """

    def __init__(self) -> None:
        self._fetcher = PackagedOnly()
        self._fonts = FontConfiguration()
        self._css = CSS(filename=STYLESHEET, url_fetcher=self._fetcher, font_config=self._fonts)
        self._undrawn = UndrawnCharacters()
        logging.getLogger("weasyprint").addHandler(self._undrawn)
        self._boxes: dict[int, str] = {}

    def answer(self, request: bytes) -> tuple[bytes, bytes]:
        """The kind and content of the answer; a document that cannot be laid out is an answer too."""
        try:
            asked = json.loads(request)
            return self._printed(asked["html"], asked["maxPages"])
        except Exception as error:  # noqa: BLE001 - any failure of the layout engine is reported, the process lives on
            return FAILED, f"{type(error).__name__}: {error}".encode(errors="replace")

    def _printed(self, html: str, max_pages: int) -> tuple[bytes, bytes]:
        """Once more when it holds characters that have just turned out to be in no font."""
        self._undrawn.seen.clear()
        answer = self._laid_out(html, max_pages)
        if self._undrawn.seen - {BOX}:
            self._boxes |= {ord(character): BOX for character in self._undrawn.seen}
            return self._laid_out(html, max_pages)
        return answer

    def _laid_out(self, html: str, max_pages: int) -> tuple[bytes, bytes]:
        source = HTML(string=html.translate(self._boxes), url_fetcher=self._fetcher, media_type="print")
        document = source.render(
            stylesheets=[self._css], font_config=self._fonts, pdf_variant="pdf/ua-1", optimize_images=True, dpi=300
        )
        if len(document.pages) > max_pages:
            return TOO_LONG, str(len(document.pages)).encode()
        return PDF, document.write_pdf(pdf_variant="pdf/ua-1", optimize_images=True, dpi=300)


def packaged(url: str) -> bool:
    """Whether `url` is a file below this package's assets, links resolved."""
    parts = urlsplit(url)
    if parts.scheme != "file" or parts.netloc:
        return False
    return Path(url2pathname(parts.path)).resolve().is_relative_to(ASSETS)


def main() -> None:
    output = _own_output()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; the server decides our end
    logging.getLogger("weasyprint").propagate = False
    layout = Layout()
    layout.answer(json.dumps({"html": "<p>0</p>", "maxPages": 1}).encode())
    _lock_down()
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(sys.stdin.buffer, requests), daemon=True).start()
    _write(output, READY, b"")
    while True:
        _write(output, *layout.answer(requests.get()))


def _own_output() -> BinaryIO:
    """The pipe to the server; whatever a library prints goes to the log instead."""
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return output


def _read_requests(source: BinaryIO, requests: "queue.SimpleQueue[bytes]") -> None:
    """Reads beside the layout, so that the end of the server ends this process in the middle of a document too."""
    while len(header := source.read(4)) == 4:
        requests.put(source.read(struct.unpack(">I", header)[0]))
    os._exit(0)


def _write(output: BinaryIO, kind: bytes, content: bytes) -> None:
    output.write(kind + struct.pack(">I", len(content)) + content)
    output.flush()


def _lock_down() -> None:
    """From here on: no connection, no other program, bounded memory."""
    sys.addaudithook(_refuse)
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - exists on Unix only

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _refuse(event: str, _arguments: tuple[object, ...]) -> None:
    if event in {"socket.connect", "socket.getaddrinfo", "socket.sendto", "subprocess.Popen", "os.system"}:
        raise PermissionError(f"the layout process may not do this: {event}")


if __name__ == "__main__":
    main()
