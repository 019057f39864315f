"""Files that are lists: records of 500 characters, one of the declarant and one for each line."""

from decimal import Decimal

import pytest

from ledgerkit.providers.api.tax_forms import IncompleteDeclarationError, TaxPeriod, UnreadableFileError
from ledgerkit.providers.es.tax_forms.layouts import problems, read, render

YEAR = TaxPeriod(2025, "Y")
QUARTER = TaxPeriod(2026, "Q1")

OWNER = {"tax_id": "B12345674", "surname_name": "Peñíscola Diseño, S.L."}
CLIENT = {
    "record": "declared",
    "party_tax_id": "12345678Z",
    "party_name": "Núñez García, María",
    "province": "28",
    "operation_key": "B",
    "amount": Decimal("4840.00"),
    "q1_amount": Decimal("6050.00"),
    "q3_amount": Decimal("-1210.00"),
}
"""Sales of 5,000 and a credit note of 1,000, both with 21 % of VAT: made up."""

CUSTOMER = {
    "record": "operator",
    "party_vat_number": "FR40303265045",
    "party_name": "Café du Monde",
    "operation_key": "S",
    "base": Decimal("1000.00"),
}
CORRECTION = {
    "record": "rectification",
    "party_vat_number": "FR40303265045",
    "party_name": "Café du Monde",
    "operation_key": "S",
    "corrected_year": "2025",
    "corrected_period": "4T",
    "corrected_base": Decimal("800.00"),
    "declared_base": Decimal("1000.00"),
}
LANDLORD = {
    "party_tax_id": "12345678Z",
    "party_name": "Núñez García, María",
    "province": "08",
    "modality": "1",
    "base": Decimal("9600.00"),
    "rate": Decimal("19.00"),
    "retention": Decimal("1824.00"),
    "property_situation": "1",
    "cadastral_reference": "9872023VH5797S0001WX",
    "municipality_code": "08019",
}
"""A year's rent of 800 a month with 19 % withheld (RD 439/2007, art. 100)."""

ADVISER = {
    "party_tax_id": "12345678Z",
    "party_name": "Núñez García, María",
    "province": "28",
    "key": "G",
    "subkey": "01",
    "amount": Decimal("2000.00"),
    "retention": Decimal("300.00"),
}
"""A professional with 15 % withheld (RD 439/2007, art. 95)."""

LISTS = [
    ("347", YEAR, CLIENT),
    ("349", QUARTER, CUSTOMER),
    ("349", QUARTER, CORRECTION),
    ("180", YEAR, LANDLORD),
    ("190", YEAR, ADVISER),
]


def lines(content):
    text = content.decode("iso-8859-1")
    assert text.endswith("\r\n")
    return text.removesuffix("\r\n").split("\r\n")


def cut(line, first, last):
    """Characters from a position to another, both included, as the designs count them."""
    return line[first - 1 : last]


@pytest.mark.parametrize(("form", "period", "record"), LISTS)
def test_records_have_five_hundred_characters_and_a_line_break(form, period, record):
    content = render(form, period, OWNER, [record, record])

    assert [len(line) for line in lines(content)] == [500, 500, 500]
    assert [line[:8] for line in lines(content)] == [
        f"1{form}{period.year}",
        f"2{form}{period.year}",
        f"2{form}{period.year}",
    ]
    assert len(content) == 3 * 502


def test_a_347_has_the_positions_of_its_design():
    values = OWNER | {"01": 1, "02": Decimal("4840.00"), "contact_phone": "912345678", "contact_name": "Ana"}

    declarant, client = lines(render("347", YEAR, values, [CLIENT]))

    assert declarant == "".join(
        [
            "1347",  # 1-4
            "2025",  # 5-8
            "B12345674",  # 9-17
            "PEÑISCOLA DISEÑO, S.L.".ljust(40),  # 18-57: no accents, but Ñ
            "T",  # 58: by telecommunication
            "912345678",  # 59-67
            "ANA".ljust(40),  # 68-107
            "3472025120001",  # 108-120: number of the declaration
            "  ",  # 121-122: neither complementary nor substitute
            "0" * 13,  # 123-135: number of the earlier one
            "000000001",  # 136-144: persons
            " 000000000484000",  # 145-160: sign and total
            "000000000",  # 161-169: properties
            " 000000000000000",  # 170-185: sign and rents
            " " * 205,  # 186-390
            " " * 9,  # 391-399: representative
            " " * 101,  # 400-500
        ]
    )
    assert client == "".join(
        [
            "2347",  # 1-4
            "2025",  # 5-8
            "B12345674",  # 9-17
            "12345678Z",  # 18-26
            " " * 9,  # 27-35: representative
            "NUÑEZ GARCIA, MARIA".ljust(40),  # 36-75
            "D",  # 76
            "28",  # 77-78: province
            "   ",  # 79-81: country
            "B",  # 82: sales
            " 000000000484000",  # 83-98
            "  ",  # 99-100: neither insurance nor lease
            "0" * 15,  # 101-115: cash
            " " + "0" * 15,  # 116-131: properties sold
            "0000",  # 132-135: year of the cash
            " 000000000605000",  # 136-151: first quarter
            " " + "0" * 15,  # 152-167
            " " + "0" * 15,  # 168-183: second quarter
            " " + "0" * 15,  # 184-199
            "N000000000121000",  # 200-215: third quarter, below zero
            " " + "0" * 15,  # 216-231
            " " + "0" * 15,  # 232-247: fourth quarter
            " " + "0" * 15,  # 248-263
            " " * 17,  # 264-280: VAT number
            "   ",  # 281-283: marks
            " " + "0" * 15,  # 284-299: cash accounting
            " " * 6,  # 300-305: call of a grant
            " " * 195,  # 306-500
        ]
    )


