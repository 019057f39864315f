"""Files of the forms of income tax and of the lists: written from their computations, and read again."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from income_books import (
    GERMAN,
    LANDLORD,
    OWNER,
    SETTLED,
    VENDOR,
    credit,
    given,
    line,
    paid,
    previous,
    professional,
    purchase,
    rent,
    sale,
    wages,
)

from ledgerkit.providers.api import (
    Amendment,
    DocumentRef,
    FileInput,
    IncompleteDeclarationError,
    TaxCategory,
    TaxPeriod,
    UnreadableFileError,
)
from ledgerkit.providers.es import country
from ledgerkit.providers.es.tax_forms.income.form_111 import Form111
from ledgerkit.providers.es.tax_forms.income.form_115 import Form115
from ledgerkit.providers.es.tax_forms.income.form_130 import Form130
from ledgerkit.providers.es.tax_forms.lists.form_180 import Form180
from ledgerkit.providers.es.tax_forms.lists.form_190 import Form190
from ledgerkit.providers.es.tax_forms.lists.form_347 import Form347
from ledgerkit.providers.es.tax_forms.lists.form_349 import Form349
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
from ledgerkit.texts import languages

DAY = date(2025, 5, 10)
IBAN = "ES9121000418450200051332"
"""Sample of a right IBAN (ISO 13616)."""

SERVICES = line("1000", "0", category=TaxCategory.INTRA_EU_SERVICES)
BACK = line("-100", "0", category=TaxCategory.INTRA_EU_SERVICES)
BOOKS = [
    sale("s1", DAY, line("5000"), retention="75", payments=(paid(DAY, "6001", in_cash=True),)),
    sale("s2", DAY, SERVICES, client=GERMAN),
    sale("s0", date(2025, 2, 1), SERVICES, client=GERMAN),
    credit("s3", DAY, BACK, client=GERMAN, corrects=(DocumentRef(number="s0", issue_date=date(2025, 2, 1)),)),
    purchase("p1", DAY),
    professional("p2", DAY),
    professional("p3", DAY, "-10"),
    rent("p4", DAY),
    wages("p5", DAY),
]
FORMS = [(Form130(), "Q2"), (Form111(), "Q2"), (Form115(), "Q2"), (Form349(), "Q2")] + [
    (form, "Y") for form in (Form180(), Form190(), Form347())
]


def content_of(form, code, **changes):
    computation = form.compute(given(code, *BOOKS, year=2025, earlier=[previous("130", "Q1", year=2025)]))
    return FileInput(
        **{
            "period": TaxPeriod(2025, code),
            "owner": OWNER,
            "boxes": computation.effective,
            "records": [record.fields for record in computation.records],
            "declaration_type": next(iter(computation.declaration_types), None),
            "iban": None,
            "profile": SETTLED,
        }
        | changes
    )


def fields_of(problems):
    return [problem.field for problem in problems]


@pytest.mark.parametrize(("form", "code"), FORMS, ids=lambda value: getattr(value, "code", value))
def test_file_is_read_as_it_was_written(form, code):
    content = content_of(form, code)

    file = form.render_file(content)
    again = form.read_file(file.content)

    assert (content.period, "12345678Z") == (again.period, again.tax_id)
    assert content.declaration_type == again.declaration_type
    assert {key: Decimal(box) for key, box in content.boxes.items()} == dict(again.boxes)
    assert len(content.records) == len(again.records)
    for written, read in zip(content.records, again.records, strict=True):
        for key, value in written.items():
            assert _as_read(key, value) == read[key], key


def _as_read(key, value):
    if value in {None, "0"}:
        return ""
    return _NAMES.get(value, value) if key == "partyName" else value


_NAMES = {
    "Pérez Núñez, José": "PEREZ NUÑEZ, JOSE",
    "Kunde GmbH": "KUNDE GMBH",
    "Locales SA": "LOCALES SA",
    "Cliente SL": "CLIENTE SL",
}
"""Records have upper case and no accents but Ñ and Ç (record designs of the AEAT)."""


@pytest.mark.parametrize(("form", "code"), FORMS, ids=lambda value: getattr(value, "code", value))
def test_file_has_its_name_and_bytes(form, code):
    file = form.render_file(content_of(form, code))

    period = {"Q2": "2T", "Y": "0A"}[code]
    assert f"{form.code}_2025_{period}_12345678Z.txt" == file.name
    assert file.media_type == "text/plain; charset=iso-8859-1"
    assert file.content.startswith((f"<T{form.code}0".encode(), f"1{form.code}2025".encode()))


def test_records_have_500_characters():
    for form, code in FORMS[3:]:
        lines = form.render_file(content_of(form, code)).content.split(b"\r\n")
        assert lines.pop() == b""
        assert {500} == set(map(len, lines))


def test_direct_debit_needs_an_account():
    with pytest.raises(IncompleteDeclarationError) as refused:
        Form111().render_file(content_of(Form111(), "Q2", declaration_type="U"))

    assert fields_of(refused.value.problems) == ["iban"]
    spaced = " ".join((IBAN[:4], IBAN[4:]))
    assert (
        IBAN.encode() in Form111().render_file(content_of(Form111(), "Q2", declaration_type="U", iban=spaced)).content
    )


def test_wrong_account_is_refused():
    with pytest.raises(IncompleteDeclarationError) as refused:
        Form111().render_file(content_of(Form111(), "Q2", declaration_type="U", iban="ES9121000418450200051333"))

    assert [problem.code for problem in refused.value.problems] == ["IBAN_WRONG"]


@pytest.mark.parametrize(("form", "code"), FORMS[:3], ids=lambda value: getattr(value, "code", value))
def test_letter_that_the_result_does_not_allow_is_refused(form, code):
    with pytest.raises(IncompleteDeclarationError) as refused:
        form.render_file(content_of(form, code, declaration_type="N"))

    assert fields_of(refused.value.problems) == ["declarationType"]


@pytest.mark.parametrize(("form", "code"), FORMS[:3], ids=lambda value: getattr(value, "code", value))
def test_without_a_choice_the_usual_letter_stands_in_the_file(form, code):
    file = form.render_file(content_of(form, code, declaration_type=None))

    assert form.read_file(file.content).declaration_type == "I"


def test_declarant_without_tax_id_is_refused():
    with pytest.raises(IncompleteDeclarationError) as refused:
        Form349().render_file(content_of(Form349(), "Q2", owner=replace(OWNER, tax_id=None)))

    assert list(dict.fromkeys(fields_of(refused.value.problems)))[:1] == ["taxId"]


def test_complementary_names_the_receipt():
    amends = Amendment(receipt_number="1301234567890")

    file = Form130().render_file(content_of(Form130(), "Q2", amends=amends))

    assert b"X1301234567890" in file.content, "design of 2015: positions 432 and 433"


def test_name_is_taken_apart_where_it_has_a_comma():
    file = Form130().render_file(content_of(Form130(), "Q2", owner=replace(OWNER, name="Ruiz Gil, Ana")))

    assert b"12345678ZRUIZ GIL".ljust(69) + b"ANA".ljust(20) in file.content


def test_missing_data_are_named_field_by_field():
    documents = [professional("a", DAY, vendor=replace(VENDOR, tax_id=None, province=None, postal_code=None))]
    computation = Form190().compute(given("Y", *documents, year=2025))
    records = [record.fields for record in computation.records]

    with pytest.raises(IncompleteDeclarationError) as refused:
        Form190().render_file(content_of(Form190(), "Y", boxes=computation.effective, records=records))

    assert {"records[0].partyTaxId", "records[0].province"} == set(fields_of(refused.value.problems))


def test_landlord_without_a_placed_property_is_refused():
    documents = [rent("a", DAY, leased_property=None, vendor=LANDLORD)]
    computation = Form180().compute(given("Y", *documents, year=2025))
    records = [record.fields for record in computation.records]

    with pytest.raises(IncompleteDeclarationError) as refused:
        Form180().render_file(content_of(Form180(), "Y", boxes=computation.effective, records=records))

    assert "records[0].propertySituation" in fields_of(refused.value.problems)


def test_year_without_a_published_design_is_refused_and_computed_all_the_same():
    form, period = Form190(), TaxPeriod(2026, "Y")

    with pytest.raises(IncompleteDeclarationError) as refused:
        form.render_file(content_of(form, "Y", period=period))

    assert [problem.code for problem in refused.value.problems] == ["DESIGN_UNKNOWN"]
    assert form.layout(period) == "2025"
    assert form.periods(2026) == ("Y",)


def test_record_of_a_strange_field_is_refused():
    with pytest.raises(ValueError, match="colour"):
        Form349().render_file(content_of(Form349(), "Q2", records=[{"record": "operator", "colour": "red"}]))


@pytest.mark.parametrize("content", [b"", b"{}", b"<T13002025", "€".encode() * 500])
@pytest.mark.parametrize("form", [Form130(), Form349()])
def test_garbage_is_unreadable(form, content):
    with pytest.raises(UnreadableFileError):
        form.read_file(content)


@pytest.mark.parametrize(("form", "code"), FORMS, ids=lambda value: getattr(value, "code", value))
def test_every_layout_is_one_of_the_designs(form, code):
    expected = {"130": "2015", "111": "2016", "115": "2015", "180": "2014", "190": "2025", "347": "2014", "349": "2020"}

    assert expected[form.code] == form.layout(TaxPeriod(2025, code)), "the design is another one"


@pytest.mark.parametrize(("form", "code"), FORMS, ids=lambda value: getattr(value, "code", value))
def test_forms_and_boxes_are_named_in_all_languages(form, code):
    boxes = form.boxes(TaxPeriod(2025, code))

    assert form.name.languages == languages()
    for language in languages():
        assert len(boxes) == len({box.name.in_language(language) for box in boxes.values()})
    assert boxes.keys() == form.compute(given(code, year=2025)).computed.keys()


def test_spain_offers_each_form_once():
    codes = [form.code for form in country.declarations]

    assert {form.code for form, _ in FORMS} <= set(codes)
    assert len(codes) == len(set(codes))


# ---------------------------------------------------------------- leased properties without a cadastral reference

PLACE = {
    "streetType": "CALLE",
    "streetName": "Ancha",
    "houseNumber": "4",
    "floor": "BJ",
    "municipality": "Cádiz",
    "municipalityCode": "11012",
    "postalCode": "11001",
}


def filed_180(situation, reference):
    """File of a rent of the property that the profile places."""
    named = {"reference": "LOCAL 1", "situation": situation, **PLACE}
    profile = SpanishTaxProfile.model_validate({"leasedProperties": [named]})
    period = given("Y", rent("a", DAY, leased_property=reference), year=2025, profile=profile)
    computation = Form180().compute(period)
    records = [record.fields for record in computation.records]
    content = content_of(Form180(), "Y", boxes=computation.effective, records=records)
    return computation, Form180().render_file(content).content


@pytest.mark.parametrize(("situation", "cadastral"), [("2", "LOCAL1"), ("3", "")])
def test_form_180_has_the_address_that_the_profile_states(situation, cadastral):
    """Record design of form 180: situation at 114, reference 115, street 140, number 193, postal code 323."""
    computation, content = filed_180(situation, "local 1")

    line = content.decode("iso-8859-1").split("\r\n")[1]
    assert computation.warnings == ()
    assert (line[113], line[114:134].rstrip()) == (situation, cadastral)
    assert (line[134:139], line[139:189].rstrip(), line[189:197]) == ("CALLE", "ANCHA", "NUM00004")
    assert (line[209:212].rstrip(), line[285:315].rstrip()) == ("BJ", "CADIZ")
    assert line[315:327] == "110121111001"
    [record] = Form180().read_file(content).records
    assert (record["streetName"], record["municipality"], record["postalCode"]) == ("ANCHA", "CADIZ", "11001")


def test_form_180_of_a_property_abroad_has_no_spanish_place():
    _, content = filed_180("4", "LOCAL 1")

    line = content.decode("iso-8859-1").split("\r\n")[1]
    assert (line[113], line[114:134].strip(), line[320:327]) == ("4", "", "0000000")


def test_form_180_of_another_property_is_refused_as_before():
    with pytest.raises(IncompleteDeclarationError) as refused:
        filed_180("3", "LOCAL 2")

    assert "records[0].propertySituation" in fields_of(refused.value.problems)
