"""A document never makes the server ask for anything: no address, no file, whatever it is made to name."""

import asyncio
import base64
import dataclasses
import io
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pypdf
import pytest
from PIL import Image

from ledgerkit.core.platform.confined.process import ConfinedProcess, Reply
from ledgerkit.core.sales.invoices.pdf import PartyBlock, PdfPrinter, PrintedDocument, share_page
from ledgerkit.core.sales.invoices.pdf.markup import document_html
from ledgerkit.core.sales.invoices.pdf.printer import start_layout

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">{}</svg>'


class Listener:
    """A loopback server that counts who comes."""

    def __init__(self) -> None:
        self.visits = 0
        self.url = ""

    async def meet(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.visits += 1
        writer.close()


@pytest.fixture
async def listener() -> AsyncIterator[Listener]:
    listener = Listener()
    server = await asyncio.start_server(listener.meet, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    listener.url = f"http://{host}:{port}/x.png"
    yield listener
    server.close()
    await server.wait_closed()


@pytest.fixture(scope="module")
def worker() -> Iterator[ConfinedProcess]:
    worker = start_layout()
    worker.await_ready(60)
    yield worker
    worker.close()


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.png"
    Image.new("RGB", (3, 3), "red").save(path)
    return path


def laid_out(worker: ConfinedProcess, html: str) -> Reply:
    return worker.ask(json.dumps({"html": html, "maxPages": 9}).encode(), 30)


def data_url(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def reading(pdf: bytes) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(pdf))


def hostile(target: str) -> list[str]:
    """Every way HTML, CSS and SVG know to name a resource."""
    return [
        f'<img src="{target}">',
        f'<img srcset="{target} 2x">',
        f'<object data="{target}"></object><embed src="{target}">',
        f'<link rel="attachment" href="{target}"><a rel="attachment" href="{target}">a</a>',
        f'<link rel="stylesheet" href="{target}">',
        f"<style>@import url({target});</style>",
        f'<style>@font-face {{ font-family: "f"; src: url({target}); }} p {{ font-family: f; }}</style><p>a</p>',
        f'<p style="background: url({target}); list-style-image: url({target})">a</p>',
        f"<style>p::before {{ content: url({target}); }}</style><p>a</p>",
        f'<base href="{target}"><img src="x.png">',
        *(f'<img src="{data_url(svg)}">' for svg in hostile_svg(target)),
    ]


def hostile_svg(target: str) -> list[str]:
    return [
        SVG.format(f'<image href="{target}" width="9" height="9"/>'),
        SVG.format(f'<image xlink:href="{target}" width="9" height="9"/>'),
        SVG.format(f'<use href="{target}#a"/>'),
        SVG.format(f"<style>@import url({target});</style>"),
        SVG.format(f'<rect width="9" height="9" style="fill: url({target}#a)"/>'),
        f'<!DOCTYPE svg [<!ENTITY e SYSTEM "{target}">]>' + SVG.format("<text>&e;</text>"),
    ]


async def test_no_way_of_naming_an_address_causes_a_request(worker: ConfinedProcess, listener: Listener):
    for markup in hostile(listener.url):
        await asyncio.to_thread(laid_out, worker, markup)

    assert worker.tasks >= len(hostile(listener.url))
    assert listener.visits == 0


async def test_the_listener_would_have_noticed(listener: Listener):
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(listener.url).port)
    await reader.read()
    writer.close()

    assert listener.visits == 1


def test_no_way_of_naming_a_file_puts_it_into_the_document(worker: ConfinedProcess, secret: Path):
    for markup in hostile(secret.as_uri()):
        reply = laid_out(worker, markup)

        if reply.kind == b"P":
            reader = reading(reply.content)
            assert reader.attachments == {}
            assert [image for page in reader.pages for image in page.images] == []


def test_a_picture_that_carries_itself_is_printed(worker: ConfinedProcess, secret: Path):
    picture = base64.b64encode(secret.read_bytes()).decode()

    reply = laid_out(worker, f'<img src="data:image/png;base64,{picture}">')

    assert len(reading(reply.content).pages[0].images) == 1


@pytest.mark.parametrize("escape", ["/../model.py", "/fonts/../../model.py", "/%2e%2e/model.py"])
def test_a_packaged_path_cannot_be_left(worker: ConfinedProcess, escape: str):
    assets = Path(__file__).parents[5] / "src/ledgerkit/core/sales/invoices/pdf/assets"

    reply = laid_out(worker, f'<link rel="attachment" href="{assets.as_uri()}{escape}">')

    assert reading(reply.content).attachments == {}


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest/meta-data/",
        "HTTPS://127.0.0.1/x.png",
        "file:///etc/passwd",
        "ftp://127.0.0.1/x.png",
        "//127.0.0.1/x.png",
        "/etc/passwd",
        "javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "data:image/png",
    ],
)
def test_a_logo_that_is_not_a_picture_is_not_in_the_document(document: PrintedDocument, address: str):
    page = dataclasses.replace(document, logo=address)
    bare = dataclasses.replace(document, logo=None)

    assert document_html(page) == document_html(bare)
    assert share_page(page, "/s/x.pdf") == share_page(bare, "/s/x.pdf")


async def test_a_logo_that_is_an_address_is_not_asked_for(
    printer: PdfPrinter, document: PrintedDocument, listener: Listener
):
    pdf = await printer.print(dataclasses.replace(document, logo=listener.url))

    assert "F2026-0042" in reading(pdf).pages[0].extract_text()
    assert listener.visits == 0


async def test_an_svg_logo_with_outside_references_is_printed_without_them(
    printer: PdfPrinter, document: PrintedDocument, listener: Listener
):
    logo = data_url(SVG.format(f'<image href="{listener.url}" width="9" height="9"/><rect width="9" height="9"/>'))

    pdf = await printer.print(dataclasses.replace(document, logo=logo))

    assert "F2026-0042" in reading(pdf).pages[0].extract_text()
    assert listener.visits == 0


async def test_markup_in_notes_and_names_is_not_obeyed(
    printer: PdfPrinter, document: PrintedDocument, listener: Listener, secret: Path
):
    attack = f'<link rel=attachment href="{secret.as_uri()}"><img src="{listener.url}"><style>*{{display:none}}</style>'
    attacked = dataclasses.replace(document, notes=attack, terms=attack, sender=PartyBlock(name=attack), logo=None)

    reader = reading(await printer.print(attacked))

    assert reader.attachments == {}
    assert "Total factura" in " ".join(page.extract_text() for page in reader.pages)
    assert listener.visits == 0


@pytest.mark.whole
async def test_a_picture_made_to_explode_does_not_take_the_server_with_it(
    printer: PdfPrinter, document: PrintedDocument
):
    buffer = io.BytesIO()
    Image.new("1", (30_000, 30_000)).save(buffer, "PNG")
    bomb = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()

    pdf = await printer.print(dataclasses.replace(document, logo=bomb))

    assert "F2026-0042" in reading(pdf).pages[0].extract_text()
