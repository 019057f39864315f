"""Whole files of forms with pages: byte by byte, which pages they have, what they lack, and what is no such file."""

from decimal import Decimal

import pytest

from ledgerkit.providers.api.tax_forms import IncompleteDeclarationError, TaxPeriod, UnreadableFileError
from ledgerkit.providers.es.tax_forms.layouts import UnknownDesignError, design_for, problems, read, render

ZERO = "0" * 17
"""Amount of zero: 15 figures and 2 decimals."""

FIRST_QUARTER = TaxPeriod(2026, "Q1")
LAST_QUARTER = TaxPeriod(2026, "Q4")

OWNER = {"tax_id": "12345678Z", "surname_name": "Núñez García, María", "declaration_type": "I"}
BASIC = {
    name: Decimal(amount)
    for name, amount in {
        "07": "1500.00", "09": "315.00", "27": "315.00", "28": "300.00", "29": "63.00", "45": "63.00",
        "46": "252.00", "64": "252.00", "66": "252.00", "69": "252.00", "71": "252.00",
    }.items()
}  # fmt: skip
"""Boxes of the public case pub01_303_basic: a sale of 1,500 at 21 %, an expense of 300 at 21 %."""

PERSON = {"tax_id": "12345678Z", "surnames": "Núñez García", "first_name": "María", "declaration_type": "N"}
INSTALMENT = {
    name: Decimal(amount)
    for name, amount in {
        "01": "12000.00", "02": "3450.00", "03": "8550.00", "04": "1710.00", "06": "1800.00", "07": "-90.00",
    }.items()
}  # fmt: skip
"""Boxes of the public case pub09_130_1T: withholdings exceed 20 % of the net income."""


def tags(content):
    """Opening tags of the pages, in order."""
    text = content.decode("iso-8859-1")
    return [part[3:8] for part in text.split("<T")[2:]]


def field_names(error):
    return [problem.field for problem in error.value.problems]


def envelope(form, year, period, pages):
    return "".join(
        [
            f"<T{form}0{year}{period}0000>",  # 1-17: form, 0, year, period, 0000
            "<AUX>",  # 18-22
            " " * 70,  # 23-92: reserved
            " " * 4,  # 93-96: version of the program
            " " * 4,  # 97-100: reserved
            " " * 9,  # 101-109: tax id of the developer
            " " * 213,  # 110-322: reserved
            "</AUX>",  # 323-328
            *pages,
            f"</T{form}0{year}{period}0000>",  # 18 characters
        ]
    )