def test_a_349_has_its_period_and_its_two_kinds_of_lines():
    declarant, customer, correction = lines(render("349", QUARTER, OWNER, [CUSTOMER, CORRECTION]))

    assert cut(declarant, 58, 58) == " "
    assert cut(declarant, 59, 67) == "000000000"
    assert cut(declarant, 136, 137) == "1T"
    assert cut(customer, 76, 92) == "FR40303265045    "
    assert cut(customer, 93, 132) == "CAFE DU MONDE".ljust(40)
    assert cut(customer, 133, 146) == "S0000000100000"
    assert cut(correction, 133, 178) == "S" + " " * 13 + "20254T" + "0000000080000" + "0000000100000"


def test_each_period_of_a_year_has_its_number():
    """AEAT, design of model 349, 108-120: a sequence that begins with 349."""
    numbers = {
        cut(lines(render("349", TaxPeriod(2026, code), OWNER))[0], 108, 120) for code in ("Q1", "Q2", "M07", "M08")
    }

    assert numbers == {"3492026030001", "3492026060001", "3492026070001", "3492026080001"}


def test_a_180_has_the_property_of_each_landlord():
    declarant, landlord = lines(render("180", YEAR, OWNER | {"01": 1, "02": "9600", "03": "1824"}, [LANDLORD]))

    assert cut(declarant, 136, 175) == "000000001" + " 000000000960000" + "000000000182400"
    assert cut(landlord, 76, 78) == "081"
    assert cut(landlord, 79, 109) == " 0000000960000" + "1900" + "0000000182400"
    assert cut(landlord, 114, 134) == "19872023VH5797S0001WX"
    assert cut(landlord, 316, 320) == "08019"


def test_a_190_has_sign_and_amount_of_each_payee():
    repaid = ADVISER | {"amount": Decimal("-50.00"), "retention": Decimal(0), "accrual_year": "2024"}

    declarant, adviser, other = lines(
        render("190", YEAR, OWNER | {"01": 2, "02": "1950", "03": "300"}, [ADVISER, repaid])
    )

    assert cut(declarant, 136, 175) == "000000002" + " 000000000195000" + "000000000030000"
    assert cut(adviser, 76, 107) == "28G01" + " 0000000200000" + "0000000030000"
    assert cut(other, 81, 107) == "N0000000005000" + "0" * 13
    assert cut(other, 148, 151) == "2024"


def test_a_substitute_says_so_beside_the_place_of_a_complementary_one():
    """AEAT, designs of records: C at 121, S at 122."""
    values = OWNER | {"substitute": True, "previous_number": "3472025120001", "declaration_number": "3472025120002"}

    declarant, *_ = lines(render("347", YEAR, values))

    assert cut(declarant, 108, 135) == "3472025120002" + " S" + "3472025120001"


