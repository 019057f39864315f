"""Every box of form 390: documents, returns, amounts, and the source of each expectation.

The design is the agency's dr390e2025, of which the formulas are too. Sums of documents are
100 at each rate, unless a case says otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

import pytest
from vat_documents import (
    CLIENT,
    GERMAN,
    SWISS,
    bought,
    codes,
    compute,
    credit_note,
    filled,
    line,
    money,
    paid,
    purchase,
    sale,
)

from ledgerkit.providers.api import (
    Assessment,
    PreviousDeclaration,
    Purchase,
    PurchaseKind,
    Sale,
    TaxCategory,
    TaxPeriod,
)
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
from ledgerkit.providers.es.tax_forms.vat.form_390 import Form390

FORM, YEAR = Form390(), TaxPeriod(2025, "Y")
TOTALS = {
    *("33", "34", "47", "48", "49", "50", "51", "52", "53", "54", "55", "56", "57", "58", "59", "597", "598"),
    *("64", "65", "84", "86", "108", "99", "653", "227", "228", "523", "654", "655", "656", "657"),
}
"""Boxes that follow from others or repeat a row; cases name them where they are the point."""


@dataclass(frozen=True, kw_only=True)
class Case:
    name: str
    boxes: dict[str, str]
    source: str
    documents: Sequence[Sale | Purchase] = ()
    previous: Sequence[PreviousDeclaration] = ()
    profile: dict[str, object] = field(default_factory=dict)
    overrides: dict[str, str] = field(default_factory=dict)


def day(**more):
    return {"on": "2025-05-01"} | more


def rate_cases(kind, documents, table, source):
    """One case for each rate of a kind: `table` has rate, box of the base, box of the tax."""
    return [
        Case(
            name=f"{kind} at {rate} %",
            documents=[documents(rate)],
            boxes={base: "100.00", quota: str(money(rate))},
            source=source,
        )
        for rate, base, quota in table
    ]


def sold(**more):
    return lambda rate: sale(line("100", rate, **more), payments=paid(("2025-06-01", 100 + Decimal(rate))), **day())


def acquired(investment=False, **more):
    return lambda rate: purchase(bought("100", rate, investment_good=investment), **day(**more))


GOODS = {"assessment": Assessment.INTRA_EU_GOODS, "vendor": GERMAN}
SERVICES = {"assessment": Assessment.INTRA_EU_SERVICES, "vendor": GERMAN}
IMPORT = {"kind": PurchaseKind.IMPORT, "vendor": SWISS}
PAGES = "design of form 390, pages 02000 to 04000; 100 x rate"

RATES = [
    *rate_cases(
        "ordinary",
        sold(),
        [
            ("0", "700", "701"),
            ("2", "667", "668"),
            ("4", "01", "02"),
            ("5", "702", "703"),
            ("7.5", "669", "670"),
            ("10", "03", "04"),
            ("21", "05", "06"),
        ],
        PAGES,
    ),
    *rate_cases(
        "cash",
        sold(regime_key="07"),
        [
            ("0", "708", "709"),
            ("2", "675", "676"),
            ("4", "643", "644"),
            ("5", "710", "711"),
            ("7.5", "677", "678"),
            ("10", "645", "646"),
            ("21", "647", "648"),
        ],
        PAGES,
    ),
    *rate_cases(
        "used goods",
        sold(regime_key="03"),
        [
            ("0", "712", "713"),
            ("2", "679", "680"),
            ("4", "07", "08"),
            ("5", "714", "715"),
            ("7.5", "681", "682"),
            ("10", "09", "10"),
            ("21", "11", "12"),
        ],
        PAGES,
    ),
    *rate_cases("travel", sold(regime_key="05"), [("21", "13", "14")], PAGES),
]


def owed_and_deducted(kind, documents, table):
    """Cases of acquisitions whose tax is owed and deducted: rate, boxes of output, boxes of input."""
    return [
        Case(
            name=f"{kind} at {rate} %",
            documents=[documents(rate)],
            boxes=dict.fromkeys(bases, "100.00") | {box: str(money(rate)) for box in quotas},
            source=PAGES,
        )
        for rate, bases, quotas in table
    ]


ACQUISITIONS = [
    *owed_and_deducted(
        "intra-EU goods",
        acquired(**GOODS),
        [
            ("2", ("683", "765"), ("684", "766")),
            ("4", ("21", "214"), ("22", "215")),
            ("5", ("718", "736"), ("719", "737")),
            ("7.5", ("685", "767"), ("686", "768")),
            ("10", ("23", "627"), ("24", "628")),
            ("21", ("25", "629", "56"), ("26", "630", "57")),
        ],
    ),
    *owed_and_deducted(
        "intra-EU investment goods",
        acquired(investment=True, **GOODS),
        [
            ("2", ("683", "769"), ("684", "770")),
            ("4", ("21", "220"), ("22", "221")),
            ("5", ("718", "738"), ("719", "739")),
            ("7.5", ("685", "771"), ("686", "772")),
            ("10", ("23", "631"), ("24", "632")),
            ("21", ("25", "633", "58"), ("26", "634", "59")),
        ],
    ),
    *owed_and_deducted(
        "intra-EU services",
        acquired(**SERVICES),
        [
            ("2", ("687", "773"), ("688", "774")),
            ("4", ("545", "587"), ("546", "588")),
            ("5", ("722", "740"), ("723", "741")),
            ("7.5", ("689", "775"), ("690", "776")),
            ("10", ("547", "635"), ("548", "636")),
            ("21", ("551", "637", "597", "523"), ("552", "638", "598")),
        ],
    ),
    Case(
        name="intra-EU goods and services at 0 %",
        documents=[acquired(**GOODS)("0"), acquired(**SERVICES)("0")],
        boxes={"716": "100.00", "717": "0.00", "720": "100.00", "721": "0.00", "109": "100.00"},
        source="design of form 390, page 02000; box 109: exempt intra-EU acquisitions",
    ),
    Case(
        name="reverse charge within Spain and from abroad",
        documents=[
            acquired(assessment=Assessment.REVERSE_CHARGE)("21"),
            acquired(assessment=Assessment.REVERSE_CHARGE, vendor=SWISS)("21"),
        ],
        boxes={"27": "200.00", "28": "42.00", "605": "200.00", "606": "42.00", "523": "100.00"},
        source="27/28; instructions of form 390, box 523: services of vendors abroad",
    ),
]
INPUT = [
    *rate_cases(
        "domestic",
        acquired(),
        [
            ("2", "695", "696"),
            ("4", "190", "191"),
            ("5", "724", "725"),
            ("7.5", "697", "698"),
            ("10", "603", "604"),
            ("21", "605", "606"),
            ("21", "48", "49"),
        ],
        PAGES,
    ),
    *rate_cases(
        "domestic investment",
        acquired(investment=True),
        [
            ("2", "749", "750"),
            ("4", "196", "197"),
            ("5", "728", "729"),
            ("7.5", "751", "752"),
            ("10", "611", "612"),
            ("21", "613", "614"),
            ("21", "50", "51"),
        ],
        PAGES,
    ),
    *rate_cases(
        "imports",
        acquired(**IMPORT),
        [
            ("2", "757", "758"),
            ("4", "202", "203"),
            ("5", "732", "733"),
            ("7.5", "759", "760"),
            ("10", "619", "620"),
            ("21", "621", "622"),
            ("21", "52", "53"),
        ],
        PAGES,
    ),
    *rate_cases(
        "imports of investment goods",
        acquired(investment=True, **IMPORT),
        [
            ("2", "761", "762"),
            ("4", "208", "209"),
            ("5", "734", "735"),
            ("7.5", "763", "764"),
            ("10", "623", "624"),
            ("21", "625", "626"),
            ("21", "54", "55"),
        ],
        PAGES,
    ),
    *rate_cases("farmers", acquired(regime_key="02"), [("12", "60", "61")], "design, REAGP 60/61"),
    Case(
        name="a credit note received",
        documents=[purchase(bought("-100"), kind=PurchaseKind.CREDIT_NOTE, **day())],
        boxes={"639": "-100.00", "62": "-21.00", "64": "-21.00", "65": "21.00"},
        source="design: rectification 639/62; 64 = sum; 65 = 47 - 64",
    ),
    Case(
        name="boxes entered by hand enter the deductions",
        overrides={"660": "10", "661": "2", "63": "3", "522": "-1"},
        boxes={"660": "10.00", "661": "2.00", "63": "3.00", "522": "-1.00", "64": "4.00", "65": "-4.00"},
        source="design: 64 = sum of deductions",
    ),
]
SURCHARGE = [
    Case(
        name=f"surcharge of {surcharge} %",
        documents=[sale(line("1000", rate, surcharge=surcharge), **day())],
        boxes={base: "1000.00", quota: str(money(10 * Decimal(surcharge)))},
        source="design of form 390, page 02B00; 1000 x surcharge",
    )
    for rate, surcharge, base, quota in [
        ("0", "0", "663", "664"),
        ("2", "0.26", "691", "692"),
        ("4", "0.5", "35", "36"),
        ("5", "0.62", "665", "666"),
        ("7.5", "1", "693", "694"),
        ("10", "1.4", "599", "600"),
        ("21", "5.2", "601", "602"),
        ("21", "1.75", "41", "42"),
    ]
]
MODIFICATIONS = [
    Case(
        name="a correction with surcharge",
        documents=[credit_note(line("-100", surcharge="5.2"), **day())],
        boxes={
            "29": "-100.00",
            "30": "-21.00",
            "43": "-100.00",
            "44": "-5.20",
            "33": "-100.00",
            "34": "-21.00",
            "47": "-26.20",
        },
        source="design: 29/30, 43/44, totals 33/34, 47",
    ),
    Case(
        name="a correction by insolvency",
        documents=[credit_note(line("-100", surcharge="5.2"), correction_reason="R2", **day())],
        boxes={"31": "-100.00", "32": "-21.00", "45": "-100.00", "46": "-5.20"},
        source="design of form 390, 31/32, 45/46; Ley 37/1992, art. 80.Tres is R2",
    ),
    Case(
        name="a corrected acquisition",
        documents=[purchase(bought("-100"), kind=PurchaseKind.CREDIT_NOTE, **day(**GOODS))],
        boxes={"29": "-100.00", "30": "-21.00", "639": "-100.00", "62": "-21.00"},
        source="instructions of form 390: 29/30 of the 390 are 14/15 of the 303s",
    ),
]
ELSEWHERE = {"category": TaxCategory.NOT_SUBJECT}
TURNOVER = [
    Case(
        name="turnover by kind",
        documents=[
            sale(line("1"), **day()),
            sale(line("2", regime_key="07"), **day()),
            sale(line("4", category=TaxCategory.INTRA_EU_GOODS), **day(client=GERMAN)),
            sale(line("8", category=TaxCategory.EXPORT), **day(client=SWISS)),
            sale(line("16", category=TaxCategory.EXEMPT), **day()),
            sale(line("32", not_subject_reason="location_rules", **ELSEWHERE), **day(client=SWISS)),
            sale(line("64", category=TaxCategory.REVERSE_CHARGE), **day()),
            sale(line("128", regime_key="17", **ELSEWHERE), **day()),
            sale(line("256", "19", regime_key="17"), **day()),
            sale(line("512", regime_key="20"), **day()),
            sale(line("1024", "12", regime_key="19"), **day()),
            sale(line("2048", regime_key="18"), **day()),
            sale(line("4096", regime_key="03"), **day()),
            sale(line("8192", regime_key="05"), **day()),
        ],
        overrides={"128": "5", "106": "10", "107": "20"},
        boxes={
            "99": "1.00",
            "653": "2.00",
            "103": "4.00",
            "104": "8.00",
            "105": "16.00",
            "110": "32.00",
            "125": "64.00",
            "126": "128.00",
            "127": "256.00",
            "128": "5.00",
            "100": "512.00",
            "101": "1024.00",
            "102": "2048.00",
            "227": "4096.00",
            "228": "8192.00",
            "106": "10.00",
            "107": "20.00",
            "108": "16358.00",
            "05": "1.00",
            "06": "0.21",
            "11": "4096.00",
            "12": "860.16",
            "13": "8192.00",
            "14": "1720.32",
        },
        source="design, volume; 1 + 2 + ... + 8192 = 16383, + 5 - 10 - 20",
    ),
    Case(
        name="specific operations",
        documents=[
            purchase(bought("100", "0"), **day()),
            purchase(bought("200"), triangular=True, **day(**GOODS)),
            purchase(bought("400", "0"), **day(**IMPORT)),
            purchase(bought("800", share=25), **day()),
        ],
        overrides={"111": "1", "113": "2"},
        boxes={
            "230": "100.00",
            "109": "200.00",
            "231": "400.00",
            "232": "600.00",
            "111": "1.00",
            "113": "2.00",
            "605": "200.00",
            "606": "42.00",
        },
        source="design, specific operations: 230, 109, 231, 232 (what of 800 is not deductible)",
    ),
    Case(
        name="cash accounting that is not paid",
        documents=[sale(line("100", regime_key="07"), **day()), purchase(bought("200"), regime_key="07", **day())],
        boxes={"654": "100.00", "655": "21.00", "656": "200.00", "657": "42.00", "653": "100.00", "647": "0.00"},
        source="design of form 390, boxes 654 to 657: amounts by the general rule of accrual",
    ),
    Case(
        name="prorrata of the year",
        profile={"prorrata": "general", "provisional_percent": 60},
        documents=[
            sale(line("2000"), **day()),
            sale(line("1000", category=TaxCategory.EXEMPT), **day()),
            purchase(bought("1000"), **day()),
        ],
        boxes={
            "115": "3000.00",
            "116": "2000.00",
            "118": "67.00",
            "522": "14.70",
            "605": "600.00",
            "606": "126.00",
            "05": "2000.00",
            "06": "420.00",
            "105": "1000.00",
        },
        source="Ley 37/1992, art. 105: 210 x (67 - 60) %; design of form 390, page 07000",
    ),
    Case(
        name="prorrata of further activities by hand",
        overrides=dict.fromkeys(("120", "121", "123", "130", "131", "133", "135", "136", "138"), "1"),
        boxes=dict.fromkeys(("120", "121", "123", "130", "131", "133", "135", "136", "138"), "1.00"),
        source="design of form 390, page 07000",
    ),
    Case(
        name="simplified regime by hand",
        overrides={"74": "1", "75": "2", "76": "4", "77": "8", "78": "16", "80": "3", "81": "5"},
        boxes={
            "74": "1.00",
            "75": "2.00",
            "76": "4.00",
            "77": "8.00",
            "78": "16.00",
            "79": "31.00",
            "80": "3.00",
            "81": "5.00",
            "82": "8.00",
            "83": "23.00",
            "84": "23.00",
            "86": "23.00",
        },
        source="design of form 390, page 05000; 84 = 65 + 83 + 658",
    ),
]


def returned(code, letter, **boxes):
    amounts = {box.removeprefix("b"): money(amount) for box, amount in boxes.items()}
    period = TaxPeriod(2025, code)
    return PreviousDeclaration(form="303", period=period, boxes=amounts, declaration_type=letter, submitted=True)


RETURNS = [
    Case(
        name="a year that pays, with 100 from the year before",
        previous=[
            returned("Q1", "I", b66="60", b110="100", b78="60", b87="40"),
            returned("Q2", "C", b66="-30", b71="-30", b110="40", b87="40"),
            returned("Q3", "I", b66="90", b110="70", b78="70", b71="20"),
            returned("Q4", "C", b66="-15", b71="-15"),
        ],
        boxes={"85": "100.00", "86": "-100.00", "95": "20.00", "97": "15.00", "662": "0.00", "98": "0.00"},
        source="instructions of form 390: 85 is what was applied of the year before (60, and 40 of 70); 95; 97",
    ),
    Case(
        name="a year that ends with a refund",
        previous=[returned("Q1", "C", b71="-30"), returned("Q4", "D", b110="30", b78="30", b71="-45")],
        boxes={"98": "45.00", "97": "0.00", "95": "0.00", "662": "0.00", "85": "0.00"},
        source="design: 98",
    ),
    Case(
        name="quotas of the year that are pending beside the last result",
        previous=[returned("Q1", "C", b71="-30"), returned("Q4", "C", b110="30", b87="30", b71="-5")],
        boxes={"662": "30.00", "97": "5.00"},
        source="design: 662, quotas generated in the year pending at its end other than 97",
    ),
    Case(
        name="monthly refunds",
        profile={"monthly_refunds": True},
        previous=[returned("M01", "D", b71="-10"), returned("M02", "D", b71="-20"), returned("M12", "D", b71="-5")],
        boxes={"96": "30.00", "98": "5.00"},
        source="design of form 390: 96 monthly refunds; 98 the last period's",
    ),
    Case(
        name="a period that was rectified counts as it stands",
        previous=[returned("Q1", "I", b71="100"), returned("Q1", "I", b70="100", b71="25")],
        boxes={"95": "125.00"},
        source="design of form 303: 70 is what was paid before",
    ),
    Case(
        name="adjustments of the returns",
        previous=[returned("Q3", "I", b76="1", b77="2"), returned("Q4", "N", b43="4", b44="8")],
        profile={"prorrata": "special"},
        boxes={
            "658": "1.00",
            "659": "2.00",
            "63": "4.00",
            "522": "8.00",
            "64": "12.00",
            "86": "-9.00",
            "118": "100.00",
        },
        source="design: 84 = 65 + 83 + 658; 86 = 84 + 659 - 85",
    ),
    Case(
        name="by hand",
        overrides={"524": "7"},
        boxes={"524": "7.00"},
        source="design of form 390: refunds for means of transport, which no 303 states",
    ),
]
GROUP_OUTPUT = (
    *("704", "705", "671", "672", "500", "501", "706", "707", "673", "674", "502", "503", "504", "505"),
    *("649", "650"),
)
GROUP_INPUT = (
    *("745", "746", "506", "507", "726", "727", "747", "748", "607", "608", "609", "610"),
    *("753", "754", "514", "515", "730", "731", "755", "756", "615", "616", "617", "618", "651", "652"),
)
SECTORS = [str(number) for number in range(139, 190) if number not in {155, 172, 189}] + ["640", "641", "642"]
TERRITORIES = ("87", "88", "89", "90", "91", "92", "93", "94", "525", "526")
BY_HAND = [
    Case(
        name="operations within a group by hand",
        overrides=dict.fromkeys((*GROUP_OUTPUT, *GROUP_INPUT), "1"),
        boxes=dict.fromkeys((*GROUP_OUTPUT, *GROUP_INPUT), "1.00")
        | {"33": "8.00", "34": "8.00", "512": "6.00", "513": "6.00", "520": "6.00", "521": "6.00"}
        | {"64": "13.00", "65": "-5.00"},
        source="design of form 390, pages 02000 to 04000: 33 and 34 of seven rates and 649/650; 64 = 513 + 521 + 652",
    ),
    Case(
        name="sectors that deduct apart by hand, and their sums",
        overrides=dict.fromkeys(SECTORS, "1"),
        boxes=dict.fromkeys(SECTORS, "1.00") | {"155": "9.00", "172": "9.00", "189": "9.00"},
        source="design of form 390, page 08000: seven quotas, the rectified one and the adjustment",
    ),
    Case(
        name="joint taxation and groups by hand",
        overrides=dict.fromkeys(TERRITORIES, "1"),
        boxes=dict.fromkeys(TERRITORIES, "1.00"),
        source="design of form 390, page 06000, sections 8 and 9",
    ),
]
CASES = [*RATES, *ACQUISITIONS, *INPUT, *SURCHARGE, *MODIFICATIONS, *TURNOVER, *RETURNS, *BY_HAND]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_documents_and_returns_reach_their_boxes(case):
    overrides = {box: Decimal(amount) for box, amount in case.overrides.items()}

    computation = compute(FORM, YEAR, case.documents, previous=case.previous, overrides=overrides, **case.profile)

    assert {box: str(computation.effective[box]) for box in case.boxes} == case.boxes
    if case not in SURCHARGE:
        assert filled(computation.effective).keys() - TOTALS <= case.boxes.keys() | same_rows(case)


def same_rows(case):
    """A case of a total also fills the boxes of its rate."""
    return {"605", "606", "613", "614", "621", "622", "625", "626"} if "total" in case.name or case in INPUT else set()


def test_every_box_of_the_yearly_form_has_a_case():
    looked_at = {box for case in CASES for box in case.boxes}
    official = {key for year in (2024, 2025) for key in FORM.boxes(TaxPeriod(year, "Y"))} | {"65"}

    assert official - looked_at == set()


# ---------------------------------------------------------------- warnings and circumstances


def test_returns_that_are_missing_are_named():
    computation = compute(FORM, YEAR, previous=[returned("Q1", "N"), returned("Q3", "N")])

    message = next(one.message for one in computation.warnings if one.code == "vat.warn_390_period_missing")
    assert "Q2, Q4" in message.in_language("es")


def test_periods_before_the_activity_are_not_missing():
    computation = compute(FORM, YEAR, previous=[returned("Q4", "N")], activities=[{"since": "2025-10-15"}])

    assert codes(computation) == set()


def test_a_year_that_differs_from_its_returns_is_warned_of():
    """Instructions of form 390: 95 less refunds and what is pending is consistent with 86."""
    returns = [returned(code, "I", b71="10") for code in ("Q1", "Q2", "Q3", "Q4")]

    agreeing = compute(FORM, YEAR, [sale(line("1", amount="40"), **day())], previous=returns)
    differing = compute(FORM, YEAR, [sale(line("1", amount="41"), **day())], previous=returns)

    assert codes(agreeing) == set()
    assert codes(differing) == {"vat.warn_390_differs"}


def test_what_has_no_box_is_named():
    documents = [
        sale(line("100", "7", tax="IGIC"), **day()),
        sale(line("100", "18"), **day()),
        sale(line("0"), **day()),
        purchase(bought("100", "18"), **day()),
        purchase(bought("100", "18"), **day(**GOODS)),
        purchase(bought("100"), kind=PurchaseKind.NO_INVOICE, **day()),
        sale(line("100", category=TaxCategory.INTRA_EU_GOODS), **day(client=CLIENT)),
    ]

    computation = compute(FORM, YEAR, documents)

    assert codes(computation) - {"vat.warn_390_period_missing"} == {
        "vat.warn_purchase_rate",
        "vat_unboxed.another_tax",
        "vat_unboxed.no_rate_box",
        "vat_unboxed.zero",
        "vat_unboxed.no_invoice",
        "vat_unboxed.no_vat_number",
    }


def test_the_profile_decides_whether_it_is_due():
    assert FORM.is_due(SpanishTaxProfile(), YEAR)
    for profile in ({"exempt_from_390": True}, {"monthly_refunds": True}, {"surcharge_regime": True}):
        assert not FORM.is_due(SpanishTaxProfile.model_validate(profile), YEAR)


def test_a_year_without_a_design_is_computed_on_the_nearest_one():
    """Designs of 2024 and 2025 are known; that of 2026 was not published when this was written."""
    years = [TaxPeriod(year, "Y") for year in (2000, 2023, 2024, 2025, 2026, 2100)]

    assert [FORM.layout(year) for year in years] == ["2024", "2024", "2024", "2025", "2025", "2025"]
    assert [FORM.knows_layout(year) for year in years] == [False, False, True, True, False, False]


def test_the_yearly_form_reads_two_years_and_is_due_at_the_end_of_january():
    """30 January 2026 is a Friday; RIVA, art. 71.7."""
    span = FORM.ledger_span(YEAR)

    assert (span.first, span.last) == (date(2024, 1, 1), date(2025, 12, 31))
    assert (FORM.due_date(YEAR), FORM.direct_debit_date(YEAR)) == (date(2026, 1, 30), None)


def test_a_year_that_was_not_paid_for_accrues_at_the_end_of_the_next():
    """Ley 37/1992, art. 163 terdecies: 31 December of the year after."""
    document = sale(line("100", regime_key="07"), on="2024-05-01")

    assert filled(compute(FORM, YEAR, [document]).effective).items() >= {"647": "100.00", "648": "21.00"}.items()


def test_an_unknown_box_of_the_yearly_form_is_refused():
    with pytest.raises(ValueError, match="999"):
        compute(FORM, YEAR, overrides={"999": Decimal(1)})
