"""Files of forms 303 and 390: what stands in them, what is missing, and reading them back.

Positions: the agency's designs DR303e26 and dr390e2025; the writer itself is tested beside `layouts`.
"""

from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vat_documents import OWNER, bought, compute, line, money, purchase, sale

from ledgerkit.providers.api import (
    Amendment,
    FileInput,
    IncompleteDeclarationError,
    Party,
    TaxPeriod,
    UnreadableFileError,
)
from ledgerkit.providers.es.tax_forms.layouts import read
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
from ledgerkit.providers.es.tax_forms.vat.form_303 import Form303
from ledgerkit.providers.es.tax_forms.vat.form_390 import Form390
from ledgerkit.texts import languages
from support.sampling import examples

FORM, YEARLY = Form303(), Form390()
IBAN = "ES91 2100 0418 4502 0005 1332"
Q1, Q4, YEAR = TaxPeriod(2026, "Q1"), TaxPeriod(2026, "Q4"), TaxPeriod(2025, "Y")
ACTIVITY = {"kind": "A05", "iae": "763", "cnae": "6201", "description": "Programación informática"}


def content(period, boxes, **more):
    profile = SpanishTaxProfile.model_validate(more.pop("profile", {}))
    given = {"owner": OWNER, "records": (), "declaration_type": None, "iban": None}
    return FileInput(period=period, boxes=boxes, profile=profile, **given | more)


def written(form, period, boxes, **more):
    return form.render_file(content(period, boxes, **more)).content


def fields(form, period, boxes, **more):
    return read(form.code, written(form, period, boxes, **more)).values


OWED = compute(FORM, Q1, [sale(line("1000"))]).effective
CREDIT = compute(FORM, Q1, [purchase(bought("1000"))]).effective


def test_a_quarter_is_written_and_read():
    file = FORM.render_file(content(Q1, OWED, declaration_type="I"))

    assert (file.name, file.media_type) == ("303_2026_1T_12345678Z.txt", "text/plain; charset=iso-8859-1")
    again = FORM.read_file(file.content)
    assert (again.period, again.tax_id, again.declaration_type) == (Q1, "12345678Z", "I")
    assert again.boxes.items() <= OWED.items()
    assert {key for key, amount in OWED.items() if amount} <= again.boxes.keys()


def test_known_positions_of_a_quarter():
    """DR303e26: type at 13 of page 01000, 07 at 326, 09 at 348; envelope of 328 characters before it."""
    text = written(FORM, Q1, OWED).decode("iso-8859-1")
    page = text[328:]

    assert page.startswith("<T30301000>")
    assert (page[12], page[325:342], page[347:364]) == ("I", "00000000000100000", "00000000000021000")


def test_the_usual_type_stands_where_none_is_chosen():
    assert fields(FORM, Q1, CREDIT)["declaration_type"] == "C"


def test_a_direct_debit_needs_a_right_account():
    assert fields(FORM, Q1, OWED, declaration_type="U", iban=IBAN)["iban"] == "ES9121000418450200051332"
    for iban, path in [(None, "iban"), ("ES00 2100 0418 4502 0005 1332", "iban")]:
        with pytest.raises(IncompleteDeclarationError) as refused:
            written(FORM, Q1, OWED, declaration_type="U", iban=iban)
        assert [problem.field for problem in refused.value.problems] == [path]


def test_a_refund_names_the_area_of_its_account():
    credit = compute(FORM, Q4, [purchase(bought("1000"), on="2026-11-01")]).effective

    stated = fields(FORM, Q4, credit, declaration_type="D", iban=IBAN)

    assert (stated["iban"], stated["sepa_mark"], stated["annual_summary_exemption"]) == (
        "ES9121000418450200051332",
        "1",
        "2",
    )


def test_all_that_is_missing_is_named_at_once():
    nobody = Party(name="", tax_id="12345678A", country="ES")

    with pytest.raises(IncompleteDeclarationError) as refused:
        written(FORM, Q1, CREDIT, owner=nobody, declaration_type="D")

    fields_named = {problem.field for problem in refused.value.problems}
    assert fields_named == {"declarationType", "taxId", "surnameName", "iban"}
    assert all(set(problem.translations) == set(languages()) for problem in refused.value.problems)