PAGE_1 = "".join(
    [
        "<T30301000>",  # 1-11
        " ",  # 12: no complementary page
        "I",  # 13: to pay
        "12345678Z",  # 14-22
        "NÚÑEZ GARCÍA, MARÍA".ljust(80),  # 23-102
        "2026",  # 103-106
        "1T",  # 107-108
        "2",  # 109: not taxed by a foral administration only
        "2",  # 110: not in the register of monthly refunds
        "3",  # 111: general regime only
        "2",  # 112: no joint return
        "2",  # 113: no cash accounting
        "1",  # 114: receives operations under cash accounting
        "2",  # 115: no option for the special pro rata
        "2",  # 116: nor its revocation
        "2",  # 117: no insolvency
        " " * 8,  # 118-125: date of the insolvency
        " ",  # 126: kind of return in an insolvency
        "2",  # 127: not voluntarily in the SII
        "0",  # 128: exemption from 390: not the last period
        "0",  # 129: yearly volume: not the last period
        "0",  # 130: no payment on account of fuels
        *(ZERO, "00000", ZERO),  # 131-169: 150 to 152, 0 %
        *(ZERO, "00000", ZERO),  # 170-208: 165 to 167, 2 % until 2024
        *(ZERO, "00400", ZERO),  # 209-247: 01 to 03, 4 %
        *(ZERO, "00000", ZERO),  # 248-286: 153 to 155, 5 and 7.5 % until 2024
        *(ZERO, "01000", ZERO),  # 287-325: 04 to 06, 10 %
        "00000000000150000",  # 326-342: 07, base at 21 %
        "02100",  # 343-347: 08
        "00000000000031500",  # 348-364: 09
        *(ZERO, ZERO),  # 365-398: 10 and 11, acquisitions within the EU
        *(ZERO, ZERO),  # 399-432: 12 and 13, reverse charge
        *("N0000000000004000", "N0000000000000840"),  # 433-466: 14 and 15, modifications
        *(ZERO, "00175", ZERO),  # 467-505: 156 to 158, surcharge 1.75 %
        *(ZERO, "00050", ZERO),  # 506-544: 168 to 170, 0.5 %
        *(ZERO, "00000", ZERO),  # 545-583: 16 to 18, temporary ones
        *(ZERO, "00140", ZERO),  # 584-622: 19 to 21, 1.4 %
        *(ZERO, "00520", ZERO),  # 623-661: 22 to 24, 5.2 %
        *(ZERO, ZERO),  # 662-695: 25 and 26, modifications of the surcharge
        "00000000000031500",  # 696-712: 27
        *("00000000000030000", "00000000000006300"),  # 713-746: 28 and 29
        *[ZERO] * 10,  # 747-916: 30 to 39
        *[ZERO] * 5,  # 917-1001: 40 to 44
        "00000000000006300",  # 1002-1018: 45
        "00000000000025200",  # 1019-1035: 46
        " " * 521,  # 1036-1556: reserved
        " " * 13,  # 1557-1569: seal
        "</T30301000>",  # 1570-1581
    ]
)
PAGE_3 = "".join(
    [
        "<T30303000>",  # 1-11
        *[ZERO] * 11,  # 12-198: 59, 60, 120, 122, 123, 124, 62, 63, 74, 75, 76
        "00000000000025200",  # 199-215: 64
        "10000",  # 216-220: 65, all of it to the State
        "00000000000025200",  # 221-237: 66
        *[ZERO] * 4,  # 238-305: 77, 110, 78, 87
        *[ZERO] * 2,  # 306-339: 68, 108
        "00000000000025200",  # 340-356: 69
        *[ZERO] * 3,  # 357-407: 70, 109, 112
        "00000000000025200",  # 408-424: 71
        " ",  # 425: not without activity
        " ",  # 426: no rectification
        " " * 13,  # 427-439: receipt of the earlier one
        " ",  # 440: direct debit stays
        ZERO,  # 441-457: 111
        "  ",  # 458-459: reasons of a rectification
        " " * 546,  # 460-1005: reserved
        "</T30303000>",  # 1006-1017
    ]
)
PAYMENT = "".join(
    [
        "<T303DID00>",  # 1-11
        " " * 11,  # 12-22: SWIFT
        " " * 34,  # 23-56: IBAN
        " " * 137,  # 57-193: bank
        "0",  # 194: SEPA
        " " * 617,  # 195-811: reserved
        "</T303DID00>",  # 812-823
    ]
)


def test_a_303_is_byte_by_byte_that_of_the_design():
    values = OWNER | BASIC | {"cash_accounting_recipient": True, "14": Decimal("-40.00"), "15": Decimal("-8.40")}

    content = render("303", FIRST_QUARTER, values)

    assert (len(PAGE_1), len(PAGE_3), len(PAYMENT)) == (1581, 1017, 823)
    assert content == envelope("303", 2026, "1T", [PAGE_1, PAGE_3, PAYMENT]).encode("iso-8859-1")
    assert len(content) == 328 + 1581 + 1017 + 823 + 18


