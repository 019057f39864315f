"""Process that lays documents out: HTML in, PDF out.

Run as a script by its path, never imported by the server: it is the only place that loads WeasyPrint, and it loads no
other module of ledgerkit but `core.platform.confined.child`. A request is JSON `{"html", "paper", "maxPages"}`; an
answer is the PDF, the number of pages when they are too many, or the reason why the document could not be laid out.
"""

import json
import logging
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from weasyprint import CSS, HTML
from weasyprint.document import Document, Page
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import URLFetcher, URLFetcherResponse

from ledgerkit.core.platform.confined.child import FAILED, Answer, Limits, Work, serve

PDF, TOO_LONG = b"P", b"L"
ASSETS = (Path(__file__).parent / "assets").resolve()
STYLESHEETS = {"a4": ASSETS / "pdf.css", "receipt": ASSETS / "receipt.css"}
ROLL = "receipt"
"""Paper that is cut after what stands on it."""
END, BELOW = "end", 5.0
"""Id of the last element on a roll, and the millimetres that are left below it: the margin, and one for rounding."""
BOX = "\N{WHITE SQUARE}"
MILLIMETRES_PER_PIXEL = 25.4 / 96
LIMITS = Limits(memory=1024**3)
"""Address space, not resident memory: 100 pages take 0.7 GB [measured]; a picture made to explode ends here."""


class PackagedOnly(URLFetcher):  # type: ignore[misc] # WeasyPrint ships no types
    """Fetcher of `data:` URLs and of this package's assets; any other address in a document is refused."""

    def __init__(self) -> None:
        super().__init__(allowed_protocols=("data", "file"), allow_redirects=False)

    def fetch(self, url: str, headers: dict[str, str] | None = None) -> URLFetcherResponse:
        if not url.startswith("data:") and not packaged(url):
            raise ValueError("refused: neither a data URL nor a packaged file")
        return super().fetch(url, headers)


class UndrawnCharacters(logging.Handler):
    """Characters that no installed font has, collected from WeasyPrint's warnings."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.characters: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.args, tuple) and ".notdef" in str(record.msg):
            self.characters.add(str(record.args[0]))


class Layout:
    """Stylesheet and fonts, read once for all documents, and the characters that were in no font so far.

    Each of those is printed as a box: the glyph that WeasyPrint would draw covers the text beside it.
    """

    def __init__(self) -> None:
        self._fetcher = PackagedOnly()
        self._fonts = FontConfiguration()
        self._css = {
            paper: CSS(filename=path, url_fetcher=self._fetcher, font_config=self._fonts)
            for paper, path in STYLESHEETS.items()
        }
        self._undrawn = UndrawnCharacters()
        logging.getLogger("weasyprint").addHandler(self._undrawn)
        self._boxes: dict[int, str] = {}

    def answer(self, request: bytes) -> Answer:
        """Return kind and content of the answer; a document that cannot be laid out is an answer too."""
        try:
            parameters = json.loads(request)
            return self._printed(parameters["html"], parameters.get("paper", "a4"), parameters["maxPages"])
        except Exception as error:  # noqa: BLE001 - any failure of the layout engine is reported, the process lives on
            return FAILED, f"{type(error).__name__}: {error}".encode(errors="replace")

    def _printed(self, html: str, paper: str, max_pages: int) -> Answer:
        """Lay the document out; a second time when it contains characters that turn out to be in no font."""
        self._undrawn.characters.clear()
        answer = self._laid_out(html, paper, max_pages)
        if self._undrawn.characters - {BOX}:
            self._boxes |= {ord(character): BOX for character in self._undrawn.characters}
            return self._laid_out(html, paper, max_pages)
        return answer

    def _laid_out(self, html: str, paper: str, max_pages: int) -> Answer:
        source = HTML(string=html.translate(self._boxes), url_fetcher=self._fetcher, media_type="print")
        document = self._rendered(source, self._css[paper])
        if paper == ROLL and len(document.pages) == 1:
            document = self._rendered(source, self._css[paper], CSS(string=cut_after(document.pages[0])))
        if len(document.pages) > max_pages:
            return TOO_LONG, str(len(document.pages)).encode()
        return PDF, document.write_pdf(pdf_variant="pdf/ua-1", optimize_images=True, dpi=300)

    def _rendered(self, source: HTML, *stylesheets: CSS) -> Document:
        return source.render(
            stylesheets=list(stylesheets),
            font_config=self._fonts,
            pdf_variant="pdf/ua-1",
            optimize_images=True,
            dpi=300,
        )


def cut_after(page: Page) -> str:
    """Return the rule that cuts the paper of a roll below the last element of the page laid out on it."""
    height = page.anchors[END][1] * MILLIMETRES_PER_PIXEL + BELOW
    return f"@page {{ size: {page.width * MILLIMETRES_PER_PIXEL:.2f}mm {height:.2f}mm }}"


def packaged(url: str) -> bool:
    """Return True when `url` is a file below this package's assets, links resolved."""
    parts = urlsplit(url)
    if parts.scheme != "file" or parts.netloc:
        return False
    return Path(url2pathname(parts.path)).resolve().is_relative_to(ASSETS)


def _prepared() -> Work:
    logging.getLogger("weasyprint").propagate = False
    layout = Layout()
    layout.answer(json.dumps({"html": "<p>0</p>", "maxPages": 1}).encode())
    return layout.answer


if __name__ == "__main__":
    serve(_prepared, LIMITS)
