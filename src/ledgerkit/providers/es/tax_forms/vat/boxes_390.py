"""Boxes of form 390, in its order: designs of 2024 and 2025 of the AEAT; the words are ours.

Groups of entities, joint taxation with the foral treasuries (section 8) and sectors that deduct apart (section 13) are
given by hand: no document tells them. Not here: the activities of the simplified regime, and the boxes of sections 8
and 12 that share their number with others.
"""

from itertools import chain

from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts
from ledgerkit.providers.es.tax_forms.vat import rate_boxes as rates
from ledgerkit.providers.es.tax_forms.vat.sector_boxes import SECTORS_390, prorrata_boxes, rate_pairs

_FORM = BoxTexts("390")
_OUTPUT = (
    *rate_pairs(_FORM, "output", rates.OUTPUT_390, "s-"),
    *rate_pairs(_FORM, "group", rates.GROUP_390, "-"),
    *rate_pairs(_FORM, "cash", rates.CASH_390, "s-"),
    *rate_pairs(_FORM, "used_goods", rates.USED_GOODS_390, "s-"),
    *rate_pairs(_FORM, "travel", rates.TRAVEL_390, "s-"),
    *rate_pairs(_FORM, "intra_eu_goods", rates.INTRA_EU_GOODS_390, "s-"),
    *rate_pairs(_FORM, "intra_eu_services", rates.INTRA_EU_SERVICES_390, "s-"),
    *_FORM.pair("27", "28", "s-"),
    *_FORM.pair("29", "30", "s-"),
    *_FORM.pair("649", "650", "-"),
    *_FORM.pair("31", "32", "s-"),
    *_FORM.pair("33", "34", "-"),
)
_SURCHARGE = (
    *rate_pairs(_FORM, "surcharge", rates.SURCHARGE_390, "s-"),
    *_FORM.pair("43", "44", "s-"),
    *_FORM.pair("45", "46", "s-"),
    _FORM.box("47", "-"),
)
_INPUT = (
    *rate_pairs(_FORM, "domestic", rates.DOMESTIC_390, "s-"),
    *_FORM.pair("48", "49", "-"),
    *rate_pairs(_FORM, "group_input", rates.GROUP_INPUT_390, "-"),
    *_FORM.pair("512", "513", "-"),
    *rate_pairs(_FORM, "domestic_investment", rates.DOMESTIC_INVESTMENT_390, "s-"),
    *_FORM.pair("50", "51", "-"),
    *rate_pairs(_FORM, "group_investment", rates.GROUP_INVESTMENT_390, "-"),
    *_FORM.pair("520", "521", "-"),
    *rate_pairs(_FORM, "import", rates.IMPORT_390, "s-"),
    *_FORM.pair("52", "53", "-"),
    *rate_pairs(_FORM, "import_investment", rates.IMPORT_INVESTMENT_390, "s-"),
    *_FORM.pair("54", "55", "-"),
    *rate_pairs(_FORM, "intra_eu_input", rates.INTRA_EU_INPUT_390, "s-"),
    *_FORM.pair("56", "57", "-"),
    *rate_pairs(_FORM, "intra_eu_investment", rates.INTRA_EU_INVESTMENT_390, "s-"),
    *_FORM.pair("58", "59", "-"),
    *rate_pairs(_FORM, "services_input", rates.SERVICES_INPUT_390, "s-"),
    *_FORM.pair("597", "598", "-"),
    *_FORM.pair("60", "61", "s-"),
    *_FORM.pair("660", "661", "-"),
    *_FORM.pair("639", "62", "s-"),
    *_FORM.pair("651", "652", "-"),
    _FORM.box("63", "-"),
    _FORM.box("522", "-"),
    _FORM.box("64", "-"),
    _FORM.box("65", "-"),
)
_SIMPLIFIED_REGIME = (
    _FORM.box("74", "-"),
    _FORM.box("75", "-"),
    _FORM.box("76", "-"),
    _FORM.box("77", "-"),
    _FORM.box("78", "-"),
    _FORM.box("79", "-"),
    _FORM.box("80", "-"),
    _FORM.box("81", "-"),
    _FORM.box("82", "-"),
    _FORM.box("83", "-"),
)
_RESULT = (
    _FORM.box("658"),
    _FORM.box("84", "-"),
    _FORM.box("659"),
    _FORM.box("85"),
    _FORM.box("86", "-"),
    _FORM.box("87"),
    _FORM.box("88"),
    _FORM.box("89"),
    _FORM.box("90"),
    _FORM.box("91"),
    _FORM.box("92", "-"),
    _FORM.box("93"),
    _FORM.box("94", "-"),
    _FORM.box("95"),
    _FORM.box("96"),
    _FORM.box("524"),
    _FORM.box("97"),
    _FORM.box("98"),
    _FORM.box("662"),
    _FORM.box("525"),
    _FORM.box("526"),
)
_TURNOVER = (
    _FORM.box("99", "s-"),
    _FORM.box("653", "s-"),
    _FORM.box("103", "s-"),
    _FORM.box("104", "s-"),
    _FORM.box("105", "s-"),
    _FORM.box("110", "s-"),
    _FORM.box("125", "s-"),
    _FORM.box("126", "s-"),
    _FORM.box("127", "s-"),
    _FORM.box("128", "-"),
    _FORM.box("100", "s-"),
    _FORM.box("101", "s-"),
    _FORM.box("102", "s-"),
    _FORM.box("227", "s-"),
    _FORM.box("228", "s-"),
    _FORM.box("106", "-"),
    _FORM.box("107", "-"),
    _FORM.box("108", "-"),
)
_SPECIFIC = (
    _FORM.box("230", "s-"),
    _FORM.box("109", "s-"),
    _FORM.box("231", "s-"),
    _FORM.box("232", "s-"),
    _FORM.box("111", "-"),
    _FORM.box("113", "-"),
    _FORM.box("523", "s-"),
    *_FORM.pair("654", "655", "s-"),
    *_FORM.pair("656", "657", "s-"),
)
_PRORRATA_NUMBERS = (
    (1, "115", "116", "118"),
    (2, "120", "121", "123"),
    (4, "130", "131", "133"),
    (5, "135", "136", "138"),
)
_PRORRATA = chain.from_iterable(prorrata_boxes(_FORM, *numbers) for numbers in _PRORRATA_NUMBERS)
_SECTORS = chain.from_iterable(sector.boxes(_FORM, marks="-") for sector in SECTORS_390)
BOXES_390 = (
    *_FORM.in_section("output", _OUTPUT),
    *_FORM.in_section("surcharge", _SURCHARGE),
    *_FORM.in_section("input", _INPUT),
    *_FORM.in_section("simplified_regime", _SIMPLIFIED_REGIME),
    *_FORM.in_section("result", _RESULT),
    *_FORM.in_section("turnover", _TURNOVER),
    *_FORM.in_section("specific", _SPECIFIC),
    *_FORM.in_section("prorrata", _PRORRATA),
    *_FORM.in_section("sectors", _SECTORS),
)
"""Boxes of all designs; which of them a year has, its design tells."""
