import json
from pathlib import Path

import pytest
from spanish_documents import CHANNEL

from ledgerkit.providers.api import Category, Mending
from ledgerkit.providers.es.sandbox.answers import describe
from ledgerkit.providers.es.verifactu import answers, codes
from ledgerkit.texts import languages

OFFICIAL = Path(__file__).parents[4].parent / "shared" / "spain" / "verifactu-schemas" / "error_codes.json"
CATEGORIES = {
    "envio": Category.SUBMISSION,
    "registro": Category.RECORD,
    "aceptado_con_errores": Category.REMARK,
}
EXPLAINED = [code for code, entry in codes.entries().items() if entry.words]


@pytest.fixture(scope="module")
def official():
    if not OFFICIAL.is_file():
        pytest.skip(f"reference material absent: {OFFICIAL}")
    return json.loads(OFFICIAL.read_text("utf-8"))


def test_codes_and_categories_are_the_official_ones(official):
    known = {code: entry.category for code, entry in codes.entries().items()}

    assert known == {str(one["code"]): CATEGORIES[one["category"]] for one in official}
    assert len(known) == 247


def test_no_word_of_ours_is_the_official_wording(official):
    theirs = {one["message_es"].strip(" .").casefold() for one in official}
    ours = {codes.wording(code).wording("es").message.casefold() for code in EXPLAINED}

    assert ours.isdisjoint(theirs)


def test_the_sandbox_does_not_repeat_the_official_wording_either(official):
    theirs = {one["message_es"].strip(" .").casefold() for one in official}

    assert theirs.isdisjoint(describe(one["code"]).strip(" .").casefold() for one in official)


def test_a_fault_over_one_record_is_mended_by_another_record():
    mending = {code: codes.entries()[code].mending for code in answers.OF_A_RECORD - {"4114"}}

    assert set(mending.values()) == {Mending.AMENDMENT}


def test_what_may_be_sent_again_is_what_the_authority_calls_technical():
    technical = "1129 1241 1243 1256 1288 3500 3501 4103 4108 4110 4111 4118 4128"

    assert codes.retryable() == set(technical.split())
    assert codes.retryable() == answers.RETRYABLE


def test_every_code_is_explained_in_all_languages_in_whole_sentences():
    texts = [(code, said) for code in EXPLAINED for said in (CHANNEL.explain(code).cause, CHANNEL.explain(code).remedy)]

    said = [(code, {language: words.in_language(language) for language in languages()}) for code, words in texts]
    assert [code for code, words in said if words["en"] in {words["es"], words["ca"]}] == []
    assert [(code, one) for code, words in said for one in words.values() if not is_whole_sentence(one)] == []


def is_whole_sentence(text):
    return text[0].isupper() and text.endswith(".") and ".." not in text


@pytest.mark.parametrize(
    ("code", "category", "mending"),
    [
        ("4112", Category.SUBMISSION, Mending.OPERATOR),
        ("4103", Category.SUBMISSION, Mending.RESEND),
        ("1124", Category.RECORD, Mending.CORRECTIVE),
        ("1239", Category.RECORD, Mending.AMENDMENT),
        ("3001", Category.RECORD, Mending.NOTHING),
        ("2000", Category.REMARK, Mending.AMENDMENT),
        ("2004", Category.REMARK, Mending.NOTHING),
        ("2009", Category.REMARK, Mending.NOTHING),
    ],
)
def test_codes_have_a_category_and_a_kind_of_mending(code, category, mending):
    known = CHANNEL.explain(code)

    assert (known.category, known.mending) == (category, mending)


def test_only_remarks_on_late_records_and_on_ipsi_need_no_amendment():
    remarks = {code: entry.mending for code, entry in codes.entries().items() if entry.category is Category.REMARK}

    assert {code for code, mending in remarks.items() if mending is not Mending.AMENDMENT} == {"2004", "2009"}


def test_what_we_cannot_explain_has_no_words_but_its_category():
    known = CHANNEL.explain("1214")

    assert (known.cause, known.remedy, known.category) == (None, None, Category.RECORD)
    with pytest.raises(KeyError):
        codes.wording("1214")


@pytest.mark.parametrize("code", ["", "9999", "CERTIFICATE_UNUSABLE", "mend"])
def test_what_is_no_code_has_no_explanation(code):
    assert CHANNEL.explain(code) is None


def test_every_code_that_a_user_can_meet_is_explained():
    """All but leftovers of other services, the query service's, and what this program writes by itself."""
    assert len(EXPLAINED) >= 190