def test_a_130_is_byte_by_byte_that_of_the_design():
    page = "".join(
        [
            "<T13001000>",  # 1-11
            " ",  # 12
            "N",  # 13: nothing to pay
            "12345678Z",  # 14-22
            "NÚÑEZ GARCÍA".ljust(60),  # 23-82
            "MARÍA".ljust(20),  # 83-102
            "2026",  # 103-106
            "1T",  # 107-108
            "00000000001200000",  # 109-125: 01, income
            "00000000000345000",  # 126-142: 02, expenses
            "00000000000855000",  # 143-159: 03
            "00000000000171000",  # 160-176: 04
            ZERO,  # 177-193: 05
            "00000000000180000",  # 194-210: 06, withholdings
            "N0000000000009000",  # 211-227: 07, below zero
            *[ZERO] * 12,  # 228-431: 08 to 19
            " ",  # 432: no complementary one
            " " * 13,  # 433-445: receipt of the earlier one
            " " * 34,  # 446-479: IBAN
            " " * 96,  # 480-575: reserved
            " " * 13,  # 576-588: seal
            "</T13001000>",  # 589-600
        ]
    )

    content = render("130", FIRST_QUARTER, PERSON | INSTALMENT)

    assert len(page) == 600
    assert content == envelope("130", 2026, "1T", [page]).encode("iso-8859-1")


@pytest.mark.parametrize("form", ["111", "115"])
def test_the_files_of_withholdings_end_with_a_line_break(form):
    """AEAT, designs DR111e16 and DR115e15: page 0 ends with CRLF."""
    name = "surnames" if form == "111" else "surname_name"
    values = {"tax_id": "12345678Z", name: "Núñez", "declaration_type": "I"}

    content = render(form, FIRST_QUARTER, values)

    assert content.endswith(f"</T{form}020261T0000>\r\n".encode())
    assert read(form, content) == read(form, content.removesuffix(b"\r\n"))


def test_months_and_years_have_their_official_codes():
    monthly = render("303", TaxPeriod(2026, "M02"), OWNER)
    yearly = render("390", TaxPeriod(2025, "Y"), {"tax_id": "12345678Z", "surnames": "Núñez"})

    assert monthly.startswith(b"<T30302026020000>")
    assert yearly.startswith(b"<T390020250A0000>")
    assert read("303", monthly).period == TaxPeriod(2026, "M02")
    assert read("390", yearly).period == TaxPeriod(2025, "Y")


EXEMPT = {"annual_summary_exemption": 1, "volume_not_zero": 1, "activity_code_1": "A05"}
NOT_EXEMPT = {"annual_summary_exemption": 2}
PRO_RATA = {"500": "7020", "501": Decimal(1000), "502": Decimal(400), "503": "G", "504": Decimal(40)}


@pytest.mark.parametrize(
    ("code", "values", "expected"),
    [
        # Design DR303e26: order of the pages; page 04000 only where exempt from 390.
        ("Q1", {}, ["01000", "03000", "DID00"]),
        ("Q4", NOT_EXEMPT, ["01000", "03000", "DID00"]),
        ("M12", NOT_EXEMPT, ["01000", "03000", "DID00"]),
        ("Q4", EXEMPT, ["01000", "03000", "04000", "DID00"]),
        ("M12", EXEMPT, ["01000", "03000", "04000", "DID00"]),
        ("Q4", NOT_EXEMPT | PRO_RATA, ["01000", "03000", "05000", "DID00"]),
        ("Q4", EXEMPT | PRO_RATA, ["01000", "03000", "04000", "05000", "DID00"]),
        ("Q4", NOT_EXEMPT | {"500": "", "501": Decimal(0)}, ["01000", "03000", "DID00"]),
    ],
)
def test_a_303_has_the_pages_that_apply(code, values, expected):
    assert tags(render("303", TaxPeriod(2026, code), OWNER | values)) == expected


