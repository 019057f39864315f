"""Documents of strangers: each becomes bounded pages of plain pixels, or is refused with the reason."""

import io
import struct
import zlib
from base64 import b64encode
from types import SimpleNamespace
from uuid import uuid4

import pytest
from PIL import Image, ImageDraw

from ledgerkit.core.platform.confined.calls import ConfinedCalls
from ledgerkit.core.purchases.reading.documents import uploads
from ledgerkit.core.purchases.reading.documents.pixels import MAX_PAGES, MAX_SIDE
from ledgerkit.core.purchases.reading.documents.uploads import INVOICE_TYPES, MAX_BYTES, SentDocument, received
from ledgerkit.core.purchases.reading.texts import ReadingMsg
from ledgerkit.problems import Invalid, TooLarge

ACCOUNT = SimpleNamespace(id=uuid4())


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


async def pages_of(calls: ConfinedCalls, media_type: str, content: bytes) -> list[bytes]:
    ctx = SimpleNamespace(account=ACCOUNT, kernel=SimpleNamespace(service=lambda _: calls))
    return await uploads.drawn(ctx, SentDocument("image", media_type, content))


async def drawn(calls: ConfinedCalls, media_type: str, content: bytes) -> list[Image.Image]:
    return [Image.open(io.BytesIO(page)) for page in await pages_of(calls, media_type, content)]


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
    "bomb": ("image/png", lambda: png_of(30_000, 30_000), ReadingMsg.TOO_MANY_PIXELS),
    "text": ("image/png", lambda: b"I am no picture", ReadingMsg.UNREADABLE),
    "truncated JPEG": ("image/jpeg", lambda: saved("JPEG", size=(900, 900))[:3000], ReadingMsg.UNREADABLE),
    "truncated PNG": ("image/png", lambda: png_of(400, 400, b"\0" * 100), ReadingMsg.UNREADABLE),
    "another type": ("image/png", lambda: saved("JPEG"), ReadingMsg.KIND_MISMATCHED),
    "PDF as image": ("image/jpeg", pdf, ReadingMsg.KIND_MISMATCHED),
    "image as PDF": ("application/pdf", lambda: saved("PNG"), ReadingMsg.KIND_MISMATCHED),
    "a format of others": ("image/png", lambda: saved("TIFF"), ReadingMsg.UNREADABLE),
    "broken PDF": ("application/pdf", lambda: b"%PDF-1.7\n" + b"\0" * 500, ReadingMsg.UNREADABLE),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_file_is_refused_with_the_reason(calls, name):
    media_type, content, expected = HOSTILE[name]

    with pytest.raises(Invalid) as refusal:
        await pages_of(calls, media_type, content())

    assert expected == reason(refusal.value)


def reason(refusal: Invalid) -> ReadingMsg:
    (error,) = refusal.errors
    assert error.field == "image"
    return error.text.message.id


async def test_of_a_polyglot_only_pixels_are_used(calls):
    both = saved("PNG") + b"<script>alert(1)</script>" + pdf()

    (page,) = await pages_of(calls, "image/png", both)

    assert b"script" not in page
    assert b"%PDF" not in page


async def test_a_file_of_ten_megabytes_is_accepted(calls):
    padded = saved("PNG")
    padded += bytes(MAX_BYTES - len(padded))

    (page,) = await drawn(calls, "image/png", padded)

    assert page.size == (60, 40)


def url(media_type: str, content: bytes) -> str:
    return f"data:{media_type};base64,{b64encode(content).decode()}"


async def decoded(address: str, media_types=INVOICE_TYPES) -> SentDocument:
    return await received("image", address, media_types)


async def test_a_data_url_is_decoded():
    assert await decoded(url("image/png", b"abc")) == SentDocument("image", "image/png", b"abc")


@pytest.mark.parametrize("spare", [0, 1, 100])
async def test_ten_megabytes_are_the_edge_of_a_data_url(spare):
    address = url("image/png", bytes(MAX_BYTES + spare))
    if not spare:
        assert len((await decoded(address)).content) == MAX_BYTES
        return

    with pytest.raises(TooLarge):
        await decoded(address)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://example.com/receipt.png", ReadingMsg.NO_DATA_URL),
        ("data:image/png,abc", ReadingMsg.NO_DATA_URL),
        ("data:image/png;base64,!!!", ReadingMsg.NO_BASE64),
        ("data:text/html;base64,YWJj", ReadingMsg.KIND_REFUSED),
        ("data:image/svg+xml;base64,YWJj", ReadingMsg.KIND_REFUSED),
        ("data:image/png;base64,", ReadingMsg.NO_BASE64),
        ("", ReadingMsg.NO_DATA_URL),
    ],
)
async def test_another_address_is_refused(address, expected):
    with pytest.raises(Invalid) as refusal:
        await decoded(address)

    assert expected == reason(refusal.value)


async def test_a_caller_may_accept_fewer_types():
    with pytest.raises(Invalid) as refusal:
        await decoded(url("image/gif", b"GIF89a"), frozenset({"image/png"}))

    assert reason(refusal.value) == ReadingMsg.KIND_REFUSED
