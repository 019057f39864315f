"""The QR's picture: the same symbol as another implementation draws, mask included, as a PNG that can be read."""

from base64 import b64decode
from io import BytesIO

import pytest
import segno
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from ledgerkit.core.einvoice.qr import picture as qr_picture

URL = "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif={nif}&numserie={number}&fecha=01-01-2024&importe={total}"
LEVELS = st.sampled_from("LMQH")


def url(nif: int, number: str, total: int) -> str:
    return URL.format(nif=f"{nif:08d}K", number=number, total=f"{total / 100:.2f}")


URLS = st.builds(
    url, st.integers(0, 10**8 - 1), st.text("ABCDEFR0123456789-", min_size=1, max_size=60), st.integers(0, 10**12)
)


def symbol_by_segno(text: str, level: str) -> list[str]:
    code = segno.make_qr(text, error=level, boost_error=False)
    return ["".join(map(str, row)) for row in code.matrix]


@settings(max_examples=60, deadline=None)
@given(URLS, LEVELS)
def test_the_symbol_is_the_one_that_the_standard_asks_for(text, level):
    assert qr_picture.rows(text, level) == symbol_by_segno(text, level)


@pytest.mark.parametrize("length", [1, 20, 60, 130, 200, 270, 400, 700])
def test_pictures_equal_segnos_in_symbols_of_all_sizes(length):
    for place in range(4):
        text = "a1/B" * (length // 4) + str(place)
        assert qr_picture.rows(text, "M") == symbol_by_segno(text, "M")


def test_the_picture_is_read_by_a_reader_of_pictures():
    text = url(89890001, "12345678-G33", 24140)

    address = qr_picture.data_url(text, "M")

    kind, _, content = address.partition(",")
    picture = Image.open(BytesIO(b64decode(content)))
    modules = len(qr_picture.rows(text, "M")) + 2 * qr_picture.BORDER
    assert kind == "data:image/png;base64"
    assert picture.size == (modules * qr_picture.SCALE, modules * qr_picture.SCALE)
    assert [barcode.text for barcode in zxingcpp.read_barcodes(picture.convert("L"))] == [text]
