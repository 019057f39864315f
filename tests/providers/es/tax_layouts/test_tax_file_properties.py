"""Values of any kind come back from the file of every design as they were given."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledgerkit.providers.api.tax_forms import IncompleteDeclarationError, TaxPeriod, UnreadableFileError
from ledgerkit.providers.es.tax_forms.layouts import all_designs, design_for, problems, read, render
from ledgerkit.providers.es.tax_forms.layouts.design import Content, FieldType
from ledgerkit.providers.es.tax_forms.layouts.designs import envelope_start
from support.sampling import examples

QUARTERS = ("Q1", "Q2", "Q3", "Q4")
MONTHS = tuple(f"M{number:02d}" for number in range(1, 13))
PERIODS = {"303": QUARTERS + MONTHS, "130": QUARTERS, "111": QUARTERS + MONTHS, "115": QUARTERS + MONTHS}
PERIODS |= {"349": QUARTERS + MONTHS + ("Y",)} | dict.fromkeys(("180", "190", "347", "390"), ("Y",))

LETTERS = "ABCÑÇXYZ 0189&.,-/'"
BLANK = {Content.TEXT: "", Content.DIGITS: "", Content.FLAG: False, Content.AMOUNT: Decimal(0)}

DESIGNS = {f"{design.form}-{design.code}": design for design in all_designs()}

designs = pytest.mark.parametrize("name", DESIGNS)


def value_of(field, style):
    """A value as the file gives it back."""
    if field.content is Content.FLAG:
        return st.booleans()
    if field.content is Content.DIGITS:
        digits = st.text("0123456789", min_size=field.length, max_size=field.length)
        return digits.map(lambda text: text if text.strip("0") else "")
    if field.content is Content.TEXT:
        letters = LETTERS + "ÁÉÜ" if style.accents else LETTERS
        return st.text(letters, max_size=min(field.length, 20)).map(lambda text: " ".join(text.split()))
    signed = field.type is FieldType.N
    figures = field.length - (1 if signed and style.blank_sign else 0)
    lowest = -(10 ** (field.length - 1) - 1) if signed else 0
    return st.integers(lowest, 10**figures - 1).map(lambda units: Decimal(units).scaleb(-field.decimals))


def filled(field):
    """A value that says something, for fields that must be given."""
    return "1" * (field.length if field.content is Content.DIGITS else min(field.length, 9))


@st.composite
def values_of(draw, fields, style, demanded):
    """Some of the fields with any value, all that is demanded with one."""
    names = draw(st.lists(st.sampled_from(sorted(fields)), unique=True, max_size=15))
    values = {name: draw(value_of(fields[name], style)) for name in names}
    for name in demanded:
        field = fields[name]
        if not str(values.get(name, "")).strip("0") or values[name] is False:
            values[name] = True if field.content is Content.FLAG else filled(field)
    return values


@st.composite
def files_of(draw, design):
    years = range(design.since.year, min(design.until.year, 2027) + 1)
    periods = [TaxPeriod(year, code) for year in years for code in PERIODS[design.form]]
    period = draw(st.sampled_from([one for one in periods if design.since <= one.span.last <= design.until]))
    fields = {name: field for segment in _head(design, period) for name, field in segment.named.items()}
    known = {name: field for name, field in fields.items() if name not in {"year", "period"}}
    values = draw(values_of(known, design.style, _demanded(design, None, known)))
    if "annual_summary_exemption" in known:
        values["annual_summary_exemption"] = "1" if period.is_last_of_year else "2"
    records = draw(st.lists(st.sampled_from(design.records[1:]), max_size=3)) if design.records else []
    return period, values, [draw(lines_of(design, segment)) for segment in records]


def _head(design, period):
    """Segments of which values may be given: pages of the last period only in it, where 390 is not due."""
    pages = [page for page in design.pages if period.is_last_of_year or not page.condition.last_period]
    return (envelope_start(design.form), *pages) if pages else design.records[:1]


def _demanded(design, record, known):
    """All that may be demanded in any circumstance."""
    rules = {name for one in design.requirements if one.record == record for name in one.fields}
    return sorted({name for name, field in known.items() if field.mandatory} | (rules & known.keys()))


@st.composite
def lines_of(draw, design, segment):
    known = {name: field for name, field in segment.named.items() if name not in {"year", "tax_id"}}
    values = draw(values_of(known, design.style, _demanded(design, segment.name, known)))
    return {"record": segment.name} | values


def expected_values(design, period, given_values, names, fields):
    usual = {}
    for one in design.usual:
        if one.applies(period):
            usual |= {
                name: text.format(year=period.year, month=f"{period.span.last.month:02}")
                for name, text in one.values.items()
            }
    return {name: _expected(fields[name], given_values, usual) for name in names}


def _expected(field, given_values, usual):
    value = given_values.get(field.name, usual.get(field.name, BLANK[field.content]))
    return Decimal(value) if field.content is Content.AMOUNT else value


@designs
@settings(max_examples=examples(100), deadline=None)
@given(data=st.data())
def test_values_come_back_as_they_were_given_and_make_the_same_file_again(name, data):
    design = DESIGNS[name]
    period, values, records = data.draw(files_of(design))
    fields = {name: one for page in (*design.head, envelope_start("000")) for name, one in page.named.items()}

    content = render(design.form, period, values, records)
    found = read(design.form, content)

    assert render(design.form, found.period, found.values, found.records) == content
    assert (found.period, found.design) == (period, design.code)
    assert found.values == expected_values(design, period, values, found.values, fields)
    given_names = {name for name, value in values.items() if str(value).strip("0.") and value is not False}
    assert given_names <= found.values.keys()
    assert len(found.records) == len(records)
    for line, record in zip(found.records, records, strict=True):
        named = {one.name: one for segment in design.records if segment.name == record["record"]
                 for one in segment.fields}  # fmt: skip
        kind = {name: value for name, value in line.items() if name != "record"}
        assert line["record"] == record["record"]
        assert kind == {name: _expected(named[name], record, {}) for name in kind}
        assert record.keys() <= line.keys()


@designs
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_a_file_that_was_cut_or_lengthened_is_refused(name, data):
    design = DESIGNS[name]
    period, values, records = data.draw(files_of(design))
    content = render(design.form, period, values, records)
    place = data.draw(st.integers(0, len(content) - (3 if design.final_break or design.records else 1)))
    spoiled = content[:place] + data.draw(st.sampled_from([b"", b"AA"])) + content[place + 1 :]

    with pytest.raises(UnreadableFileError):
        read(design.form, spoiled)


@given(content=st.binary(max_size=1200))
@settings(max_examples=examples(200), deadline=None)
def test_any_bytes_are_read_or_refused(content):
    for form in sorted(PERIODS):
        with pytest.raises(UnreadableFileError):
            read(form, content)


@given(text=st.text(max_size=60))
@settings(max_examples=examples(200), deadline=None)
def test_any_name_is_written_in_its_place_or_refused(text):
    period = TaxPeriod(2026, "Q1")
    values = {"tax_id": "12345678Z", "surname_name": f"A{text}", "declaration_type": "N"}
    design = design_for("303", period)

    if problems("303", period, values):
        with pytest.raises(IncompleteDeclarationError):
            render("303", period, values)
        return

    content = render("303", period, values)
    assert len(content) == 346 + sum(page.length for page in design.pages if not page.condition.last_period)
    assert str(read("303", content).values["surname_name"]).startswith("A")
