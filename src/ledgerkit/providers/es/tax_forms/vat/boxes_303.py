"""Boxes of form 303, in its order: designs DR303e23, DR303e24 and DR303e26 of the AEAT; the words are ours.

The rates' own boxes (02, 05, 08 ...) are constants of the file, and so are the percents of the foral territories (89 to
92 and 107), which are zero in every design. Page 2 (simplified regime) is not here.
"""

from itertools import chain

from ledgerkit.providers.api import Box
from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts
from ledgerkit.providers.es.tax_forms.vat.sector_boxes import SECTORS_303, prorrata_boxes

_FORM = BoxTexts("303")
_OUTPUT = (
    *_FORM.pair("150", "152"),
    *_FORM.pair("165", "167"),
    *_FORM.pair("01", "03"),
    *_FORM.pair("153", "155"),
    *_FORM.pair("04", "06"),
    *_FORM.pair("07", "09"),
    *_FORM.pair("10", "11"),
    *_FORM.pair("12", "13"),
    *_FORM.pair("14", "15", "s-"),
    *_FORM.pair("156", "158"),
    *_FORM.pair("168", "170"),
    *_FORM.pair("16", "18"),
    *_FORM.pair("19", "21"),
    *_FORM.pair("22", "24"),
    *_FORM.pair("25", "26", "s-"),
    _FORM.box("27", "-"),
)
_INPUT = (
    *_FORM.pair("28", "29"),
    *_FORM.pair("30", "31"),
    *_FORM.pair("32", "33"),
    *_FORM.pair("34", "35"),
    *_FORM.pair("36", "37"),
    *_FORM.pair("38", "39"),
    *_FORM.pair("40", "41", "s-"),
    _FORM.box("42", "s-"),
    _FORM.box("43", "-"),
    _FORM.box("44", "-"),
    _FORM.box("45", "-"),
    _FORM.box("46", "-"),
)
_INFORMATION = (
    _FORM.box("59", "s-"),
    _FORM.box("60", "s-"),
    _FORM.box("120", "s-"),
    _FORM.box("122", "s-"),
    _FORM.box("123", "s-"),
    _FORM.box("124", "s-"),
    *_FORM.pair("62", "63", "s-"),
    *_FORM.pair("74", "75", "s-"),
)
_RESULT = (
    _FORM.box("76", "-"),
    _FORM.box("64", "-"),
    _FORM.box("65"),
    _FORM.box("66", "-"),
    _FORM.box("77"),
    _FORM.box("110"),
    _FORM.box("78"),
    _FORM.box("87"),
    _FORM.box("68", "-"),
    _FORM.box("108", "-"),
    _FORM.box("69", "-"),
    _FORM.box("70"),
    _FORM.box("109"),
    _FORM.box("112"),
    _FORM.box("71", "-"),
    _FORM.box("111"),
)
_VOLUME = (
    _FORM.box("80", "s-"),
    _FORM.box("81", "s-"),
    _FORM.box("93", "s-"),
    _FORM.box("94", "s-"),
    _FORM.box("83", "s-"),
    _FORM.box("84", "s-"),
    _FORM.box("125", "s-"),
    _FORM.box("126", "s-"),
    _FORM.box("127", "s-"),
    _FORM.box("128", "-"),
    _FORM.box("86", "s-"),
    _FORM.box("95", "s-"),
    _FORM.box("96", "s-"),
    _FORM.box("97", "s-"),
    _FORM.box("98", "s-"),
    _FORM.box("79", "-"),
    _FORM.box("99", "-"),
    _FORM.box("88", "-"),
)
_PRORRATA = chain.from_iterable(
    prorrata_boxes(_FORM, place + 1, *(str(500 + 5 * place + column) for column in (1, 2, 4))) for place in range(5)
)
_SECTORS = chain.from_iterable(sector.boxes(_FORM) for sector in SECTORS_303)
BOXES_303: tuple[Box, ...] = (
    *_FORM.in_section("output", _OUTPUT),
    *_FORM.in_section("input", _INPUT),
    *_FORM.in_section("information", _INFORMATION),
    *_FORM.in_section("result", _RESULT),
    *_FORM.in_section("volume", _VOLUME),
    *_FORM.in_section("prorrata", _PRORRATA),
    *_FORM.in_section("sectors", _SECTORS),
)
"""Boxes of all designs; which of them a period has, its design tells."""