@pytest.mark.parametrize(
    ("code", "values", "expected"),
    [
        ("Q1", {"80": Decimal(5)}, ["boxes.80"]),
        ("Q4", NOT_EXEMPT | {"80": Decimal(5), "88": Decimal(5)}, ["boxes.80", "boxes.88"]),
        ("Q1", PRO_RATA, ["boxes.500", "boxes.501", "boxes.502", "boxes.503", "boxes.504"]),
    ],
)
def test_an_amount_whose_page_does_not_apply_is_not_left_out_silently(code, values, expected):
    with pytest.raises(IncompleteDeclarationError) as error:
        render("303", TaxPeriod(2026, code), OWNER | values)

    assert field_names(error) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, ["01000", "02000", "02B00", "03000", "04000", "06000", "07000"]),
        ({"74": Decimal(9)}, ["01000", "02000", "02B00", "03000", "04000", "05000", "06000", "07000"]),
        ({"139": Decimal(9)}, ["01000", "02000", "02B00", "03000", "04000", "06000", "07000", "08000"]),
    ],
)
def test_a_390_has_simplified_regime_and_sectors_only_when_filled(values, expected):
    content = render("390", TaxPeriod(2025, "Y"), {"tax_id": "12345678Z", "surnames": "Núñez"} | values)

    assert tags(content) == expected


@pytest.mark.parametrize(
    ("form", "code", "values", "expected"),
    [
        ("303", "Q1", {}, ["declarationType", "taxId", "surnameName"]),
        ("303", "Q1", OWNER | {"tax_id": "  "}, ["taxId"]),
        ("303", "Q1", OWNER | {"declaration_type": "U"}, ["iban"]),
        ("303", "Q1", OWNER | {"declaration_type": "D"}, ["iban"]),
        ("303", "Q1", OWNER | {"rectifying": True}, ["previousReceipt", "reasonCorrection"]),
        ("303", "Q1", OWNER | {"rectifying": True, "reason_criterion": True}, ["previousReceipt"]),
        ("303", "Q4", OWNER, ["annualSummaryExemption"]),
        ("303", "Q4", OWNER | {"annual_summary_exemption": "1"}, ["volumeNotZero", "activityCode1"]),
        ("130", "Q1", PERSON | {"declaration_type": "U"}, ["iban"]),
        ("130", "Q1", PERSON | {"complementary": True}, ["previousReceipt"]),
        ("111", "Q1", {"tax_id": "12345678Z", "surnames": "Núñez", "declaration_type": "U"}, ["iban"]),
        ("115", "Q1", {"tax_id": "12345678Z", "declaration_type": "I"}, ["surnameName"]),
    ],
)
def test_all_that_is_absent_is_named(form, code, values, expected):
    period = TaxPeriod(2026, code)

    with pytest.raises(IncompleteDeclarationError) as error:
        render(form, period, values)

    assert field_names(error) == expected
    assert {problem.code for problem in error.value.problems} == {"MISSING"}
    assert problems(form, period, values) == error.value.problems


def test_a_foreign_account_needs_its_bank():
    """AEAT, model 303, page DID00: bank, address, city and country of an account abroad (type X)."""
    with pytest.raises(IncompleteDeclarationError) as error:
        render("303", FIRST_QUARTER, OWNER | {"declaration_type": "X", "iban": "US1", "sepa_mark": "3"})

    assert field_names(error) == ["swiftBic", "bankName", "bankAddress", "bankCity", "bankCountry"]


def test_every_value_that_does_not_fit_is_named():
    values = OWNER | {"07": Decimal("1E+15"), "28": Decimal(-1), "surname_name": "王", "iban": "ES" + "1" * 33}

    assert [(problem.field, problem.code) for problem in problems("303", FIRST_QUARTER, values)] == [
        ("surnameName", "CHARACTERS"),
        ("boxes.07", "AMOUNT_TOO_LARGE"),
        ("boxes.28", "AMOUNT_NEGATIVE"),
        ("iban", "TOO_LONG"),
    ]


@pytest.mark.parametrize("box", ["70", "109", "111", "112"])
def test_four_boxes_of_2026_are_never_negative(box):
    """Two other programs differ in the type of these boxes: what is never negative suits both."""
    positive = render("303", FIRST_QUARTER, OWNER | {box: Decimal("12.34")})

    assert read("303", positive).boxes[box] == Decimal("12.34")
    assert [problem.code for problem in problems("303", FIRST_QUARTER, OWNER | {box: Decimal("-12.34")})] == [
        "AMOUNT_NEGATIVE"
    ]


