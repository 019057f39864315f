"""Offer of the forms for the IVA: the reasons that fit a document, and labels in both languages."""

from datetime import date
from itertools import product

import pytest
from spanish_documents import invoice, simplified

from ledgerkit.providers.es import country
from ledgerkit.providers.es.tax import EXEMPTION_CODES
from ledgerkit.texts import Joined

FACTS = country.tax_facts
USUAL, UNIDENTIFIED = ["R1", "R2", "R3", "R4"], ["R5"]


@pytest.mark.parametrize(
    ("make", "details", "reasons"),
    [
        (invoice, {}, USUAL),
        (invoice, {"withoutRecipientId": True}, UNIDENTIFIED),
        (invoice, {"withoutRecipientId": False}, USUAL),
        (simplified, {}, UNIDENTIFIED),
        (simplified, {"identifiedRecipient": True}, USUAL),
        (simplified, {"identifiedRecipient": False}, UNIDENTIFIED),
        (simplified, {"identifiedRecipient": True, "withoutRecipientId": True}, UNIDENTIFIED),
    ],
)
def test_an_invoice_that_identifies_no_recipient_has_a_reason_of_its_own(make, details, reasons):
    """RD 1619/2012, arts. 6.1.d, 7.2, 7.3 and 15; list L2 of the AEAT's record design."""
    document = make(details=details)

    assert list(FACTS.reasons_for(document)) == reasons
    assert list(country.tax.corrections(document)) == reasons


def test_every_document_that_can_be_corrected_has_a_reason():
    choices = product((invoice, simplified), (None, True, False), (None, True, False))
    documents = [
        make(details={"identifiedRecipient": identified, "withoutRecipientId": without})
        for make, identified, without in choices
    ]

    assert [document for document in documents if not FACTS.reasons_for(document)] == []


@pytest.mark.parametrize("language", ["es", "en"])
def test_labels_are_words_of_the_language(language):
    labelled = [*[rate.name for rate in FACTS.rates], *[code.label for code in (*FACTS.exemptions, *FACTS.corrections)]]

    words = {label: Joined([label]).in_language(language) for label in labelled}

    assert [label for label, said in words.items() if said == label] == []


def test_the_general_rate_is_the_first_of_each_day():
    assert [FACTS.rates_in_force(date(year, 10, 1))[0].percent for year in range(2012, 2027)] == [21] * 15
    assert FACTS.rates_in_force(date(2012, 8, 31)) == []


def test_exemptions_of_another_tax_are_not_offered():
    """E7 and E8 are the IGIC's (AEAT, validations 1.2.2, 1182)."""
    assert [exemption.code for exemption in FACTS.exemptions] == list(EXEMPTION_CODES)
    assert {"E7", "E8"} <= country.tax.exemption_codes.keys() - EXEMPTION_CODES.keys()
