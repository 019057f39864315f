"""Stored JSON of documents and evidence: written at once, it has the bytes that it has always had."""

from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from ledgerkit.core.declarations.table import DOCUMENTS, EVIDENCE, EVIDENCE_IDS, Boxes, StoredDocumentRef
from ledgerkit.money import dumps_exact

TEXTS = st.text(max_size=5)
AMOUNTS = st.decimals(allow_nan=False, min_value=-(10**13), max_value=10**13, places=2)
REFERENCES = st.builds(
    StoredDocumentRef,
    id=TEXTS,
    origin=TEXTS,
    number=st.none() | TEXTS,
    date=st.dates(date(2000, 1, 1)),
    party=st.none() | TEXTS,
    tax_id=st.none() | TEXTS,
)


@given(st.dictionaries(TEXTS, st.dictionaries(TEXTS, AMOUNTS, max_size=3), max_size=3))
def test_evidence_is_written_with_the_digits_of_its_amounts(evidence: dict[str, Boxes]):
    text = EVIDENCE.encode_text(evidence)

    assert text == dumps_exact(evidence)
    assert EVIDENCE.decode_text(text) == evidence
    assert {box: list(ids) for box, ids in EVIDENCE_IDS.decode_text(text).items()} == {
        box: list(amounts) for box, amounts in evidence.items()
    }


def test_amounts_are_numbers():
    assert EVIDENCE.encode_text({"07": {"a": Decimal("100.00"), "b": Decimal("-0.07")}}) == (
        '{"07":{"a":100.0,"b":-0.07}}'
    )


@given(st.lists(REFERENCES, max_size=3))
def test_documents_are_written_as_their_objects_are(documents: list[StoredDocumentRef]):
    text = DOCUMENTS.encode_text(tuple(documents))

    assert text == dumps_exact(DOCUMENTS.encode(tuple(documents)))
    assert DOCUMENTS.decode_text(text) == tuple(documents)
