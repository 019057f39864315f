"""Draw a document anew, so that nothing but its pixels is used; a confined call, since a file can be an attack.

This module imports as little as it can, because the confined process loads it first.
"""

import struct
import warnings
from io import BytesIO

from PIL import Image, ImageOps

MAX_PIXELS = 50_000_000
"""Pixels of an image as sent: phones make up to 50 million."""
MAX_SIDE = 2000
"""Pixels of a page's longer side as drawn."""
MAX_PAGES = 3
FORMATS = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp", "GIF": "image/gif"}
PDF = "application/pdf"
_LENGTH = struct.Struct(">I")
_PDF_HEAD = b"%PDF-"


class PixelLimitError(Exception):
    """Refusal of an image with more than MAX_PIXELS."""


class TypeMismatchError(Exception):
    """Refusal of a file whose content is of another type than declared."""


class EncryptedPdfError(Exception):
    """Refusal of a PDF that asks for a password."""


def drawn_pages(request: bytes) -> bytes:
    """Return the pages of a file as PNGs, each behind its length; `request` is the declared type, a line feed, a file.

    An image is one page, the first picture of an animation, turned as its EXIF says; a PDF has at most MAX_PAGES.
    Raises the errors above, and the libraries' own for a file that cannot be read.
    """
    declared, _, raw = request.partition(b"\n")
    pages = _pdf_pages(raw, declared.decode()) if raw.startswith(_PDF_HEAD) else [_image_page(raw, declared.decode())]
    return b"".join(_LENGTH.pack(len(page)) + page for page in pages)


def split_pages(answer: bytes) -> list[bytes]:
    """Return the pages in an answer of `drawn_pages`."""
    pages, place = [], 0
    while place < len(answer):
        (length,) = _LENGTH.unpack_from(answer, place)
        place += _LENGTH.size + length
        pages.append(answer[place - length : place])
    return pages


def _image_page(raw: bytes, declared: str) -> bytes:
    Image.MAX_IMAGE_PIXELS = None  # MAX_PIXELS is lower
    warnings.simplefilter("ignore")  # damaged metadata is no reason to refuse a picture
    with Image.open(BytesIO(raw), formats=list(FORMATS)) as picture:
        if picture.width * picture.height > MAX_PIXELS:
            raise PixelLimitError
        if declared != FORMATS[picture.format or ""]:
            raise TypeMismatchError
        picture.draft("RGB", (MAX_SIDE, MAX_SIDE))  # a JPEG is decoded at half its size or less where that is enough
        picture.thumbnail((MAX_SIDE, MAX_SIDE))
        return _png(ImageOps.exif_transpose(picture))


def _pdf_pages(raw: bytes, declared: str) -> list[bytes]:
    import pypdfium2  # noqa: PLC0415 - 8 MB that an image does not need

    if declared != PDF:
        raise TypeMismatchError
    try:
        document = pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError as error:
        raise EncryptedPdfError if "assword" in str(error) else error from error
    pages = []
    for number in range(min(len(document), MAX_PAGES)):
        page = document[number]
        scale = MAX_SIDE / max(*page.get_size(), 1)
        pages.append(_png(page.render(scale=min(scale, 4)).to_pil()))
    if not pages:
        raise ValueError("a PDF without pages")
    return pages


def _png(picture: Image.Image) -> bytes:
    """Return the pixels alone as a PNG: what is transparent becomes white; profiles and comments are left out."""
    opaque = picture.convert("RGBA")
    drawn = Image.new("RGB", opaque.size, "white")
    drawn.paste(opaque, mask=opaque.getchannel("A"))
    buffer = BytesIO()
    drawn.save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()
