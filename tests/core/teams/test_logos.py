"""Pictures that are made to hurt: each is refused in words, or drawn as harmless pixels."""

import io
import struct
import zipfile
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable

import pytest
from PIL import Image

from ledgerkit.core.platform.confined.calls import ConfinedCalls

PATH = "/api/teams/current"


def url(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{b64encode(content).decode()}"


def url_of(picture: tuple[str, Callable[[], bytes]]) -> str:
    """Data URL of a picture that is drawn now: drawing all of them would slow down the collection of tests."""
    kind, draw = picture
    return url(kind, draw())


def saved(kind: str, size=(40, 30), **more) -> bytes:
    out = io.BytesIO()
    Image.new(more.pop("mode", "RGB"), size, more.pop("colour", "red")).save(out, kind, **more)
    return out.getvalue()


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(width: int, height: int, *more: bytes, data: bytes = b"") -> bytes:
    """A PNG that says to be of this size, whatever is in it."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n" + head + b"".join(more) + chunk(b"IDAT", data or zlib.compress(b"")) + chunk(b"IEND", b"")
    )


def sized_jpeg(width: int, height: int) -> bytes:
    content = saved("JPEG")
    at = content.index(b"\xff\xc0") + 5
    return content[:at] + struct.pack(">HH", height, width) + content[at + 4 :]


def sized_webp(width: int, height: int) -> bytes:
    """VP8L says its size in 14 bits each."""
    content = saved("WEBP", lossless=True)
    at = content.index(b"VP8L") + 9
    size = (width - 1) | (height - 1) << 14
    return content[:at] + struct.pack("<I", size) + content[at + 4 :]


def scans(count: int) -> bytes:
    """A progressive JPEG of four million pixels whose last scan comes again and again."""
    content = saved("JPEG", (2000, 2000), progressive=True)
    last = content[content.rindex(b"\xff\xda") : -2]
    return content[:-2] + last * count + content[-2:]


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("x.html", "<script>alert(1)</script>")
    return out.getvalue()


HUGE = {
    "a PNG of 179 million pixels": ("png", lambda: png(13_400, 13_400, data=zlib.compress(bytes(1675 * 13_400)))),
    "a PNG of 30,000 pixels each way": ("png", lambda: saved("PNG", (30_000, 30_000), mode="1", colour=1)),
    "a PNG that says so": ("png", lambda: png(2**31 - 1, 2**31 - 1)),
    "a JPEG that says so": ("jpeg", lambda: sized_jpeg(65_500, 65_500)),
    "a WebP that says so": ("webp", lambda: sized_webp(16_383, 16_383)),
    "just above four million": ("png", lambda: saved("PNG", (2001, 2000), mode="1", colour=1)),
    "one very long line": ("png", lambda: png(4_000_001, 1)),
}
DRAWN_LARGE = list(HUGE)[:2]
"""Pictures whose drawing takes seconds."""
UNREADABLE = {
    "nothing of a PNG": ("png", lambda: b"\x89PNG\r\n\x1a\n"),
    "half a PNG": ("png", lambda: saved("PNG", (300, 300))[:200]),
    "half a JPEG": ("jpeg", lambda: saved("JPEG", (300, 300))[:400]),
    "half a WebP": ("webp", lambda: saved("WEBP", (300, 300))[:60]),
    "a PNG without its pixels": ("png", lambda: png(1000, 1000)),
    "a page": ("png", lambda: b"<html><script>alert(1)</script></html>"),
    "a drawing": ("png", lambda: b'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
    "another kind": ("png", lambda: saved("GIF")),
    "a text that explodes": ("png", lambda: png(10, 10, chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(200 << 20))))),
    "no picture": ("webp", lambda: b"\0" * 100),
}


@pytest.mark.parametrize(
    "what", [pytest.param(one, marks=pytest.mark.whole) if one in DRAWN_LARGE else one for one in HUGE]
)
async def test_a_picture_of_too_many_pixels_is_refused(ana, what):
    problem = await ana.refused(400, "PUT", PATH, {"logo": url_of(HUGE[what])})

    (error,) = problem["errors"]
    assert (error["field"], error["code"]) == ("logo", "VALIDATION_ERROR")
    assert set(error["translations"]) == {"ca", "en", "es"}
    assert (await ana.get(PATH))["team"]["logo"] is None


@pytest.mark.parametrize("what", UNREADABLE)
async def test_what_is_no_picture_is_refused(ana, what):
    problem = await ana.refused(400, "PUT", PATH, {"logo": url_of(UNREADABLE[what])})

    (error,) = problem["errors"]
    assert (error["field"], bool(problem["remedy"])) == ("logo", True)


DRAWN = {
    "a PNG": ("png", lambda: saved("PNG")),
    "a JPEG": ("jpeg", lambda: saved("JPEG", quality=95)),
    "a WebP": ("webp", lambda: saved("WEBP")),
    "four million pixels": ("png", lambda: saved("PNG", (2000, 2000))),
    "a PNG called JPEG": ("jpeg", lambda: saved("PNG")),
    "a PNG that is an archive too": ("png", lambda: saved("PNG") + zipped()),
    "a JPEG with a page in it": ("jpeg", lambda: saved("JPEG", comment=b"<script>alert(1)</script>")),
    "a PNG with a profile": ("png", lambda: saved("PNG", icc_profile=b"<script>" * 100)),
    "a moving PNG": (
        "png",
        lambda: saved("PNG", save_all=True, append_images=[Image.new("RGB", (40, 30), "blue")] * 50),
    ),
    "a moving WebP": (
        "webp",
        lambda: saved("WEBP", save_all=True, append_images=[Image.new("RGB", (40, 30), "blue")] * 50),
    ),
}


@pytest.mark.parametrize("what", DRAWN)
async def test_a_stored_logo_holds_only_its_pixels(ana, what):
    kept = (await ana.put(PATH, {"logo": url_of(DRAWN[what])}))["team"]["logo"]

    content = b64decode(kept.removeprefix("data:image/png;base64,"))
    with Image.open(io.BytesIO(content)) as picture:
        assert (picture.format, picture.info, getattr(picture, "n_frames", 1)) == ("PNG", {}, 1)
        assert max(picture.size) <= 1000
    assert b"script" not in content
    assert content.endswith(b"IEND\xaeB`\x82")


async def test_a_picture_that_takes_too_long_is_refused(ana, kernel, monkeypatch):
    monkeypatch.setattr(kernel.service(ConfinedCalls), "_seconds", 0.5)

    problem = await ana.refused(400, "PUT", PATH, {"logo": url("jpeg", scans(15_000))})

    assert [one["field"] for one in problem["errors"]] == ["logo"]


@pytest.mark.parametrize(
    "logo", ["data:", "data:image/svg+xml;base64,PHN2Zz4=", "data:image/png,x", "data:image/png;base64,====="]
)
async def test_another_data_url_is_refused(ana, logo):
    problem = await ana.refused(400, "PUT", PATH, {"logo": logo})

    assert [one["field"] for one in problem["errors"]] == ["logo"]


async def test_a_new_teams_logo_is_drawn_too(ana):
    made = await ana.post("/api/teams", {"name": "Otra", "country": "ES", "logo": url("jpeg", saved("JPEG"))})

    assert made["logo"].startswith("data:image/png;base64,")
