"""Every box of form 303: documents, amounts, and the source of each expectation.

Amounts are bases times rates, rounded half up to the cent, unless a case says otherwise. AEAT rules
are the conditions by which the agency's Pre303 takes rows of the books into boxes; the design is DR303e26.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pytest
from vat_documents import (
    CANARIAN,
    GERMAN,
    SWISS,
    bought,
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
    DocumentKind,
    Purchase,
    PurchaseKind,
    Sale,
    TaxCategory,
    TaxPeriod,
)
from ledgerkit.providers.es.tax_forms.vat.form_303 import Form303

Q1, Q4 = TaxPeriod(2026, "Q1"), TaxPeriod(2026, "Q4")
RESULTS = {"27", "45", "46", "64", "65", "66", "69", "71", "110", "78", "87"}


@dataclass(frozen=True, kw_only=True)
class Case:
    name: str
    boxes: dict[str, str]
    source: str
    documents: Sequence[Sale | Purchase] = ()
    period: TaxPeriod = Q1
    profile: dict[str, object] = field(default_factory=dict)
    overrides: dict[str, str] = field(default_factory=dict)
    exactly: bool = True
    """False where only the boxes named are looked at; otherwise no other but results may be filled."""


def rate_case(rate, base_box, quota_box, quota, *, period=Q1, day="2026-02-10"):
    return Case(
        name=f"sale at {rate} %",
        documents=[sale(line("200", rate), on=day)],
        boxes={base_box: "200.00", quota_box: quota},
        period=period,
        source="Ley 37/1992, arts. 90 and 91; 200 x rate",
    )


def surcharge_case(rates, boxes, quota, *, period=Q1, day="2026-02-10"):
    (rate, surcharge), (base_box, quota_box) = rates, boxes
    return Case(
        name=f"surcharge of {surcharge} % in {period.year} {period.code}",
        documents=[sale(line("1000", rate, surcharge=surcharge), on=day)],
        boxes={base_box: "1000.00", quota_box: quota},
        period=period,
        exactly=False,
        source="Ley 37/1992, art. 161; 1000 x surcharge",
    )


def received_case(name, boxes, **more):
    investment = more.pop("investment", False)
    return Case(
        name=name,
        documents=[purchase(bought("400", investment_good=investment), **more)],
        boxes=boxes,
        source="AEAT rules, sheet of deductible VAT; 400 x 21 % = 84",
    )


def exempt(base, code=None, category=TaxCategory.EXEMPT, **more):
    return line(base, category=category, exemption_code=code, **more)


EU_GOODS = {"category": TaxCategory.INTRA_EU_GOODS}
EU_SERVICES = {"category": TaxCategory.INTRA_EU_SERVICES}
NOT_SUBJECT = {"category": TaxCategory.NOT_SUBJECT}
GOODS, SERVICES = Assessment.INTRA_EU_GOODS, Assessment.INTRA_EU_SERVICES
Q2_2024, Q3_2024, Q4_2024 = (TaxPeriod(2024, code) for code in ("Q2", "Q3", "Q4"))

OUTPUT = [
    rate_case("0", "150", "152", "0.00"),
    rate_case("4", "01", "03", "8.00"),
    rate_case("10", "04", "06", "20.00"),
    rate_case("21", "07", "09", "42.00"),
    rate_case("2", "165", "167", "4.00", period=Q4_2024, day="2024-11-05"),
    rate_case("5", "153", "155", "10.00", period=Q3_2024, day="2024-08-05"),
    rate_case("7.5", "153", "155", "15.00", period=Q4_2024, day="2024-11-05"),
    surcharge_case(("21", "1.75"), ("156", "158"), "17.50"),
    surcharge_case(("4", "0.5"), ("168", "170"), "5.00"),
    surcharge_case(("2", "0.26"), ("168", "170"), "2.60", period=Q4_2024, day="2024-11-05"),
    surcharge_case(("5", "0.62"), ("16", "18"), "6.20", period=Q3_2024, day="2024-08-05"),
    surcharge_case(("7.5", "1"), ("16", "18"), "10.00", period=Q4_2024, day="2024-11-05"),
    surcharge_case(("4", "0.5"), ("168", "170"), "5.00", period=Q3_2024, day="2024-08-05"),
    surcharge_case(("4", "0.5"), ("16", "18"), "5.00", period=Q2_2024, day="2024-05-05"),
    surcharge_case(("10", "1.4"), ("19", "21"), "14.00"),
    surcharge_case(("21", "5.2"), ("22", "24"), "52.00"),
    Case(
        name="intra-EU acquisition of goods, whole quota owed and deducted",
        documents=[purchase(bought("400"), assessment=GOODS, vendor=GERMAN)],
        boxes={"10": "400.00", "11": "84.00", "36": "400.00", "37": "84.00"},
        source="AEAT rules, boxes 10, 11, 36, 37",
    ),
    Case(
        name="intra-EU acquisition at 0 % counts with its base",
        documents=[purchase(bought("400", "0"), assessment=GOODS, vendor=GERMAN)],
        boxes={"10": "400.00"},
        source="AEAT rules, box 10: 'tipo 0 % incluir base imponible > 0'",
    ),
    Case(
        name="reverse charge: a service from Switzerland, half of it deductible",
        documents=[purchase(bought("400", share=50), assessment=Assessment.REVERSE_CHARGE, vendor=SWISS)],
        boxes={"12": "400.00", "13": "84.00", "28": "200.00", "29": "42.00"},
        source="Ley 37/1992, arts. 84.Uno.2 and 95: 12/13, base and quota by the deductible share",
    ),
    Case(
        name="a credit note goes to modifications, whatever its sign",
        documents=[credit_note(line("-100")), credit_note(line("30", "10"))],
        boxes={"14": "-70.00", "15": "-18.00"},
        source="AEAT rules, boxes 14 and 15: R1 to R5, > or < 0; -21 + 3 = -18",
    ),
    Case(
        name="an ordinary invoice below zero goes to modifications",
        documents=[sale(line("-100"), line("50", "10"))],
        boxes={"14": "-100.00", "15": "-21.00", "04": "50.00", "06": "5.00"},
        source="AEAT rules, boxes 14 and 15: by invoice and rate",
    ),
    Case(
        name="a line below zero nets within its rate",
        documents=[sale(line("-100"), line("150", regime_key="01"))],
        boxes={"07": "50.00", "09": "10.50"},
        source="AEAT rules: a row is an invoice and rate, in which a negative line nets",
    ),
    Case(
        name="a corrected acquisition goes to 14/15 and 40/41",
        documents=[purchase(bought("-100"), kind=PurchaseKind.CREDIT_NOTE, assessment=SERVICES, vendor=GERMAN)],
        boxes={"14": "-100.00", "15": "-21.00", "40": "-100.00", "41": "-21.00"},
        source="AEAT rules, boxes 14, 15 (LRFR, 09), 40 and 41",
    ),
    Case(
        name="a corrected reverse charge likewise",
        documents=[purchase(bought("-100"), kind=PurchaseKind.CREDIT_NOTE, assessment=Assessment.REVERSE_CHARGE)],
        boxes={"14": "-100.00", "15": "-21.00", "40": "-100.00", "41": "-21.00"},
        source="AEAT rules, boxes 14, 15 (LRFR, ISP), 40 and 41",
    ),
    Case(
        name="a corrected sale with surcharge",
        documents=[credit_note(line("-100", surcharge="5.2"))],
        boxes={"14": "-100.00", "15": "-21.00", "25": "-100.00", "26": "-5.20"},
        source="AEAT rules, boxes 25 and 26",
    ),
    Case(
        name="substitution: the right amounts and those replaced, below zero, in one note",
        documents=[credit_note(line("80"), line("-100"))],
        boxes={"14": "-20.00", "15": "-4.20"},
        source="docstring of `Sale`: the sum of its lines is its effect",
    ),
    Case(
        name="margin of used goods and of travel agencies is taxed with the rest",
        documents=[sale(line("100", regime_key="03")), sale(line("200", regime_key="05"))],
        boxes={"07": "300.00", "09": "63.00"},
        source="AEAT rules, boxes 07 and 09: keys 03 and 05",
    ),
]
INPUT = [
    received_case("domestic, current", {"28": "400.00", "29": "84.00"}),
    received_case("domestic, lease of premises", {"28": "400.00", "29": "84.00"}, regime_key="12"),
    received_case("domestic, investment", {"30": "400.00", "31": "84.00"}, investment=True),
    received_case("import, current", {"32": "400.00", "33": "84.00"}, kind=PurchaseKind.IMPORT, vendor=SWISS),
    received_case(
        "import, investment", {"34": "400.00", "35": "84.00"}, kind=PurchaseKind.IMPORT, vendor=SWISS, investment=True
    ),
    received_case(
        "intra-EU, investment",
        {"10": "400.00", "11": "84.00", "38": "400.00", "39": "84.00"},
        assessment=GOODS,
        vendor=GERMAN,
        investment=True,
    ),
    Case(
        name="credit note received, and an ordinary bill below zero",
        documents=[
            purchase(bought("-100"), kind=PurchaseKind.CREDIT_NOTE),
            purchase(bought("-10", "10"), kind=PurchaseKind.INVOICE),
            purchase(bought("-20"), kind=PurchaseKind.IMPORT),
        ],
        boxes={"40": "-130.00", "41": "-26.20"},
        source="AEAT rules, boxes 40 and 41: -21 - 1 - 4.20",
    ),
    Case(
        name="compensation to a farmer, and one given back",
        documents=[
            purchase(bought("100", "12"), regime_key="02"),
            purchase(bought("-10", "12"), regime_key="02", kind=PurchaseKind.CREDIT_NOTE),
        ],
        boxes={"42": "10.80"},
        source="AEAT rules, box 42, > or < 0; Ley 37/1992, art. 130: 12 %, quota only: 12 - 1.20",
    ),
    Case(
        name="a bill that mixes current and investment goods",
        documents=[purchase(bought("100"), bought("4000", investment_good=True))],
        boxes={"28": "100.00", "29": "21.00", "30": "4000.00", "31": "840.00"},
        source="Ley 37/1992, art. 108: by the mark of each line",
    ),
    Case(
        name="deducted by the day of deduction, owed by the day of issue",
        documents=[
            purchase(bought("100"), assessment=GOODS, vendor=GERMAN, on="2026-03-31", deduction_date="2026-04-02"),
            purchase(bought("200"), on="2025-12-31", deduction_date="2026-01-05"),
        ],
        boxes={"10": "100.00", "11": "21.00", "28": "200.00", "29": "42.00"},
        source="Ley 37/1992, arts. 75, 89 and 99",
    ),
    Case(
        name="boxes that the taxpayer enters enter the totals",
        overrides={"43": "-5.00", "44": "3.00"},
        boxes={"43": "-5.00", "44": "3.00", "45": "-2.00", "46": "2.00"},
        source="design, 45 and 46; boxes entered by hand",
    ),
]
INFORMATION = [
    Case(
        name="intra-EU goods and services, less a credit note",
        documents=[
            sale(line("300", **EU_GOODS), client=GERMAN),
            sale(line("200", **EU_SERVICES), client=GERMAN),
            credit_note(line("-50", **EU_SERVICES), client=GERMAN),
        ],
        boxes={"59": "450.00"},
        source="AEAT rules, box 59: E5, and N2 with an EU VAT number, F and R signed",
    ),
    Case(
        name="exports, assimilated ones, customs regimes, goods to the Canary Islands",
        documents=[
            sale(exempt("100", category=TaxCategory.EXPORT), client=SWISS),
            sale(exempt("20", "E3"), client=SWISS),
            sale(exempt("3", "E4"), client=SWISS),
            sale(exempt("40", category=TaxCategory.EXPORT), client=CANARIAN),
            sale(exempt("5", "E6", regime_key="02"), client=SWISS),
        ],
        boxes={"60": "168.00"},
        source="AEAT rules, box 60: E2 E3 E4, and E6 with key 02",
    ),
    Case(
        name="services outside the EU, and to a Canarian client",
        documents=[
            sale(line("100", **NOT_SUBJECT, not_subject_reason="location_rules"), client=SWISS),
            sale(line("30", **NOT_SUBJECT, regime_key="08"), client=CANARIAN),
        ],
        boxes={"120": "130.00"},
        source="AEAT rules, box 120: N2 without an EU VAT number, key 08",
    ),
    Case(
        name="what follows a triangular acquisition is not subject here",
        documents=[
            sale(line("100", **EU_GOODS), client=GERMAN, triangular=True),
            sale(line("10", **EU_GOODS), client=GERMAN, triangular=True, triangular_exempt=True),
        ],
        boxes={"120": "110.00"},
        source="Ley 37/1992, arts. 26.Tres and 68; key T of form 349 is no part of box 59",
    ),
    Case(
        name="supplied with reverse charge",
        documents=[sale(line("100", category=TaxCategory.REVERSE_CHARGE))],
        boxes={"122": "100.00"},
        source="design, box 122",
    ),
    Case(
        name="one-stop shop",
        documents=[
            sale(line("100", **NOT_SUBJECT, regime_key="17"), client=None, kind=DocumentKind.SIMPLIFIED),
            sale(line("10", "22", regime_key="17"), client=None, kind=DocumentKind.SIMPLIFIED),
        ],
        boxes={"123": "100.00", "124": "10.00"},
        source="AEAT rules, boxes 123 and 124: key 17, N2 and S1",
    ),
    Case(
        name="cash accounting: a third is collected, all is informed",
        documents=[sale(line("300", regime_key="07"), payments=paid(("2026-03-01", "121")))],
        boxes={"62": "300.00", "63": "63.00", "07": "100.00", "09": "21.00"},
        source="Ley 37/1992, art. 163 terdecies: base x collected / total = 300 x 121 / 363",
    ),
    Case(
        name="cash accounting of a vendor: half is paid",
        documents=[purchase(bought("200"), regime_key="07", payments=paid(("2026-03-01", "121")))],
        boxes={"74": "200.00", "75": "42.00", "28": "100.00", "29": "21.00"},
        source="Ley 37/1992, art. 163 terdecies: base x paid / total = 200 x 121 / 242",
    ),
]
RESULT = [
    Case(
        name="the whole of the result",
        documents=[sale(line("1000"))],
        overrides={
            "76": "10",
            "65": "50",
            "77": "20",
            "110": "30",
            "68": "5",
            "108": "-1",
            "70": "7",
            "109": "4",
            "112": "2",
        },
        boxes={
            "07": "1000.00",
            "09": "210.00",
            "27": "210.00",
            "46": "210.00",
            "76": "10.00",
            "64": "220.00",
            "65": "50.00",
            "66": "110.00",
            "77": "20.00",
            "110": "30.00",
            "78": "30.00",
            "68": "5.00",
            "108": "-1.00",
            "69": "104.00",
            "70": "7.00",
            "109": "4.00",
            "112": "2.00",
            "71": "99.00",
        },
        source="design: 64 = 46 + 76; 66 = 64 x 65 / 100; 69 = 66 + 77 - 78 + 68 + 108; 71 = 69 - 70 + 109 - 112",
    ),
    Case(
        name="more is pending than needed",
        documents=[sale(line("100"))],
        overrides={"110": "30"},
        boxes={"07": "100.00", "09": "21.00", "110": "30.00", "78": "21.00", "87": "9.00", "71": "0.00"},
        source="design: 78 = min(110, max(0, 66 + 77 + 68 + 108)); 87 = 110 - 78",
    ),
    Case(
        name="nothing is applied to a result below zero",
        documents=[purchase(bought("100"))],
        overrides={"110": "30"},
        boxes={"28": "100.00", "29": "21.00", "110": "30.00", "78": "0.00", "87": "30.00", "71": "-21.00"},
        source="design, box 78; Ley 37/1992, art. 115.Uno",
    ),
    Case(
        name="an undue payment claimed by hand",
        overrides={"111": "12"},
        boxes={"111": "12.00"},
        source="design, box 111",
    ),
]
EXEMPT_FROM_390 = {"exempt_from_390": True}
LAST_PAGE = [
    Case(
        name="turnover of the year, by kind",
        period=Q4,
        profile=EXEMPT_FROM_390,
        documents=[
            sale(line("1"), line("2", "10"), on="2026-02-01"),
            credit_note(line("-1"), on="2026-05-01"),
            sale(line("4", regime_key="07"), on="2026-02-01"),
            sale(line("8", **EU_GOODS), client=GERMAN, on="2026-02-01"),
            sale(exempt("16", category=TaxCategory.EXPORT), client=SWISS, on="2026-02-01"),
            sale(exempt("32", "E1"), on="2026-02-01"),
            sale(line("64", **NOT_SUBJECT, not_subject_reason="location_rules"), client=SWISS, on="2026-02-01"),
            sale(line("128", category=TaxCategory.REVERSE_CHARGE), on="2026-02-01"),
            sale(line("256", **NOT_SUBJECT, regime_key="17"), on="2026-02-01"),
            sale(line("512", "22", regime_key="17"), on="2026-02-01"),
            sale(line("1024", regime_key="20"), on="2026-02-01"),
            sale(line("2048", "12", regime_key="19"), on="2026-02-01"),
            sale(line("4096", regime_key="18"), on="2026-02-01"),
            sale(line("8192", regime_key="03"), on="2026-02-01"),
            sale(line("16384", regime_key="05"), on="2026-02-01"),
            sale(line("32768"), on="2025-12-31"),
        ],
        overrides={"128": "5", "79": "10", "99": "20"},
        boxes={
            "80": "2.00",
            "81": "4.00",
            "93": "8.00",
            "94": "16.00",
            "83": "32.00",
            "84": "64.00",
            "125": "128.00",
            "126": "256.00",
            "127": "512.00",
            "128": "5.00",
            "86": "1024.00",
            "95": "2048.00",
            "96": "4096.00",
            "97": "8192.00",
            "98": "16384.00",
            "79": "10.00",
            "99": "20.00",
            "88": "32741.00",
        },
        source="design, page 04000; 2 + 4 + ... + 16384 = 32766, + 5 - 10 - 20",
    ),
    Case(
        name="no last page for who files the 390",
        period=Q4,
        documents=[sale(line("100"), on="2026-11-01")],
        boxes={"07": "100.00", "09": "21.00"},
        source="design, page 04000: only when exempt from 390",
    ),
    Case(
        name="prorrata: 60 % provisionally",
        documents=[purchase(bought("1000"))],
        profile={"prorrata": "general", "provisional_percent": 60},
        boxes={"28": "600.00", "29": "126.00"},
        source="Ley 37/1992, art. 104: base and quota in proportion, 210 x 60 %",
    ),
    Case(
        name="prorrata: the final percent is 67, of which the year lacks 7",
        period=Q4,
        profile={"prorrata": "general", "provisional_percent": 60},
        documents=[
            sale(line("2000"), on="2026-03-01"),
            sale(exempt("1000", "E1"), on="2026-03-01"),
            purchase(bought("1000"), on="2026-03-01"),
            purchase(bought("500"), on="2026-11-01"),
        ],
        boxes={"28": "300.00", "29": "63.00", "44": "22.05", "501": "3000.00", "502": "2000.00", "504": "67.00"},
        source="Ley 37/1992, arts. 104.Dos and 105: 2000 / 3000 rounded up = 67; 44 = (210 + 105) x (67 - 60) %",
    ),
    Case(
        name="special prorrata: what each purchase says, and no adjustment",
        period=Q4,
        profile={"prorrata": "special"},
        documents=[
            sale(line("1000"), on="2026-11-01"),
            sale(exempt("1000", "E1"), on="2026-11-01"),
            purchase(bought("100"), bought("300", "10", share=0), on="2026-11-01"),
        ],
        boxes={
            "07": "1000.00",
            "09": "210.00",
            "28": "100.00",
            "29": "21.00",
            "44": "0.00",
            "501": "2000.00",
            "502": "1000.00",
            "504": "50.00",
        },
        source="Ley 37/1992, art. 106: by the use of each purchase",
    ),
    Case(
        name="prorrata: further activities by hand",
        period=Q4,
        overrides={str(number): "1" for number in range(506, 525) if number % 5 in {1, 2, 4}},
        boxes={str(number): "1.00" for number in range(506, 525) if number % 5 in {1, 2, 4}},
        source="design DR303e26, page 05000",
    ),
    Case(
        name="sectors that deduct apart by hand, and their sums",
        period=Q4,
        overrides={str(number): "1" for number in range(700, 735) if number != 717},
        boxes={str(number): "1.00" for number in range(700, 735)} | {"717": "9.00", "735": "9.00"},
        source="design DR303e26, page 05000: seven quotas, the rectified one and the adjustment",
    ),
]
CASES = [*OUTPUT, *INPUT, *INFORMATION, *RESULT, *LAST_PAGE]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_documents_reach_their_boxes(case):
    overrides = {box: Decimal(amount) for box, amount in case.overrides.items()}

    computation = compute(Form303(), case.period, case.documents, overrides=overrides, **case.profile)

    assert {box: str(computation.effective[box]) for box in case.boxes} == case.boxes
    if case.exactly:
        assert filled(computation.effective).keys() - RESULTS <= case.boxes.keys()


def test_every_box_has_a_case():
    looked_at = {box for case in CASES for box in case.boxes}
    official = {key for year in (2023, 2025, 2026) for key in Form303().boxes(TaxPeriod(year, "Q4"))}

    assert official - looked_at == set()


def test_a_box_is_rounded_once():
    """Quotas with four decimals, as the AEAT's sample book has one: a box is rounded once; 3 x 0.205 is 0.615."""
    fine = replace(line("1"), amount=Decimal("0.2050"))

    computation = compute(Form303(), Q1, [sale(fine) for _ in range(3)])

    assert computation.effective["09"] == money("0.62")
    assert sum(part.amount for part in computation.evidence["09"]) == money("0.62")