@pytest.mark.parametrize(
    ("year", "code", "rates"),
    [
        # Designs of form 303: rates of the temporary boxes, and 00000 since 2025.
        (2024, "Q2", {"08": "21", "154": "5", "23": "5.2"}),
        (2024, "Q3", {"08": "21", "154": "5", "166": "0", "169": "0.5"}),
        (2024, "M11", {"08": "21", "154": "7.5", "166": "2", "17": "1"}),
        (2025, "Q1", {"08": "21", "154": "0", "166": "0", "17": "0", "169": "0.5"}),
        (2026, "Q1", {"08": "21", "05": "10", "02": "4", "154": "0", "166": "0", "17": "0", "157": "1.75"}),
    ],
)
def test_rates_are_those_of_the_period(year, code, rates):
    boxes = read("303", render("303", TaxPeriod(year, code), OWNER)).boxes

    assert {box: boxes[box] for box in rates} == {box: Decimal(rate) for box, rate in rates.items()}


@pytest.mark.parametrize(("code", "mark"), [("M01", ""), ("M02", "2"), ("M12", "2"), ("Q1", ""), ("Q4", "")])
def test_months_say_that_no_fuel_was_paid_on_account(code, mark):
    """AEAT, DR303e26 1.01, page 01000, notes 8 and 9: 0 in quarters and in January, then 1 or 2."""
    content = render("303", TaxPeriod(2026, code), OWNER | {"annual_summary_exemption": 2})

    assert read("303", content).values["fuel_advance_payment"] == mark


def test_a_rate_that_is_given_goes_before_the_usual_one():
    """AEAT, design DR303e23: field 17 is 0, 0.5 or 0.62 %."""
    content = render("303", TaxPeriod(2024, "Q2"), OWNER | {"17": Decimal("0.62")})

    assert read("303", content).boxes["17"] == Decimal("0.62")


@pytest.mark.parametrize(
    "values", [{"999": Decimal(1)}, {"taxId": "12345678Z"}, {"year": "2026"}, {"period": "1T"}, {"": "x"}]
)
def test_a_name_that_the_design_lacks_is_our_own_mistake(values):
    with pytest.raises(ValueError, match="no field is named"):
        render("303", FIRST_QUARTER, OWNER | values)


def test_a_box_of_2026_is_unknown_before():
    with pytest.raises(ValueError, match="112"):
        render("303", TaxPeriod(2025, "Q1"), OWNER | {"112": Decimal(1)})


def test_a_form_with_pages_has_no_records():
    with pytest.raises(ValueError, match="no list"):
        render("130", FIRST_QUARTER, PERSON, [{"tax_id": "x"}])


def test_no_file_is_made_where_no_design_is_known():
    with pytest.raises(UnknownDesignError):
        render("303", TaxPeriod(2022, "Q1"), OWNER)


# --- Reading ---------------------------------------------------------------------------------------------------------


@pytest.fixture(name="content")
def content_fixture():
    return render("303", LAST_QUARTER, OWNER | BASIC | EXEMPT)


def test_a_file_tells_what_it_holds(content):
    found = read("303", content)

    assert (found.form, found.period, found.design) == ("303", LAST_QUARTER, "2026")
    assert found.values["surname_name"] == "NÚÑEZ GARCÍA, MARÍA"
    assert found.values["declaration_type"] == "I"
    assert found.values["annual_summary_exemption"] == "1"
    assert found.values["rectifying"] is False
    assert {box: amount for box, amount in found.boxes.items() if box in BASIC} == BASIC
    assert found.boxes["88"] == 0