def test_the_last_page_stands_for_form_390():
    profile = {"exemptFrom390": True, "activities": [ACTIVITY]}
    boxes = compute(FORM, Q4, [sale(line("1000"), on="2026-03-01")], exempt_from_390=True).effective

    stated = fields(FORM, Q4, boxes, profile=profile)

    assert (stated["annual_summary_exemption"], stated["volume_not_zero"]) == ("1", "1")
    assert (stated["activity_code_1"], stated["iae_heading_1"]) == ("A05", "763")
    assert (stated["80"], stated["88"]) == (1000, 1000)


def test_the_page_of_the_prorrata():
    profile = {"prorrata": "general", "provisionalPercent": 60, "activities": [ACTIVITY]}
    documents = [sale(line("1000"), on="2026-03-01"), purchase(bought("100"), on="2026-03-01")]
    boxes = compute(FORM, Q4, documents, prorrata="general", provisional_percent=60).effective

    stated = fields(FORM, Q4, boxes, profile=profile)

    assert (stated["500"], stated["503"], stated["501"], stated["504"]) == ("6201", "G", 1000, 100)


def test_flags_of_the_profile():
    profile = {"monthlyRefunds": True, "cashAccounting": True}

    stated = fields(FORM, TaxPeriod(2026, "M03"), OWED, profile=profile)

    assert (stated["monthly_refund_register"], stated["cash_accounting"]) == (True, True)
    assert stated["cash_accounting_recipient"] is False


def test_who_buys_under_cash_accounting_says_so():
    boxes = compute(FORM, Q1, [purchase(bought("100"), regime_key="07")]).effective

    assert fields(FORM, Q1, boxes)["cash_accounting_recipient"] is True


def test_a_quarter_without_activity_says_so():
    assert fields(FORM, Q1, compute(FORM, Q1).effective)["no_activity"] is True
    assert fields(FORM, Q1, OWED)["no_activity"] is False


@pytest.mark.parametrize(
    ("reason", "flags"), [(None, (True, False)), ("correction", (True, False)), ("criterion", (False, True))]
)
def test_a_rectification_names_what_it_replaces_and_why(reason, flags):
    amends = Amendment(receipt_number="3031234567890", reason=reason)

    stated = fields(FORM, Q1, OWED, amends=amends)

    assert (stated["rectifying"], stated["previous_receipt"]) == (True, "3031234567890")
    assert (stated["reason_correction"], stated["reason_criterion"]) == flags


def test_before_september_2024_a_correction_is_complementary():
    period = TaxPeriod(2024, "Q2")
    boxes = compute(FORM, period, [sale(line("100"), on="2024-05-01")]).effective

    stated = fields(FORM, period, boxes, amends=Amendment(receipt_number="3031234567890"))

    assert (stated["complementary"], stated["previous_receipt"]) == (True, "3031234567890")


def test_fuels_paid_on_account_are_flagged():
    assert fields(FORM, Q1, OWED | {"112": money("1")})["fuel_advance_payment"] == "1"


def test_the_yearly_summary_is_written_and_read():
    documents = [sale(line("1000"), on="2025-03-01"), purchase(bought("100", share=50), on="2025-03-01")]
    boxes = compute(YEARLY, YEAR, documents).effective

    file = YEARLY.render_file(content(YEAR, boxes, profile={"activities": [ACTIVITY]}))

    again = YEARLY.read_file(file.content)
    assert file.name == "390_2025_0A_12345678Z.txt"
    assert (again.period, again.tax_id, again.declaration_type, again.boxes.items() <= boxes.items()) == (
        YEAR,
        "12345678Z",
        None,
        True,
    )
    assert {key for key, amount in boxes.items() if amount} <= again.boxes.keys()


def test_the_yearly_summary_that_replaces_another_says_so():
    boxes = compute(YEARLY, YEAR).effective
    profile = {"prorrata": "special", "activities": [ACTIVITY], "cashAccounting": True}

    stated = fields(YEARLY, YEAR, boxes, profile=profile, amends=Amendment(receipt_number="3901234567890"))

    assert (stated["substitute"], stated["previous_receipt"]) == (True, "3901234567890")
    assert (stated["114"], stated["117"], stated["activity_1"]) == ("620", "E", "PROGRAMACIÓN INFORMÁTICA")


