"""Every row of the table of rules: a document that breaks it alone, a neighbour that does not, and a second opinion.

The second opinion is the sandbox authority's, on the very record of the document. Both were written by us from the
same official validations, apart from each other and in different terms (documents here, XML there): where they agree,
two readings of the text agree. Only the real service could say that the reading is right.
"""

import re
from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_borders import BORDERS
from rule_cases import CASES, NOT_WRITTEN
from spanish_documents import CHANNEL, TODAY, invoice, line

from ledgerkit.providers.api import Document, Environment, Heading, Installation, Place
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.sandbox.forms import Setting
from ledgerkit.providers.es.sandbox.messages import SubmissionError
from ledgerkit.providers.es.sandbox.reading import read
from ledgerkit.providers.es.sandbox.rules import refusal, remark
from ledgerkit.providers.es.verifactu import codes, rules
from ledgerkit.providers.es.verifactu.rules.subject import Subject
from ledgerkit.texts import languages

REFERENCE = Path(__file__).parents[4].parent / "shared" / "spain" / "verifactu.md"
NOW = datetime(2026, 11, 20, 12, tzinfo=ZoneInfo("Europe/Madrid"))
PLACE = Place(
    previous=None,
    installation=Installation(number="0001", several_issuers=False),
    at=NOW,
    environment=Environment.SANDBOX,
)
PAIRS = [
    pytest.param((*key, ordinal), broken, fine, id=f"{'-'.join(key)}-{ordinal}")
    for key, pairs in CASES.items()
    for ordinal, (broken, fine) in enumerate([*pairs, *BORDERS.get(key, ())])
]
DOCUMENTS = [document for pairs in CASES.values() for pair in pairs for document in pair]
FIELDS = [one.name for one in fields(Document)]
UNSEALABLE = {("4116", "issuer.taxId"), ("1104", "number"), ("1130", "number")}
"""No record at all is made of these: it would spoil the chain."""


def found(document):
    return [(problem.code, problem.field) for problem in CHANNEL.preflight(document, TODAY)]


def judged(document):
    """Code of the sandbox authority for the record of an unchecked document, or None."""
    record = CHANNEL.seal(document, PLACE)
    try:
        submission = read(CHANNEL.message(Heading(issuer=document.issuer), [record.content]), TODAY)
    except SubmissionError as fault:
        return fault.code
    setting = Setting(header=submission.header, now=NOW)
    (issued,) = submission.records
    return refusal(issued, setting) or remark(issued, setting, chain_has_records=False)


def test_every_row_has_its_cases_and_a_name_of_its_own():
    names = [(row.code, row.field) for row in rules.TABLE]

    assert len(names) == len(set(names))
    assert set(names) == set(CASES)
    assert set(BORDERS) <= set(CASES)


@pytest.mark.parametrize(("key", "broken", "fine"), PAIRS)
def test_a_document_breaks_exactly_its_rule_and_its_neighbour_none(key, broken, fine):
    assert found(broken) == [key[:2]]
    assert found(fine) == []


@pytest.mark.parametrize(("key", "broken", "fine"), [pair for pair in PAIRS if pair.values[0][:2] not in UNSEALABLE])
def test_the_authority_says_the_same_of_the_record(key, broken, fine):
    rule = key[:2]
    code = NOT_WRITTEN[key] if key in NOT_WRITTEN else NOT_WRITTEN[rule] if rule in NOT_WRITTEN else int(key[0])

    assert judged(broken) == code
    assert judged(fine) is None


@given(st.sampled_from(DOCUMENTS), st.sampled_from(DOCUMENTS), st.sets(st.sampled_from(FIELDS)))
def test_no_rule_is_spared_to_a_document_that_breaks_it(one, other, names):
    mixed = replace(one, **{name: getattr(other, name) for name in names})
    subject = Subject(document=mixed, today=TODAY)

    every = [(row.code, row.field) for row in rules.TABLE if list(row.broken(subject))]

    assert list(dict.fromkeys(found(mixed))) == every


def test_every_row_names_its_source_and_its_element():
    assert [(row.code, row.field) for row in rules.TABLE if not (row.source and row.element)] == []


def test_every_broken_rule_says_what_to_do_in_both_languages():
    problems = {key: CHANNEL.preflight(pairs[0][0], TODAY) for key, pairs in CASES.items()}

    assert {key: found for key, found in problems.items() if len(found) != 1} == {}
    assert {key: faults for key, (problem,) in problems.items() if (faults := faults_of_words(problem))} == {}


def faults_of_words(problem):
    english, spanish = problem.translations["en"], problem.translations["es"]
    rightful = {
        "all languages": set(problem.translations) == set(languages()),
        "English by default": vars(english) == {"message": problem.message, "remedy": problem.remedy},
        "a Spanish message": spanish.message != problem.message,
        "a message without a full stop": all(said.message and said.message[-1] != "." for said in (english, spanish)),
        "a remedy with a full stop": all(said.remedy.endswith(".") for said in (english, spanish)),
        "no gaps": not re.search(r"\{|  ", "".join(said.message + said.remedy for said in (english, spanish))),
    }
    return [f"lacks {promise}" for promise, holds in rightful.items() if not holds]


def test_codes_are_the_authoritys_but_for_those_of_the_law():
    own = {row.code for row in rules.TABLE} - set(codes.entries())

    assert own == {"VAT_NUMBER_MISSING", "NOT_SUBJECT_REASON_MISSING", "MARGIN_MISSING"}


def test_every_code_that_a_client_can_check_is_a_row_or_has_its_reason():
    if not REFERENCE.is_file():
        pytest.skip(f"reference material absent: {REFERENCE}")
    text = REFERENCE.read_text("utf-8")
    section = text[text.index("## 11.") : text.index("## 12.")]
    named = set(re.findall(r"\b\d{4}\b", section)) & set(codes.entries())
    rows = {row.code for row in rules.TABLE}

    assert named - rows == set(rules.ELSEWHERE)


def test_numbers_and_days_are_written_as_the_language_writes_them():
    (problem,) = CHANNEL.preflight(invoice(line(rate="18.5")), TODAY)

    assert problem.message == "18.5 % is no rate of the VAT"
    assert problem.translations["es"].message == "18,5 % no es un tipo de IVA"
    assert problem.remedy == "Use one of 21, 10, 4, 0."


def test_several_broken_rules_are_told_at_once_each_once():
    document = invoice(line(rate="18"), line(rate="18", regime_key="07"), number="Ñ=", currency="USD")

    assert found(document) == [
        ("1130", "number"),
        ("1287", "number"),
        ("1100", "currency"),
        ("1124", "items"),
    ]


@pytest.mark.parametrize("value", ["", "1", "000000000", "12345678A"])
def test_why_a_nif_is_none_is_known_in_spanish(value):
    reason = tax_ids.check(value, "ES").reason

    assert reason.in_language("es") != reason.in_language("en")