def swapped(content, old, new):
    assert content.count(old) >= 1
    return content.replace(old, new, 1)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: b"",
        lambda content: b"anything",
        lambda content: content[:-1],
        lambda content: content + b"x",
        lambda content: content[:2000] + b" " + content[2000:],
        lambda content: content[:2000] + content[2001:],
        lambda content: swapped(content, b"<T303020264T0000>", b"<T303020264T0001>"),
        lambda content: swapped(content, b"<T303020264T0000>", b"<T303020265T0000>"),
        lambda content: swapped(content, b"<T303020264T0000>", b"<T303020254T0000>"),
        lambda content: swapped(content, b"<T303020264T0000>", b"<T303000004T0000>"),
        lambda content: swapped(content, b"<T303020264T0000>", b"<T30302O264T0000>"),
        lambda content: swapped(content, b"</T303020264T0000>", b"</T303020263T0000>"),
        lambda content: swapped(content, b"20264T2232", b"20263T2232"),
        lambda content: swapped(content, b"</AUX>", b"<\\AUX>"),
        lambda content: swapped(content, b"<T30303000>", b"<T30302000>"),
        lambda content: swapped(content, b"</T30303000>", b"</T30303001>"),
        lambda content: swapped(content, b"00000000000150000", b"0000000000015000O"),
        lambda content: swapped(content, b"00000000000150000", b"N0000000000150000"),
        lambda content: swapped(content, b"20264T2232", b"20264T9232"),
        lambda content: content[:328] + content[328 + 1581 :],
        lambda content: content[: 328 + 1581] + content[328 + 1581 + 1017 :],
        lambda content: content[: -18 - 823] + content[-18:],
        lambda content: content[: 328 + 1581] + content[328 : 328 + 1581] + content[328 + 1581 :],
        lambda content: content[:328]
        + content[328 + 1581 : 328 + 1581 + 1017]
        + content[328 : 328 + 1581]
        + content[328 + 1581 + 1017 :],
    ],
    ids=[
        "empty", "other text", "one byte less", "one byte more", "one byte more inside", "one byte less inside",
        "tag", "period that is none", "other year than the closing tag", "year zero", "letter in the year",
        "closing tag of another period", "period of the page", "auxiliary tag", "other page", "closing tag of a page",
        "letter in a number", "sign without room", "flag", "no page 1", "no page 3", "no last page", "a page twice",
        "pages in another order",
    ],
)  # fmt: skip
def test_bytes_that_are_no_such_file_are_refused(content, spoil):
    with pytest.raises(UnreadableFileError):
        read("303", spoil(content))


def test_a_file_of_another_form_is_refused(content):
    with pytest.raises(UnreadableFileError):
        read("130", content)


def test_a_file_of_a_year_without_design_is_refused():
    content = render("390", TaxPeriod(2025, "Y"), {"tax_id": "12345678Z", "surnames": "Núñez"})

    with pytest.raises(UnreadableFileError, match="no design is known"):
        read("390", content.replace(b"20250A", b"20300A"))


def test_an_error_says_where_it_is(content):
    spoiled = swapped(content, b"00000000000150000", b"0000000000015000O")

    with pytest.raises(UnreadableFileError, match=r"01000, position 326 \(07\)"):
        read("303", spoiled)


@pytest.mark.parametrize(("year", "code", "length"), [(2025, "702", 1523), (2026, "7020", 1528)])
def test_the_code_of_an_activity_has_four_figures_since_2026(year, code, length):
    """AEAT, DR303e26 1.01, page 05000: CNAE-2025, four figures."""
    content = render("303", TaxPeriod(year, "Q4"), OWNER | NOT_EXEMPT | PRO_RATA | {"500": code})
    text = content.decode("iso-8859-1")
    page = text[text.index("<T30305000>") : text.index("</T30305000>") + 12]

    assert len(page) == length
    assert page[12 : 12 + len(code)] == code


def test_boxes_of_text_are_values_and_no_amounts():
    content = render("303", LAST_QUARTER, OWNER | NOT_EXEMPT | PRO_RATA)
    found = read("303", content)

    assert (found.values["500"], found.values["503"]) == ("7020", "G")
    assert found.boxes.keys() & {"500", "501", "503"} == {"501"}
    assert design_for("303", LAST_QUARTER).code == found.design