def test_a_year_whose_design_is_not_published_has_no_file():
    boxes = compute(YEARLY, TaxPeriod(2026, "Y")).effective

    with pytest.raises(IncompleteDeclarationError) as refused:
        written(YEARLY, TaxPeriod(2026, "Y"), boxes)
    assert [(problem.field, problem.code) for problem in refused.value.problems] == [("period", "DESIGN_UNKNOWN")]


@pytest.mark.parametrize("form", [FORM, YEARLY])
@pytest.mark.parametrize("garbage", [b"", b"<T303", b"\xff" * 2000, b"<T390020250A0000>"])
def test_what_is_no_file_is_refused(form, garbage):
    with pytest.raises(UnreadableFileError):
        form.read_file(garbage)


OF_THE_LAST_PERIOD = {
    str(number) for number in (*range(79, 100), *range(125, 129), *range(500, 525), *range(700, 736))
} - {"87"}


def any_amounts(form, period, seed):
    """An amount for every box that the file of a period has, below zero where the box may be."""
    dice = Random(seed)
    absent = OF_THE_LAST_PERIOD if form is FORM else set()
    for key, box in form.boxes(period).items():
        amount = Decimal(dice.randint(0, 10 ** dice.randint(1, 13))) / 100
        if key not in absent:
            yield key, -amount if box.signed and dice.random() < 0.5 else amount
    yield from [("65", Decimal(100)), ("71", Decimal(5))] if form is FORM else []
    percents = ("118", "123", "133", "138", "87", "88", "89", "90", "91")
    yield from [] if form is FORM else dict.fromkeys(percents, Decimal("12.34")).items()


@pytest.mark.parametrize(
    ("form", "period"),
    [
        (FORM, TaxPeriod(2023, "Q1")),
        (FORM, TaxPeriod(2025, "Q3")),
        (FORM, Q1),
        (YEARLY, YEAR),
        (YEARLY, TaxPeriod(2024, "Y")),
    ],
    ids=["2023", "2024-09", "2026", "390 of 2025", "390 of 2024"],
)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(40), deadline=None)
def test_every_box_comes_back_as_it_was_written(form, period, seed):
    boxes = dict(any_amounts(form, period, seed))

    again = form.read_file(written(form, period, boxes))

    assert {key: again.boxes[key] for key in boxes} == boxes


# ---------------------------------------------------------------- refunds to an account abroad

SWISS_IBAN = "CH9300762011623852957"
"""Sample of the Swiss IBAN in the registry of SWIFT."""
SWISS_BANK = {
    "swift": "UBSWCHZH80A",
    "name": "Banco AG",
    "address": "Bahnhofstrasse 1",
    "city": "Zürich",
    "country": "CH",
}


def test_a_refund_abroad_names_the_bank():
    """DR303e26, page DID00: SWIFT at 12, bank at 57, its address at 127, city at 162, country at 192, mark 3 at 194."""
    credit = compute(FORM, Q4, [purchase(bought("1000"), on="2026-11-01")]).effective

    text = written(FORM, Q4, credit, declaration_type="X", iban=SWISS_IBAN, profile={"bankAbroad": SWISS_BANK}).decode(
        "iso-8859-1"
    )

    page = text[text.index("<T303DID00>") :]
    parts = [page[start - 1 : start - 1 + length].rstrip() for start, length in ((12, 11), (23, 34), (57, 70))]
    assert parts == ["UBSWCHZH80A", SWISS_IBAN, "BANCO AG"]
    assert (page[126:161].rstrip(), page[161:191].rstrip()) == ("BAHNHOFSTRASSE 1", "ZÜRICH")
    assert page[191:194] == "CH3"


def test_a_refund_abroad_without_a_bank_is_refused_field_by_field():
    credit = compute(FORM, Q4, [purchase(bought("1000"), on="2026-11-01")]).effective

    with pytest.raises(IncompleteDeclarationError) as refused:
        written(FORM, Q4, credit, declaration_type="X", iban=SWISS_IBAN)

    named = [problem.field for problem in refused.value.problems]
    assert named == ["swiftBic", "bankName", "bankAddress", "bankCity", "bankCountry"]


def test_a_refund_within_spain_does_not_name_the_bank_abroad():
    credit = compute(FORM, Q4, [purchase(bought("1000"), on="2026-11-01")]).effective

    stated = fields(FORM, Q4, credit, declaration_type="D", iban=IBAN, profile={"bankAbroad": SWISS_BANK})

    assert (stated["swift_bic"], stated["bank_name"]) == ("", "")
