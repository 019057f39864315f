"""The record books and form 303 say the same of the same documents: the agency derives the one from the other."""

from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st
from test_vat_properties import FORM, purchases, sales
from vat_documents import compute, ledger

from ledgerkit.providers.api import DateSpan, PurchaseKind, Sale, TaxPeriod
from ledgerkit.providers.es.books import BOOKS, columns
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
from support.sampling import examples

ISSUED, RECEIVED, _ = BOOKS
NOTHING = Decimal(0)
QUARTER = TaxPeriod(2025, "Q2")


def declared_at_once(document) -> bool:
    """By cash accounting, the books list payments; simplified invoices received reach no box of the form."""
    if isinstance(document, Sale):
        return all(line.regime_key != "07" for line in document.taxes)
    return document.regime_key != "07" and document.kind is not PurchaseKind.SIMPLIFIED


documents = st.lists(st.one_of(sales(), purchases()).filter(declared_at_once), max_size=12)


def listed(book, names, documents, span: DateSpan) -> list[dict]:
    of = ledger(documents, span=span)
    return [dict(zip(names, row, strict=True)) for row in book.rows(of, SpanishTaxProfile())]


def total(rows, name) -> Decimal:
    return sum((row[name] or NOTHING for row in rows), NOTHING)


@given(documents)
@settings(max_examples=examples(120, 8), deadline=None)
def test_the_books_add_up_to_what_the_form_declares(documents):
    issued = listed(ISSUED, columns.ISSUED, documents, QUARTER.span)
    received = listed(RECEIVED, columns.RECEIVED, documents, QUARTER.span)
    assessed = [row for row in received if row["reverse_charge"] == "S" or row["key"] == "09"]
    boxes = compute(FORM, QUARTER, documents).computed

    assert boxes["27"] == total(issued, "quota") + total(issued, "surcharge") + total(assessed, "quota")
    assert boxes["45"] == total(received, "deductible")


@given(documents)
@settings(max_examples=examples(120, 8), deadline=None)
def test_the_rows_of_a_document_add_up_to_it(documents):
    year = TaxPeriod(2025, "Y").span
    rows = [*listed(ISSUED, columns.ISSUED, documents, year), *listed(RECEIVED, columns.RECEIVED, documents, year)]

    for one in documents:
        own = [row for row in rows if row["reference"] == one.document_id]
        assert total(own, "total") == one.gross_total
        assert total(own, "retention") == one.retention