@pytest.mark.parametrize(
    ("form", "period", "record", "expected"),
    [
        ("347", YEAR, CLIENT | {"party_tax_id": ""}, ["records[0].partyTaxId"]),
        ("347", YEAR, CLIENT | {"party_tax_id": None, "eu_vat_number": "FR40303265045"}, []),
        ("347", YEAR, CLIENT | {"province": "99"}, ["records[0].country"]),
        ("347", YEAR, CLIENT | {"province": None}, ["records[0].province"]),
        ("349", QUARTER, CUSTOMER | {"party_vat_number": None}, ["records[0].partyVatNumber"]),
        ("349", QUARTER, CUSTOMER | {"operation_key": "C", "substitute_name": "B"}, ["records[0].substituteVatNumber"]),
        ("349", QUARTER, CORRECTION | {"corrected_year": None}, ["records[0].correctedYear"]),
        ("180", YEAR, LANDLORD | {"cadastral_reference": ""}, ["records[0].cadastralReference"]),
        ("180", YEAR, LANDLORD | {"cadastral_reference": "", "property_situation": "3"}, []),
        ("190", YEAR, ADVISER | {"subkey": ""}, ["records[0].subkey"]),
        ("190", YEAR, ADVISER | {"key": "A", "subkey": ""}, []),
    ],
)
def test_what_a_line_lacks_is_named(form, period, record, expected):
    assert [problem.field for problem in problems(form, period, OWNER, [record])] == expected


def test_a_problem_names_the_number_of_its_line():
    with pytest.raises(IncompleteDeclarationError) as error:
        render("347", YEAR, {"tax_id": "B12345674"}, [CLIENT, CLIENT | {"amount": Decimal("1E+13")}])

    assert [(problem.field, problem.code) for problem in error.value.problems] == [
        ("surnameName", "MISSING"),
        ("records[1].amount", "AMOUNT_TOO_LARGE"),
    ]


@pytest.mark.parametrize("mark", ["substitute", "complementary"])
def test_what_completes_or_replaces_a_declaration_names_it(mark):
    assert [problem.field for problem in problems("347", YEAR, OWNER | {mark: True})] == ["previousNumber"]


@pytest.mark.parametrize(
    "record",
    [
        {name: value for name, value in CLIENT.items() if name != "record"},
        CLIENT | {"record": "recipient"},
        CLIENT | {"record": "declarant"},
        CLIENT | {"cadastral_reference": "x"},
        CLIENT | {"tax_id": "12345678Z"},
    ],
    ids=["no kind", "kind of another form", "declarant", "field of another kind", "field of the declarant"],
)
def test_a_line_that_the_design_lacks_is_our_own_mistake(record):
    with pytest.raises(ValueError, match=r"none of the records|no field is named"):
        render("347", YEAR, OWNER, [record])


# --- Reading ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("form", "period", "record"), LISTS)
def test_lines_are_read_as_what_they_are(form, period, record):
    found = read(form, render(form, period, OWNER, [record, record]))

    kind = record.get("record", "recipient")
    shown = {name: value.upper() if isinstance(value, str) else value for name, value in record.items()}
    assert found.period == period
    assert found.values["tax_id"] == "B12345674"
    assert [line["record"] for line in found.records] == [kind, kind]
    for name in record.keys() - {"record", "party_name"}:
        assert found.records[0][name] == shown[name]
    assert not {"year", "tax_id"} & found.records[0].keys()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: b"",
        lambda content: content[:-2],
        lambda content: content[:-3] + b"\r\n",
        lambda content: content[:-2] + b" \r\n",
        lambda content: content + b"\r\n",
        lambda content: content.replace(b"\r\n", b"\n"),
        lambda content: content[502:],
        lambda content: content[502:] + content[:502],
        lambda content: content.replace(b"2347", b"3347"),
        lambda content: content.replace(b"22", b"2X", 1),
        lambda content: content.replace(b"23472025B12345674", b"23472025B12345675"),
        lambda content: content.replace(b"23472025", b"23472024"),
        lambda content: content.replace(b"1347", b"1347x", 1),
        lambda content: content.replace(b" 000000000484000", b"-000000000484000"),
        lambda content: content.replace(b"D28", b"E28"),
        lambda content: content[:-10] + b"x" + content[-9:],
    ],
    ids=[
        "empty", "no last break", "a character less", "a character more", "an empty line", "other breaks",
        "no declarant", "declarant last", "type of record", "letter in a number", "other declarant", "other year",
        "moved", "sign", "kind of line", "in the reserve",
    ],
)  # fmt: skip
def test_bytes_that_are_no_such_list_are_refused(spoil):
    content = render("347", YEAR, OWNER | {"01": 22}, [CLIENT])

    with pytest.raises(UnreadableFileError):
        read("347", spoil(content))


def test_a_list_of_another_form_is_refused():
    with pytest.raises(UnreadableFileError):
        read("190", render("347", YEAR, OWNER, [CLIENT]))


def test_all_lines_are_read_again():
    lines_given = [CLIENT | {"amount": Decimal(number).scaleb(-2)} for number in range(500)]

    found = read("347", render("347", YEAR, OWNER, lines_given))

    assert [line["amount"] for line in found.records] == [line["amount"] for line in lines_given]
