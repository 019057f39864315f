"""Digests of documents: they show whether a document has changed since its record was made."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from hashlib import sha256

import pytest

from ledgerkit.core.einvoice.issuance import seals
from ledgerkit.providers.api import Document, DocumentKind, Party, TaxCategory, TaxLine

ZERO = Decimal("0.00")
LINE = TaxLine(category=TaxCategory.NOT_SUBJECT, rate=ZERO, base=Decimal("100.00"), amount=ZERO)
PLAIN = Document(
    kind=DocumentKind.INVOICE,
    number="F2026-0001",
    issue_date=date(2026, 1, 1),
    operation_date=None,
    issuer=Party(name="Ana Ruiz", tax_id="20000101P", country="ES"),
    recipient=None,
    currency="EUR",
    description="Identidad visual",
    taxes=(LINE, LINE),
    tax_total=ZERO,
    gross_total=Decimal("200.00"),
    retention=ZERO,
    payable=Decimal("200.00"),
)


def test_a_document_that_says_nothing_new_keeps_the_digest_of_earlier_versions():
    assert seals.content_digest(PLAIN) == sha256(repr(PLAIN).encode()).hexdigest()


@pytest.mark.parametrize(
    "changed",
    [
        replace(PLAIN, place_of_supply="FR"),
        replace(PLAIN, taxes=(replace(LINE, not_subject_reason="other"), LINE)),
        replace(PLAIN, taxes=(LINE, replace(LINE, not_subject_reason="other"))),
        replace(PLAIN, taxes=(LINE, replace(LINE, not_subject_reason="location_rules"))),
        replace(PLAIN, taxes=(replace(LINE, untaxed=ZERO), LINE)),
    ],
)
def test_whatever_it_says_besides_is_part_of_it(changed):
    assert repr(changed) == repr(PLAIN)
    assert seals.content_digest(changed) != seals.content_digest(PLAIN)
    assert seals.content_digest(changed) == seals.content_digest(replace(changed))
