"""Media types by content, and names that no program misunderstands."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgerkit.core.platform.attachments.uploads.media_types import MAX_LENGTH, SUFFIXES, cleaned, media_type
from support.files import JPEG, PDF, PNG


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (JPEG, "image/jpeg"),
        (PNG, "image/png"),
        (b"RIFF\x24\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x24\x00\x00\x00WAVEfmt ", None),
        (b"GIF89a\x01\x00", "image/gif"),
        (PDF, "application/pdf"),
        (b"%PDF-9.9", "text/plain"),
        (b'<?xml version="1.0" encoding="UTF-8"?><Facturae/>', "application/xml"),
        (b"\xef\xbb\xbf<fe:Facturae xmlns:fe='x'/>", "application/xml"),
        (b"<Invoice>", "application/xml"),
        (b"fecha;importe\r\n2026-11-02;12,10\r\n", "text/plain"),
        ("año".encode(), "text/plain"),
        ("año".encode("latin-1"), None),
        (b"<!DOCTYPE html><p>", None),
        (b" <HTML>", None),
        (b"<svg onload='x'/>", None),
        (b"<?xml version='1.0'?>\n<!DOCTYPE svg PUBLIC 'x' 'y'><svg/>", None),
        (b"<!-- x --><script>", None),
        (b"text\x00", None),
        (b"\x7fELF", None),
        (b"", None),
    ],
)
def test_the_content_decides(content, expected):
    assert media_type(content) == expected


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("ticket.jpg", "image/jpeg", "ticket.jpg"),
        ("Ticket.JPEG", "image/jpeg", "Ticket.JPEG"),
        ("../../etc/passwd", "text/plain", "passwd.txt"),
        ("C:\\facturas\\sol.pdf", "application/pdf", "sol.pdf"),
        ("factura.pdf.exe", "application/pdf", "factura.pdf.exe.pdf"),
        ("fac\u202efdp.exe", "application/pdf", "facfdp.exe.pdf"),
        ("a\r\nSet-Cookie: x.pdf", "application/pdf", "aSet-Cookie_ x.pdf"),
        ("", "image/png", "file.png"),
        (".png", "image/png", "file.png"),
        ("...", "image/png", "file.png"),
        ("  líneas   de compra .csv ", "text/plain", "líneas de compra.csv"),
        ("n" * 500 + ".xml", "application/xml", "n" * (MAX_LENGTH - 4) + ".xml"),
    ],
)
def test_names_are_cleaned(name, kind, expected):
    assert cleaned(name, kind) == expected


@given(st.text(max_size=300), st.sampled_from(sorted(SUFFIXES)))
def test_any_name_can_be_shown_stored_and_cleaned_again(name, kind):
    shown = cleaned(name, kind)

    assert 0 < len(shown) <= MAX_LENGTH
    assert shown.lower().endswith(SUFFIXES[kind])
    assert not any(unicodedata.category(character).startswith("C") or character in "/\\" for character in shown)
    assert not shown.startswith(".")
    assert cleaned(shown, kind) == shown
