"""Documents of strangers: each becomes bounded pages of plain pixels, or is refused with its fault."""

import io
import struct
import zlib
from base64 import b64encode
from uuid import uuid4

import pytest
from PIL import Image, ImageDraw

from ledgerkit.core.platform.confined.calls import ConfinedCalls
from ledgerkit.core.purchases.reading.documents.pages import (
    MAX_BYTES,
    DocumentFault,
    DocumentRefusedError,
    decoded,
    pages_of,
)
from ledgerkit.core.purchases.reading.documents.pixels import MAX_PAGES, MAX_SIDE

ACCOUNT = uuid4()


@pytest.fixture
async def calls():
    calls = ConfinedCalls()
    yield calls
    await calls.stop()


def saved(kind: str, size=(60, 40), mode="RGB", colour="red", **more) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size, colour).save(out, kind, **more)
    return out.getvalue()


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png_of(width: int, height: int, data: bytes = b"") -> bytes:
    """PNG that says to be of this size, whatever is in it."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def pdf(pages: int = 1, size=(595, 842), **more) -> bytes:
    out = io.BytesIO()
    sheets = [Image.new("RGB", size, "white") for _ in range(pages)]
    sheets[0].save(out, "PDF", save_all=True, append_images=sheets[1:], **more)
    return out.getvalue()


def turned() -> bytes:
    """JPEG of a wide picture that its EXIF turns upright, its left half red."""
    picture = Image.new("RGB", (80, 40), "blue")
    ImageDraw.Draw(picture).rectangle((0, 0, 39, 39), "red")
    exif = Image.Exif()
    exif[0x0112] = 6
    out = io.BytesIO()
    picture.save(out, "JPEG", exif=exif, quality=95)
    return out.getvalue()


def animated(kind: str) -> bytes:
    out = io.BytesIO()
    frames = [Image.new("RGB", (50, 50), colour) for colour in ("green", "red", "blue")]
    frames[0].save(out, kind, save_all=True, append_images=frames[1:], duration=50)
    return out.getvalue()


async def drawn(calls: ConfinedCalls, media_type: str, content: bytes) -> list[Image.Image]:
    return [Image.open(io.BytesIO(page)) for page in await pages_of(calls, ACCOUNT, media_type, content)]


async def fault(calls: ConfinedCalls, media_type: str, content: bytes) -> DocumentFault:
    with pytest.raises(DocumentRefusedError) as refusal:
        await pages_of(calls, ACCOUNT, media_type, content)
    return refusal.value.fault


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp", "gif"])
async def test_an_image_is_one_page(calls, kind):
    (page,) = await drawn(calls, f"image/{kind}", saved(kind.upper()))

    assert (page.format, page.mode, page.size) == ("PNG", "RGB", (60, 40))


@pytest.mark.parametrize("kind", ["gif", "webp"])
async def test_an_animation_is_its_first_picture(calls, kind):
    (page,) = await drawn(calls, f"image/{kind}", animated(kind.upper()))

    red, green, _ = page.getpixel((25, 25))
    assert green > red


async def test_a_photograph_is_turned_as_its_exif_says(calls):
    (page,) = await drawn(calls, "image/jpeg", turned())

    assert page.size == (40, 80)
    assert page.getpixel((20, 10))[0] > 200


async def test_what_is_transparent_is_white(calls):
    (page,) = await drawn(calls, "image/png", saved("PNG", mode="RGBA", colour=(0, 0, 0, 0)))

    assert page.getpixel((5, 5)) == (255, 255, 255)


async def test_a_large_picture_is_made_smaller(calls):
    (page,) = await drawn(calls, "image/jpeg", saved("JPEG", size=(5000, 2500)))

    assert max(page.size) <= MAX_SIDE


async def test_a_pdf_gives_its_first_pages(calls):
    pages = await drawn(calls, "application/pdf", pdf(pages=5))

    assert len(pages) == MAX_PAGES
    assert all(max(page.size) <= MAX_SIDE + 1 for page in pages)


HOSTILE = {
    "bomb": ("image/png", lambda: png_of(30_000, 30_000), DocumentFault.TOO_MANY_PIXELS),
    "text": ("image/png", lambda: b"I am no picture", DocumentFault.UNREADABLE),
    "truncated JPEG": ("image/jpeg", lambda: saved("JPEG", size=(900, 900))[:3000], DocumentFault.UNREADABLE),
    "truncated PNG": ("image/png", lambda: png_of(400, 400, b"\0" * 100), DocumentFault.UNREADABLE),
    "another type": ("image/png", lambda: saved("JPEG"), DocumentFault.MISMATCHED_TYPE),
    "PDF as image": ("image/jpeg", pdf, DocumentFault.MISMATCHED_TYPE),
    "image as PDF": ("application/pdf", lambda: saved("PNG"), DocumentFault.MISMATCHED_TYPE),
    "a format of others": ("image/png", lambda: saved("TIFF"), DocumentFault.UNREADABLE),
    "broken PDF": ("application/pdf", lambda: b"%PDF-1.7\n" + b"\0" * 500, DocumentFault.UNREADABLE),
    "SVG": ("image/svg+xml", lambda: b"<svg/>", DocumentFault.UNSUPPORTED_TYPE),
    "nothing": ("image/png", lambda: b"", DocumentFault.EMPTY),
    "over ten MB": ("image/png", lambda: b"\x89PNG" + bytes(MAX_BYTES), DocumentFault.TOO_LARGE),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_file_is_refused_with_its_fault(calls, name):
    media_type, content, expected = HOSTILE[name]

    assert await fault(calls, media_type, content()) == expected


async def test_of_a_polyglot_only_pixels_are_used(calls):
    both = saved("PNG") + b"<script>alert(1)</script>" + pdf()

    (page,) = await pages_of(calls, ACCOUNT, "image/png", both)

    assert b"script" not in page
    assert b"%PDF" not in page


async def test_a_file_of_ten_megabytes_is_accepted(calls):
    padded = saved("PNG")
    padded += bytes(MAX_BYTES - len(padded))

    (page,) = await drawn(calls, "image/png", padded)

    assert page.size == (60, 40)


def url(media_type: str, content: bytes) -> str:
    return f"data:{media_type};base64,{b64encode(content).decode()}"


def test_a_data_url_is_decoded():
    assert decoded(url("image/png", b"abc")) == ("image/png", b"abc")


@pytest.mark.parametrize("spare", [0, 1])
def test_ten_megabytes_are_the_edge_of_a_data_url(spare):
    address = url("image/png", bytes(MAX_BYTES + spare))
    if not spare:
        assert len(decoded(address)[1]) == MAX_BYTES
        return

    with pytest.raises(DocumentRefusedError) as refusal:
        decoded(address)
    assert refusal.value.fault == DocumentFault.TOO_LARGE


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://example.com/receipt.png", DocumentFault.NOT_A_DATA_URL),
        ("data:image/png,abc", DocumentFault.NOT_A_DATA_URL),
        ("data:image/png;base64,!!!", DocumentFault.NOT_BASE64),
        ("data:text/html;base64,YWJj", DocumentFault.UNSUPPORTED_TYPE),
        ("data:image/png;base64,", DocumentFault.EMPTY),
        ("", DocumentFault.NOT_A_DATA_URL),
    ],
)
def test_another_address_is_refused(address, expected):
    with pytest.raises(DocumentRefusedError) as refusal:
        decoded(address)

    assert refusal.value.fault == expected


def test_a_caller_may_accept_fewer_types():
    with pytest.raises(DocumentRefusedError) as refusal:
        decoded(url("image/gif", b"GIF89a"), frozenset({"image/png"}))

    assert refusal.value.fault == DocumentFault.UNSUPPORTED_TYPE
